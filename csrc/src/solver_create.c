/* SPDX-License-Identifier: MIT */
/* Set up a solver, change its C, hand out its weights, free it. */
#include "allocate.h"
#include "settings.h"
#include "solver.h"

#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

static bool allocate_primal(tl_solver *self) {
    const size_t size = self->primal_size;
    const bool accelerated = self->settings.acceleration != 0.0;
    if (!self->storage->by_coefficients || accelerated) {
        self->weights = tl_vectors(size, 1);
        self->outer.previous = tl_doubles(size, 1);
        if (self->weights == NULL || self->outer.previous == NULL) return false;
    }
    if (self->settings.center != NULL) {
        self->center = tl_doubles(size, 1);
        if (self->center == NULL) return false;
    }
    if (!accelerated) return true;
    self->outer.anchor = tl_doubles(size, 1);
    return self->outer.anchor != NULL;
}

static bool allocate(tl_solver *self) {
    const size_t n = self->data.n, m = self->data.m;
    self->order = tl_array(n, 1, sizeof *self->order);
    self->visits = tl_array(n, 1, sizeof *self->visits);
    self->sampled_here = tl_array(n, 1, sizeof *self->sampled_here);
    self->shrinking = tl_array(n, 1, sizeof *self->shrinking);
    self->norm2 = tl_doubles(n, 1);
    self->warm = tl_doubles(n, TL_WARM);
    self->scores = tl_vectors(tl_larger(self->block, TL_EVALUATION_BLOCK), self->stride);
    self->delta = tl_vectors(self->block, self->stride); /* padding stays 0 */
    self->work = tl_vectors(TL_WORK(m), 1);
    self->sizes = tl_doubles(2, m);
    if (!self->order || !self->visits || !self->sampled_here || !self->shrinking || !self->norm2 ||
        !self->warm || !self->scores || !self->delta || !self->work || !self->sizes)
        return false;
    if (self->settings.window > 0) {
        const size_t count = (n + TL_STRIP - 1) / TL_STRIP;
        self->strips = tl_array(count, 1, sizeof *self->strips);
        if (self->strips == NULL) return false;
        for (size_t r = 0; r < count; r++)
            self->strips[r] = r;
    }
    return tl_lagrangian_allocate(self) && allocate_primal(self) && self->storage->allocate(self);
}

static void free_blocks(tl_blocks *blocks) {
    free(blocks->row);
    free(blocks->rows);
    free(blocks->gram);
    free(blocks->difference);
    free(blocks->changed);
}

static void free_float32(tl_float32 *own) {
    free(own->copy);
    free(own->primal);
    free(own->row);
    free(own->rows);
    free(own->gram);
    free(own->scores);
    free(own->delta);
}

void tl_solver_free(tl_solver *self) {
    if (self == NULL) return;
    tl_lagrangian_free(self);
    free(self->outer.anchor);
    free(self->outer.previous);
    free(self->order);
    free(self->strips);
    free(self->visits);
    free(self->sampled_here);
    free(self->shrinking);
    free(self->norm2);
    free(self->warm);
    free(self->weights);
    free(self->center);
    free_blocks(&self->blocks);
    free_float32(&self->float32);
    free(self->row);
    free(self->scores);
    free(self->delta);
    free(self->work);
    free(self->sizes);
    free(self);
}

/* ---- set up ---- */

static const tl_storage *choose_storage(const tl_data *data, size_t block) {
    const bool in_float32 = data->type == TL_FLOAT32;
    if (data->representation == TL_GRAM) return in_float32 ? &tl_storage_gram32 : &tl_storage_gram;
    const bool has_few = block == 0 && data->d <= TL_NARROW_FEATURES;
    if (data->representation == TL_CSR || has_few) return &tl_storage_rows;
    return in_float32 ? &tl_storage_dense32 : &tl_storage_dense;
}

static size_t choose_block(const tl_data *data) {
    const bool large = data->representation == TL_GRAM && data->m >= TL_GRAM_CLASSES;
    return tl_smaller(large ? TL_GRAM_BLOCK : TL_BLOCK, data->n);
}

