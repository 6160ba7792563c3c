/* SPDX-License-Identifier: MIT */
/* Projected stochastic subgradient steps for the three simplex losses (NIPS 2012, section 5, after
 * Pegasos): with eta = 1/(lambda (t + t0))
 *
 *   W <- (1 - eta lambda) W - eta x g^T,   g in the subdifferential of V(y, .) at W^T x,
 *   W <- min(1, radius / ||W||_F) W.
 *
 * W is kept as scale * V, so that a step touches only the features that the row has; the sum of all
 * W, for the average, as sigma * V + U with the same effect. */
#include "allocate.h"
#include "simplex.h"

#include "input.h"
#include "row_features.h"
#include "sampling.h"
#include "settings.h"
#include "solver.h" /* tl_check_input */
#include "vector.h"

#include <math.h>
#include <string.h>

/* Beyond these, sigma V and U would cancel to fewer digits; steps longer than LONG_STEP times the
 * radius, of which the projection leaves next to nothing, would too. */
#define SMALLEST_SCALE 1e-4
#define LARGEST_SCALE 1e4
#define LONG_STEP 1e4
#define LARGEST_NORM2 1e200

typedef struct online {
    const tl_data *data;
    const tl_online_settings *settings;
    tl_coding coding;
    size_t k;      /* T - 1 */
    double *V;     /* (d, k) */
    double scale;  /* W = scale V */
    double norm2;  /* ||W||^2 */
    double *U;     /* (d, k), to average; else NULL */
    double sigma;  /* sum of the W so far = sigma V + U */
    uint64_t step; /* of the next update, from 1 */
    double *row2;  /* (n): ||x_i||^2 */
    size_t *order; /* (n) */
    double *f;     /* (k) */
    double *g;     /* (k) */
    double *s;     /* (T) */
} online;

static bool allocate(online *self) {
    const size_t n = self->data->n, d = self->data->d, k = self->k;
    self->coding.height = tl_doubles(k, 1);
    self->coding.step = tl_doubles(k, 1);
    self->V = tl_doubles(d, k);
    self->U = self->settings->average ? tl_doubles(d, k) : NULL;
    self->row2 = tl_doubles(n, 1);
    self->order = tl_array(n, 1, sizeof *self->order);
    self->f = tl_doubles(k, 1);
    self->g = tl_doubles(k, 1);
    self->s = tl_doubles(k + 1, 1);
    return self->coding.height && self->coding.step && self->V && self->row2 && self->order &&
           self->f && self->g && self->s && (self->U || !self->settings->average);
}

static void release(online *self) {
    free(self->coding.height);
    free(self->coding.step);
    free(self->V);
    free(self->U);
    free(self->row2);
    free(self->order);
    free(self->f);
    free(self->g);
    free(self->s);
}

/* A subgradient at f into g; false if it is zero. */
static bool subgradient(online *self, size_t y, const double *f) {
    const size_t T = self->k + 1;
    memset(self->g, 0, self->k * sizeof *self->g);
    if (self->settings->loss == TL_SIMPLEX_LS) { /* -2 (c_y - f); the paper drops the sign */
        tl_coding_add(&self->coding, y, -2.0, self->g);
        for (size_t r = 0; r < self->k; r++)
            self->g[r] += 2.0 * f[r];
        return true;
    }
    if (self->settings->loss == TL_SIMPLEX_SH_SVM) {
        if (!(tl_coding_score(&self->coding, y, f) < 1.0)) return false;
        tl_coding_add(&self->coding, y, -1.0, self->g);
        return true;
    }
    const double margin = 1.0 / (double)self->k;
    bool any = false;
    tl_coding_scores(&self->coding, f, self->s);
    for (size_t j = 0; j < T; j++) {
        const bool violated = j != y && margin + self->s[j] > 0.0;
        self->s[j] = violated ? 1.0 : 0.0;
        any = any || violated;
    }
    if (any) tl_coding_combine(&self->coding, self->s, self->g);
    return any;
}

/* V <- W, scale <- 1. */
static void fold_scale(online *self) {
    const size_t size = self->data->d * self->k;
    if (self->scale == 1.0) return;
    if (self->U != NULL) /* sigma V + U stays */
        for (size_t j = 0; j < size; j++)
            self->U[j] += self->sigma * self->V[j] * (1.0 - self->scale);
    for (size_t j = 0; j < size; j++)
        self->V[j] *= self->scale;
    self->scale = 1.0;
}

static void multiply(online *self, double factor) {
    self->scale *= factor;
    self->norm2 *= factor * factor;
    if (!(fabs(self->scale) > SMALLEST_SCALE && fabs(self->scale) < LARGEST_SCALE))
        fold_scale(self);
}

/* U <- sigma V + U, sigma <- 0. */
static void fold_sum(online *self) {
    const size_t size = self->data->d * self->k;
    if (self->U == NULL || self->sigma == 0.0) return;
    for (size_t j = 0; j < size; j++)
        self->U[j] += self->sigma * self->V[j];
    self->sigma = 0.0;
}

static size_t label_of(const tl_data *data, size_t i) {
    return (size_t)data->label[data->label_start[i]];
}

