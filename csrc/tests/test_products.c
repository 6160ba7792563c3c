/* SPDX-License-Identifier: MIT */
/* The products of rows where they are, against plain sums, at every size of the edges; and passes
 * over a float32 copy of wide rows: to gaps within and beyond float32, and for rows out of its
 * range. */
#include "check.h"
#include "products.h"
#include "toplabel.h"

#include <stdlib.h>
#include <string.h>

static double *normals(size_t count, uint64_t seed) {
    double *x = malloc(count * sizeof *x);
    for (size_t i = 0; i < count; i++)
        x[i] = (double)(float)normal(&seed);
    return x;
}

static float *rounded(size_t count, const double *x) {
    float *out = malloc(count * sizeof *out);
    for (size_t i = 0; i < count; i++)
        out[i] = (float)x[i];
    return out;
}

static double sum(size_t d, const double *x, size_t across, const double *y, size_t along) {
    double total = 0.0;
    for (size_t k = 0; k < d; k++)
        total += x[k * across] * y[k * along];
    return total;
}

static void check_products(const tl_products *products, size_t b, size_t m, size_t d) {
    double *x = normals(b * d, 1), *w = normals(m * d, 2), *delta = normals(b * m, 3);
    float *x32 = rounded(b * d, x), *w32 = rounded(m * d, w), *delta32 = rounded(b * m, delta);
    double *s = normals(b * m, 4), *g = normals(b * b, 5);
    float *s32 = rounded(b * m, s), *g32 = rounded(b * b, g);
    const double **row = malloc(b * sizeof *row);
    const float **row32 = malloc(b * sizeof *row32);
    for (size_t i = 0; i < b; i++) { /* the last row first: not in the order of memory */
        row[i] = x + (b - 1 - i) * d;
        row32[i] = x32 + (b - 1 - i) * d;
    }
    const double tolerance = 1e-6 * (double)d;
    products->scores(b, m, d, row, w, s);
    products->scores32(b, m, d, row32, w32, s32);
    products->gram(b, d, row, g);
    products->gram32(b, d, row32, g32);
    for (size_t i = 0; i < b; i++) {
        for (size_t j = 0; j < m; j++) {
            const double score = sum(d, row[i], 1, w + j * d, 1);
            CHECK_CLOSE(s[i * m + j], score, 1e-12 * (double)d);
            CHECK_CLOSE((double)s32[i * m + j], score, tolerance);
        }
        for (size_t j = 0; j <= i; j++) {
            const double inner = sum(d, row[i], 1, row[j], 1);
            CHECK_CLOSE(g[i * b + j], inner, 1e-12 * (double)d);
            CHECK_CLOSE((double)g32[i * b + j], inner, tolerance);
        }
    }
    products->update(b, m, d, delta, row, w);
    products->update32(b, m, d, delta32, row32, w32);
    double *before = normals(m * d, 2);
    for (size_t j = 0; j < m; j++)
        for (size_t k = 0; k < d; k++) {
            double now = before[j * d + k];
            for (size_t i = 0; i < b; i++)
                now += delta[i * m + j] * row[i][k];
            CHECK_CLOSE(w[j * d + k], now, 1e-12 * (double)b);
            CHECK_CLOSE((double)w32[j * d + k], now, 1e-5 * (double)b);
        }
    void *arrays[] = {x, w,   delta, x32,         w32,           delta32, s,
                      g, s32, g32,   (void *)row, (void *)row32, before};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
}

static void test_products(void) {
    CHECK(tl_products_for(513, 100) == NULL && tl_products_for(10, 15) == NULL);
    const size_t features[] = {16, 17, 31, 48, 100, 1023, 1040, 1041, 2500};
    for (size_t f = 0; f < sizeof features / sizeof *features; f++)
        for (size_t b = 1; b <= 13; b += 3)
            for (size_t m = 2; m <= 12; m++) {
                const size_t classes = m < 12 ? m : 509;
                const tl_products *products = tl_products_for(classes, features[f]);
                if (products != NULL) check_products(products, b, classes, features[f]);
            }
}

/* ---- passes ---- */

enum { N = 60, D = 70, M = 4 };

/* What the run says, at the weights that it hands out. */
static tl_objective solve(double scale, double C, double constant, double tol, int float32_passes,
                          tl_outcome *outcome, double *weights) {
    double *x = normals(N * D, 7), dual[N * M] = {0};
    int64_t start[N + 1];
    int32_t label[N];
    for (size_t i = 0; i < N * D; i++)
        x[i] = (x[i] + 1e-9) * scale; /* not exact in float32 */
    for (size_t i = 0; i <= N; i++)
        start[i] = (int64_t)i;
    for (size_t i = 0; i < N; i++)
        label[i] = (int32_t)(i % M);
    const tl_data data = {.n = N,
                          .d = D + (constant != 0.0),
                          .m = M,
                          .x = x,
                          .constant = constant,
                          .label_start = start,
                          .label = label};
    tl_settings settings;
    tl_settings_default(&settings);
    settings.gamma = 0.5;
    settings.C = C;
    settings.float32_passes = float32_passes;
    tl_solver *solver = NULL;
    tl_objective objective = {0};
    CHECK(tl_solver_create(&data, &settings, dual, &solver) == TL_OK);
    tl_stopping stopping;
    tl_stopping_default(&stopping);
    stopping.tol = tol;
    CHECK(tl_solver_solve(solver, &stopping, &objective, outcome) == TL_OK);
    CHECK(tl_solver_weights(solver, weights) == TL_OK);
    tl_solver_free(solver);
    free(x);
    return objective;
}

