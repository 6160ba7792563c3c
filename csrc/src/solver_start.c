/* SPDX-License-Identifier: MIT */
/* The warm start from another C, and an estimate of its gap. */
#include "sampling.h"
#include "solver.h"

#include <math.h>

/* D(sA), up to what does not depend on s and the factor n. */
typedef struct curve {
    const tl_solver *solver;
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

/* Products of sampled rows first, first + 1, .. with a matrix: so many as one product takes. */
static size_t score_sample(tl_solver *self, const double *matrix, size_t rows, size_t first,
                           size_t *index) {
    const size_t total = tl_smaller(rows, self->data.n);
    const size_t count = tl_smaller(tl_smaller(self->block, TL_SAMPLE_BLOCK), total - first);
    for (size_t i = 0; i < count; i++)
        index[i] = tl_sampled_row(self->data.n, rows, first + i);
    tl_blocks_products(self, matrix, count, index);
    return count;
}

/* With a Gram matrix: ||X^T A||^2 = sum_i <a_i, s_i>. */
static double gram_norm2(tl_solver *self) {
    const size_t n = self->data.n, m = self->data.m, total = tl_smaller(TL_PRODUCT_ROWS, n);
    size_t index[TL_SAMPLE_BLOCK];
    double product = 0.0;
    for (size_t first = 0, count; first < total; first += count) {
        count = score_sample(self, self->dual, TL_PRODUCT_ROWS, first, index);
        for (size_t i = 0; i < count; i++)
            product += tl_dot(m, self->scores + i * m, self->dual + index[i] * m);
    }
    return fmax(0.0, product / (double)total * (double)n);
}

void tl_sample_start(tl_solver *self) {
    self->sampled = (tl_sample){0};
    const size_t m = self->data.m, total = tl_smaller(TL_SEARCH_ROWS, self->data.n);
    size_t index[TL_SAMPLE_BLOCK];
    for (size_t first = 0, count; first < total; first += count) {
        count = score_sample(self, self->coefficients, TL_SEARCH_ROWS, first, index);
        for (size_t i = 0; i < count; i++) {
            const tl_row row = tl_row_view(self, index[i]);
            if (row.C > 0.0)
                tl_add_to_sample(self, &self->sampled, &row, self->scores + i * m,
                                 self->dual + index[i] * m);
        }
    }
    if (self->outer.active) tl_accelerate_measure(self);
}

/* argmax over s in [0, limit] of D(sA), a concave function; any s in the interval is feasible, so
 * a sample of the rows is enough to choose it. */
static double best_scale(tl_solver *self, double limit) {
    const double norm2 = tl_is_gram(self) ? gram_norm2(self) : self->sums.norm2;
    const size_t every = self->data.n / TL_SEARCH_ROWS;
    const curve f = {.solver = self,
                     .every = every > 1 ? every : 1,
                     .linear = self->sums.center_product / self->settings.C,
                     .quadratic = norm2 / (2.0 * self->settings.C)};
    return self->ops->quadratic_conjugate ? best_of_quadratic(&f, limit)
                                          : best_of_concave(&f, limit);
}

void tl_rescale(tl_solver *self, double C_from) {
    if (self->at_zero) return;
    const bool plain = self->weights32 == NULL && self->center == NULL && !self->outer.active;
    if (!tl_is_gram(self)) {
        if (plain)
            self->sums.norm2 = tl_dot(tl_weights_size(self), self->weights, self->weights);
        else
            tl_compute_weights(self);
    }
    const double s = best_scale(self, self->settings.C / C_from);
    for (size_t i = 0; i < self->data.n * self->data.m; i++)
        self->dual[i] *= s;
    if (self->outer.active) tl_accelerate_again(self);
    if (tl_is_gram(self)) {
        tl_blocks_copy_coefficients(self);
        tl_sample_start(self);
        return;
    }
    if (!plain) {
        tl_compute_weights(self);
        return;
    }
    for (size_t i = 0; i < tl_weights_size(self); i++)
        self->weights[i] *= s;
}
