/* SPDX-License-Identifier: MIT */
/* The proximal maps through the C interface: feasible and optimal on random input, every refusal
 * clean. Allocations are exact, so that the address sanitizer sees a step beyond the end. */
#include "check.h"
#include "toplabel.h"

#include "prox_sorted.h"

#include <string.h>

static double max_of(size_t n, const double *x) {
    double top = x[0];
    for (size_t j = 1; j < n; j++)
        top = x[j] > top ? x[j] : top;
    return top;
}

static double dot(size_t n, const double *x, const double *y) {
    double sum = 0.0;
    for (size_t j = 0; j < n; j++)
        sum += x[j] * y[j];
    return sum;
}

/* Scales, ties and offsets that are hard on thresholds. */
static void fill(size_t n, double *x, uint64_t *state) {
    static const double scales[] = {1e-12, 1e-3, 1.0, 1e3, 1e9};
    const double scale = scales[(size_t)(uniform(state) * 5.0)];
    const int mode = (int)(uniform(state) * 4.0);
    for (size_t j = 0; j < n; j++) {
        x[j] = scale * normal(state);
        if (mode == 1) x[j] = scale * floor(3.0 * uniform(state));
        if (mode == 2) x[j] = scale * pow(2.0, (double)(j % 40));
        if (mode == 3) x[j] += 1e6 * scale;
    }
}

static void test_simplex(uint64_t *state) {
    for (int round = 0; round < 2000; round++) {
        const size_t n = 1 + (size_t)(uniform(state) * 20.0);
        double *b = exactly(n), *x = exactly(n), *work = exactly(n);
        fill(n, b, state);
        const double radius = pow(10.0, 6.0 * uniform(state) - 3.0);
        CHECK(tl_prox_topk_simplex_beta(n, b, 1, radius, 0.0, x, work) == TL_OK);
        double sum = 0.0;
        for (size_t j = 0; j < n; j++) {
            CHECK(x[j] >= 0.0);
            sum += x[j];
        }
        const double size = fmax(radius, fabs(max_of(n, b))) * 1e-13 * (double)n;
        CHECK(sum <= radius + size);
        /* <b - x, v - x> <= 0 for the vertices v: 0 and radius e_j */
        double best = 0.0, at_x = 0.0;
        for (size_t j = 0; j < n; j++) {
            best = fmax(best, b[j] - x[j]);
            at_x += (b[j] - x[j]) * x[j];
        }
        CHECK(best * radius - at_x <= 20.0 * size * radius);
        free(b);
        free(x);
        free(work);
    }
}

static void test_bipartite(uint64_t *state) {
    for (int round = 0; round < 2000; round++) {
        const size_t n = 1 + (size_t)(uniform(state) * 10.0);
        const size_t n_bar = 1 + (size_t)(uniform(state) * 10.0);
        double *b = exactly(n), *b_bar = exactly(n_bar), *x = exactly(n), *y = exactly(n_bar);
        double *work = exactly(n + n_bar);
        fill(n, b, state);
        fill(n_bar, b_bar, state);
        const double radius = pow(10.0, 6.0 * uniform(state) - 3.0);
        CHECK(tl_prox_bipartite_simplex(n, b, n_bar, b_bar, radius, x, y, work) == TL_OK);
        double sum = 0.0, sum_bar = 0.0;
        for (size_t j = 0; j < n; j++)
            sum += x[j];
        for (size_t j = 0; j < n_bar; j++)
            sum_bar += y[j];
        const double largest = fmax(fabs(max_of(n, b)), fabs(max_of(n_bar, b_bar)));
        const double size = fmax(radius, largest) * 1e-13 * (double)(n + n_bar);
        CHECK_CLOSE(sum, sum_bar, size);
        CHECK(sum <= radius + size);
        for (size_t j = 0; j < n; j++)
            b[j] -= x[j];
        for (size_t j = 0; j < n_bar; j++)
            b_bar[j] -= y[j];
        const double support = radius * fmax(0.0, max_of(n, b) + max_of(n_bar, b_bar));
        CHECK(support - dot(n, b, x) - dot(n_bar, b_bar, y) <= 20.0 * size * radius);
        free(b);
        free(b_bar);
        free(x);
        free(y);
        free(work);
    }
}

static double largest_difference(size_t n, const double *x, const double *y) {
    double largest = 0.0;
    for (size_t j = 0; j < n; j++)
        largest = fmax(largest, fabs(x[j] - y[j]));
    return largest;
}

