/* SPDX-License-Identifier: MIT */
/* The accelerated proximal-point loop around the passes (Lin, Mairal, Harchaoui, "A universal
 * catalyst for first-order optimization", NIPS 2015; Shalev-Shwartz and Zhang, "Accelerated
 * proximal stochastic dual coordinate ascent", 2014).
 *
 * In units of the dual variables the problem is min_W F(W) = C sum_i w_i L_i(W^T x_i) + 1/2 ||W -
 * W0||^2. An outer step minimises F(W) + r/2 ||W - Y||^2 approximately, by two passes; then
 *
 *     Y <- W + beta (W - W_before),   beta = min{(t - 1)/t_next, (1 - sqrt q)/(1 + sqrt q)},
 *     t_next = (1 + sqrt(1 + 4 t^2 r_next/r))/2,   q = 1/(1 + r_next).
 *
 * With sigma = 1/(1 + r) the dual of the inner problem, in the variables A of the original one, is
 * that of the original one with sigma <x_i, x_j> in place of <x_i, x_j> and
 *
 *     W = sigma (W0 + X^T A) + (1 - sigma) Y.                                                  (*)
 *
 * So A stays feasible for C and certifies the original problem whatever r and Y are: r may change
 * at every step, and a pass differs from a plain one by the factor sigma alone.
 *
 * The number of passes without acceleration grows like C R^2 / gamma, R^2 the mean of ||x_i||^2,
 * with it like sqrt(C R^2 / gamma), if r makes the inner problem one for two passes. That is so
 * where its gap after them is about three times the proximal term r/2 ||W - Y||^2, as in the
 * criterion for inexact steps of Lin, Mairal and Harchaoui (2018): r follows their quotient. A
 * larger r makes the inner problem easier. Of a loss that is not smooth the gap of the inner
 * problem says little; there, until the augmented Lagrangian makes it smooth, r follows the ratio
 * of the root mean square moves of the dual variables in the second pass to those in the first, for
 * which 0.8 is near the best.
 */
#include "solver.h"

#include <string.h>

static bool is_fixed(const tl_solver *self) {
    return self->settings.acceleration > 0.0;
}

/* ---- begin ---- */

static double hardness(const tl_solver *self) {
    const tl_data *data = &self->data;
    double sum = 0.0;
    for (size_t i = 0; i < data->n; i++)
        sum += self->norm2[i] * (data->weight ? data->weight[i] : 1.0);
    return fmax(1.0, self->settings.C * (sum / self->total_weight));
}

static double bounded(const tl_outer *outer, double r) {
    return r < TL_SMALLEST_R ? TL_SMALLEST_R : (r < outer->largest ? r : outer->largest);
}

/* The r of the first outer step for this C. */
static double first_r(tl_solver *self, double otherwise) {
    if (is_fixed(self))
        return fmin(self->settings.acceleration, TL_LARGEST_FIXED_R * hardness(self));
    const double unit = hardness(self);
    self->outer.largest = TL_LARGEST_R * unit;
    if (self->lagrangian.gamma > 0.0) {
        self->outer.largest = INFINITY;
        return unit / self->lagrangian.gamma;
    }
    if (otherwise > 0.0) return bounded(&self->outer, otherwise);
    return bounded(&self->outer,
                   fmin(fmax(TL_SMALLEST_FIRST_R, TL_FIRST_R * unit), TL_LARGEST_FIRST_R));
}

/* The sequence begins anew at W. */
static void begin_sequence(tl_solver *self, double r) {
    tl_outer *outer = &self->outer;
    outer->active = true;
    outer->r = r;
    outer->sigma = 1.0 / (1.0 + r);
    outer->t = 1.0;
    outer->passes = 0;
    outer->change = 0.0;
}

/* From plain passes: Y = W = W0 + X^T A. */
static void activate(tl_solver *self) {
    tl_outer *outer = &self->outer;
    const size_t bytes = self->primal_size * sizeof(double);
    if (self->primal == self->dual) {
        memcpy(self->weights, self->dual, bytes);
        self->primal = self->weights;
    }
    if (self->storage->read != NULL) self->storage->read(self);
    memcpy(outer->anchor, self->primal, bytes);
    begin_sequence(self, first_r(self, self->settings.start_r));
}

void tl_accelerate_at_once(tl_solver *self) {
    activate(self);
    memcpy(self->outer.previous, self->outer.anchor, self->primal_size * sizeof(double));
}

void tl_accelerate_from_previous(tl_solver *self) {
    tl_outer *outer = &self->outer;
    activate(self);
    const double sigma = outer->sigma;
    double *w = self->primal;
    for (size_t i = 0; i < self->primal_size; i++) {
        w[i] = outer->previous[i];
        outer->anchor[i] = (w[i] - sigma * outer->anchor[i]) / (1.0 - sigma); /* (*) */
    }
    if (self->storage->write != NULL) self->storage->write(self);
}

void tl_accelerate_again(tl_solver *self) {
    tl_outer *outer = &self->outer;
    const size_t size = self->primal_size;
    memcpy(outer->anchor, self->primal, size * sizeof(double));
    memcpy(outer->previous, self->primal, size * sizeof(double));
    begin_sequence(self, first_r(self, 0.0));
}

/* ---- an outer step ---- */

