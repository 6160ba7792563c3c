/* SPDX-License-Identifier: MIT
 *
 * row_features.h: the stored features of a row, dense or sparse.
 */
#ifndef TL_FEATURES_H
#define TL_FEATURES_H

#include "compiler.h"
#include "toplabel.h"

typedef struct tl_features {
    size_t count;
    const double *values;
    const int32_t *column32; /* both NULL: the columns are 0 .. count-1 */
    const int64_t *column64;
    double constant; /* of the last feature, which is not among the values; 0: there is none */
    size_t last;     /* its column */
} tl_features;

/* Features of a row of x: all, but for a constant one. */
TL_INLINE size_t tl_stored_features(const tl_data *data) {
    return data->constant != 0.0 ? data->d - 1 : data->d;
}

/* Stored features of the longest row. */
size_t tl_longest_row(const tl_data *data);
/* Row i of dense or CSR data. float32 values are converted into `converted`. */
tl_features tl_features_of(const tl_data *data, size_t i, double *converted);
double tl_features_norm2(const tl_features *x);
/* f (k) = W^T x, W (d, k); without a constant feature. */
void tl_features_project(const tl_features *x, size_t k, const double *w, double *f);
/* W += x a^T, likewise. */
void tl_features_add(const tl_features *x, size_t k, const double *a, double *w);

#endif /* TL_FEATURES_H */
