/* SPDX-License-Identifier: MIT */
/* The solver through the C interface, with the portable matrix products: gaps close for every loss
 * in both representations, and bad input is refused before anything is touched. */
#include "solver.h"
#include "solver_problem.h"

#include <string.h>

static double finish(tl_solver *solver, double tol) {
    tl_objective objective = {0};
    for (int round = 0; round < 2000; round++) {
        CHECK(tl_solver_run(solver, 10) == TL_OK);
        CHECK(tl_solver_evaluate(solver, &objective) == TL_OK);
        if (objective.relative_gap <= tol) break;
    }
    CHECK(objective.relative_gap <= tol);
    CHECK(objective.relative_gap >= -1e-13);
    return objective.primal;
}

static double solve(const problem *p, tl_loss_id loss, size_t k, double gamma, int form,
                    double *dual) {
    const tl_data data = view(p, form);
    const tl_settings settings = choose(loss, k, gamma, form);
    tl_solver *solver = NULL;
    CHECK(tl_solver_create(&data, &settings, dual, &solver) == TL_OK);
    const double primal = finish(solver, reachable(form));
    tl_solver_free(solver);
    return primal;
}

static void test_gaps(void) {
    for (int loss = 0; loss < TL_LOSS_COUNT; loss++) {
        const tl_traits traits = traits_of(loss);
        if (!traits.convex) continue; /* no dual: refused, see below */
        problem p;
        make(&p, !traits.multiclass);
        for (size_t k = 1; k <= (traits.has_k ? M - 1 : 1); k++)
            for (int smooth = 0; smooth <= !traits.smooth; smooth++) {
                const double gamma = 0.5 * smooth;
                double dual[N * M] = {0};
                const double linear = solve(&p, (tl_loss_id)loss, k, gamma, DENSE, dual);
                for (int form = CSR32; form < FORMS; form++) {
                    double other[N * M] = {0};
                    const double primal = solve(&p, (tl_loss_id)loss, k, gamma, form, other);
                    CHECK_CLOSE(linear, primal, 3.0 * reachable(form) * fabs(linear));
                }
            }
    }
}

static void test_warm_start(void) {
    problem p;
    make(&p, 0);
    for (int form = 0; form < FORMS; form++) {
        double dual[N * M] = {0};
        const double first = solve(&p, TL_LOSS_LR_MULTI, 1, 0.0, form, dual);
        const tl_data data = view(&p, form);
        tl_settings settings = choose(TL_LOSS_LR_MULTI, 1, 0.0, form);
        tl_solver *solver = NULL;
        tl_objective objective;
        CHECK(tl_solver_create(&data, &settings, dual, &solver) == TL_OK);
        CHECK(tl_solver_evaluate(solver, &objective) == TL_OK);
        CHECK_CLOSE(objective.primal, first, 1e-9);
        CHECK(objective.epochs == 0);
        tl_solver_free(solver);

        settings.C_start = 0.7;
        settings.C = 2.0;
        CHECK(tl_solver_create(&data, &settings, dual, &solver) == TL_OK);
        CHECK(tl_solver_evaluate(solver, &objective) == TL_OK);
        CHECK(objective.relative_gap >= 0.0 && objective.relative_gap < 0.5);
        tl_solver_free(solver);
    }
}

/* Going to another C and back ends where a fresh solver does. */
static void test_set_C(void) {
    problem p;
    for (int loss = 0; loss < TL_LOSS_COUNT; loss++) {
        const tl_traits traits = traits_of(loss);
        if (!traits.convex) continue; /* it has no dual */
        make(&p, !traits.multiclass);
        const double gamma = 0.5 * !traits.smooth; /* nonsmooth, some starts take 1e5 epochs */
        for (int form = 0; form < FORMS; form++) {
            const double tol = reachable(form);
            double dual[N * M] = {0}, fresh[N * M] = {0};
            const tl_data data = view(&p, form);
            const tl_settings settings = choose((tl_loss_id)loss, 1, gamma, form);
            tl_solver *solver = NULL;
            CHECK(tl_solver_create(&data, &settings, dual, &solver) == TL_OK);
            CHECK(tl_solver_set_C(solver, 0.1) == TL_OK);
            finish(solver, tol);
            int ended = 0;
            CHECK(tl_solver_step(solver, 7, &ended) == TL_OK); /* amid an epoch */
            CHECK(tl_solver_set_C(solver, 0.7) == TL_OK);
            const double primal = finish(solver, tol);
            const double expected = solve(&p, (tl_loss_id)loss, 1, gamma, form, fresh);
            CHECK_CLOSE(primal, expected, 3.0 * tol * fabs(expected));
            CHECK(tl_solver_set_C(solver, 0.0) == TL_ERR_PARAMETER);
            tl_solver_free(solver);
        }
    }
}