/* W_before <- W; Y <- W + beta (W - W_before); W as (*) has it for the new Y and sigma. */
TL_CLONES
static void move_anchor(size_t n, double sigma, double sigma_next, double beta, double *restrict w,
                        double *restrict anchor, double *restrict previous) {
    const double factor = sigma_next / sigma;
#pragma omp simd
    for (size_t i = 0; i < n; i++) {
        const double next = w[i] + beta * (w[i] - previous[i]);
        previous[i] = w[i];
        w[i] = factor * (w[i] - (1.0 - sigma) * anchor[i]) + (1.0 - sigma_next) * next;
        anchor[i] = next;
    }
}

/* beta. The sequence is restarted where the momentum is no descent direction (O'Donoghue and Candes
 * 2015): its factor is for a smaller curvature. With a Gram matrix that takes a product, which is
 * made in the augmented Lagrangian alone: without it the gap swings there and may not become small;
 * from a sample of it the passes are more. */
static double momentum(tl_solver *self, double sigma_next) {
    tl_outer *outer = &self->outer;
    outer->overshoot = self->storage->overshoot(self);
    if (outer->overshoot > 0.0) {
        outer->t = 1.0;
        return 0.0;
    }
    const double ratio = outer->r * outer->sigma / (1.0 - outer->sigma);
    const double next = 0.5 * (1.0 + sqrt(1.0 + 4.0 * ratio * outer->t * outer->t));
    const double root = sqrt(sigma_next), largest = (1.0 - root) / (1.0 + root);
    const double beta = (outer->t - 1.0) / next;
    outer->t = next;
    return beta < largest ? beta : largest;
}

bool tl_is_step_over(const tl_solver *self) {
    return !self->outer.active || self->outer.passes == TL_PASSES;
}

void tl_accelerate_begin_pass(tl_solver *self) {
    tl_outer *outer = &self->outer;
    outer->change_before = outer->change;
    outer->change = outer->size = 0.0;
    if (!outer->active || !tl_is_step_over(self)) return;
    if (self->storage->read != NULL) self->storage->read(self);
    const double sigma_next = 1.0 / (1.0 + outer->r), beta = momentum(self, sigma_next);
    move_anchor(self->primal_size, outer->sigma, sigma_next, beta, self->primal, outer->anchor,
                outer->previous);
    outer->sigma = sigma_next;
    if (self->storage->write != NULL) self->storage->write(self);
    outer->passes = 0;
}

/* The ratio of the root mean square moves of this pass to those of the last; 0: unknown. */
static double move_ratio(const tl_outer *outer) {
    if (!(outer->change > TL_MOVE_ROUNDING * TL_MOVE_ROUNDING * outer->size) ||
        !(outer->change_before > 0.0))
        return 0.0;
    return fmin(sqrt(outer->change / outer->change_before), TL_LARGEST_RATIO);
}

tl_gap_parts tl_estimate_parts(const tl_solver *self, const tl_sample *sample) {
    if (!(sample->C > 0.0)) return (tl_gap_parts){NAN, NAN};
    const double half_lambda = 0.5 / (self->settings.C * self->total_weight);
    return (tl_gap_parts){(sample->losses + sample->conjugates + sample->products) / sample->C,
                          self->outer.active ? half_lambda * self->outer.residual2 : 0.0};
}

void tl_accelerate_restart(tl_solver *self) {
    if (!self->outer.active) return;
    self->outer.t = 1.0;
    self->outer.r = first_r(self, 0.0);
}

/* The r of the next outer step, of an inner problem with this sample. */
static void follow_quotient(tl_solver *self, const tl_sample *sample, double gain) {
    tl_outer *outer = &self->outer;
    const tl_gap_parts gap = tl_estimate_parts(self, sample);
    const double proximal = gap.residual * outer->sigma / (1.0 - outer->sigma); /* over r */
    if (!(gap.inner > 0.0) || !(proximal > 0.0)) return;
    const double step = log(gap.inner / (TL_QUOTIENT * proximal));
    outer->r = bounded(outer, outer->r * exp(gain * fmax(-1.0, fmin(1.0, step))));
}

static void follow(tl_solver *self, double ratio) {
    tl_outer *outer = &self->outer;
    if (self->lagrangian.gamma > 0.0)
        follow_quotient(self, &self->lagrangian.sampled, TL_LAGRANGIAN_GAIN);
    else if (tl_is_smooth(self->ops, self->params))
        follow_quotient(self, &self->sampled, TL_GAIN);
    else if (!(outer->change > 0.0)) /* r is so large that nothing moves */
        outer->r = bounded(outer, outer->r * exp(-TL_RATIO_GAIN * TL_RATIO));
    else if (ratio > 0.0)
        outer->r = bounded(outer, outer->r * exp(TL_RATIO_GAIN * (ratio - TL_RATIO)));
}

void tl_accelerate_end_pass(tl_solver *self) {
    tl_outer *outer = &self->outer;
    if (self->settings.acceleration == 0.0) return;
    outer->passes++;
    const double ratio = move_ratio(outer);
    if (outer->active) {
        if (!tl_is_step_over(self)) return;
        tl_accelerate_measure(self);
        if (!is_fixed(self)) follow(self, ratio);
        return;
    }
    if (!is_fixed(self) && (outer->passes < TL_FIRST_PASSES || !(ratio > TL_FAST))) return;
    tl_accelerate_at_once(self);
}

void tl_accelerate_measure(tl_solver *self) {
    tl_outer *outer = &self->outer;
    const double r = (1.0 - outer->sigma) / outer->sigma;
    const tl_distances distances = self->storage->distances(self);
    outer->norm2 = distances.center;
    outer->overshoot = distances.overshoot;
    outer->residual2 = r * r * distances.anchor; /* by (*) */
}
