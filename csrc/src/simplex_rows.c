/* SPDX-License-Identifier: MIT */
/* Rows of the data as the simplex solvers read them, and the checks of their input. */
#include "simplex.h"

#include "solver.h" /* tl_check_input */
#include "vector.h"

#define LARGEST_NORM2 1e200

tl_features tl_features_of(const tl_data *data, size_t i) {
    const bool sparse = data->representation == TL_CSR;
    const size_t first = sparse ? (size_t)data->row_start[i] : i * data->d;
    tl_features x = {.values = (const double *)data->x + first};
    x.count = sparse ? (size_t)data->row_start[i + 1] - first : data->d;
    if (sparse && data->column32 != NULL) x.column32 = data->column32 + first;
    if (sparse && data->column64 != NULL) x.column64 = data->column64 + first;
    return x;
}

TL_INLINE size_t column(const tl_features *x, size_t p) {
    if (x->column32 != NULL) return (size_t)x->column32[p];
    return x->column64 != NULL ? (size_t)x->column64[p] : p;
}

double tl_features_norm2(const tl_features *x) {
    return tl_dot(x->count, x->values, x->values);
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
    project(x, k, w, f); /* clones with external linkage would be exported */
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

tl_status tl_simplex_norms(const tl_data *data, double *norm2) {
    for (size_t i = 0; i < data->n; i++) {
        if (data->representation == TL_GRAM) {
            norm2[i] = ((const double *)data->x)[i * data->n + i];
        } else {
            const tl_features x = tl_features_of(data, i);
            if (!tl_all_finite(x.count, x.values)) return TL_ERR_NOT_FINITE;
            norm2[i] = tl_features_norm2(&x);
        }
        if (!(norm2[i] <= LARGEST_NORM2)) return TL_ERR_OVERFLOW;
    }
    return TL_OK;
}

double tl_simplex_value(tl_simplex_loss loss, size_t T, size_t y, const double *s) {
    if (loss == TL_SIMPLEX_SH_SVM) return s[y] < 1.0 ? 1.0 - s[y] : 0.0;
    const double margin = 1.0 / ((double)T - 1.0);
    double sum = 0.0;
    for (size_t j = 0; j < T; j++)
        if (j != y && margin + s[j] > 0.0) sum += margin + s[j];
    return sum;
}

tl_status tl_simplex_check(const tl_data *data, tl_simplex_loss loss, const double *memory) {
    if (data == NULL || memory == NULL) return TL_ERR_NULL;
    if ((unsigned)loss >= TL_SIMPLEX_LOSS_COUNT) return TL_ERR_LOSS;
    if (data->type != TL_FLOAT64) return TL_ERR_PARAMETER;
    tl_settings settings;
    tl_settings_default(&settings); /* a loss of one label a row */
    return tl_check_input(data, &settings, memory);
}
