/* SPDX-License-Identifier: MIT */
/* A solver's life: check the input, set up, free. */
#include "solver.h"

#include <limits.h>
#include <stdlib.h>

/* C, gamma and their inverses stay within this, so that their squares and products with the data do
 * not overflow. */
#define TL_LARGEST_PARAMETER 1e100
/* ||x_i||^2 C n and gamma/C stay within this. */
#define TL_LARGEST 1e200

void tl_settings_default(tl_settings *settings) {
    if (settings == NULL) return;
    *settings = (tl_settings){.loss = TL_LOSS_SVM_MULTI, .k = 1, .C = 1.0};
}

static tl_status check_shape(const tl_data *data) {
    const size_t limit = INT_MAX; /* of BLAS */
    if (data->n < 1 || data->n > limit || data->m < 2 || data->m > limit) return TL_ERR_DIMENSION;
    if (data->representation == TL_GRAM) return TL_OK;
    if (data->representation != TL_DENSE) return TL_ERR_PARAMETER;
    return data->d < 1 || data->d > limit ? TL_ERR_DIMENSION : TL_OK;
}

static tl_status check_gram(size_t n, const double *k) {
    double largest = 0.0;
    for (size_t i = 0; i < n; i++) {
        if (k[i * n + i] < 0.0) return TL_ERR_GRAM;
        largest = fmax(largest, k[i * n + i]);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            if (fabs(k[i * n + j] - k[j * n + i]) > 1e-8 * largest) return TL_ERR_GRAM;
    return TL_OK;
}

static tl_status check_input(const tl_data *data, const tl_settings *settings, const double *dual,
                             const double *weights) {
    if (data->x == NULL || data->label_start == NULL || data->label == NULL || dual == NULL)
        return TL_ERR_NULL;
    tl_status status = check_shape(data);
    if (status != TL_OK) return status;
    const bool gram = data->representation == TL_GRAM;
    if (!gram && weights == NULL) return TL_ERR_NULL;

    const tl_loss_ops *ops = tl_loss_get(settings->loss);
    if (ops == NULL || ops->update == NULL) return TL_ERR_LOSS;
    if (!tl_k_fits(ops, settings->k, data->m)) return TL_ERR_DIMENSION;
    if (!(settings->C >= 1.0 / TL_LARGEST_PARAMETER && settings->C <= TL_LARGEST_PARAMETER))
        return TL_ERR_PARAMETER;
    if (!(settings->C_start >= 0.0) || !isfinite(settings->C_start)) return TL_ERR_PARAMETER;
    if (!(settings->gamma >= 0.0 && settings->gamma <= TL_LARGEST_PARAMETER))
        return TL_ERR_PARAMETER;
    status = tl_check_labels(ops, data->n, data->m, data->label_start, data->label);
    if (status != TL_OK) return status;

    if (!tl_all_finite(data->n * (gram ? data->n : data->d), data->x)) return TL_ERR_NOT_FINITE;
    if (data->weight != NULL) {
        double sum = 0.0;
        for (size_t i = 0; i < data->n; i++) {
            if (!(data->weight[i] >= 0.0) || !isfinite(data->weight[i])) return TL_ERR_PARAMETER;
            sum += data->weight[i];
        }
        if (!(sum > 0.0) || !isfinite(sum)) return TL_ERR_PARAMETER;
    }
    return gram ? check_gram(data->n, data->x) : TL_OK;
}

static size_t choose_block(const tl_data *data) {
    const size_t block = 64;
    return block < data->n ? block : data->n;
}

static bool allocate(tl_solver *self) {
    const size_t n = self->data.n, m = self->data.m, b = self->block;
    const size_t score_rows = b > TL_EVALUATION_BLOCK ? b : TL_EVALUATION_BLOCK;
    self->order = malloc(n * sizeof *self->order);
    self->norm2 = malloc(n * sizeof *self->norm2);
    self->kept = malloc(n * TL_KEPT * sizeof *self->kept);
    if (self->narrow_stride > 0) {
        self->narrow = malloc(self->data.d * self->narrow_stride * sizeof *self->narrow);
        if (self->narrow == NULL) return false;
    }
    const size_t stride = self->narrow_stride > m ? self->narrow_stride : m;
    self->rows = malloc(b * row_length(self) * sizeof *self->rows);
    self->gram = malloc(b * b * sizeof *self->gram);
    self->scores = malloc(score_rows * stride * sizeof *self->scores);
    self->delta = malloc(b * stride * sizeof *self->delta);
    self->moved = malloc(b * sizeof *self->moved);
    self->work = malloc(TL_WORK(m) * sizeof *self->work);
    return self->order && self->norm2 && self->kept && self->rows && self->gram && self->scores &&
           self->delta && self->moved && self->work;
}

/* Returns false if a number that the updates need overflows. */
static bool initialise(tl_solver *self) {
    const tl_data *data = &self->data;
    self->total_weight = data->weight ? 0.0 : (double)data->n;
    if (data->weight)
        for (size_t i = 0; i < data->n; i++)
            self->total_weight += data->weight[i];
    for (size_t i = 0; i < data->n; i++) {
        self->order[i] = i;
        for (size_t j = 0; j < TL_KEPT; j++)
            self->kept[i * TL_KEPT + j] = NAN;
        self->norm2[i] =
            is_gram(self) ? data->x[i * data->n + i] : squared_norm(data->d, data->x + i * data->d);
        const double C = self->settings.C * (data->weight ? data->weight[i] : 1.0);
        if (!(self->norm2[i] * C * self->total_weight <= TL_LARGEST)) return false;
    }
    return self->settings.gamma / self->settings.C <= TL_LARGEST;
}

tl_status tl_solver_create(const tl_data *data, const tl_settings *settings, double *dual,
                           double *weights, tl_solver **solver) {
    if (data == NULL || settings == NULL || solver == NULL) return TL_ERR_NULL;
    tl_status status = check_input(data, settings, dual, weights);
    if (status != TL_OK) return status;

    tl_solver *self = calloc(1, sizeof *self);
    if (self == NULL) return TL_ERR_ALLOC;
    self->data = *data;
    self->settings = *settings;
    self->ops = tl_loss_get(settings->loss);
    self->params = (tl_params){.gamma = settings->gamma, .k = settings->k};
    self->dual = dual;
    self->weights = data->representation == TL_GRAM ? NULL : weights;
    self->random_state = settings->seed;
    self->block = settings->block > 0 ? settings->block : choose_block(data);
    if (self->block > data->n) self->block = data->n;
    if (settings->block == 0 && data->representation == TL_DENSE && data->d <= TL_NARROW_FEATURES)
        self->narrow_stride = (data->m + TL_NARROW_LANES - 1) / TL_NARROW_LANES * TL_NARROW_LANES;
    if (!allocate(self)) {
        tl_solver_free(self);
        return TL_ERR_ALLOC;
    }
    if (!initialise(self)) {
        tl_solver_free(self);
        return TL_ERR_OVERFLOW;
    }

    const double C_start = settings->C_start > 0.0 ? settings->C_start : settings->C;
    status = tl_prepare_start(self, C_start);
    if (status != TL_OK) {
        tl_solver_free(self);
        return status;
    }
    *solver = self;
    return TL_OK;
}

void tl_solver_free(tl_solver *self) {
    if (self == NULL) return;
    free(self->order);
    free(self->norm2);
    free(self->kept);
    free(self->narrow);
    free(self->rows);
    free(self->gram);
    free(self->scores);
    free(self->delta);
    free(self->moved);
    free(self->work);
    free(self);
}
