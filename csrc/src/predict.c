/* SPDX-License-Identifier: MIT */
/* Scores and classes of rows under given weights. */
#include "allocate.h"
#include "input.h"
#include "row_features.h"
#include "solver.h" /* tl_check_rows */

/* Scores of row i; `converted` has room for the longest row. */
static tl_status score(const tl_data *data, const double *weights, size_t i, double *converted,
                       double *scores) {
    const size_t m = data->m;
    const tl_features x = tl_features_of(data, i, converted);
    if (!tl_all_finite(x.count, x.values)) return TL_ERR_NOT_FINITE;
    tl_features_project(&x, m, weights, scores);
    if (x.constant != 0.0)
        for (size_t j = 0; j < m; j++)
            scores[j] += x.constant * weights[x.last * m + j];
    return tl_all_finite(m, scores) ? TL_OK : TL_ERR_OVERFLOW;
}

static int32_t largest(size_t m, const double *scores) {
    size_t best = 0;
    for (size_t j = 1; j < m; j++)
        if (scores[j] > scores[best]) best = j;
    return (int32_t)best;
}

static tl_status predict(const tl_data *data, const double *weights, double *work, double *scores,
                         int32_t *label) {
    const size_t m = data->m;
    for (size_t i = 0; i < data->n; i++) {
        double *row = scores != NULL ? scores + i * m : work;
        const tl_status status = score(data, weights, i, work + m, row);
        if (status != TL_OK) return status;
        if (label != NULL) label[i] = largest(m, row);
    }
    return TL_OK;
}

tl_status tl_predict(const tl_data *data, const double *weights, double *scores, int32_t *label) {
    if (data == NULL || weights == NULL) return TL_ERR_NULL;
    if (data->representation == TL_GRAM) return TL_ERR_PARAMETER;
    tl_status status = tl_check_rows(data);
    if (status == TL_OK && !tl_all_finite(data->d * data->m, weights)) status = TL_ERR_NOT_FINITE;
    if (status != TL_OK) return status;
    double *work = tl_doubles(1, data->m + tl_longest_row(data));
    if (work == NULL) return TL_ERR_ALLOC;
    status = predict(data, weights, work, scores, label);
    free(work);
    return status;
}
