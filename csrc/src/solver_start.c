/* SPDX-License-Identifier: MIT */
/* The warm start from another C, and an estimate of its gap. */
#include "solver.h"

#include <math.h>

/* D(sA), up to what does not depend on s and the factor n. */
typedef struct curve {
    tl_solver *solver;
    size_t every;
    double linear;    /* <X^T A, W0>/C */
    double quadratic; /* ||X^T A||^2 / (2C) */
} curve;

static double dual_at(const curve *f, double s) {
    return tl_dual_sum(f->solver, s, f->every) - s * (f->linear + s * f->quadratic);
}

/* tl_dual_sum(s) = l s + q s^2, both from two points. */
static double best_of_quadratic(const curve *f, double limit) {
    const double at_limit = tl_dual_sum(f->solver, limit, f->every);
    const double at_half = tl_dual_sum(f->solver, 0.5 * limit, f->every);
    const double q = 2.0 * (at_limit - 2.0 * at_half) / (limit * limit);
    const double l = (4.0 * at_half - at_limit) / limit;
    const double curvature = 2.0 * (f->quadratic - q);
    if (!(curvature > 0.0)) return limit;
    const double s = (l - f->linear) / curvature;
    return s < 0.0 ? 0.0 : (s < limit ? s : limit);
}

/* Golden section search; a hundredth of the interval is enough for a start. */
static double best_of_concave(const curve *f, double limit) {
    const double golden = 0.6180339887498949;
    double low = 0.0, high = limit;
    double left = high - golden * (high - low), right = low + golden * (high - low);
    double value_left = dual_at(f, left), value_right = dual_at(f, right);
    while (high - low > 0.01 * limit) {
        if (value_left < value_right) {
            low = left;
            left = right;
            value_left = value_right;
            right = low + golden * (high - low);
            value_right = dual_at(f, right);
        } else {
            high = right;
            right = left;
            value_right = value_left;
            left = high - golden * (high - low);
            value_left = dual_at(f, left);
        }
    }
    return 0.5 * (low + high);
}

void tl_sample_start(tl_solver *self) {
    if (self->storage->sample_start == NULL) return;
    self->sampled = (tl_sample){0};
    self->storage->sample_start(self);
    if (self->outer.active) tl_accelerate_measure(self);
}

/* argmax over s in [0, limit] of D(sA), a concave function; any s in the interval is feasible, so
 * a sample of the rows is enough to choose it. */
static double best_scale(tl_solver *self, double limit) {
    const size_t every = self->data.n / TL_SEARCH_ROWS;
    const curve f = {.solver = self,
                     .every = every > 1 ? every : 1,
                     .linear = self->sums.center_product / self->settings.C,
                     .quadratic = self->sums.norm2 / (2.0 * self->settings.C)};
    return self->ops->quadratic_conjugate ? best_of_quadratic(&f, limit)
                                          : best_of_concave(&f, limit);
}

void tl_rescale(tl_solver *self, double C_from) {
    if (self->at_zero) return;
    const tl_storage *storage = self->storage;
    const bool is_computed = tl_is_computed(self);
    if (is_computed)
        tl_compute_weights(self);
    else
        self->sums.norm2 = storage->start_norm2(self);
    const double s = best_scale(self, self->settings.C / C_from);
    for (size_t i = 0; i < self->data.n * self->data.m; i++)
        self->dual[i] *= s;
    if (self->outer.active) tl_accelerate_again(self);
    if (is_computed || storage->by_coefficients)
        tl_compute_weights(self);
    else
        tl_scale(self->primal_size, s, self->primal);
    tl_sample_start(self);
}
