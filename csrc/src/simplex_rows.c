/* SPDX-License-Identifier: MIT */
/* Rows of the data as the simplex solvers read them, and the checks of their input. */
#include "simplex.h"

#include "solver.h" /* tl_check_input */
#include "vector.h"

#define LARGEST_NORM2 1e200

tl_status tl_simplex_norms(const tl_data *data, double *norm2) {
    for (size_t i = 0; i < data->n; i++) {
        if (data->representation == TL_GRAM) {
            norm2[i] = ((const double *)data->x)[i * data->n + i];
        } else {
            const tl_features x = tl_features_of(data, i, NULL);
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
    if (data->type != TL_FLOAT64 || data->constant != 0.0) return TL_ERR_PARAMETER;
    tl_settings settings;
    tl_settings_default(&settings); /* a loss of one label per row */
    return tl_check_input(data, &settings, memory);
}
