/* SPDX-License-Identifier: MIT */
/* Set up a solver, change its C, hand out its weights, free it. */
#include "allocate.h"
#include "settings.h"
#include "solver.h"

#include <stdlib.h>
#include <string.h>

/* ||x_i||^2, the same times C n, ||W0||^2 and gamma/C stay within this; and C, where products run
 * in float32. */
#define TL_LARGEST 1e200
#define TL_LARGEST32 1e30
#define ROOM 1e6
/* The squared norms of rows that get a float32 copy, where they are not 0. */
#define LEAST_NORM2 1e-20
#define LARGEST_NORM2 1e20
/* Of C ||x_i||^2, by which an update of row i may change its scores. */
#define LARGEST_CHANGE 1e6

/* ---- memory ---- */

static float *floats(size_t rows, size_t columns) {
    return tl_aligned(rows, columns, sizeof(float));
}

static size_t larger(size_t a, size_t b) {
    return a > b ? a : b;
}

static bool needs_float32_products(const tl_solver *self) {
    return !self->by_rows && self->data.type == TL_FLOAT32;
}

/* May the passes over float64 rows work with a float32 copy of them? */
static bool may_be_copied(const tl_solver *self) {
    return self->settings.float32_passes && !self->by_rows &&
           self->data.representation == TL_DENSE && self->data.type == TL_FLOAT64 &&
           !self->data.mapped;
}

/* Gathered or converted rows: by rows one, in blocks as many as are evaluated or updated at once.
 */
static bool allocate_rows(tl_solver *self) {
    if (self->by_rows) {
        self->rows = tl_doubles(1, tl_longest_row(&self->data));
        return self->rows != NULL;
    }
    const bool copies = tl_copies_rows(&self->data);
    const size_t count = copies ? larger(self->block, TL_EVALUATION_BLOCK) : self->block;
    self->rows = tl_aligned(count, tl_row_length(self), sizeof *self->rows);
    return self->rows != NULL;
}

static bool allocate_weights(tl_solver *self) {
    if (tl_is_gram(self)) return true;
    const size_t d = self->data.d, columns = self->by_rows ? self->stride : self->data.m;
    self->weights = tl_vectors(d, columns);
    if (self->weights == NULL) return false;
    if (self->settings.center != NULL) {
        self->center = tl_doubles(d, columns);
        if (self->center == NULL) return false;
    }
    return true;
}

static bool allocate_float32(tl_solver *self) {
    const size_t b = self->block, m = self->data.m, d = self->data.d;
    self->row32 = tl_array(b, 1, sizeof *self->row32);
    if (self->row32 == NULL) return false;
    self->scores32 = floats(b, m);
    if (tl_is_gram(self)) {
        self->coefficients32 = floats(self->data.n, m);
        self->rows32 = floats(b, self->data.n);
        self->delta32 = floats(1, m);
        return self->scores32 && self->coefficients32 && self->rows32 && self->delta32;
    }
    self->weights32 = floats(m, d);
    self->rows32 = floats(b, d);
    self->gram32 = floats(b, b);
    self->delta32 = floats(b, m);
    return self->weights32 && self->rows32 && self->gram32 && self->scores32 && self->delta32;
}

static bool allocate_outer(tl_solver *self) {
    tl_outer *outer = &self->outer;
    const size_t size = tl_primal_size(self);
    outer->anchor = tl_doubles(size, 1);
    outer->previous = tl_doubles(size, 1);
    if (!tl_is_gram(self)) return outer->anchor && outer->previous;
    outer->coefficients = tl_doubles(size, 1);
    outer->difference = tl_doubles(size, 1);
    return outer->anchor && outer->previous && outer->coefficients && outer->difference;
}

