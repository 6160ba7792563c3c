/* SPDX-License-Identifier: MIT */
/* The warm-started projections of the updates against the public ones: the same x from every start,
 * a stale one, none, or the last solution of another problem. */
#include "check.h"
#include "loss.h"

#include <string.h>

typedef tl_status (*reference)(size_t n, const double *b, size_t k, double radius, double bias,
                               double *x, double *work);

static double pick(uint64_t *state, const double *from, size_t count) {
    return from[(size_t)(uniform(state) * (double)count)];
}

/* Normal, tied, growing, all equal, far from 0, or with a few far below the rest. Returns if they
 * are far apart. */
static bool fill(size_t n, double *b, uint64_t *state) {
    const int mode = (int)(uniform(state) * 6.0);
    for (size_t j = 0; j < n; j++) {
        b[j] = 2.0 * normal(state);
        if (mode == 1) b[j] = floor(3.0 * uniform(state));
        if (mode == 2) b[j] = pow(2.0, (double)(j % 20));
        if (mode == 3) b[j] = 1.5;
        if (mode == 4) b[j] += 1e3;
        if (mode == 5 && uniform(state) < 0.3) b[j] -= 1e12;
    }
    return mode == 2 || mode == 5;
}

/* Some kept numbers: none, the last ones, or anything. */
static void stale(double *kept, uint64_t *state) {
    const double choice = uniform(state);
    if (choice < 0.3) kept[0] = kept[1] = NAN;
    if (choice > 0.7) {
        kept[0] = 3.0 * normal(state);
        kept[1] = choice > 0.9 ? 0.0 : fabs(3.0 * normal(state));
    }
}

static void compare(tl_warm_projection warm, reference cold, size_t count, size_t k,
                    uint64_t *state) {
    static const double radii[] = {1e-3, 0.1, 1.0, 10.0, 1e4};
    static const double biases[] = {0.0, 1e-8, 0.5, 1.0, 10.0};
    const size_t n = tl_padded(count + 1), place = (size_t)(uniform(state) * (double)(count + 1));
    double *b = exactly(count), *x = exactly(count), *work = exactly(2 * n), *v = exactly(n);
    double *minus_x = exactly(n), kept[TL_WARM] = {NAN, NAN};
    for (int round = 0; round < 12; round++) {
        fill(count, b, state);
        const double radius = pick(state, radii, 5), bias = pick(state, biases, 5);
        double top = b[0];
        for (size_t j = 1; j < count; j++)
            top = fmax(top, b[j]);
        if (!(top > 0.0)) continue;
        for (size_t j = 0; j < n; j++)
            v[j] = -INFINITY;
        for (size_t j = 0; j < count; j++)
            v[j < place ? j : j + 1] = b[j] - top;
        stale(kept, state);
        const double sum = warm(n, v, top, k, radius, bias, kept, minus_x, work);
        CHECK(cold(count, b, k, radius, bias, x, work) == TL_OK);
        const double size = 1e-13 * (double)n * fmax(radius, 1e3 + top);
        double total = 0.0, worst = 0.0;
        for (size_t j = 0; j < count; j++) {
            const double here = -minus_x[j < place ? j : j + 1];
            worst = fmax(worst, fabs(here - x[j]));
            total += here;
            CHECK(here >= 0.0);
        }
        CHECK(worst <= size);
        CHECK_CLOSE(total, sum, size);
        CHECK(minus_x[place] == 0.0);
    }
    free(b);
    free(x);
    free(work);
    free(v);
    free(minus_x);
}

/* p = V(z - t)/alpha for absent, stale and good starts; the cold one is tested in test_prox.c. */
static void compare_softmax(size_t count, uint64_t *state) {
    static const double alphas[] = {1e-30, 1e-12, 1e-3, 0.1, 1.0, 30.0, 1e6};
    const size_t n = tl_padded(count);
    double *z = exactly(n), *p = exactly(n), *v = exactly(n), *u = exactly(n), t = NAN;
    for (int round = 0; round < 12; round++) {
        const double alpha = pick(state, alphas, 7);
        fill(count, z, state);
        for (size_t j = count; j < n; j++)
            z[j] = -INFINITY;
        double cold = NAN;
        tl_entropic_solve(count, z, alpha, &cold, p);
        const double choice = uniform(state);
        if (choice < 0.2) t = NAN;
        if (choice > 0.4) t = (isnan(cold) ? 0.0 : cold) + pow(10.0, -5.0 + 8.0 * choice);
        const double sum = tl_warm_softmax(n, z, alpha, &t, v, u);
        /* huge z have lost digits, which 1/alpha does not bring back */
        double size = 0.0;
        for (size_t j = 0; j < count; j++)
            size = fmax(size, fabs(z[j]));
        for (size_t j = 0; j < count; j++)
            CHECK_CLOSE(v[j] / sum, p[j], (1e-11 + 1e-14 * size) * p[j] + 1e-250);
        for (size_t j = count; j < n; j++)
            CHECK(v[j] == 0.0);
    }
    free(z);
    free(p);
    free(v);
    free(u);
}

