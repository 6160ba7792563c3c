/* SPDX-License-Identifier: MIT */
/* Online training of the simplex losses through the C interface. */
#include "sampling.h"
#include "simplex_problem.h"

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
        sum += tl_simplex_value(loss, T, (size_t)p->label[i], s);
    }
    return sum / N;
}

static void test_online(const problem *p) {
    for (size_t l = 0; l < 2; l++) {
        double alpha[N * T] = {0};
        tl_simplex *solver = NULL;
        const tl_data dense = view(p, DENSE);
        const double C = 0.5, lambda = 1.0 / (C * N);
        CHECK(tl_simplex_create(&dense, SVMS[l], C, 1, alpha, &solver) == TL_OK);
        const double best = finish(solver, 1e-6);
        tl_simplex_free(solver);
        for (int average = 0; average < 2; average++) {
            double first[D * K];
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
    test_online(&p);
    test_online_steps(&p);
    test_long_steps(&p);
    test_overflow_in_the_ball(&p);
    test_bad_online(&p);
    return check_summary("test_simplex_online");
}