static bool allocate(tl_solver *self) {
    const size_t n = self->data.n, m = self->data.m, b = self->block;
    self->order = tl_array(n, 1, sizeof *self->order);
    self->visits = tl_array(n, 1, sizeof *self->visits);
    self->sampled_here = tl_array(n, 1, sizeof *self->sampled_here);
    self->shrinking = tl_array(n, 1, sizeof *self->shrinking);
    self->norm2 = tl_doubles(n, 1);
    self->kept = tl_doubles(n, TL_KEPT);
    self->gram = tl_doubles(b, b);
    self->scores = tl_vectors(larger(b, TL_EVALUATION_BLOCK), self->stride);
    self->delta = tl_vectors(b, self->stride); /* padding stays 0 */
    self->moved = tl_array(b, 1, sizeof *self->moved);
    self->work = tl_vectors(TL_WORK(m), 1);
    self->sizes = tl_doubles(2, m);
    if (!self->order || !self->visits || !self->sampled_here || !self->shrinking || !self->norm2 ||
        !self->kept || !self->gram || !self->scores || !self->delta || !self->moved ||
        !self->work || !self->sizes)
        return false;
    if (self->settings.acceleration != 0.0 && !allocate_outer(self)) return false;
    if (!tl_lagrangian_allocate(self)) return false;
    if (self->settings.window > 0) {
        const size_t count = (n + TL_RUN - 1) / TL_RUN;
        self->runs = tl_array(count, 1, sizeof *self->runs);
        if (self->runs == NULL) return false;
        for (size_t r = 0; r < count; r++)
            self->runs[r] = r;
    }
    self->row = tl_array(b, 1, sizeof *self->row);
    if (!self->row || !allocate_rows(self) || !allocate_weights(self)) return false;
    return !needs_float32_products(self) || allocate_float32(self);
}

void tl_solver_free(tl_solver *self) {
    if (self == NULL) return;
    tl_lagrangian_free(self);
    free(self->outer.anchor);
    free(self->outer.previous);
    free(self->outer.coefficients);
    free(self->outer.difference);
    free(self->order);
    free(self->runs);
    free(self->visits);
    free(self->sampled_here);
    free(self->shrinking);
    free(self->norm2);
    free(self->kept);
    free(self->weights);
    free(self->weights32);
    free(self->coefficients32);
    free(self->center);
    free(self->x32);
    free(self->row);
    free(self->row32);
    free(self->rows);
    free(self->rows32);
    free(self->gram);
    free(self->gram32);
    free(self->scores);
    free(self->scores32);
    free(self->delta);
    free(self->delta32);
    free(self->moved);
    free(self->work);
    free(self->sizes);
    free(self);
}

/* ---- set up ---- */

static const tl_products *choose_products(const tl_data *data) {
    if (data->representation != TL_GRAM)
        return data->m <= TL_OWN_CLASSES ? tl_products_for(data->m, data->d) : NULL;
    const bool small = data->type == TL_FLOAT32 && data->m < TL_GRAM_CLASSES;
    return small ? tl_products_for(data->m, data->n) : NULL;
}

static size_t choose_block(const tl_data *data) {
    const bool large = data->representation == TL_GRAM && data->m >= TL_GRAM_CLASSES;
    return tl_smaller(large ? TL_GRAM_BLOCK : TL_BLOCK, data->n);
}

static void choose_layout(tl_solver *self) {
    const tl_data *data = &self->data;
    const size_t asked = self->settings.block;
    self->by_rows = data->representation == TL_CSR || (data->representation == TL_DENSE &&
                                                       asked == 0 && data->d <= TL_NARROW_FEATURES);
    self->stride = self->by_rows ? (data->m + TL_LANES - 1) / TL_LANES * TL_LANES : data->m;
    self->block = asked > 0 ? tl_smaller(asked, data->n) : choose_block(data);
    if (self->by_rows) self->block = 1;
    if (self->settings.window >= data->n) self->settings.window = 0;
    if (self->settings.window > 0) { /* whole blocks */
        const size_t blocks = self->settings.window / self->block;
        self->settings.window = (blocks > 0 ? blocks : 1) * self->block;
    }
    self->inner = data->m >= TL_MANY_CLASSES ? 8 : self->block;
    if (!self->by_rows) self->products = choose_products(data);
}

/* Clear what earlier updates left for the next ones. */
static void forget_updates(tl_solver *self) {
    for (size_t i = 0; i < self->data.n * TL_KEPT; i++)
        self->kept[i] = NAN;
    memset(self->shrinking, 0, self->data.n * sizeof *self->shrinking);
    tl_lagrangian_forget(self);
    self->outer.passes = 0;
    self->outer.moved = 0.0;
}

/* Are the weights to start at, and their scores, within the bounds of weights from dual variables,
 * with a margin for accelerated runs? */
