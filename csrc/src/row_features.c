/* SPDX-License-Identifier: MIT */
/* The stored features of a row. */
#include "row_features.h"

#include "vector.h"

#include <stdbool.h>

size_t tl_longest_row(const tl_data *data) {
    if (data->representation != TL_CSR) return tl_stored_features(data);
    size_t longest = 0;
    for (size_t i = 0; i < data->n; i++) {
        const size_t length = (size_t)(data->row_start[i + 1] - data->row_start[i]);
        if (length > longest) longest = length;
    }
    return longest;
}

tl_features tl_features_of(const tl_data *data, size_t i, double *converted) {
    const bool sparse = data->representation == TL_CSR;
    const size_t width = tl_stored_features(data);
    const size_t first = sparse ? (size_t)data->row_start[i] : i * width;
    tl_features x = {.values = converted, .constant = data->constant, .last = width};
    x.count = sparse ? (size_t)data->row_start[i + 1] - first : width;
    if (data->type == TL_FLOAT32)
        tl_widen(x.count, (const float *)data->x + first, converted);
    else
        x.values = (const double *)data->x + first;
    if (sparse && data->column32 != NULL) x.column32 = data->column32 + first;
    if (sparse && data->column64 != NULL) x.column64 = data->column64 + first;
    return x;
}

TL_INLINE size_t column(const tl_features *x, size_t p) {
    if (x->column32 != NULL) return (size_t)x->column32[p];
    return x->column64 != NULL ? (size_t)x->column64[p] : p;
}

double tl_features_norm2(const tl_features *x) {
    return tl_dot(x->count, x->values, x->values) + x->constant * x->constant;
}

TL_CLONES
static void project(const tl_features *x, size_t k, const double *restrict w, double *restrict f) {
    for (size_t j = 0; j < k; j++)
        f[j] = 0.0;
    for (size_t p = 0; p < x->count; p++) {
        const double factor = x->values[p];
        const double *restrict piece = w + column(x, p) * k;
#pragma omp simd
        for (size_t j = 0; j < k; j++)
            f[j] += factor * piece[j];
    }
}

void tl_features_project(const tl_features *x, size_t k, const double *w, double *f) {
    project(x, k, w, f);
}

TL_CLONES
static void add(const tl_features *x, size_t k, const double *restrict a, double *restrict w) {
    for (size_t p = 0; p < x->count; p++) {
        const double factor = x->values[p];
        double *restrict piece = w + column(x, p) * k;
#pragma omp simd
        for (size_t j = 0; j < k; j++)
            piece[j] += factor * a[j];
    }
}

void tl_features_add(const tl_features *x, size_t k, const double *a, double *w) {
    add(x, k, a, w);
}