static double largest_size(size_t n, const double *x) {
    double largest = 0.0;
    for (size_t j = 0; j < n; j++)
        largest = fmax(largest, fabs(x[j]));
    return largest;
}

/* The library agrees with the projections by sorting, one problem per row. */
static void test_sorted(uint64_t *state) {
    for (int round = 0; round < 2000; round++) {
        const size_t n = 1 + (size_t)(uniform(state) * (round % 200 == 0  ? 5000.0
                                                        : round % 10 == 0 ? 200.0
                                                                          : 12.0));
        const size_t n_bar = 1 + (size_t)(uniform(state) * 12.0), rows = 1 + (size_t)(round % 3);
        double *b = exactly(rows * n), *x = exactly(rows * n), *z = exactly(rows * n);
        double *b_bar = exactly(rows * n_bar), *y = exactly(rows * n_bar);
        double *w = exactly(rows * n_bar);
        fill(rows * n, b, state);
        fill(rows * n_bar, b_bar, state);
        tl_prox prox = {.n = n,
                        .n_bar = n_bar,
                        .k = 1 + (size_t)(uniform(state) * (double)n),
                        .radius = pow(10.0, 6.0 * uniform(state) - 3.0),
                        .bias = round % 2 ? uniform(state) : 0.0};
        const double size =
            fmax(largest_size(rows * n, b), largest_size(rows * n_bar, b_bar)) * 1e-14 * (double)n;
        for (int map = 0; map <= TL_PROX_BIPARTITE_SIMPLEX; map++) {
            prox.map = (tl_prox_id)map;
            double *work = exactly(tl_prox_work(&prox));
            CHECK(tl_prox_rows(&prox, rows, b, b_bar, x, y, work) == TL_OK);
            sorted_rows(&prox, rows, b, b_bar, z, w);
            CHECK(largest_difference(rows * n, x, z) <= size);
            if (map == TL_PROX_BIPARTITE_SIMPLEX)
                CHECK(largest_difference(rows * n_bar, y, w) <= size);
            free(work);
        }
        free(b);
        free(x);
        free(z);
        free(b_bar);
        free(y);
        free(w);
    }
}

static void test_entropic(uint64_t *state) {
    for (int round = 0; round < 1000; round++) {
        const size_t n = 1 + (size_t)(uniform(state) * 10.0);
        const size_t n_bar = (size_t)(uniform(state) * 10.0);
        double *b = exactly(n), *b_bar = exactly(n_bar + 1), *x = exactly(n),
               *y = exactly(n_bar + 1);
        double *work = exactly(2 * (n + n_bar));
        for (size_t j = 0; j < n; j++)
            b[j] = 5.0 * normal(state);
        for (size_t j = 0; j < n_bar; j++)
            b_bar[j] = 5.0 * normal(state);
        const double alpha = pow(10.0, 8.0 * uniform(state) - 4.0);
        CHECK(tl_prox_bipartite_entropic(n, b, n_bar, b_bar, alpha, x, y, work) == TL_OK);
        double sum = 0.0;
        for (size_t j = 0; j < n; j++)
            sum += x[j];
        for (size_t j = 0; j < n_bar; j++)
            sum += y[j];
        CHECK_CLOSE(sum, 1.0, 1e-13);
        /* alpha (x - b) + log x is the same for all entries that do not underflow */
        double level = NAN;
        for (size_t j = 0; j < n; j++)
            if (x[j] > 1e-250) {
                const double here = alpha * (x[j] - b[j]) + log(x[j]);
                if (isnan(level)) level = here;
                CHECK_CLOSE(here, level, 1e-8 * fmax(1.0, fabs(level)));
            }
        free(b);
        free(b_bar);
        free(x);
        free(y);
        free(work);
    }
}

static void test_special_function(void) {
    double t[] = {-INFINITY, -800.0, -36.0, 0.0, 1.0, 30.0, 1e8, 1e300, INFINITY}, v[9];
    CHECK(tl_lambert_w_exp(9, t, v) == TL_OK);
    CHECK(v[0] == 0.0 && v[1] == 0.0 && isinf(v[8]) && v[7] == 1e300);
    CHECK_CLOSE(v[3], 0.56714329040978387, 1e-15);
    CHECK_CLOSE(v[4], 1.0, 1e-15);
    for (size_t i = 2; i < 7; i++)
        CHECK_CLOSE(v[i] + log(v[i]), t[i], 1e-14 * fmax(1.0, fabs(t[i])));
    CHECK(tl_lambert_w_exp(0, NULL, NULL) == TL_OK);
    CHECK(tl_lambert_w_exp(1, NULL, v) == TL_ERR_NULL);
}

