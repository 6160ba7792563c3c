/* SPDX-License-Identifier: MIT */
/* Checks of the data, the settings and the starting point. */
#include "solver.h"

#include <limits.h>

static tl_status check_shape(const tl_data *data) {
    const size_t limit = INT_MAX; /* of BLAS */
    if (!isfinite(data->constant)) return TL_ERR_PARAMETER;
    if (data->constant != 0.0 && data->representation != TL_GRAM && data->d < 2)
        return TL_ERR_DIMENSION;
    if (data->n < 1 || data->n > limit || data->m < 2 || data->m > limit) return TL_ERR_DIMENSION;
    const size_t most = PTRDIFF_MAX / sizeof(double) / tl_padded(data->m); /* W has a size */
    switch (data->representation) {
    case TL_GRAM:
        return TL_OK;
    case TL_DENSE:
        return data->d < 1 || data->d > tl_smaller(limit, most) ? TL_ERR_DIMENSION : TL_OK;
    case TL_CSR:
        return data->d < 1 || data->d > most ? TL_ERR_DIMENSION : TL_OK;
    }
    return TL_ERR_PARAMETER;
}

static bool are_finite(const tl_data *data, size_t first, size_t count) {
    return data->type == TL_FLOAT32 ? tl_all_finite32(count, (const float *)data->x + first)
                                    : tl_all_finite(count, (const double *)data->x + first);
}

static tl_status check_finite(const tl_data *data, size_t count, tl_watch *watch) {
    for (size_t first = 0; first < count; first += TL_CHECKED_PART) {
        const size_t part = tl_smaller(count - first, TL_CHECKED_PART);
        if (!are_finite(data, first, part)) return TL_ERR_NOT_FINITE;
        if (tl_is_over(watch, (double)part)) return TL_ERR_OVER;
    }
    return TL_OK;
}

static tl_status check_csr(const tl_data *data, tl_watch *watch) {
    if (data->row_start == NULL || (data->column32 == NULL) == (data->column64 == NULL))
        return TL_ERR_NULL;
    if (!tl_starts_rise(data->n, data->row_start, tl_stored_features(data))) return TL_ERR_INDEX;
    for (size_t i = 0; i < data->n; i++) {
        const int64_t first = data->row_start[i], last = data->row_start[i + 1];
        int64_t previous = -1;
        if (tl_is_over(watch, (double)(last - first))) return TL_ERR_OVER;
        for (int64_t p = first; p < last; p++) {
            const int64_t column = data->column32 ? data->column32[p] : data->column64[p];
            if (column <= previous || (uint64_t)column >= tl_stored_features(data))
                return TL_ERR_INDEX;
            previous = column;
        }
    }
    return check_finite(data, (size_t)data->row_start[data->n], watch);
}

TL_INLINE double entry(const tl_data *data, size_t i, size_t j) {
    const size_t place = i * data->n + j;
    return data->type == TL_FLOAT32 ? (double)((const float *)data->x)[place]
                                    : ((const double *)data->x)[place];
}

static tl_status check_gram(const tl_data *data, tl_watch *watch) {
    const size_t n = data->n;
    const tl_status status = check_finite(data, n * n, watch);
    if (status != TL_OK) return status;
    double largest = 0.0;
    for (size_t i = 0; i < n; i++) {
        if (entry(data, i, i) < 0.0) return TL_ERR_GRAM;
        largest = fmax(largest, entry(data, i, i));
    }
    const double tolerance =
        largest * (data->type == TL_FLOAT32 ? TL_SYMMETRY_TOLERANCE32 : TL_SYMMETRY_TOLERANCE);
    /* In tiles: both triangles are read by rows. */
    const size_t tile = 64;
    for (size_t top = 0; top < n; top += tile) {
        if (tl_is_over(watch, (double)(tile * top))) return TL_ERR_OVER;
        for (size_t left = 0; left <= top; left += tile)
            for (size_t i = top; i < n && i < top + tile; i++)
                for (size_t j = left; j < i && j < left + tile; j++)
                    if (fabs(entry(data, i, j) - entry(data, j, i)) > tolerance) return TL_ERR_GRAM;
    }
    return TL_OK;
}

static tl_status check_features(const tl_data *data, tl_watch watch) {
    switch (data->representation) {
    case TL_CSR:
        return check_csr(data, &watch);
    case TL_GRAM:
        return check_gram(data, &watch);
    case TL_DENSE: /* seen when the norms of the rows are computed: one pass less */
        break;
    }
    return TL_OK;
}

