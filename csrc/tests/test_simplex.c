/* SPDX-License-Identifier: MIT */
/* The simplex coding: code vectors, products with them, and online training. */
#include "check.h"
#include "sampling.h"
#include "simplex.h"

#include <string.h>

enum { N = 23, D = 4, T = 5, K = T - 1 };

typedef struct problem {
    double x[N * D], gram[N * N], values[N * D], weight[N];
    float x32[N * D];
    int64_t row_start[N + 1], column64[N * D], start[N + 1];
    int32_t column32[N * D], label[N];
} problem;

/* Row 0 is zero; every third feature is zero; row 1 has the weight 0, row 2 the weight 2. */
static void make(problem *p) {
    uint64_t state = 3;
    size_t stored = 0;
    for (size_t i = 0; i < N; i++) {
        p->row_start[i] = (int64_t)stored;
        p->start[i] = (int64_t)i;
        p->label[i] = (int32_t)(i % T);
        p->weight[i] = i == 1 ? 0.0 : (i == 2 ? 2.0 : 1.0);
        for (size_t j = 0; j < D; j++) {
            const double value = normal(&state);
            const int zero = i == 0 || (i + j) % 3 == 0;
            p->x[i * D + j] = zero ? 0.0 : value;
            p->x32[i * D + j] = (float)p->x[i * D + j];
            if (zero) continue;
            p->values[stored] = value;
            p->column64[stored] = (int64_t)j;
            p->column32[stored] = (int32_t)j;
            stored++;
        }
    }
    p->row_start[N] = (int64_t)stored;
    p->start[N] = N;
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            double sum = 0.0;
            for (size_t l = 0; l < D; l++)
                sum += p->x[i * D + l] * p->x[j * D + l];
            p->gram[i * N + j] = sum;
        }
}

enum { DENSE, CSR32, CSR64, GRAM, FORMS };

static tl_data view(const problem *p, int form) {
    tl_data data = {.n = N, .d = D, .m = T, .label_start = p->start, .label = p->label};
    if (form == DENSE) {
        data.representation = TL_DENSE;
        data.x = p->x;
    } else if (form == GRAM) {
        data.representation = TL_GRAM;
        data.x = p->gram;
    } else {
        data.representation = TL_CSR;
        data.x = p->values;
        data.row_start = p->row_start;
        data.column32 = form == CSR32 ? p->column32 : NULL;
        data.column64 = form == CSR64 ? p->column64 : NULL;
    }
    return data;
}

/* ---- codes ---- */

static void test_codes(void) {
    double codes[K * T];
    CHECK(tl_simplex_codes(T, codes) == TL_OK);
    for (size_t y = 0; y < T; y++)
        for (size_t z = 0; z < T; z++) {
            double product = 0.0;
            for (size_t r = 0; r < K; r++)
                product += codes[r * T + y] * codes[r * T + z];
            CHECK_CLOSE(product, y == z ? 1.0 : -1.0 / K, 1e-15);
        }
    CHECK(tl_simplex_codes(1, codes) == TL_ERR_DIMENSION);
    CHECK(tl_simplex_codes(T, NULL) == TL_ERR_NULL);
}

/* The products in O(T) are those with the matrix. */
static void test_products(void) {
    double codes[K * T], f[K], b[T], s[T], g[K], height[K], step[K];
    tl_coding coding = {.classes = T, .height = height, .step = step};
    tl_coding_fill(&coding);
    CHECK(tl_simplex_codes(T, codes) == TL_OK);
    uint64_t state = 11;
    for (size_t r = 0; r < K; r++)
        f[r] = normal(&state);
    for (size_t y = 0; y < T; y++)
        b[y] = normal(&state);
    tl_coding_scores(&coding, f, s);
    tl_coding_combine(&coding, b, g);
    for (size_t y = 0; y < T; y++) {
        double product = 0.0, added[K] = {0};
        for (size_t r = 0; r < K; r++)
            product += codes[r * T + y] * f[r];
        CHECK_CLOSE(s[y], product, 1e-14);
        CHECK_CLOSE(tl_coding_score(&coding, y, f), product, 1e-14);
        tl_coding_add(&coding, y, 2.0, added);
        for (size_t r = 0; r < K; r++)
            CHECK_CLOSE(added[r], 2.0 * codes[r * T + y], 1e-15);
    }
    for (size_t r = 0; r < K; r++) {
        double sum = 0.0;
        for (size_t y = 0; y < T; y++)
            sum += b[y] * codes[r * T + y];
        CHECK_CLOSE(g[r], sum, 1e-14);
    }
}

/* ---- online training ---- */

