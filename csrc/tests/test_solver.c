/* SPDX-License-Identifier: MIT */
/* The solver through the C interface, with the portable matrix products: gaps close for every loss
 * in both representations, and bad input is refused before anything is touched. */
#include "check.h"
#include "toplabel.h"

#include <string.h>

enum { N = 23, D = 4, M = 5 };

typedef struct problem {
    double x[N * D], gram[N * N];
    int64_t start[N + 1];
    int32_t label[N * M];
} problem;

/* Row 0 is zero; multilabel row 1 has no label, row 2 has all. */
static void make(problem *p, int multilabel) {
    uint64_t state = 3;
    int32_t used = 0;
    for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j < D; j++)
            p->x[i * D + j] = i == 0 ? 0.0 : normal(&state);
        p->start[i] = used;
        if (!multilabel) {
            p->label[used++] = (int32_t)(i % M);
            continue;
        }
        for (int32_t j = 0; j < M; j++)
            if (i == 2 || (i != 1 && uniform(&state) < 0.4)) p->label[used++] = j;
    }
    p->start[N] = used;
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            double sum = 0.0;
            for (size_t l = 0; l < D; l++)
                sum += p->x[i * D + l] * p->x[j * D + l];
            p->gram[i * N + j] = sum;
        }
}

static tl_data view(const problem *p, tl_representation representation) {
    const tl_data data = {.representation = representation,
                          .n = N,
                          .d = D,
                          .m = M,
                          .x = representation == TL_GRAM ? p->gram : p->x,
                          .label_start = p->start,
                          .label = p->label};
    return data;
}

static double solve(const problem *p, tl_loss_id loss, size_t k, double gamma,
                    tl_representation representation, double *dual) {
    const tl_data data = view(p, representation);
    tl_settings settings;
    tl_settings_default(&settings);
    settings.loss = loss;
    settings.k = k;
    settings.gamma = gamma;
    settings.C = 0.7;
    settings.block = representation == TL_GRAM ? 5 : k % 2 * 5; /* blocks, and row by row */
    double weights[M * D];
    tl_solver *solver = NULL;
    CHECK(tl_solver_create(&data, &settings, dual, weights, &solver) == TL_OK);
    tl_objective objective = {0};
    for (int round = 0; round < 2000; round++) {
        CHECK(tl_solver_run(solver, 10) == TL_OK);
        CHECK(tl_solver_evaluate(solver, &objective) == TL_OK);
        if (objective.relative_gap <= 1e-9) break;
    }
    CHECK(objective.relative_gap <= 1e-9);
    CHECK(objective.relative_gap >= -1e-13);
    tl_solver_free(solver);
    return objective.primal;
}

static int takes_sets(int loss) {
    return loss == TL_LOSS_SVM_ML || loss == TL_LOSS_LR_ML || loss == TL_LOSS_SVM_OVA ||
           loss == TL_LOSS_LR_OVA;
}

static int has_k(int loss) {
    return loss == TL_LOSS_TOPK_SVM_ALPHA || loss == TL_LOSS_TOPK_SVM_BETA ||
           loss == TL_LOSS_TOPK_ENT;
}

static int is_hinge(int loss) {
    return loss == TL_LOSS_SVM_OVA || loss == TL_LOSS_SVM_MULTI || loss == TL_LOSS_TOPK_SVM_ALPHA ||
           loss == TL_LOSS_TOPK_SVM_BETA || loss == TL_LOSS_SVM_ML;
}

static void test_gaps(void) {
    for (int loss = 0; loss < TL_LOSS_COUNT; loss++) {
        if (loss == TL_LOSS_TOPK_ENT_TR) continue; /* no dual: refused, see below */
        problem p;
        make(&p, takes_sets(loss));
        for (size_t k = 1; k <= (has_k(loss) ? M - 1 : 1); k++)
            for (int smooth = 0; smooth <= is_hinge(loss); smooth++) {
                double dual[N * M] = {0}, dual_gram[N * M] = {0};
                const double gamma = 0.5 * smooth;
                const double linear = solve(&p, (tl_loss_id)loss, k, gamma, TL_DENSE, dual);
                const double gram = solve(&p, (tl_loss_id)loss, k, gamma, TL_GRAM, dual_gram);
                CHECK_CLOSE(linear, gram, 1e-8 * fabs(linear));
            }
    }
}

