/* SPDX-License-Identifier: MIT */
/* fuzz_problem.h: training data from bytes, for the drivers of the solvers: shapes, every
 * representation and type, labels, weights, right and wrong. */
#ifndef TL_FUZZ_PROBLEM_H
#define TL_FUZZ_PROBLEM_H

#include "fuzz.h"

#include <limits.h>

typedef struct problem {
    tl_data data;
    void *x;
    int64_t *row_start, *label_start;
    int32_t *column32, *label;
    int64_t *column64;
    double *weight;
    size_t x_size, n, d, m; /* as allocated; data may claim more than BLAS can count */
    int is_semidefinite;    /* unless x is a Gram matrix of anything */
} problem;

/* A row pattern (n + 1) of ascending indices below `limit`; now and then a wrong one. The array of
 * indices is as long as the last start says. */
static int64_t *take_starts(bytes *in, size_t n, size_t limit, size_t each) {
    int64_t *start = exact_bytes((n + 1) * sizeof *start);
    start[0] = 0;
    for (size_t i = 0; i < n; i++)
        start[i + 1] = start[i] + (int64_t)(each > 0 ? each : take_choice(in, limit + 1));
    if (take_one_in(in, 32)) start[take_choice(in, n + 1)] += (int64_t)take_choice(in, 5) - 2;
    if (take_one_in(in, 64)) start[take_choice(in, n)] = (int64_t)take_bits(in, 8);
    return start;
}

static void take_indices(bytes *in, size_t n, const int64_t *start, size_t limit, int64_t *index,
                         size_t count) {
    for (size_t p = 0; p < count; p++)
        index[p] = (int64_t)(p % limit);
    for (size_t i = 0; i < n; i++) {
        if (start[i] < 0 || start[i + 1] < start[i] || (size_t)start[i + 1] > count) continue;
        const size_t length = (size_t)(start[i + 1] - start[i]);
        size_t next = length < limit ? take_choice(in, limit - length + 1) : 0;
        for (size_t p = 0; p < length; p++)
            index[(size_t)start[i] + p] = (int64_t)next++;
    }
    if (count > 0 && take_one_in(in, 32))
        index[take_choice(in, count)] = (int64_t)take_bits(in, take_one_in(in, 2) ? 8 : 1);
}

static int32_t *narrowed(size_t count, const int64_t *index) {
    int32_t *narrow = exact_bytes(count * sizeof *narrow);
    for (size_t p = 0; p < count; p++)
        narrow[p] = (int32_t)index[p];
    return narrow;
}

static size_t stored(size_t n, const int64_t *start) {
    return start[n] > 0 && start[n] < 4096 ? (size_t)start[n] : 0;
}

static void take_labels(bytes *in, problem *p, int sets) {
    p->label_start = take_starts(in, p->n, p->m, sets ? 0 : 1);
    const size_t count = stored(p->n, p->label_start);
    int64_t *label = exact_bytes(count * sizeof *label);
    take_indices(in, p->n, p->label_start, p->m, label, count);
    p->label = narrowed(count, label);
    free(label);
    p->data.label_start = p->label_start;
    p->data.label = p->label;
}

static inline void take_columns(bytes *in, problem *p) {
    p->row_start = take_starts(in, p->n, p->d, 0);
    const size_t count = stored(p->n, p->row_start);
    p->column64 = exact_bytes(count * sizeof *p->column64);
    take_indices(in, p->n, p->row_start, p->d, p->column64, count);
    p->column32 = narrowed(count, p->column64);
    p->data.row_start = p->row_start;
    if (take_one_in(in, 2))
        p->data.column32 = p->column32;
    else
        p->data.column64 = p->column64;
    if (take_one_in(in, 64)) p->data.column32 = p->column32; /* both */
}

/* X X^T of some X, or anything. */
static inline void make_gram(size_t n, double *x) {
    double *rows = copy_of(x, n * n * sizeof *x);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            x[i * n + j] = rows[i * n] * rows[j * n] + rows[i * n + n - 1] * rows[j * n + n - 1];
    free(rows);
}