static double mean_loss(const problem *p, tl_simplex_loss loss, const double *w) {
    double height[K], step[K], sum = 0.0;
    tl_coding coding = {.classes = T, .height = height, .step = step};
    tl_coding_fill(&coding);
    for (size_t i = 0; i < N; i++) {
        double f[K] = {0}, s[T];
        for (size_t j = 0; j < D; j++)
            for (size_t r = 0; r < K; r++)
                f[r] += p->x[i * D + j] * w[j * K + r];
        tl_coding_scores(&coding, f, s);
        const size_t y = (size_t)p->label[i];
        if (loss == TL_SIMPLEX_SH_SVM) sum += fmax(0.0, 1.0 - s[y]);
        for (size_t j = 0; loss == TL_SIMPLEX_SC_SVM && j < T; j++)
            sum += j == y ? 0.0 : fmax(0.0, 1.0 / K + s[j]);
    }
    return sum / N;
}

/* The optimum of the same loss of scores. */
static double optimum(const problem *p, tl_loss_id loss, double C) {
    const tl_data dense = view(p, DENSE);
    double dual[N * T] = {0};
    tl_settings settings;
    tl_settings_default(&settings);
    settings.loss = loss;
    settings.C = C;
    tl_stopping stopping;
    tl_stopping_default(&stopping);
    stopping.tol = 1e-6;
    tl_solver *solver = NULL;
    tl_objective objective;
    tl_outcome outcome;
    CHECK(tl_solver_create(&dense, &settings, dual, &solver) == TL_OK);
    CHECK(tl_solver_solve(solver, &stopping, &objective, &outcome) == TL_OK);
    CHECK(outcome == TL_CONVERGED);
    tl_solver_free(solver);
    return objective.primal;
}

static void test_online(const problem *p) {
    const tl_simplex_loss SVMS[] = {TL_SIMPLEX_SC_SVM, TL_SIMPLEX_SH_SVM};
    for (size_t l = 0; l < 2; l++) {
        const double C = 0.5, lambda = 1.0 / (C * N);
        const double best = optimum(p, l == 0 ? TL_LOSS_SC_SVM : TL_LOSS_SH_SVM, C);
        for (int average = 0; average < 2; average++) {
            double first[D * K] = {0};
            for (int form = 0; form < GRAM; form++) {
                const tl_data data = view(p, form);
                tl_online_settings settings = {.size = sizeof(tl_online_settings),
                                               .loss = SVMS[l],
                                               .lambda = lambda,
                                               .radius = 1.0 / sqrt(lambda),
                                               .epochs = 3000,
                                               .average = average};
                double w[D * K], norm2 = 0.0;
                CHECK(tl_simplex_online(&data, &settings, w) == TL_OK);
                for (size_t j = 0; j < D * K; j++)
                    norm2 += w[j] * w[j];
                const double primal = mean_loss(p, SVMS[l], w) + lambda / 2 * norm2;
                CHECK(primal >= best * (1 - 1e-6) && primal <= 1.005 * best);
                CHECK(sqrt(norm2) <= settings.radius * (1 + 1e-9));
                if (form == DENSE) memcpy(first, w, sizeof w);
                for (size_t j = 0; j < D * K; j++)
                    CHECK_CLOSE(w[j], first[j], 1e-9);
            }
        }
    }
}

/* The scaled representation against the two formulas of the paper, step by step. */
static void test_online_steps(const problem *p) {
    const tl_data data = view(p, CSR32);
    tl_online_settings settings = {.size = sizeof(tl_online_settings),
                                   .loss = TL_SIMPLEX_LS,
                                   .lambda = 1e-3,
                                   .radius = 1.0 / sqrt(1e-3),
                                   .t0 = 2.0,
                                   .epochs = 2};
    settings.seed = 4;
    double w[D * K], plain[D * K] = {0}, mean[D * K] = {0}, codes[K * T];
    CHECK(tl_simplex_codes(T, codes) == TL_OK);
    size_t order[N];
    for (size_t i = 0; i < N; i++)
        order[i] = i;
    uint64_t state = settings.seed;
    double t = settings.t0;
    for (size_t epoch = 0; epoch < settings.epochs; epoch++) {
        tl_shuffle(&state, N, order);
        for (size_t visit = 0; visit < N; visit++) {
            const size_t i = order[visit], y = (size_t)p->label[i];
            t += 1.0;
            const double eta = 1.0 / (settings.lambda * t);
            double f[K] = {0}, norm2 = 0.0;
            for (size_t j = 0; j < D * K; j++)
                f[j % K] += p->x[i * D + j / K] * plain[j];
            for (size_t j = 0; j < D * K; j++) {
                const double g = 2.0 * (f[j % K] - codes[j % K * T + y]);
                plain[j] = (1.0 - eta * settings.lambda) * plain[j] - eta * g * p->x[i * D + j / K];
                norm2 += plain[j] * plain[j];
            }
            const double factor = fmin(1.0, settings.radius / sqrt(norm2));
            for (size_t j = 0; j < D * K; j++) {
                plain[j] *= factor;
                mean[j] += plain[j] / (double)(N * settings.epochs);
            }
        }
    }
    for (settings.average = 0; settings.average < 2; settings.average++) {
        CHECK(tl_simplex_online(&data, &settings, w) == TL_OK);
        for (size_t j = 0; j < D * K; j++)
            CHECK_CLOSE(w[j], settings.average ? mean[j] : plain[j], 1e-8);
    }
}