/* alpha/2 (<x,x> + s^2) - <b,x> + <x,log x> + (1-s) log(1-s), per alpha x = v. */
static double topk_entropy(size_t n, const double *b, double alpha, const double *x) {
    double s = 0.0, sum = 0.0;
    for (size_t j = 0; j < n; j++) {
        s += x[j];
        sum += 0.5 * alpha * x[j] * x[j] - b[j] * x[j] + (x[j] > 0.0 ? x[j] * log(x[j]) : 0.0);
    }
    return sum + 0.5 * alpha * s * s + (s < 1.0 ? (1.0 - s) * log(1.0 - s) : 0.0);
}

/* The search may give up, on which the update starts from nothing; but seldom. Returns if it did.
 */
static bool compare_topk_entropic(size_t count, size_t k, uint64_t *state, double *kept) {
    static const double alphas[] = {1e-17, 1e-3, 0.1, 1.0, 30.0, 1e4};
    const size_t n = tl_padded(count + 1), y = (size_t)(uniform(state) * (double)(count + 1));
    double *b = exactly(count), *x = exactly(count), *z = exactly(count + 1),
           *p = exactly(count + 1);
    double *padded = exactly(n), *v = exactly(n), *u = exactly(n), *xs = exactly(n);
    const double alpha = pick(state, alphas, 6);
    const bool far_apart = fill(count, b, state);
    for (size_t j = 0; j < n; j++)
        padded[j] = -INFINITY;
    for (size_t j = 0; j < count; j++)
        padded[j < y ? j : j + 1] = b[j];
    const double choice = uniform(state);
    if (choice < 0.2) kept[0] = kept[1] = NAN;
    if (choice > 0.6) {
        kept[0] += 3.0 * normal(state);
        kept[1] += 3.0 * normal(state);
    }
    const double sum = tl_warm_topk_entropic(n, padded, y, k, alpha, kept, xs, v, u);
    CHECK(isinf(padded[y]) && padded[y] < 0.0);
    if (sum >= 0.0) {
        double t = NAN, total = 0.0, top = 0.0;
        tl_topk_entropic_project(count, b, k, alpha, &t, x, z, p);
        const double best = topk_entropy(count, b, alpha, x);
        for (size_t j = 0; j < count; j++) {
            x[j] = xs[j < y ? j : j + 1];
            CHECK(x[j] >= 0.0);
            total += x[j];
            top = fmax(top, x[j]);
        }
        double size = fmax(1.0, alpha);
        for (size_t j = 0; j < count; j++)
            size = fmax(size, fabs(b[j]));
        CHECK_CLOSE(total, sum, 1e-14 * (double)n);
        CHECK(sum <= 1.0 + 1e-15);
        CHECK(top * (double)k <= total * (1.0 + 1e-9));
        CHECK(topk_entropy(count, b, alpha, x) <= best + 1e-13 * size * (double)n);
        CHECK(xs[y] == 0.0);
    }
    free(b);
    free(x);
    free(z);
    free(p);
    free(padded);
    free(v);
    free(u);
    free(xs);
    return sum < 0.0 && !far_apart;
}

static void test_topk_entropic(uint64_t *state) {
    double kept[TL_WARM] = {NAN, NAN};
    size_t failed = 0;
    const size_t rounds = 40000;
    for (size_t round = 0; round < rounds; round++) {
        const size_t count = 1 + (size_t)(uniform(state) * (round % 10 == 0 ? 100.0 : 20.0));
        const size_t k = 1 + (size_t)(uniform(state) * (double)count);
        failed += compare_topk_entropic(count, k, state, kept);
    }
    CHECK(failed * 1000 < rounds);
}

/* Padding, and classes that take no part, are -inf; the k largest may be some of them. */
static void test_largest(uint64_t *state) {
    double v[32], work[32], top[32];
    for (int problem = 0; problem < 2000; problem++) {
        const size_t n = 8 * (1 + (size_t)(uniform(state) * 4.0));
        const size_t k = 1 + (size_t)(uniform(state) * (double)n);
        size_t finite = 0;
        for (size_t j = 0; j < n; j++) {
            v[j] = uniform(state) < 0.5 ? -INFINITY : floor(8.0 * uniform(state));
            finite += v[j] > -INFINITY;
        }
        tl_largest(n, v, k, top, work);
        for (size_t i = 0; i < k; i++) {
            size_t above = 0, equal = 0;
            for (size_t j = 0; j < n; j++) {
                above += v[j] > top[i];
                equal += v[j] == top[i];
            }
            CHECK(above <= i && i < above + equal);
            CHECK((i < finite) == (top[i] > -INFINITY));
        }
    }
    CHECK(tl_reduced_max(-DBL_MAX) == -INFINITY && tl_reduced_max(-1e300) == -1e300);
}

int main(void) {
    uint64_t state = 3;
    test_largest(&state);
    test_topk_entropic(&state);
    for (int problem = 0; problem < 4000; problem++) {
        const size_t count = 1 + (size_t)(uniform(&state) * (problem % 10 == 0 ? 100.0 : 20.0));
        const size_t k = 1 + (size_t)(uniform(&state) * (double)count);
        compare(tl_warm_simplex, tl_prox_topk_simplex_beta, count, 1, &state);
        compare(tl_warm_topk_beta, tl_prox_topk_simplex_beta, count, k, &state);
        compare(tl_warm_topk_alpha, tl_prox_topk_simplex_alpha, count, k, &state);
        compare_softmax(count, &state);
    }
    return check_summary("warm");
}