static void choose_layout(tl_solver *self) {
    const tl_data *data = &self->data;
    const size_t asked = self->settings.block;
    self->storage = choose_storage(data, asked);
    const bool by_rows = self->storage == &tl_storage_rows;
    self->stride = by_rows ? (data->m + TL_LANES - 1) / TL_LANES * TL_LANES : data->m;
    self->block = asked > 0 ? tl_smaller(asked, data->n) : choose_block(data);
    if (by_rows) self->block = 1;
    self->row_length = self->storage->by_coefficients ? data->n : data->d;
    self->stored_length = self->storage->by_coefficients ? data->n : tl_stored_features(data);
    self->primal_size = self->row_length * self->stride;
    if (self->settings.window >= data->n) self->settings.window = 0;
    if (self->settings.window > 0) { /* whole blocks */
        const size_t blocks = self->settings.window / self->block;
        self->settings.window = (blocks > 0 ? blocks : 1) * self->block;
    }
}

/* Clear what earlier updates left for the next ones. */
static void forget_updates(tl_solver *self) {
    for (size_t i = 0; i < self->data.n * TL_WARM; i++)
        self->warm[i] = NAN;
    memset(self->shrinking, 0, self->data.n * sizeof *self->shrinking);
    tl_lagrangian_forget(self);
    self->outer.passes = 0;
    self->outer.change = 0.0;
}

/* Are the weights to start at, and their scores, within the bounds of weights from dual variables,
 * with a margin for accelerated runs? */
static bool is_moderate_start(const tl_solver *self, bool in_float32) {
    const double *start = self->settings.start; /* NULL after it has been copied */
    if (start == NULL) return true;
    const double largest = TL_ROOM * (in_float32 ? TL_LARGEST32 : TL_LARGEST);
    double x2 = 0.0, entry;
    for (size_t i = 0; i < self->data.n; i++)
        x2 = fmax(x2, self->norm2[i]);
    const double size = self->storage->bound(self, start, &entry);
    return size <= largest && size * sqrt(x2) <= largest && (!in_float32 || entry <= largest);
}

/* Does no number that the updates need overflow? Then |W - W0|, scores and dual variables are
 * bounded too: ||W - W0|| <= n C max ||x_i||. */
static bool is_moderate(const tl_solver *self, bool in_float32) {
    const tl_data *data = &self->data;
    const double largest = in_float32 ? TL_LARGEST32 : TL_LARGEST;
    if (!(self->settings.C * self->total_weight >= TL_LEAST_C)) return false;
    if (!is_moderate_start(self, in_float32)) return false;
    const double *center = self->settings.center; /* NULL after it has been copied */
    const double center2 = center ? tl_dot(data->d * data->m, center, center) : 0.0;
    if (!(center2 <= largest)) return false;
    for (size_t i = 0; i < data->n; i++) {
        const double C = self->settings.C * (data->weight ? data->weight[i] : 1.0);
        if (!(C <= TL_LARGEST)) return false; /* a row of zeros, too, has dual variables */
        if (!(self->norm2[i] <= largest && self->norm2[i] * C * self->total_weight <= largest))
            return false;
        if (!(self->norm2[i] * center2 <= TL_LARGEST_INPUT * TL_LARGEST_INPUT)) return false;
        if (in_float32 && !(C * self->total_weight <= largest)) return false;
    }
    return self->settings.gamma / self->settings.C <= TL_LARGEST;
}

/* In float32 the products with shorter or longer rows could lose what counts, and where an update
 * changes scores by more, their rounding is not small against margins of size 1. */
static bool are_norms_moderate(const tl_solver *self) {
    for (size_t i = 0; i < self->data.n; i++) {
        const double C = tl_row_view(self, i).C, norm2 = self->norm2[i];
        if (norm2 != 0.0 && !tl_in_range(norm2, TL_LEAST_NORM2, TL_LARGEST_NORM2)) return false;
        if (C * norm2 > TL_LARGEST_CHANGE) return false;
    }
    return true;
}

/* Passes that can go on in float64 do so where float32 has too small a range. */
static bool check_range(tl_solver *self) {
    const bool can_widen = self->storage->widen != NULL;
    if (!is_moderate(self, self->storage->in_float32 && !can_widen)) return false;
    if (!can_widen) return true;
    const bool fits =
        is_moderate(self, true) && (!self->storage->copies_rows || are_norms_moderate(self));
    if (!fits) tl_widen_passes(self);
    return true;
}

/* The passes over float64 rows may work with a float32 copy of them. Without the memory for it they
 * are in float64. */