static void test_warm_start(void) {
    problem p;
    make(&p, 0);
    double dual[N * M] = {0}, weights[M * D];
    const double first = solve(&p, TL_LOSS_LR_MULTI, 1, 0.0, TL_DENSE, dual);
    const tl_data data = view(&p, TL_DENSE);
    tl_settings settings;
    tl_settings_default(&settings);
    settings.loss = TL_LOSS_LR_MULTI;
    settings.C = 0.7;
    tl_solver *solver = NULL;
    tl_objective objective;
    CHECK(tl_solver_create(&data, &settings, dual, weights, &solver) == TL_OK);
    CHECK(tl_solver_evaluate(solver, &objective) == TL_OK);
    CHECK_CLOSE(objective.primal, first, 1e-12);
    CHECK(objective.epochs == 0);
    tl_solver_free(solver);

    settings.C_start = 0.7;
    settings.C = 2.0;
    CHECK(tl_solver_create(&data, &settings, dual, weights, &solver) == TL_OK);
    CHECK(tl_solver_evaluate(solver, &objective) == TL_OK);
    CHECK(objective.relative_gap >= 0.0 && objective.relative_gap < 0.5);
    tl_solver_free(solver);
}

static tl_status attempt(const tl_data *data, const tl_settings *settings) {
    double dual[N * M] = {0}, weights[M * D];
    for (size_t i = 0; i < M * D; i++)
        weights[i] = 7.0;
    tl_solver *solver = NULL;
    const tl_status status = tl_solver_create(data, settings, dual, weights, &solver);
    if (status != TL_OK) CHECK(solver == NULL && weights[0] == 7.0);
    tl_solver_free(solver);
    return status;
}

static void test_refusals(void) {
    problem p;
    make(&p, 0);
    tl_settings good;
    tl_settings_default(&good);
    const tl_data data = view(&p, TL_DENSE);
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
    double weight[N] = {1.0, -1.0};
    d = data;
    d.weight = weight;
    CHECK(attempt(&d, &good) == TL_ERR_PARAMETER);

    problem bad = p;
    bad.x[5] = INFINITY;
    d = view(&bad, TL_DENSE);
    CHECK(attempt(&d, &good) == TL_ERR_NOT_FINITE);
    bad = p;
    bad.gram[1] += 1.0;
    d = view(&bad, TL_GRAM);
    CHECK(attempt(&d, &good) == TL_ERR_GRAM);
    bad = p;
    bad.start[3] = bad.start[4];
    d = view(&bad, TL_DENSE);
    CHECK(attempt(&d, &good) == TL_ERR_LABEL);

    double dual[N * M], weights[M * D];
    for (size_t i = 0; i < N * M; i++)
        dual[i] = 9.0;
    tl_solver *solver = NULL;
    CHECK(tl_solver_create(&data, &good, dual, weights, &solver) == TL_ERR_INFEASIBLE);
    CHECK(tl_solver_create(NULL, &good, dual, weights, &solver) == TL_ERR_NULL);
    CHECK(tl_solver_run(NULL, 1) == TL_ERR_NULL);
    CHECK(tl_solver_evaluate(NULL, NULL) == TL_ERR_NULL);
    CHECK(tl_blas_set(NULL) == TL_OK);
    const tl_blas empty = {NULL, NULL};
    CHECK(tl_blas_set(&empty) == TL_ERR_NULL);
}

int main(void) {
    test_gaps();
    test_warm_start();
    test_refusals();
    return check_summary("solver");
}