/* Steps of a few rows make the same epochs as whole ones, and the estimate is between the gaps. */
static void test_steps(void) {
    problem p;
    make(&p, 0);
    for (int form = 0; form < FORMS; form++) {
        double whole[N * M] = {0}, parts[N * M] = {0};
        const tl_data data = view(&p, form);
        const tl_settings settings = choose(TL_LOSS_SVM_MULTI, 1, 0.5, form);
        tl_solver *a = NULL, *b = NULL;
        tl_objective estimate;
        CHECK(tl_solver_create(&data, &settings, whole, &a) == TL_OK);
        CHECK(tl_solver_create(&data, &settings, parts, &b) == TL_OK);
        CHECK(tl_solver_estimate(a, &estimate) == TL_OK && isinf(estimate.relative_gap));
        CHECK(tl_solver_run(a, 3) == TL_OK);
        for (int epoch = 0; epoch < 3; epoch++) {
            int ended = 0, steps = 0;
            for (; !ended; steps++)
                CHECK(tl_solver_step(b, 7, &ended) == TL_OK);
            CHECK(steps >= 3);
        }
        for (size_t i = 0; i < N * M; i++)
            CHECK(whole[i] == parts[i]);
        CHECK(tl_solver_estimate(a, &estimate) == TL_OK);
        CHECK(estimate.relative_gap > 0.0 && estimate.relative_gap < 1.0);
        CHECK(estimate.epochs == 3);
        tl_solver_free(a);
        tl_solver_free(b);
    }
}

/* In windows the order of the rows differs, the optimum does not; all rows are visited. */
static void test_windows(void) {
    problem p;
    make(&p, 0);
    for (int form = 0; form < FORMS; form++) {
        double whole[N * M] = {0}, dual[N * M] = {0};
        const tl_data data = view(&p, form);
        tl_settings settings = choose(TL_LOSS_LR_MULTI, 1, 0.0, form);
        const double expected = solve(&p, TL_LOSS_LR_MULTI, 1, 0.0, form, whole);
        tl_solver *solver = NULL;
        settings.window = 11;
        CHECK(tl_solver_create(&data, &settings, dual, &solver) == TL_OK);
        int ended = 0, steps = 0;
        for (; !ended; steps++)
            CHECK(tl_solver_step(solver, N, &ended) == TL_OK);
        CHECK(steps >= 2);
        for (size_t i = 0; i < N; i++) {
            double sum = 0.0;
            for (size_t j = 0; j < M; j++)
                sum += fabs(dual[i * M + j]);
            CHECK(sum > 0.0); /* softmax: one update moves every row */
        }
        CHECK_CLOSE(finish(solver, reachable(form)), expected, 3.0 * reachable(form) * expected);
        tl_solver_free(solver);
    }
}

/* Around a center, P(W) = losses + lambda/2 ||W - W0||^2 is minimised; with the center at the
 * unregularised model and a tiny C nothing moves. */
