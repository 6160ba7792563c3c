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
} tl_features;

/* Row i of dense or CSR data. float32 values are converted into `converted`. */
tl_features tl_features_of(const tl_data *data, size_t i, double *converted);
double tl_features_norm2(const tl_features *x);
/* f (k) = W^T x, W (d, k). */
void tl_features_project(const tl_features *x, size_t k, const double *w, double *f);
/* W += x a^T. */
void tl_features_add(const tl_features *x, size_t k, const double *a, double *w);

#endif /* TL_FEATURES_H */