static void test_passes(void) {
    double weights[(D + 1) * M], others[(D + 1) * M];
    const double tolerances[] = {1e-3, 1e-5, 1e-7, 1e-10};
    for (int t = 0; t < 4; t++)
        for (int c = 0; c < 2; c++) {
            const double tol = tolerances[t], constant = c * 2.0;
            tl_outcome outcome = TL_RUNNING, other = TL_RUNNING;
            const tl_objective now = solve(0.1, 10.0, constant, tol, 1, &outcome, weights);
            const tl_objective exact = solve(0.1, 10.0, constant, tol, 0, &other, others);
            CHECK(outcome == TL_CONVERGED && other == TL_CONVERGED);
            CHECK(now.relative_gap <= tol);
            CHECK_CLOSE(now.primal, exact.primal, 2.0 * tol * fabs(exact.primal));
            double norm2 = 0.0; /* in float64, and of the weights that are handed out */
            for (size_t i = 0; i < (size_t)(D + c) * M; i++)
                norm2 += weights[i] * weights[i];
            CHECK_CLOSE(norm2, now.norm2, 1e-12 * norm2);
        }
}

/* Rows, or C, that float32 could not hold: the passes are those in float64, to the last digit. */
static void test_range(void) {
    double weights[(D + 1) * M], others[(D + 1) * M];
    const double scales[] = {1e-50, 1e-12, 1e30, 1e60};
    for (int s = 0; s < 4; s++) {
        tl_outcome outcome = TL_RUNNING, other = TL_RUNNING;
        const double C = fmin(1e80, fmax(1e-80, 1.0 / (scales[s] * scales[s])));
        const tl_objective now = solve(scales[s], C, 0.0, 1e-3, 1, &outcome, weights);
        const tl_objective exact = solve(scales[s], C, 0.0, 1e-3, 0, &other, others);
        CHECK(outcome == other && now.relative_gap == exact.relative_gap);
        CHECK(memcmp(weights, others, D * M * sizeof *weights) == 0);
    }
}

/* A Gram matrix whose passes are in float32 has the objectives of the matrix in float64. */
static tl_objective solve_gram(const double *gram, double constant, double tol, int float32_passes,
                               double *coefficients) {
    double dual[N * M] = {0};
    int64_t start[N + 1];
    int32_t label[N];
    for (size_t i = 0; i <= N; i++)
        start[i] = (int64_t)i;
    for (size_t i = 0; i < N; i++)
        label[i] = (int32_t)(i % M);
    const tl_data data = {.n = N,
                          .d = N + (constant != 0.0),
                          .m = M,
                          .representation = TL_GRAM,
                          .x = gram,
                          .constant = constant,
                          .label_start = start,
                          .label = label};
    tl_settings settings;
    tl_settings_default(&settings);
    settings.gamma = 0.5;
    settings.C = 10.0;
    settings.float32_passes = float32_passes;
    tl_solver *solver = NULL;
    tl_objective objective = {0};
    tl_outcome outcome = TL_RUNNING;
    CHECK(tl_solver_create(&data, &settings, dual, &solver) == TL_OK);
    tl_stopping stopping;
    tl_stopping_default(&stopping);
    stopping.tol = tol;
    CHECK(tl_solver_solve(solver, &stopping, &objective, &outcome) == TL_OK);
    CHECK(outcome == TL_CONVERGED && objective.relative_gap <= tol);
    CHECK(tl_solver_coefficients(solver, coefficients) == TL_OK);
    tl_solver_free(solver);
    return objective;
}

static void test_gram(void) {
    double *x = normals(N * D, 7), *gram = calloc(N * N, sizeof *gram);
    CHECK(gram != NULL);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++)
            for (size_t k = 0; k < D; k++)
                gram[i * N + j] += 0.01 * x[i * D + k] * x[j * D + k];
    double own[N * M], others[N * M];
    const double tolerances[] = {1e-3, 1e-5, 1e-7, 1e-10};
    for (int t = 0; t < 4; t++)
        for (int c = 0; c < 2; c++) {
            const double tol = tolerances[t], constant = c * 2.0;
            const tl_objective now = solve_gram(gram, constant, tol, 1, own);
            const tl_objective exact = solve_gram(gram, constant, tol, 0, others);
            CHECK(memcmp(own, others, sizeof own) != 0); /* the passes were others */
            CHECK_CLOSE(now.primal, exact.primal, 2.0 * tol * fabs(exact.primal));
            double norm2 = 0.0;
            for (size_t i = 0; i < N * N; i++)
                for (size_t j = 0; j < M; j++)
                    norm2 +=
                        (gram[i] + constant * constant) * own[i / N * M + j] * own[i % N * M + j];
            CHECK_CLOSE(norm2, now.norm2, 1e-12 * norm2);
        }
    free(gram);
    free(x);
}

int main(void) {
    test_products();
    test_passes();
    test_gram();
    test_range();
    return check_summary("products");
}