static bool is_moderate_start(const tl_solver *self, bool narrow) {
    const double *start = self->settings.start; /* NULL after it has been copied */
    if (start == NULL) return true;
    const size_t n = self->data.n, m = self->data.m;
    const double largest = ROOM * (narrow ? TL_LARGEST32 : TL_LARGEST);
    double x2 = 0.0, size = 0.0; /* at least ||W|| */
    for (size_t i = 0; i < n; i++)
        x2 = fmax(x2, self->norm2[i]);
    if (!tl_is_gram(self)) size = sqrt(tl_dot(self->data.d * m, start, start));
    for (size_t i = 0; tl_is_gram(self) && i < n; i++) {
        double entry = 0.0;
        for (size_t j = 0; j < m; j++)
            entry = fmax(entry, fabs(start[i * m + j]));
        size += sqrt((double)m * self->norm2[i]) * entry;
        if (narrow && !(entry <= largest)) return false;
    }
    return size <= largest && size * sqrt(x2) <= largest;
}

/* Does no number that the updates need overflow? Then |W - W0|, scores and dual variables are
 * bounded too: ||W - W0|| <= n C max ||x_i||. */
static bool is_moderate(const tl_solver *self, bool narrow) {
    const tl_data *data = &self->data;
    const double largest = narrow ? TL_LARGEST32 : TL_LARGEST;
    if (!is_moderate_start(self, narrow)) return false;
    const double *center = self->settings.center; /* NULL after it has been copied */
    const double center2 = center ? tl_dot(data->d * data->m, center, center) : 0.0;
    if (!(center2 <= largest)) return false;
    for (size_t i = 0; i < data->n; i++) {
        const double C = self->settings.C * (data->weight ? data->weight[i] : 1.0);
        if (!(self->norm2[i] <= largest && self->norm2[i] * C * self->total_weight <= largest))
            return false;
        if (!(self->norm2[i] * center2 <= TL_LARGEST_INPUT * TL_LARGEST_INPUT)) return false;
        if (narrow && !(C * self->total_weight <= largest)) return false;
    }
    return self->settings.gamma / self->settings.C <= TL_LARGEST;
}

/* In float32 the products with shorter or longer rows could lose what counts, and where an update
 * changes scores by more, their rounding is not small against margins of size 1. */
static bool are_norms_moderate(const tl_solver *self) {
    for (size_t i = 0; i < self->data.n; i++) {
        const double C = tl_row_view(self, i).C, norm2 = self->norm2[i];
        if (norm2 != 0.0 && !tl_in_range(norm2, LEAST_NORM2, LARGEST_NORM2)) return false;
        if (C * norm2 > LARGEST_CHANGE) return false;
    }
    return true;
}

/* A Gram matrix in float32, and a copy of float64 rows, may have the products in float64, too. */
static bool check_range(tl_solver *self) {
    const bool narrow = tl_blocks_are_narrow(self);
    if (!is_moderate(self, self->weights32 != NULL && !narrow)) return false;
    const bool fits = is_moderate(self, true) && (self->x32 == NULL || are_norms_moderate(self));
    if (narrow && !fits) tl_blocks_widen(self);
    return true;
}

/* Without the memory for a copy the passes are in float64. */
static void try_float32(tl_solver *self) {
    if (!may_be_copied(self) || !are_norms_moderate(self) || !is_moderate(self, true)) return;
    if (!allocate_float32(self) || !tl_blocks_copy_rows(self)) {
        free(self->weights32);
        self->weights32 = NULL;
    }
}

static tl_status initialise(tl_solver *self) {
    const tl_data *data = &self->data;
    const size_t in_memory = tl_rows_in_memory(self);
    self->total_weight = data->weight ? 0.0 : (double)data->n;
    for (size_t i = 0; i < data->n; i++) {
        if (data->weight) self->total_weight += data->weight[i];
        self->order[i] = i;
        self->norm2[i] = tl_row_norm2(self, i);
        if (!isfinite(self->norm2[i])) return tl_check_row(self, i);
        if ((i + 1) % in_memory == 0) tl_release_rows(self, i + 1 - in_memory, in_memory);
    }
    forget_updates(self);
    self->random_state = self->settings.seed;
    self->at_zero = tl_dot(data->n * data->m, self->dual, self->dual) == 0.0;
    return TL_OK;
}

/* From (d, m), or the (n, m) of a Gram matrix, to the layout of the weights. */
static void lay_out(const tl_solver *self, const double *given, double *weights) {
    const size_t d = self->data.d, m = self->data.m;
    if (tl_is_gram(self)) {
        memcpy(weights, given, self->data.n * m * sizeof *weights);
        return;
    }
    memset(weights, 0, tl_weights_size(self) * sizeof *weights);
    for (size_t k = 0; k < d; k++)
        for (size_t j = 0; j < m; j++)
            weights[self->by_rows ? k * self->stride + j : j * d + k] = given[k * m + j];
}