static inline void take_features(bytes *in, problem *p) {
    const tl_representation representation = p->data.representation;
    size_t count = p->n * p->d;
    if (representation == TL_GRAM) count = p->n * p->n;
    if (representation == TL_CSR) {
        take_columns(in, p);
        count = stored(p->n, p->row_start);
    }
    double *x = exact_doubles(count);
    fill_numbers(in, count, x);
    p->is_semidefinite = representation != TL_GRAM || !take_one_in(in, 8);
    if (representation == TL_GRAM && p->is_semidefinite) make_gram(p->n, x);
    p->x = x;
    p->x_size = count * sizeof *x;
    if (p->data.type == TL_FLOAT32) {
        float *narrow = exact_bytes(count * sizeof *narrow);
        for (size_t i = 0; i < count; i++) {
            narrow[i] = fabs(x[i]) < 3e38 ? (float)x[i] : (x[i] > 0.0 ? HUGE_VALF : -HUGE_VALF);
            /* Without its small entries a Gram matrix is another one. */
            if (representation == TL_GRAM && x[i] != 0.0 && fabs(x[i]) < 2e-38)
                p->is_semidefinite = 0;
        }
        p->x = narrow;
        p->x_size = count * sizeof *narrow;
        free(x);
    }
    p->data.x = p->x;
}

static void take_weights(bytes *in, problem *p) {
    p->weight = exact_doubles(p->n);
    fill_numbers(in, p->n, p->weight);
    for (size_t i = 0; i < p->n; i++)
        if (!take_one_in(in, 64)) p->weight[i] = fabs(p->weight[i]);
    p->data.weight = p->weight;
}

/* One claim that must be refused, before anything is read. */
static inline void spoil(bytes *in, problem *p) {
    tl_data *data = &p->data;
    const size_t sizes[] = {0, 1, (size_t)INT_MAX + 1, SIZE_MAX};
    const size_t size = sizes[take_choice(in, 4)];
    switch (take_choice(in, 10)) {
    case 0:
        data->x = NULL;
        break;
    case 1:
        data->label = NULL;
        break;
    case 2:
        data->label_start = NULL;
        break;
    case 3:
        data->row_start = NULL;
        break;
    case 4:
        if (size != 1) data->n = size;
        break;
    case 5:
        data->m = size;
        break;
    case 6:
        if (data->representation == TL_DENSE && size != 1) data->d = size;
        break;
    case 7:
        data->representation = (tl_representation)7;
        break;
    case 8:
        data->type = (tl_type)7;
        break;
    default:
        break;
    }
}

static double entry_of(const problem *p, size_t i) {
    return p->data.type == TL_FLOAT32 ? (double)((const float *)p->x)[i]
                                      : ((const double *)p->x)[i];
}

/* A bound on ||x_i||, roughly. */
static inline double largest_norm(const problem *p) {
    const size_t count = p->x_size / (p->data.type == TL_FLOAT32 ? sizeof(float) : sizeof(double));
    double largest = 0.0;
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, fabs(entry_of(p, i)));
    return p->data.representation == TL_GRAM ? sqrt(largest) : largest * (double)p->d;
}

static problem take_shape(bytes *in) {
    problem p = {.n = 1 + take_choice(in, 9),
                 .d = 1 + take_choice(in, take_one_in(in, 8) ? 80 : 6),
                 .m = 2 + take_choice(in, take_one_in(in, 8) ? 150 : 5)};
    p.data = (tl_data){.representation = (tl_representation)take_choice(in, 3),
                       .type = (tl_type)take_choice(in, 2),
                       .n = p.n,
                       .d = p.d,
                       .m = p.m};
    return p;
}

static void free_problem(problem *p) {
    free(p->x);
    free(p->row_start);
    free(p->label_start);
    free(p->column32);
    free(p->column64);
    free(p->label);
    free(p->weight);
}

/* Rules for the end of a run, some of them strange. */
static inline tl_stopping take_stopping(bytes *in, tl_callback callback, void *user) {
    tl_stopping stopping;
    tl_stopping_default(&stopping);
    if (take_one_in(in, 2)) stopping.tol = take_one_in(in, 2) ? 0.0 : take_parameter(in);
    if (take_one_in(in, 64)) stopping.tol = NAN;
    stopping.max_iter = take_choice(in, 30);
    if (take_one_in(in, 2)) stopping.eval_every = take_choice(in, 4);
    if (take_one_in(in, 64)) stopping.eval_every = UINT64_MAX;
    stopping.eval_start = (int)take_choice(in, 2);
    if (take_one_in(in, 2)) stopping.rows = take_choice(in, 10);
    if (take_one_in(in, 64)) stopping.rows = SIZE_MAX;
    if (take_one_in(in, 2)) {
        stopping.callback = callback;
        stopping.user = user;
    }
    return stopping;
}

#endif /* TL_FUZZ_PROBLEM_H */
