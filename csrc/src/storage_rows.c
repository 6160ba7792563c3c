/* SPDX-License-Identifier: MIT */
/* Updates row by row: for few features, and for sparse ones, a product per row inside the cache is
 * faster than the calls and the corrections of a blocked one. W is kept as (d, stride), so that a
 * feature touches one contiguous piece; features are converted to float64 as they are read. */
#include "allocate.h"
#include "storage.h"

static tl_features row_features(tl_solver *self, size_t i) {
    return tl_features_of(&self->data, i, self->row);
}

typedef enum columns { ALL_COLUMNS, COLUMNS32, COLUMNS64 } columns;

TL_INLINE columns columns_of(const tl_features *row) {
    if (row->column32 != NULL) return COLUMNS32;
    return row->column64 != NULL ? COLUMNS64 : ALL_COLUMNS;
}

TL_INLINE size_t column(const tl_features *row, columns kind, size_t k) {
    if (kind == COLUMNS32) return (size_t)row->column32[k];
    return kind == COLUMNS64 ? (size_t)row->column64[k] : k;
}

/* s (stride) = sum_k x_k W_k, four features at a time to keep s out of memory. */
TL_INLINE void add_up(const tl_features *row, columns kind, size_t stride, const double *restrict w,
                      double *restrict s) {
    if (stride % TL_LANES != 0) TL_UNREACHABLE();
    memset(s, 0, stride * sizeof *s);
    const double *x = row->values;
    size_t k = 0;
    for (; k + 4 <= row->count; k += 4) {
        const double x0 = x[k], x1 = x[k + 1], x2 = x[k + 2], x3 = x[k + 3];
        const double *restrict w0 = w + column(row, kind, k) * stride;
        const double *restrict w1 = w + column(row, kind, k + 1) * stride;
        const double *restrict w2 = w + column(row, kind, k + 2) * stride;
        const double *restrict w3 = w + column(row, kind, k + 3) * stride;
#pragma omp simd
        for (size_t j = 0; j < stride; j++)
            s[j] += (x0 * w0[j] + x1 * w1[j]) + (x2 * w2[j] + x3 * w3[j]);
    }
    for (; k < row->count; k++) {
        const double factor = x[k];
        const double *restrict piece = w + column(row, kind, k) * stride;
#pragma omp simd
        for (size_t j = 0; j < stride; j++)
            s[j] += factor * piece[j];
    }
    if (row->constant == 0.0) return;
    const double *restrict last = w + row->last * stride;
#pragma omp simd
    for (size_t j = 0; j < stride; j++)
        s[j] += row->constant * last[j];
}

/* `function` with the kind of columns as a constant. */
#define BY_COLUMNS(function, row, ...)                                                             \
    switch (columns_of(row)) {                                                                     \
    case ALL_COLUMNS:                                                                              \
        function(row, ALL_COLUMNS, __VA_ARGS__);                                                   \
        break;                                                                                     \
    case COLUMNS32:                                                                                \
        function(row, COLUMNS32, __VA_ARGS__);                                                     \
        break;                                                                                     \
    case COLUMNS64:                                                                                \
        function(row, COLUMNS64, __VA_ARGS__);                                                     \
        break;                                                                                     \
    }

TL_CLONES
static void row_scores(const tl_features *row, size_t stride, const double *w,
                       double *s){BY_COLUMNS(add_up, row, stride, w, s)}

TL_INLINE void spread(const tl_features *row, columns kind, size_t stride,
                      const double *restrict delta, double *restrict w) {
    if (stride % TL_LANES != 0) TL_UNREACHABLE();
    for (size_t k = 0; k < row->count; k++) {
        const double factor = row->values[k];
        double *restrict piece = w + column(row, kind, k) * stride;
#pragma omp simd
        for (size_t j = 0; j < stride; j++)
            piece[j] += factor * delta[j];
    }
    if (row->constant == 0.0) return;
    double *restrict last = w + row->last * stride;
#pragma omp simd
    for (size_t j = 0; j < stride; j++)
        last[j] += row->constant * delta[j];
}

/* W_k += x_k delta. */
TL_CLONES
static void add_row(const tl_features *row, size_t stride, const double *delta, double *w) {
    BY_COLUMNS(spread, row, stride, delta, w)
}

static double norm2(tl_solver *self, size_t i) {
    const tl_features x = row_features(self, i);
    return tl_features_norm2(&x);
}