static void test_refusals(void) {
    double b[2] = {1.0, 2.0}, bad[2] = {1.0, NAN}, x[2] = {7.0, 7.0}, y[2], work[8];
    CHECK(tl_prox_topk_simplex_beta(2, NULL, 1, 1.0, 0.0, x, work) == TL_ERR_NULL);
    CHECK(tl_prox_topk_simplex_beta(0, b, 1, 1.0, 0.0, x, work) == TL_ERR_DIMENSION);
    CHECK(tl_prox_topk_simplex_beta(2, b, 0, 1.0, 0.0, x, work) == TL_ERR_DIMENSION);
    CHECK(tl_prox_topk_simplex_beta(2, b, 3, 1.0, 0.0, x, work) == TL_ERR_DIMENSION);
    CHECK(tl_prox_topk_simplex_beta(2, b, 1, -1.0, 0.0, x, work) == TL_ERR_PARAMETER);
    CHECK(tl_prox_topk_simplex_beta(2, b, 1, 1.0, NAN, x, work) == TL_ERR_PARAMETER);
    CHECK(tl_prox_topk_simplex_beta(2, bad, 1, 1.0, 0.0, x, work) == TL_ERR_NOT_FINITE);
    CHECK(tl_prox_bipartite_simplex(2, b, 0, b, 1.0, x, y, work) == TL_ERR_DIMENSION);
    CHECK(tl_prox_bipartite_simplex(2, b, 2, bad, 1.0, x, y, work) == TL_ERR_NOT_FINITE);
    CHECK(tl_prox_bipartite_simplex(2, b, 2, b, INFINITY, x, y, work) == TL_ERR_PARAMETER);
    CHECK(tl_prox_bipartite_entropic(2, b, 2, b, 0.0, x, y, work) == TL_ERR_PARAMETER);
    CHECK(tl_prox_bipartite_entropic(2, b, 2, NULL, 1.0, x, y, work) == TL_ERR_NULL);
    double huge[2] = {1.0, -1e200};
    CHECK(tl_prox_topk_cone(2, huge, 1, 0.0, x, work) == TL_ERR_OVERFLOW);
    CHECK(tl_prox_topk_cone(2, b, 1, 1e101, x, work) == TL_ERR_PARAMETER);
    tl_prox prox = {.map = TL_PROX_TOPK_CONE, .n = 2, .k = 1, .alpha = 1.0};
    CHECK(tl_prox_rows(&prox, 1, bad, NULL, x, NULL, work) == TL_ERR_NOT_FINITE);
    prox.map = TL_PROX_TOPK_SIMPLEX_BETA;
    prox.k = 3;
    CHECK(tl_prox_rows(&prox, 1, b, NULL, x, NULL, work) == TL_ERR_DIMENSION);
    prox.map = TL_PROX_TOPK_SIMPLEX_ALPHA;
    prox.k = 1;
    prox.radius = NAN;
    CHECK(tl_prox_rows(&prox, 1, b, NULL, x, NULL, work) == TL_ERR_PARAMETER);
    prox.map = TL_PROX_BIPARTITE_SIMPLEX;
    prox.radius = 1.0;
    CHECK(tl_prox_rows(&prox, 1, b, NULL, x, y, work) == TL_ERR_NULL); /* no other side */
    prox.n_bar = 2;
    CHECK(tl_prox_rows(&prox, 1, b, huge, x, y, work) == TL_ERR_OVERFLOW);
    prox.map = TL_PROX_TOPK_ENTROPIC;
    prox.alpha = 0.0;
    CHECK(tl_prox_rows(&prox, 1, b, NULL, x, NULL, work) == TL_ERR_PARAMETER);
    CHECK(tl_prox_rows(NULL, 1, b, NULL, x, NULL, work) == TL_ERR_NULL);
    prox.map = TL_PROX_BIPARTITE_ENTROPIC;
    CHECK(tl_prox_rows(&prox, 1, b, NULL, x, y, work) == TL_ERR_NULL);
    CHECK(x[0] == 7.0 && x[1] == 7.0); /* nothing written on failure */
    for (int status = 0; status <= TL_STATUS_COUNT; status++)
        CHECK(strlen(tl_status_text((tl_status)status)) > 0);
}

int main(void) {
    uint64_t state = 1;
    test_simplex(&state);
    test_bipartite(&state);
    test_sorted(&state);
    test_entropic(&state);
    test_special_function();
    test_refusals();
    return check_summary("prox");
}
