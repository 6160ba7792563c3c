/* SPDX-License-Identifier: MIT */
/* Set up a solver of the simplex SVMs, change its C, free it. */
#include "allocate.h"
#include "simplex.h"

#include <math.h>

#define LARGEST 1e200
#define FEASIBLE (1.0 + 1e-6) /* a start may have been stored in float32 */

/* ---- memory ---- */

static bool allocate(tl_simplex *self) {
    const size_t n = self->data.n, T = self->data.m, k = self->k;
    const bool small = tl_simplex_is_gram(self) && !tl_simplex_is_cone(self);
    self->coding.height = tl_doubles(k, 1);
    self->coding.step = tl_doubles(k, 1);
    self->state =
        small ? tl_doubles(n, 1) : tl_doubles(tl_simplex_is_gram(self) ? n : self->data.d, k);
    self->A = tl_simplex_is_gram(self) && tl_simplex_is_cone(self) ? tl_doubles(n, k) : NULL;
    self->norm2 = tl_doubles(n, 1);
    self->total = tl_doubles(n, 1);
    self->order = tl_array(n, 1, sizeof *self->order);
    self->f = tl_doubles(k, 1);
    self->a = tl_doubles(k, 1);
    self->s = tl_doubles(T, 1);
    self->u = tl_doubles(T, 1);
    return self->coding.height && self->coding.step && self->state && self->norm2 && self->total &&
           self->order && self->f && self->a && self->s && self->u &&
           (self->A || !tl_simplex_is_gram(self) || !tl_simplex_is_cone(self));
}

void tl_simplex_free(tl_simplex *self) {
    if (self == NULL) return;
    free(self->coding.height);
    free(self->coding.step);
    free(self->state);
    free(self->A);
    free(self->norm2);
    free(self->total);
    free(self->order);
    free(self->f);
    free(self->a);
    free(self->s);
    free(self->u);
    free(self);
}

/* ---- set up ---- */

static bool is_moderate(const tl_simplex *self, double C) {
    const double factor = C * self->total_weight * (double)self->data.m;
    for (size_t i = 0; i < self->data.n; i++) {
        const double weight = self->data.weight ? self->data.weight[i] : 1.0;
        if (!(self->norm2[i] * C * weight * factor <= LARGEST)) return false;
    }
    return true;
}

/* Clip the start to the box, which it may leave by rounding. */
static tl_status take_start(tl_simplex *self) {
    const size_t n = self->data.n, count = tl_simplex_variables(self);
    if (!tl_all_finite(n * count, self->alpha)) return TL_ERR_NOT_FINITE;
    for (size_t i = 0; i < n; i++) {
        const double box = tl_simplex_box(self, i);
        const size_t y = tl_simplex_label(&self->data, i);
        for (size_t j = 0; j < count; j++) {
            const double alpha = self->alpha[i * count + j];
            const bool fixed = tl_simplex_is_cone(self) && j == y;
            if (alpha < 0.0 || alpha > box * FEASIBLE || (fixed && alpha != 0.0))
                return TL_ERR_INFEASIBLE;
        }
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < count; j++) {
            double *alpha = self->alpha + i * count + j;
            *alpha = fmin(*alpha, tl_simplex_box(self, i));
            self->total[i] += *alpha;
        }
    return TL_OK;
}

static tl_status set_up(tl_simplex *self) {
    if (!allocate(self)) return TL_ERR_ALLOC;
    tl_coding_fill(&self->coding);
    const tl_status status = tl_simplex_norms(&self->data, self->norm2);
    if (status != TL_OK) return status;
    self->total_weight = self->data.weight ? 0.0 : (double)self->data.n;
    for (size_t i = 0; i < self->data.n; i++) {
        if (self->data.weight) self->total_weight += self->data.weight[i];
        self->order[i] = i;
    }
    if (!is_moderate(self, self->C)) return TL_ERR_OVERFLOW;
    return take_start(self);
}

tl_status tl_simplex_create(const tl_data *data, tl_simplex_loss loss, double C, uint64_t seed,
                            double *alpha, tl_simplex **solver) {
    if (solver == NULL) return TL_ERR_NULL;
    tl_status status = tl_simplex_check(data, loss, alpha);
    if (status != TL_OK) return status;
    if (loss == TL_SIMPLEX_LS) return TL_ERR_LOSS; /* has a closed form */
    if (!tl_in_range(C, 1.0 / TL_LARGEST_PARAMETER, TL_LARGEST_PARAMETER)) return TL_ERR_PARAMETER;
    tl_simplex *self = calloc(1, sizeof *self);
    if (self == NULL) return TL_ERR_ALLOC;
    self->data = *data;
    self->loss = loss;
    self->C = C;
    self->random_state = seed;
    self->alpha = alpha;
    self->k = data->m - 1;
    self->coding.classes = data->m;
    status = set_up(self);
    if (status != TL_OK) {
        tl_simplex_free(self);
        return status;
    }
    tl_simplex_compute(self);
    *solver = self;
    return TL_OK;
}

tl_status tl_simplex_set_C(tl_simplex *self, double C) {
    if (self == NULL) return TL_ERR_NULL;
    if (!tl_in_range(C, 1.0 / TL_LARGEST_PARAMETER, TL_LARGEST_PARAMETER)) return TL_ERR_PARAMETER;
    if (!is_moderate(self, C)) return TL_ERR_OVERFLOW;
    /* The feasible multiple of alpha with the largest D. */
    tl_simplex_compute(self);
    const double norm2 = tl_simplex_norm2(self), most = C / self->C;
    const double best = norm2 > 0.0 ? tl_simplex_linear_part(self) / norm2 : most;
    const double factor = best < most ? best : most;
    self->C = C;
    const size_t count = tl_simplex_variables(self);
    for (size_t i = 0; i < self->data.n; i++) {
        self->total[i] = 0.0;
        for (size_t j = 0; j < count; j++) {
            double *alpha = self->alpha + i * count + j;
            *alpha = fmin(*alpha * factor, tl_simplex_box(self, i));
            self->total[i] += *alpha;
        }
    }
    tl_simplex_compute(self);
    return TL_OK;
}