TL_INLINE void prefetch(const void *array, size_t first, size_t count, size_t size) {
    const char *bytes = (const char *)array + first * size;
    for (size_t b = 0; b < count * size; b += TL_CACHE_LINE)
        TL_PREFETCH(bytes + b);
}

/* The stored features and the dual variables of a row: no processor guesses the order. Inline,
 * since compilers leave out calls without an effect. */
TL_INLINE void prefetch_row(const tl_solver *self, size_t i) {
    const tl_data *data = &self->data;
    const bool sparse = data->representation == TL_CSR;
    const size_t width = tl_stored_features(data);
    const size_t first = sparse ? (size_t)data->row_start[i] : i * width;
    const size_t count = sparse ? (size_t)data->row_start[i + 1] - first : width;
    prefetch(data->x, first, count, data->type == TL_FLOAT32 ? sizeof(float) : sizeof(double));
    if (data->column32 != NULL) prefetch(data->column32, first, count, sizeof(int32_t));
    if (data->column64 != NULL) prefetch(data->column64, first, count, sizeof(int64_t));
    prefetch(self->dual, i * data->m, data->m, sizeof(double));
}

static void update(tl_solver *self, size_t first, size_t count) {
    const size_t m = self->data.m, stride = self->stride;
    double *s = self->scores, *delta = self->delta, *a_new = self->work + TL_UPDATE_WORK(m);
    for (size_t visit = first; visit < first + count; visit++) {
        const size_t i = self->visits[visit];
        if (visit + 1 < self->n_visits) prefetch_row(self, self->visits[visit + 1]);
        const tl_row row = tl_row_view(self, i);
        if (!(row.C > 0.0)) continue; /* weight 0: the row is not there */
        const tl_features x = row_features(self, i);
        double *a = self->dual + i * m;
        row_scores(&x, stride, self->primal, s);
        tl_sample_row(self, visit, &row, s, a);
        tl_update_row(self, visit, &row, s, a, a_new);
        if (tl_replace_dual(self, i, a_new, a, delta)) add_row(&x, stride, delta, self->primal);
    }
}

static void scores(tl_solver *self, size_t first, size_t count) {
    for (size_t p = 0; p < count; p++) {
        const tl_features x = row_features(self, first + p);
        row_scores(&x, self->stride, self->primal, self->scores + p * self->stride);
    }
}

static void add_duals(tl_solver *self) {
    const size_t m = self->data.m;
    const double work = tl_row_work(self);
    for (size_t i = 0; i < self->data.n && !tl_is_over(&self->watch, work); i++) {
        const tl_features x = row_features(self, i);
        memcpy(self->delta, self->dual + i * m, m * sizeof *self->delta);
        add_row(&x, self->stride, self->delta, self->primal);
    }
}

/* ---- W as (d, stride) ---- */

static void lay_out(const tl_solver *self, const double *given, double *primal) {
    const size_t m = self->data.m;
    memset(primal, 0, self->primal_size * sizeof *primal);
    for (size_t k = 0; k < self->data.d; k++)
        memcpy(primal + k * self->stride, given + k * m, m * sizeof *primal);
}

static void hand_out(const tl_solver *self, double *given) {
    const size_t m = self->data.m;
    for (size_t k = 0; k < self->data.d; k++)
        memcpy(given + k * m, self->primal + k * self->stride, m * sizeof *given);
}

TL_CLONES
static void add_squares(size_t m, const double *w, double *squares) {
#pragma omp simd
    for (size_t c = 0; c < m; c++)
        squares[c] += w[c] * w[c];
}

static void class_norms(tl_solver *self, double *norms) {
    const size_t m = self->data.m;
    memset(norms, 0, m * sizeof *norms);
    for (size_t k = 0; k < self->data.d; k++)
        add_squares(m, self->primal + k * self->stride, norms);
    for (size_t c = 0; c < m; c++)
        norms[c] = sqrt(norms[c]);
}

static bool allocate(tl_solver *self) {
    self->row = tl_doubles(1, tl_longest_row(&self->data));
    return self->row != NULL;
}

const tl_storage tl_storage_rows = {
    TL_OF_WEIGHTS,      .allocate = allocate, .norm2 = norm2,
    .update = update,   .scores = scores,     .add_duals = add_duals,
    .lay_out = lay_out, .hand_out = hand_out, .class_norms = class_norms};
