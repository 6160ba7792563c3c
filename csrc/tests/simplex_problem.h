/* SPDX-License-Identifier: MIT */
/* simplex_problem.h: what the tests of the simplex solvers share. */
#ifndef TL_SIMPLEX_PROBLEM_H
#define TL_SIMPLEX_PROBLEM_H

#include "check.h"
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

static double finish(tl_simplex *solver, double tol) {
    tl_objective objective = {0};
    for (int round = 0; round < 4000; round++) {
        CHECK(tl_simplex_run(solver, 10) == TL_OK);
        CHECK(tl_simplex_evaluate(solver, &objective) == TL_OK);
        if (objective.relative_gap <= tol) break;
    }
    CHECK(objective.relative_gap <= tol);
    CHECK(objective.relative_gap >= -1e-13);
    return objective.primal;
}

static const tl_simplex_loss SVMS[] = {TL_SIMPLEX_SC_SVM, TL_SIMPLEX_SH_SVM};

#endif /* TL_SIMPLEX_PROBLEM_H */