/* False once numbers have overflowed. */
static bool take_step(online *self, size_t i) {
    const tl_online_settings *settings = self->settings;
    const tl_features x = tl_features_of(self->data, i, NULL);
    const double t = (double)self->step + settings->t0, eta = 1.0 / (settings->lambda * t);
    tl_features_project(&x, self->k, self->V, self->f);
    for (size_t r = 0; r < self->k; r++)
        self->f[r] *= self->scale;
    const bool moves = subgradient(self, label_of(self->data, i), self->f);
    const double shrink = 1.0 - 1.0 / t;
    multiply(self, shrink);
    if (moves) {
        const double product = shrink * tl_dot(self->k, self->f, self->g);
        const double size2 = tl_dot(self->k, self->g, self->g) * self->row2[i];
        const double after2 = self->norm2 - 2.0 * eta * product + eta * eta * size2;
        if (!isfinite(after2)) return false;
        self->norm2 = fmax(0.0, after2);
        if (eta * sqrt(size2) > LONG_STEP * settings->radius) fold_sum(self);
        const double factor = -eta / self->scale;
        for (size_t r = 0; r < self->k; r++)
            self->g[r] *= factor;
        tl_features_add(&x, self->k, self->g, self->V);
        if (self->U != NULL) {
            for (size_t r = 0; r < self->k; r++)
                self->g[r] *= -self->sigma;
            tl_features_add(&x, self->k, self->g, self->U);
        }
    }
    const double norm = sqrt(self->norm2);
    if (norm > settings->radius) multiply(self, settings->radius / norm);
    self->sigma += self->scale;
    self->step++;
    return true;
}

/* What rounding has done to the norm; false once numbers have overflowed. */
static bool renew_norm(online *self) {
    fold_scale(self);
    self->norm2 = tl_dot(self->data->d * self->k, self->V, self->V);
    return isfinite(self->norm2);
}

static tl_status train(online *self) {
    const size_t n = self->data->n;
    for (size_t i = 0; i < n; i++)
        self->order[i] = i;
    uint64_t random_state = self->settings->seed;
    for (size_t epoch = 0; epoch < self->settings->epochs; epoch++) {
        tl_shuffle(&random_state, n, self->order);
        for (size_t p = 0; p < n; p++)
            if (!take_step(self, self->order[p])) return TL_ERR_OVERFLOW;
        if (!renew_norm(self)) return TL_ERR_OVERFLOW;
    }
    return TL_OK;
}

/* ||x_i||^2 of all rows, and what tl_check_input leaves to be checked. */
static tl_status find_norms(const tl_data *data, double *norm2) {
    for (size_t i = 0; i < data->n; i++) {
        const tl_features x = tl_features_of(data, i, NULL);
        if (!tl_all_finite(x.count, x.values)) return TL_ERR_NOT_FINITE;
        norm2[i] = tl_features_norm2(&x);
        if (!(norm2[i] <= LARGEST_NORM2)) return TL_ERR_OVERFLOW;
    }
    return TL_OK;
}

static tl_status run(online *self, double *weights) {
    if (!allocate(self)) return TL_ERR_ALLOC;
    tl_coding_fill(&self->coding);
    tl_status status = find_norms(self->data, self->row2);
    if (status == TL_OK) status = train(self);
    if (status != TL_OK) return status;
    const size_t size = self->data->d * self->k;
    const double steps = (double)(self->step - 1);
    for (size_t j = 0; j < size; j++)
        weights[j] = self->U == NULL ? self->V[j] : (self->sigma * self->V[j] + self->U[j]) / steps;
    return TL_OK;
}

/* float64 features and one label per row; `memory` is what the results go to. */
static tl_status check_data(const tl_data *data, tl_simplex_loss loss, const double *memory) {
    if (data == NULL || memory == NULL) return TL_ERR_NULL;
    if ((unsigned)loss >= TL_SIMPLEX_LOSS_COUNT) return TL_ERR_LOSS;
    if (data->type != TL_FLOAT64 || data->constant != 0.0) return TL_ERR_PARAMETER;
    tl_settings settings;
    tl_settings_default(&settings); /* a loss of one label per row */
    return tl_check_input(data, &settings, memory);
}

static tl_status check_settings(const tl_data *data, const tl_online_settings *settings) {
    if (data->representation == TL_GRAM || data->weight != NULL) return TL_ERR_PARAMETER;
    if (!tl_in_range(settings->lambda, 1.0 / TL_LARGEST_PARAMETER, TL_LARGEST_PARAMETER) ||
        !tl_in_range(settings->t0, 0.0, TL_LARGEST_PARAMETER) ||
        !(settings->radius >= 1.0 / TL_LARGEST_PARAMETER))
        return TL_ERR_PARAMETER;
    return settings->epochs >= 1 ? TL_OK : TL_ERR_PARAMETER;
}

tl_status tl_simplex_online(const tl_data *data, const tl_online_settings *settings,
                            double *weights) {
    if (settings == NULL || weights == NULL) return TL_ERR_NULL;
    tl_online_settings known;
    tl_status status = tl_online_settings_copy(settings, &known);
    if (status == TL_OK) status = check_data(data, known.loss, weights);
    if (status == TL_OK) status = check_settings(data, &known);
    if (status != TL_OK) return status;
    online self = {.data = data, .settings = &known, .k = data->m - 1, .scale = 1.0, .step = 1};
    self.coding.classes = data->m;
    status = run(&self, weights);
    release(&self);
    return status;
}