static void test_center(void) {
    problem p;
    make(&p, 0);
    double center[D * M];
    uint64_t state = 11;
    for (size_t i = 0; i < D * M; i++)
        center[i] = normal(&state);
    double primals[FORMS];
    for (int form = 0; form < FORMS; form++) {
        double dual[N * M] = {0}, weights[D * M];
        const tl_data data = view(&p, form);
        tl_settings settings = choose(TL_LOSS_LR_MULTI, 1, 0.0, form);
        settings.center = center;
        tl_solver *solver = NULL;
        if (data.representation == TL_GRAM) {
            CHECK(tl_solver_create(&data, &settings, dual, &solver) == TL_ERR_PARAMETER);
            continue;
        }
        CHECK(tl_solver_create(&data, &settings, dual, &solver) == TL_OK);
        CHECK(tl_solver_weights(solver, weights) == TL_OK);
        for (size_t i = 0; i < D * M; i++)
            CHECK_CLOSE(weights[i], center[i], 1e-6);
        primals[form] = finish(solver, reachable(form));
        CHECK_CLOSE(primals[form], primals[DENSE], 3e-5 * primals[DENSE]);
        CHECK(tl_solver_weights(solver, weights) == TL_OK);
        /* W = W0 + X^T A */
        double worst = 0.0;
        for (size_t k = 0; k < D; k++)
            for (size_t j = 0; j < M; j++) {
                double sum = center[k * M + j];
                for (size_t i = 0; i < N; i++)
                    sum += p.x[i * D + k] * dual[i * M + j];
                worst = fmax(worst, fabs(sum - weights[k * M + j]));
            }
        CHECK(worst <= (form == DENSE_SINGLE ? 1e-5 : 1e-12));
        CHECK(tl_solver_set_C(solver, 1e-9) == TL_OK);
        tl_objective objective;
        CHECK(tl_solver_evaluate(solver, &objective) == TL_OK);
        CHECK(objective.norm2 < 1e-12);
        tl_solver_free(solver);
    }
}

/* Rows of D - 1 features and a constant one are those of D features with a column of it. */
static void test_constant(void) {
    problem p, stored;
    make(&p, 0);
    stored = p;
    const double constant = 1.5;
    size_t used = 0;
    for (size_t i = 0; i < N; i++) {
        p.x[i * D + D - 1] = constant;
        stored.row_start[i] = (int64_t)used;
        for (size_t k = 0; k < D - 1; k++) {
            const double value = p.x[i * D + k];
            stored.x[i * (D - 1) + k] = value;
            stored.x32[i * (D - 1) + k] = (float)value;
            if (value == 0.0) continue;
            stored.values[used] = value;
            stored.values32[used] = (float)value;
            stored.column64[used] = (int64_t)k;
            stored.column32[used++] = (int32_t)k;
        }
    }
    stored.row_start[N] = (int64_t)used;
    for (size_t i = 0; i < N * N; i++) {
        const size_t a = i / N * D + D - 1, b = i % N * D + D - 1;
        stored.gram[i] = p.gram[i] - (double)p.x32[a] * (double)p.x32[b];
        stored.gram32[i] = (float)stored.gram[i];
    }
    double dual[N * M] = {0}, W[D * M], expected[D * M];
    const tl_data whole = view(&p, DENSE);
    const tl_settings settings = choose(TL_LOSS_LR_MULTI, 1, 0.0, DENSE);
    tl_solver *solver = NULL;
    CHECK(tl_solver_create(&whole, &settings, dual, &solver) == TL_OK);
    const double primal = finish(solver, 1e-9);
    CHECK(tl_solver_weights(solver, expected) == TL_OK);
    tl_solver_free(solver);
    for (int form = 0; form < FORMS; form++)
        for (size_t block = 0; block <= 7; block += 7) {
            double start[N * M] = {0};
            tl_data data = view(&stored, form);
            data.constant = constant;
            tl_settings own = choose(TL_LOSS_LR_MULTI, 1, 0.0, form);
            own.block = block;
            CHECK(tl_solver_create(&data, &own, start, &solver) == TL_OK);
            CHECK_CLOSE(finish(solver, reachable(form)), primal, 3.0 * reachable(form) * primal);
            const int weights = data.representation != TL_GRAM;
            if (weights) CHECK(tl_solver_weights(solver, W) == TL_OK);
            for (size_t i = 0; weights && i < D * M; i++)
                CHECK_CLOSE(W[i], expected[i], 10.0 * sqrt(reachable(form)));
            tl_solver_free(solver);
        }
}

static tl_status attempt(const tl_data *data, const tl_settings *settings) {
    double dual[N * M] = {0};
    tl_solver *solver = NULL;
    const tl_status status = tl_solver_create(data, settings, dual, &solver);
    if (status != TL_OK) CHECK(solver == NULL);
    tl_solver_free(solver);
    return status;
}