static void copy_center(tl_solver *self) {
    if (self->center == NULL) return;
    lay_out(self, self->settings.center, self->center);
    self->settings.center = NULL; /* the caller may free it */
}

static void start_from_weights(tl_solver *self) {
    const double *start = self->settings.start;
    self->settings.start = NULL; /* the caller may free it */
    if (self->settings.acceleration == 0.0 || start == NULL) return;
    lay_out(self, start, self->outer.previous);
    tl_accelerate_from_previous(self);
}

static tl_status set_up(tl_solver *self) {
    if (!allocate(self)) return TL_ERR_ALLOC;
    tl_status status = initialise(self);
    if (status != TL_OK) return status;
    if (!check_range(self)) return TL_ERR_OVERFLOW;
    const double C_start = self->settings.C_start > 0.0 ? self->settings.C_start : self->settings.C;
    status = tl_check_start(self, C_start);
    if (status != TL_OK) return status;
    try_float32(self);
    copy_center(self);
    if (tl_is_gram(self))
        tl_blocks_copy_coefficients(self);
    else
        tl_compute_weights(self);
    const bool has_start = self->settings.start != NULL;
    if (C_start != self->settings.C) tl_rescale(self, C_start);
    start_from_weights(self);
    if (has_start && tl_is_gram(self) && C_start != self->settings.C) tl_sample_start(self);
    return TL_OK;
}

tl_status tl_solver_create(const tl_data *data, const tl_settings *settings, double *dual,
                           tl_solver **solver) {
    if (data == NULL || settings == NULL || solver == NULL) return TL_ERR_NULL;
    tl_settings known;
    tl_status status = tl_settings_copy(settings, &known);
    if (status == TL_OK) status = tl_check_input(data, &known, dual);
    if (status != TL_OK) return status;

    tl_solver *self = calloc(1, sizeof *self);
    if (self == NULL) return TL_ERR_ALLOC;
    self->data = *data;
    self->settings = known;
    if (known.acceleration > 0.0 && known.acceleration < TL_NO_R) self->settings.acceleration = 0.0;
    self->ops = tl_loss_get(known.loss);
    self->params = tl_params_of(self->ops, known.k, known.gamma);
    self->dual = self->coefficients = dual;
    self->outer.sigma = 1.0;
    choose_layout(self);
    status = set_up(self);
    if (status != TL_OK) {
        tl_solver_free(self);
        return status;
    }
    *solver = self;
    return TL_OK;
}

/* ---- later ---- */

tl_status tl_solver_set_C(tl_solver *self, double C) {
    if (self == NULL) return TL_ERR_NULL;
    if (!(C >= 1.0 / TL_LARGEST_PARAMETER && C <= TL_LARGEST_PARAMETER)) return TL_ERR_PARAMETER;
    const double before = self->settings.C;
    self->settings.C = C;
    if (!check_range(self)) {
        self->settings.C = before;
        return TL_ERR_OVERFLOW;
    }
    self->sample = self->sampled = (tl_sample){0};
    if (C == before) return TL_OK;
    forget_updates(self);
    tl_rescale(self, before);
    return TL_OK;
}

tl_status tl_solver_coefficients(const tl_solver *self, double *coefficients) {
    if (self == NULL || coefficients == NULL) return TL_ERR_NULL;
    if (!tl_is_gram(self)) return TL_ERR_PARAMETER;
    memcpy(coefficients, self->coefficients, self->data.n * self->data.m * sizeof *coefficients);
    return TL_OK;
}

tl_status tl_solver_weights(const tl_solver *self, double *weights) {
    if (self == NULL || weights == NULL) return TL_ERR_NULL;
    if (tl_is_gram(self)) return TL_ERR_PARAMETER;
    const size_t d = self->data.d, m = self->data.m;
    if (self->by_rows) {
        for (size_t k = 0; k < d; k++)
            memcpy(weights + k * m, self->weights + k * self->stride, m * sizeof *weights);
        return TL_OK;
    }
    const size_t tile = 16; /* a transposition, by pieces that fit into the cache */
    for (size_t top = 0; top < d; top += tile)
        for (size_t j = 0; j < m; j++)
            for (size_t k = top; k < d && k < top + tile; k++)
                weights[k * m + j] =
                    self->is_behind ? (double)self->weights32[j * d + k] : self->weights[j * d + k];
    return TL_OK;
}