static double norm_of(const double *w) {
    double norm2 = 0.0;
    for (size_t j = 0; j < D * K; j++)
        norm2 += w[j] * w[j];
    return sqrt(norm2);
}

/* Steps of which the projection leaves a part of 1e-18: the mean must not consist of what is left
 * when they are subtracted again. */
static void test_long_steps(const problem *p) {
    const tl_data data = view(p, DENSE);
    for (int loss = 0; loss < TL_SIMPLEX_LOSS_COUNT; loss++) {
        const tl_online_settings settings = {.size = sizeof(tl_online_settings),
                                             .loss = (tl_simplex_loss)loss,
                                             .lambda = 1e-4,
                                             .radius = 1e-15,
                                             .epochs = 3,
                                             .average = 1};
        double w[D * K];
        CHECK(tl_simplex_online(&data, &settings, w) == TL_OK);
        CHECK(norm_of(w) <= settings.radius * (1 + 1e-9) && norm_of(w) > 0.0);
    }
}

/* A step that overflows within an epoch, although the projection would make numbers of it again. */
static void test_overflow_in_the_ball(const problem *p) {
    problem large = *p;
    for (size_t j = 0; j < N * D; j++)
        large.x[j] *= 1e76;
    const tl_data data = view(&large, DENSE);
    tl_online_settings settings = {.size = sizeof(tl_online_settings),
                                   .loss = TL_SIMPLEX_LS,
                                   .lambda = 30.0,
                                   .radius = 1000.0,
                                   .epochs = 4};
    for (settings.average = 0; settings.average < 2; settings.average++) {
        double w[D * K] = {0};
        CHECK(tl_simplex_online(&data, &settings, w) == TL_ERR_OVERFLOW);
        CHECK(norm_of(w) == 0.0);
    }
}

static void test_bad_online(const problem *p) {
    const tl_data good = view(p, DENSE), gram = view(p, GRAM);
    const tl_online_settings settings = {.size = sizeof(tl_online_settings),
                                         .loss = TL_SIMPLEX_LS,
                                         .lambda = 1.0,
                                         .radius = 1.0,
                                         .epochs = 1};
    double w[D * K] = {0};
    CHECK(tl_simplex_online(NULL, &settings, w) == TL_ERR_NULL);
    CHECK(tl_simplex_online(&good, NULL, w) == TL_ERR_NULL);
    CHECK(tl_simplex_online(&good, &settings, NULL) == TL_ERR_NULL);
    CHECK(tl_simplex_online(&gram, &settings, w) == TL_ERR_PARAMETER);
    tl_data weighted = good;
    weighted.weight = p->weight;
    CHECK(tl_simplex_online(&weighted, &settings, w) == TL_ERR_PARAMETER);
    for (int i = 0; i < 6; i++) {
        tl_online_settings bad = settings;
        if (i == 0) bad.lambda = 0.0;
        if (i == 1) bad.radius = NAN;
        if (i == 2) bad.t0 = -1.0;
        if (i == 3) bad.epochs = 0;
        if (i == 4) bad.loss = TL_SIMPLEX_LOSS_COUNT;
        if (i == 5) bad.radius = 1e-300; /* its square is zero */
        CHECK(tl_simplex_online(&good, &bad, w) == (i == 4 ? TL_ERR_LOSS : TL_ERR_PARAMETER));
    }
    /* Least squares with steps far too large and no ball to stay in. */
    problem large = *p;
    for (size_t j = 0; j < N * D; j++)
        large.x[j] *= 1e80;
    const tl_data diverging = view(&large, DENSE);
    tl_online_settings wild = settings;
    wild.lambda = 1e-3;
    wild.radius = INFINITY;
    wild.epochs = 3;
    CHECK(tl_simplex_online(&diverging, &wild, w) == TL_ERR_OVERFLOW);
    for (size_t j = 0; j < D * K; j++)
        CHECK(w[j] == 0.0);
}

int main(void) {
    problem p;
    make(&p);
    test_codes();
    test_products();
    test_online(&p);
    test_online_steps(&p);
    test_long_steps(&p);
    test_overflow_in_the_ball(&p);
    test_bad_online(&p);
    return check_summary("test_simplex");
}