static tl_status check_weights(const tl_data *data) {
    if (data->weight == NULL) return TL_OK;
    double sum = 0.0;
    for (size_t i = 0; i < data->n; i++) {
        if (!(data->weight[i] >= 0.0) || !isfinite(data->weight[i])) return TL_ERR_PARAMETER;
        sum += data->weight[i];
    }
    return sum > 0.0 && isfinite(sum) ? TL_OK : TL_ERR_PARAMETER;
}

static tl_status check_settings(const tl_data *data, const tl_settings *settings,
                                const tl_loss_ops *ops) {
    if (!tl_k_fits(ops, settings->k, data->m)) return TL_ERR_DIMENSION;
    const double smallest = 1.0 / TL_LARGEST_PARAMETER, largest = TL_LARGEST_PARAMETER;
    if (!tl_in_range(settings->C, smallest, largest)) return TL_ERR_PARAMETER;
    if (settings->C_start != 0.0 && !tl_in_range(settings->C_start, smallest, largest))
        return TL_ERR_PARAMETER;
    if (!tl_in_range(settings->gamma, 0.0, largest)) return TL_ERR_PARAMETER;
    if (isnan(settings->acceleration) || settings->acceleration > largest) return TL_ERR_PARAMETER;
    if (!tl_in_range(settings->start_r, 0.0, largest)) return TL_ERR_PARAMETER;
    const size_t columns = data->representation == TL_GRAM ? data->n : data->d;
    if (settings->start != NULL && !tl_all_finite(columns * data->m, settings->start))
        return TL_ERR_NOT_FINITE;
    if (settings->center == NULL) return TL_OK;
    if (data->representation == TL_GRAM) return TL_ERR_PARAMETER;
    return tl_all_finite(data->d * data->m, settings->center) ? TL_OK : TL_ERR_NOT_FINITE;
}

static tl_status check_form(const tl_data *data) {
    if (data->x == NULL) return TL_ERR_NULL;
    if (data->type != TL_FLOAT64 && data->type != TL_FLOAT32) return TL_ERR_PARAMETER;
    return check_shape(data);
}

tl_status tl_check_rows(const tl_data *data) {
    const tl_status status = check_form(data);
    return status == TL_OK ? check_features(data, (tl_watch){0}) : status;
}

tl_status tl_check_input(const tl_data *data, const tl_settings *settings, const double *dual) {
    if (data->label_start == NULL || data->label == NULL || dual == NULL) return TL_ERR_NULL;
    tl_status status = check_form(data);
    if (status != TL_OK) return status;
    const tl_loss_ops *ops = tl_loss_get(settings->loss);
    if (ops == NULL || ops->update == NULL) return TL_ERR_LOSS;
    status = check_settings(data, settings, ops);
    if (status != TL_OK) return status;
    status = tl_check_labels(ops, data->n, data->m, data->label_start, data->label);
    if (status != TL_OK) return status;
    status = check_weights(data);
    if (status != TL_OK) return status;
    return check_features(data, (tl_watch){.ask = settings->is_over, .user = settings->user});
}

/* The norm of this row is not finite: is the row? */
tl_status tl_check_row(const tl_solver *self, size_t i) {
    const tl_data *data = &self->data;
    if (data->representation != TL_DENSE) return TL_ERR_OVERFLOW;
    const size_t width = tl_stored_features(data);
    return are_finite(data, i * width, width) ? TL_ERR_OVERFLOW : TL_ERR_NOT_FINITE;
}

tl_status tl_check_start(tl_solver *self, double C_start) {
    const size_t n = self->data.n, m = self->data.m;
    if (self->at_zero) return TL_OK; /* in the domain of every conjugate */
    for (size_t i = 0; i < n; i++) {
        if (tl_is_over(&self->watch, TL_WORK_OF_CLASS * (double)m)) return TL_ERR_OVER;
        const tl_row row = tl_row_view(self, i);
        const double *a = self->dual + i * m;
        if (!tl_all_finite(m, a)) return TL_ERR_NOT_FINITE;
        if (!(row.C > 0.0)) {
            if (tl_dot(m, a, a) > 0.0) return TL_ERR_INFEASIBLE;
            continue;
        }
        const double scale = -(self->settings.C / C_start) / row.C;
        if (!(self->ops->infeasibility(&row, m, a, scale) <= TL_DOMAIN_TOLERANCE))
            return TL_ERR_INFEASIBLE;
    }
    return TL_OK;
}
