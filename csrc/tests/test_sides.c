/* SPDX-License-Identifier: MIT */
/* The updates of ZLPR and LSEP: the conditions of their minimum, which determine it, from every
 * start. With x > 0 the derivative log x_j + alpha x_j - z_j is the same number on a side,
 *
 *     apart     log(1 - s), and likewise of the labels
 *     paired    numbers whose sum is log s + log(1 - s), and s = s'. */
#include "check.h"
#include "loss.h"

#include <string.h>

#define MOST 40

typedef struct problem {
    size_t m, n;
    double alpha, size;
    double z[MOST], in[MOST], v[MOST], u[MOST];
    tl_sides sides;
} problem;

static void draw(problem *p, uint64_t *state) {
    static const double alphas[] = {1e-17, 1e-6, 0.1, 1.0, 30.0, 1e4, 1e9};
    static const double sizes[] = {0.0, 0.1, 3.0, 30.0, 1e4};
    p->m = 2 + (size_t)(uniform(state) * 30.0);
    p->n = tl_padded(p->m);
    p->alpha = alphas[(size_t)(uniform(state) * 7.0)];
    p->size = sizes[(size_t)(uniform(state) * 5.0)];
    const size_t labels = 1 + (size_t)(uniform(state) * (double)(p->m - 1));
    for (size_t j = 0; j < p->n; j++) {
        p->z[j] = j < p->m ? p->size * normal(state) : -INFINITY;
        p->in[j] = j < labels ? 1.0 : 0.0;
    }
    p->sides = (tl_sides){p->n, labels, p->m - labels, p->z, p->in, p->v, p->u};
}

/* The sum of a side, the range of the derivative over its x that are normal numbers, and by how
 * much a relative error of 1 in any x moves it. */
static double find_range(const problem *p, const double *factor, int side, double *least,
                         double *most, double *slope) {
    double sum = 0.0;
    *slope = 1.0;
    *least = INFINITY;
    *most = -INFINITY;
    for (size_t j = 0; j < p->m; j++) {
        if ((p->in[j] > 0.0) != (side == 1)) continue;
        const double x = factor[side] * p->v[j];
        CHECK(x >= 0.0 && x <= 1.0 + 1e-12);
        sum += x;
        *slope = fmax(*slope, 1.0 + p->alpha * x);
        if (!(x > 1e-240)) continue;
        const double derivative = log(x) + p->alpha * x - p->z[j];
        *least = fmin(*least, derivative);
        *most = fmax(*most, derivative);
    }
    return sum;
}

static void check(const problem *p, bool is_paired, const double *factor) {
    double least[2], most[2], slope[2], sum[2], close[2];
    for (int side = 0; side < 2; side++) {
        sum[side] = find_range(p, factor, side, &least[side], &most[side], &slope[side]);
        /* The search ends at a step whose square times 1/4 is left. */
        close[side] = (is_paired ? 2.5e-7 : 1e-9) * slope[side] + 1e-13 * p->size;
        CHECK(sum[side] <= 1.0 + 1e-12);
        CHECK(!(most[side] - least[side] > close[side]));
        /* The rest has lost its digits where it is small. */
        const double rest = 1.0 - sum[side];
        if (!is_paired && rest > 1e-6 && isfinite(most[side]))
            CHECK_CLOSE(most[side], log(rest), close[side] + 1e-15 / rest);
    }
    if (!is_paired) return;
    CHECK_CLOSE(sum[0], sum[1], 1e-12 * sum[0]);
    if (isfinite(most[0]) && isfinite(most[1]) && sum[0] < 1.0 - 1e-6)
        CHECK_CLOSE(most[0] + most[1], log(sum[0]) + log(1.0 - sum[0]), close[0] + close[1]);
}

static void test_updates(uint64_t *state, bool is_paired) {
    problem p;
    double warm[TL_WARM] = {NAN, NAN}, factor[2];
    for (int round = 0; round < 20000; round++) {
        const double choice = uniform(state);
        if (choice < 0.3) draw(&p, state);
        if (round == 0) draw(&p, state);
        /* Without a start, from the last one, from that of another problem, and from anything. */
        if (choice < 0.1) warm[0] = warm[1] = NAN;
        for (size_t j = 0; j < p.m && choice > 0.6; j++)
            p.z[j] += 0.1 * normal(state);
        if (choice > 0.9) {
            warm[0] = 10.0 * normal(state);
            warm[1] = 10.0 * normal(state);
        }
        (is_paired ? tl_warm_paired : tl_warm_apart)(&p.sides, p.alpha, warm, factor);
        check(&p, is_paired, factor);
    }
}

/* A side without a class, and scores so low that nothing is left. */
static void test_edges(void) {
    problem p = {.m = 2, .n = 8, .alpha = 1.0};
    double warm[TL_WARM] = {NAN, NAN}, factor[2];
    for (size_t j = 0; j < p.n; j++)
        p.z[j] = j < p.m ? 0.0 : -INFINITY;
    p.sides = (tl_sides){p.n, 0, p.m, p.z, p.in, p.v, p.u};
    tl_warm_apart(&p.sides, p.alpha, warm, factor);
    check(&p, false, factor);
    CHECK_CLOSE(factor[0] * p.v[0], factor[0] * p.v[1], 1e-15);

    p.in[0] = 1.0;
    p.z[0] = -1e6;
    p.sides.labels = p.sides.others = 1;
    warm[0] = warm[1] = NAN;
    tl_warm_paired(&p.sides, p.alpha, warm, factor);
    CHECK(factor[0] * p.v[1] == 0.0 && factor[1] * p.v[0] == 0.0);
}

int main(void) {
    uint64_t state = 5;
    test_edges();
    test_updates(&state, false);
    test_updates(&state, true);
    return check_summary("sides");
}