static void try_float32(tl_solver *self) {
    if (!self->settings.float32_passes || self->data.mapped) return;
    if (self->storage->rounded == NULL) return;
    if (!are_norms_moderate(self) || !is_moderate(self, true)) return;
    if (tl_copy_to_float32(self)) return;
    free_float32(&self->float32);
    self->float32 = (tl_float32){0};
}

/* Asked row by row: the dual variables of many classes are many. */
static bool is_at_zero(tl_solver *self) {
    const size_t n = self->data.n, m = self->data.m;
    for (size_t i = 0; i < n && !tl_is_over(&self->watch, (double)m); i++) {
        const double *a = self->dual + i * m;
        if (tl_dot(m, a, a) != 0.0) return false;
    }
    return true;
}

static tl_status initialise(tl_solver *self) {
    const tl_data *data = &self->data;
    const size_t in_memory = tl_rows_in_memory(self);
    self->total_weight = data->weight ? 0.0 : (double)data->n;
    const double work = (double)self->row_length;
    for (size_t i = 0; i < data->n && !tl_is_over(&self->watch, work); i++) {
        if (data->weight) self->total_weight += data->weight[i];
        self->order[i] = i;
        self->norm2[i] = self->storage->norm2(self, i);
        if (!isfinite(self->norm2[i])) return tl_check_row(self, i);
        if ((i + 1) % in_memory == 0) tl_release_rows(self, i + 1 - in_memory, in_memory);
    }
    forget_updates(self);
    self->random_state = self->settings.seed;
    self->at_zero = is_at_zero(self);
    return self->watch.is_over ? TL_ERR_OVER : TL_OK;
}

static void copy_center(tl_solver *self) {
    if (self->center == NULL) return;
    self->storage->lay_out(self, self->settings.center, self->center);
    self->settings.center = NULL; /* the caller may free it */
}

static void start_from_weights(tl_solver *self) {
    const double *start = self->settings.start;
    self->settings.start = NULL; /* the caller may free it */
    if (self->settings.acceleration == 0.0 || start == NULL) return;
    self->storage->lay_out(self, start, self->outer.previous);
    tl_accelerate_from_previous(self);
}

static tl_status set_up(tl_solver *self) {
    if (!allocate(self)) return TL_ERR_ALLOC;
    self->primal = self->storage->by_coefficients ? self->dual : self->weights;
    tl_status status = initialise(self);
    if (status != TL_OK) return status;
    if (!check_range(self)) return TL_ERR_OVERFLOW;
    const double C_start = self->settings.C_start > 0.0 ? self->settings.C_start : self->settings.C;
    status = tl_check_start(self, C_start);
    if (status != TL_OK) return status;
    try_float32(self);
    copy_center(self);
    tl_compute_weights(self);
    const bool has_start = self->settings.start != NULL;
    if (C_start != self->settings.C) tl_rescale(self, C_start);
    start_from_weights(self);
    if (has_start && C_start != self->settings.C) tl_sample_start(self);
    return self->watch.is_over ? TL_ERR_OVER : TL_OK;
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
    /* Asked at once: where there are many small problems, as groups of classes, each is to end. */
    self->watch = (tl_watch){.ask = known.is_over, .user = known.user, .work = TL_WORK_BETWEEN};
    if (known.acceleration > 0.0 && known.acceleration < TL_NO_R) self->settings.acceleration = 0.0;
    self->ops = tl_loss_get(known.loss);
    self->params = tl_params_of(self->ops, known.k, known.gamma);
    self->dual = dual;
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
    self->watch.is_over = false;
    self->settings.C = C;
    if (!check_range(self)) {
        self->settings.C = before;
        return TL_ERR_OVERFLOW;
    }
    self->sample = self->sampled = (tl_sample){0};
    if (C == before) return TL_OK;
    forget_updates(self);
    tl_rescale(self, before);
    return self->watch.is_over ? TL_ERR_OVER : TL_OK;
}

tl_status tl_solver_coefficients(const tl_solver *self, double *coefficients) {
    if (self == NULL || coefficients == NULL) return TL_ERR_NULL;
    if (!self->storage->by_coefficients) return TL_ERR_PARAMETER;
    self->storage->hand_out(self, coefficients);
    return TL_OK;
}

tl_status tl_solver_weights(const tl_solver *self, double *weights) {
    if (self == NULL || weights == NULL) return TL_ERR_NULL;
    if (self->storage->by_coefficients) return TL_ERR_PARAMETER;
    self->storage->hand_out(self, weights);
    return TL_OK;
}
