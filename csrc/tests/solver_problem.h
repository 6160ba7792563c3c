/* SPDX-License-Identifier: MIT */
/* solver_problem.h: a small training problem in every form, and settings, for the tests of the
 * solver. */
#ifndef TL_SOLVER_PROBLEM_H
#define TL_SOLVER_PROBLEM_H

#include "check.h"
#include "toplabel.h"

enum { N = 23, D = 4, M = 5 };

typedef struct problem {
    double x[N * D], gram[N * N], values[N * D];
    float x32[N * D], gram32[N * N], values32[N * D];
    int64_t row_start[N + 1], column64[N * D];
    int32_t column32[N * D];
    int64_t start[N + 1];
    int32_t label[N * M];
} problem;

/* Row 0 is zero; every third feature is zero; multilabel row 1 has no label, row 2 has all.
 * Features are exact in float32. */
static inline void make(problem *p, int multilabel) {
    uint64_t state = 3;
    int32_t used = 0;
    size_t stored = 0;
    for (size_t i = 0; i < N; i++) {
        p->row_start[i] = (int64_t)stored;
        for (size_t j = 0; j < D; j++) {
            const float value = (float)normal(&state);
            const int zero = i == 0 || (i + j) % 3 == 0;
            p->x32[i * D + j] = zero ? 0.0F : value;
            p->x[i * D + j] = zero ? 0.0 : (double)value;
            if (zero) continue;
            p->values32[stored] = value;
            p->values[stored] = (double)value;
            p->column64[stored] = (int64_t)j;
            p->column32[stored] = (int32_t)j;
            stored++;
        }
        p->start[i] = used;
        if (!multilabel) {
            p->label[used++] = (int32_t)(i % M);
            continue;
        }
        for (int32_t j = 0; j < M; j++)
            if (i == 2 || (i != 1 && uniform(&state) < 0.4)) p->label[used++] = j;
    }
    p->row_start[N] = (int64_t)stored;
    p->start[N] = used;
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            double sum = 0.0;
            for (size_t l = 0; l < D; l++)
                sum += p->x[i * D + l] * p->x[j * D + l];
            p->gram[i * N + j] = sum;
            p->gram32[i * N + j] = (float)sum;
        }
}

/* The forms of the same features. */
enum { DENSE, CSR32, CSR64, GRAM, DENSE_SINGLE, CSR_SINGLE, GRAM_SINGLE, FORMS };

static inline tl_data view(const problem *p, int form) {
    tl_data data = {.n = N, .d = D, .m = M, .label_start = p->start, .label = p->label};
    const int single = form >= DENSE_SINGLE;
    data.type = single ? TL_FLOAT32 : TL_FLOAT64;
    if (form == DENSE || form == DENSE_SINGLE) {
        data.representation = TL_DENSE;
        data.x = single ? (const void *)p->x32 : (const void *)p->x;
    } else if (form == GRAM || form == GRAM_SINGLE) {
        data.representation = TL_GRAM;
        data.x = single ? (const void *)p->gram32 : (const void *)p->gram;
    } else {
        data.representation = TL_CSR;
        data.x = single ? (const void *)p->values32 : (const void *)p->values;
        data.row_start = p->row_start;
        data.column32 = form == CSR64 ? NULL : p->column32;
        data.column64 = form == CSR64 ? p->column64 : NULL;
    }
    return data;
}

static inline tl_settings choose(tl_loss_id loss, size_t k, double gamma, int form) {
    tl_settings settings;
    tl_settings_default(&settings);
    settings.loss = loss;
    settings.k = k;
    settings.gamma = gamma;
    settings.C = 0.7;
    settings.block = form == GRAM ? 5 : k % 2 * 5; /* blocks, and row by row */
    return settings;
}

/* What rounding leaves of the gap: products in float32 stall near its unit roundoff, and a rounded
 * Gram matrix is not quite positive semidefinite. */
static inline double reachable(int form) {
    return form == DENSE_SINGLE || form == GRAM_SINGLE ? 1e-5 : 1e-9;
}

static inline tl_traits traits_of(int loss) {
    tl_traits traits;
    CHECK(tl_loss_traits((tl_loss_id)loss, &traits) == TL_OK);
    return traits;
}

#endif /* TL_SOLVER_PROBLEM_H */