/* Rows whose C_i has no finite inverse count as absent, and the others must weigh more. */
static void test_tiny_weights(void) {
    enum { ABSENT = 7 };
    problem p;
    double weight[N];
    for (int loss = 0; loss < TL_LOSS_COUNT; loss++) {
        const tl_traits traits = traits_of(loss);
        if (!traits.convex) continue; /* it has no dual */
        make(&p, !traits.multiclass);
        for (int form = 0; form < FORMS; form++) {
            double dual[N * M] = {0};
            tl_objective objective;
            tl_solver *solver = NULL;
            tl_data data = view(&p, form);
            tl_settings settings = choose((tl_loss_id)loss, 1, 0.5 * !traits.smooth, form);
            data.weight = weight;
            for (size_t i = 0; i < N; i++)
                weight[i] = i == ABSENT ? 1e-310 : 1.0;
            CHECK(tl_solver_create(&data, &settings, dual, &solver) == TL_OK);
            finish(solver, reachable(form));
            tl_solver_free(solver);
            for (size_t j = 0; j < M; j++)
                CHECK(dual[ABSENT * M + j] == 0.0);
            CHECK(tl_solver_create(&data, &settings, dual, &solver) == TL_OK);
            CHECK(tl_solver_set_C(solver, 1e-100) == TL_OK);
            CHECK(tl_solver_evaluate(solver, &objective) == TL_OK);
            tl_solver_free(solver);

            settings.C = 1e-100;
            for (size_t i = 0; i < N; i++)
                weight[i] = i == ABSENT ? 1e-208 : 1e-9;
            memset(dual, 0, sizeof dual);
            CHECK(tl_solver_create(&data, &settings, dual, &solver) == TL_OK);
            finish(solver, 1e-6);
            tl_solver_free(solver);
            for (size_t i = 0; i < N; i++)
                weight[i] = 1e-208;
            CHECK(attempt(&data, &settings) == TL_ERR_OVERFLOW);
        }
    }
}

/* Rows that weigh next to nothing leave the objectives as they are. */
static void test_small_weights(void) {
    const double small[] = {1e-60, 1e-110, 1e-160, 1e-220, 1e-300, 2.3e-308, 1e-309, 1e-320};
    problem p;
    double weight[N];
    for (int loss = 0; loss < TL_LOSS_COUNT; loss++) {
        const tl_traits traits = traits_of(loss);
        if (!traits.convex) continue; /* it has no dual */
        make(&p, !traits.multiclass);
        const double gamma = 0.5 * !traits.smooth;
        double expected = 0.0;
        for (size_t s = 0; s < sizeof small / sizeof *small; s++) {
            double dual[N * M] = {0};
            tl_solver *solver = NULL;
            tl_data data = view(&p, DENSE);
            const tl_settings settings = choose((tl_loss_id)loss, 1, gamma, DENSE);
            data.weight = weight;
            for (size_t i = 0; i < N; i++)
                weight[i] = i % 5 == 1 ? small[s] : 1.0;
            CHECK(tl_solver_create(&data, &settings, dual, &solver) == TL_OK);
            const double primal = finish(solver, 1e-9);
            if (s == 0) expected = primal;
            CHECK_CLOSE(primal, expected, 3e-9 * expected);
            tl_solver_free(solver);
        }
    }
}

