/* SPDX-License-Identifier: MIT */
/* Projections of long inputs, of which most entries are passed over, against the sorting ones; and
 * what is not finite is found wherever it is. */
#include "check.h"
#include "toplabel.h"

#include "prox_sorted.h"

#include <string.h>

/* Random, ascending, descending, all equal, few values, heavy tails, one large entry at the end, or
 * tiny and far from 0. */
static void fill(size_t n, double *b, uint64_t *state) {
    const int mode = (int)(uniform(state) * 8.0);
    for (size_t j = 0; j < n; j++) {
        const double place = (double)j / (double)n;
        b[j] = normal(state);
        if (mode == 1) b[j] = 8.0 * place - 4.0;
        if (mode == 2) b[j] = 4.0 - 8.0 * place;
        if (mode == 3) b[j] = 0.7;
        if (mode == 4) b[j] = floor(3.0 * uniform(state));
        if (mode == 5) b[j] = b[j] * b[j] * b[j] * exp(normal(state));
        if (mode == 6 && j + 1 == n) b[j] = 50.0;
        if (mode == 7) b[j] = 1e-6 * b[j] + 1e3;
    }
}

static void compare(size_t n, const double *x, const double *sorted, double size) {
    double worst = 0.0;
    for (size_t j = 0; j < n; j++)
        worst = fmax(worst, fabs(x[j] - sorted[j]));
    CHECK(worst <= size);
}

static void test_against_sorting(uint64_t *state) {
    static const double radii[] = {1e-6, 0.1, 10.0, 1e3};
    for (int round = 0; round < 120; round++) {
        const size_t n = 500 + (size_t)(uniform(state) * 20000.0);
        const size_t n_bar = 1 + (size_t)(uniform(state) * 20000.0);
        size_t k = 1 + (size_t)(uniform(state) * (round % 5 == 0 ? 5000.0 : 12.0));
        k = k < n ? k : n;
        const double radius = radii[round % 4], bias = round % 3 == 0 ? uniform(state) : 0.0;
        double *b = exactly(n), *b_bar = exactly(n_bar), *x = exactly(n), *y = exactly(n_bar);
        double *s = exactly(n), *s_bar = exactly(n_bar), *work = exactly(n + n_bar);
        double *work_one = exactly(n);
        fill(n, b, state);
        fill(n_bar, b_bar, state);
        tl_prox prox = {.n = n, .n_bar = n_bar, .k = k, .radius = radius, .bias = bias};
        const double size = 1e-11 * fmax(1.0, radius);

        CHECK(tl_prox_topk_simplex_beta(n, b, k, radius, bias, x, work_one) == TL_OK);
        prox.map = TL_PROX_TOPK_SIMPLEX_BETA;
        sorted_rows(&prox, 1, b, NULL, s, NULL);
        compare(n, x, s, size);
        CHECK(tl_prox_topk_simplex_alpha(n, b, k, radius, bias, x, work_one) == TL_OK);
        prox.map = TL_PROX_TOPK_SIMPLEX_ALPHA;
        sorted_rows(&prox, 1, b, NULL, s, NULL);
        compare(n, x, s, size);
        CHECK(tl_prox_bipartite_simplex(n, b, n_bar, b_bar, radius, x, y, work) == TL_OK);
        prox.map = TL_PROX_BIPARTITE_SIMPLEX;
        sorted_rows(&prox, 1, b, b_bar, s, s_bar);
        compare(n, x, s, size);
        compare(n_bar, y, s_bar, size);
        /* in place */
        CHECK(tl_prox_bipartite_simplex(n, b, n_bar, b_bar, radius, b, b_bar, work) == TL_OK);
        CHECK(memcmp(b, x, n * sizeof *b) == 0 && memcmp(b_bar, y, n_bar * sizeof *y) == 0);

        free(b);
        free(b_bar);
        free(x);
        free(y);
        free(s);
        free(s_bar);
        free(work);
        free(work_one);
    }
}

static void test_bad_values(uint64_t *state) {
    const size_t n = 5003;
    double *b = exactly(n), *x = exactly(n), *work = exactly(n);
    for (int round = 0; round < 60; round++) {
        fill(n, b, state);
        const size_t place =
            round < 2 ? (n - 1) * (size_t)round : (size_t)(uniform(state) * (double)n);
        const double bad = round % 3 == 0 ? NAN : (round % 3 == 1 ? -INFINITY : 1e200);
        b[place] = bad;
        x[0] = 7.0;
        const tl_status wanted = round % 3 == 2 ? TL_ERR_OVERFLOW : TL_ERR_NOT_FINITE;
        CHECK(tl_prox_topk_simplex_beta(n, b, 1, 1.0, 0.0, x, work) == wanted);
        CHECK(tl_prox_topk_simplex_alpha(n, b, 3, 1.0, 0.0, x, work) == wanted);
        CHECK(tl_prox_topk_cone(n, b, 3, 0.0, x, work) == wanted);
        CHECK(x[0] == 7.0);
    }
    free(b);
    free(x);
    free(work);
}

int main(void) {
    uint64_t state = 5;
    test_against_sorting(&state);
    test_bad_values(&state);
    return check_summary("filter");
}