static void test_refusals(void) {
    problem p;
    make(&p, 0);
    tl_settings good;
    tl_settings_default(&good);
    const tl_data data = view(&p, DENSE);
    CHECK(attempt(&data, &good) == TL_OK);

    tl_settings s = good;
    s.C = 0.0;
    CHECK(attempt(&data, &s) == TL_ERR_PARAMETER);
    s.C = NAN;
    CHECK(attempt(&data, &s) == TL_ERR_PARAMETER);
    s = good;
    s.gamma = -1.0;
    CHECK(attempt(&data, &s) == TL_ERR_PARAMETER);
    s = good;
    s.k = 2;
    CHECK(attempt(&data, &s) == TL_ERR_DIMENSION); /* svm_multi has no k */
    s.loss = TL_LOSS_TOPK_ENT;
    s.k = M;
    CHECK(attempt(&data, &s) == TL_ERR_DIMENSION);
    s = good;
    s.loss = TL_LOSS_COUNT;
    CHECK(attempt(&data, &s) == TL_ERR_LOSS);
    s.loss = TL_LOSS_TOPK_ENT_TR;
    CHECK(attempt(&data, &s) == TL_ERR_LOSS);

    tl_data d = data;
    d.n = 0;
    CHECK(attempt(&d, &good) == TL_ERR_DIMENSION);
    d = data;
    d.m = 1;
    CHECK(attempt(&d, &good) == TL_ERR_DIMENSION);
    d = data;
    d.m = 4;
    CHECK(attempt(&d, &good) == TL_ERR_LABEL);
    d = data;
    d.x = NULL;
    CHECK(attempt(&d, &good) == TL_ERR_NULL);
    d = data;
    d.constant = NAN;
    CHECK(attempt(&d, &good) == TL_ERR_PARAMETER);
    d.constant = 1e200;
    CHECK(attempt(&d, &good) == TL_ERR_OVERFLOW);
    d.constant = 1.0;
    d.d = 1;
    CHECK(attempt(&d, &good) == TL_ERR_DIMENSION);
    double weight[N] = {1.0, -1.0};
    d = data;
    d.weight = weight;
    CHECK(attempt(&d, &good) == TL_ERR_PARAMETER);
    weight[1] = 1e250;
    memset(p.x, 0, sizeof p.x); /* dual variables of rows of zeros overflow, too */
    CHECK(attempt(&d, &good) == TL_ERR_OVERFLOW);
    make(&p, 0);

    problem bad = p;
    bad.x[5] = INFINITY;
    d = view(&bad, DENSE);
    CHECK(attempt(&d, &good) == TL_ERR_NOT_FINITE);
    bad = p;
    bad.gram[1] += 1.0;
    d = view(&bad, GRAM);
    CHECK(attempt(&d, &good) == TL_ERR_GRAM);
    bad = p;
    bad.start[3] = bad.start[4];
    d = view(&bad, DENSE);
    CHECK(attempt(&d, &good) == TL_ERR_LABEL);

    for (int form = GRAM; form <= GRAM_SINGLE; form += GRAM_SINGLE - GRAM) {
        bad = p;
        bad.gram[1] += 1.0;
        bad.gram32[1] += 1.0F;
        d = view(&bad, form);
        CHECK(attempt(&d, &good) == TL_ERR_GRAM);
    }
    bad = p;
    bad.values32[3] = NAN;
    d = view(&bad, CSR_SINGLE);
    CHECK(attempt(&d, &good) == TL_ERR_NOT_FINITE);
    bad = p;
    bad.column32[4] = D;
    d = view(&bad, CSR32);
    CHECK(attempt(&d, &good) == TL_ERR_INDEX);
    bad.column64[1] = bad.column64[0];
    d = view(&bad, CSR64);
    CHECK(attempt(&d, &good) == TL_ERR_INDEX);
    bad = p;
    bad.row_start[2] = -1;
    d = view(&bad, CSR32);
    CHECK(attempt(&d, &good) == TL_ERR_INDEX);
    d = view(&p, CSR32);
    d.column64 = p.column64; /* both */
    CHECK(attempt(&d, &good) == TL_ERR_NULL);
    d = view(&p, CSR32);
    d.row_start = NULL;
    CHECK(attempt(&d, &good) == TL_ERR_NULL);

    double dual[N * M];
    for (size_t i = 0; i < N * M; i++)
        dual[i] = 9.0;
    tl_solver *solver = NULL;
    CHECK(tl_solver_create(&data, &good, dual, &solver) == TL_ERR_INFEASIBLE);
    CHECK(tl_solver_create(NULL, &good, dual, &solver) == TL_ERR_NULL);
    CHECK(tl_solver_run(NULL, 1) == TL_ERR_NULL);
    CHECK(tl_solver_evaluate(NULL, NULL) == TL_ERR_NULL);
    CHECK(tl_solver_weights(NULL, dual) == TL_ERR_NULL);
    CHECK(tl_solver_coefficients(NULL, dual) == TL_ERR_NULL);
    CHECK(tl_solver_set_C(NULL, 1.0) == TL_ERR_NULL);
    CHECK(tl_blas_set(NULL) == TL_OK);
    const tl_blas empty = {NULL, NULL, NULL, NULL};
    CHECK(tl_blas_set(&empty) == TL_ERR_NULL);
}

static int always(void *user) {
    (void)user;
    return 1;
}

/* A copy of the rows that a limit ends is left out. */
static void test_limit_of_a_copy(void) {
    problem p;
    make(&p, 0);
    double dual[N * M] = {0};
    const tl_data data = view(&p, DENSE);
    tl_settings settings = choose(TL_LOSS_SVM_MULTI, 1, 0.0, DENSE);
    settings.block = 5;
    tl_solver *solver = NULL;
    CHECK(tl_solver_create(&data, &settings, dual, &solver) == TL_OK);
    solver->watch = (tl_watch){.ask = always, .work = TL_WORK_BETWEEN};
    CHECK(!tl_copy_to_float32(solver));
    CHECK(solver->storage == &tl_storage_dense);
    tl_solver_free(solver);
}

/* An evaluation that fails leaves the objectives as they were. */
static void test_indefinite(void) {
    problem p;
    make(&p, 0);
    for (size_t i = 0; i < N * N; i++)
        p.gram[i] = i % (N + 1) == 0 ? 1.0 : 2.0; /* the smallest eigenvalue is -1 */
    double dual[N * M] = {0};
    const tl_data data = view(&p, GRAM);
    tl_settings settings;
    tl_settings_default(&settings);
    tl_solver *solver = NULL;
    CHECK(tl_solver_create(&data, &settings, dual, &solver) == TL_OK);
    tl_objective objective = {.primal = 7.0, .relative_gap = 7.0, .epochs = 7};
    CHECK(tl_solver_run(solver, 5) == TL_OK);
    CHECK(tl_solver_evaluate(solver, &objective) == TL_ERR_INDEFINITE);
    CHECK(objective.primal == 7.0 && objective.relative_gap == 7.0 && objective.epochs == 7);
    tl_solver_free(solver);
}

/* Sizes whose products overflow are refused before anything is read or written. */
static void test_overflowing_sizes(void) {
    const size_t many = (size_t)1 << (8 * sizeof(size_t) - 2);
    const double numbers[4] = {0};
    const int64_t label_start[] = {0, 1, 2, 3, 4};
    const int32_t label[] = {0, 0, 0, 0};
    double *out = exactly(4);
    tl_curvatures *curvatures = NULL;
    for (tl_loss_id loss = 0; loss < TL_LOSS_COUNT; loss++) {
        CHECK(tl_loss_values(loss, 1, 1.0, many, 4, numbers, label_start, label, out) ==
              TL_ERR_DIMENSION);
        CHECK(tl_loss_values(loss, 1, 1.0, 4, many, numbers, label_start, label, out) ==
              TL_ERR_DIMENSION);
        CHECK(tl_loss_gradients(loss, 1, 1.0, 4, many, numbers, label_start, label, out) ==
              TL_ERR_DIMENSION);
    }
    CHECK(tl_curvatures_create(TL_LOSS_LR_MULTI, 1, 4, many, label_start, label, &curvatures) ==
          TL_ERR_DIMENSION);
    free(out);
}

/* Weights of so many features that their size in bytes overflows, to 64 with the padding of M
 * classes, have no memory that an update could write. */
static void test_too_many_features(void) {
    problem p;
    make(&p, 0);
    tl_settings settings;
    tl_settings_default(&settings);
    for (int form = CSR32; form <= CSR64; form++) {
        tl_data data = view(&p, form);
        data.d = SIZE_MAX / 8 + 2;
        CHECK(attempt(&data, &settings) == TL_ERR_DIMENSION);
        data.constant = 1.0;
        CHECK(attempt(&data, &settings) == TL_ERR_DIMENSION);
    }
}

int main(void) {
    test_gaps();
    test_warm_start();
    test_set_C();
    test_steps();
    test_windows();
    test_center();
    test_constant();
    test_tiny_weights();
    test_small_weights();
    test_refusals();
    test_limit_of_a_copy();
    test_indefinite();
    test_overflowing_sizes();
    test_too_many_features();
    return check_summary("solver");
}
