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
 * with it like sqrt(C R^2 / gamma), if r makes the inner problem one for two passes. The ratio of
 * the root mean square moves of the dual variables in the second pass to those in the first
 * measures how far it is solved: over most losses and data that were tried the best r has a ratio
 * near 0.8; a larger r makes the inner problem easier, and the ratio smaller. (With an r that is
 * too large the outer steps become too many, and for losses that are not smooth the gap stops
 * falling.)
 */
#include "sampling.h"
#include "solver.h"

#include <string.h>

#define PASSES 2 /* of an outer step */
#define TARGET 0.8
/* r is multiplied by exp(gain (ratio - TARGET)); smaller where it falls, since a ratio below the
 * target may be that of an r which is far too large. */
#define GAIN_UP 4.0
#define GAIN_DOWN 2.0
/* The gain falls with the steps, to a half: an r that swings disturbs the momentum. */
#define DAMPED_STEPS 30.0
#define LEAST_DAMPING 0.5
/* Without acceleration a ratio below this is fast enough; the first pass is not counted. */
#define FAST 0.7
#define FIRST_PASSES 2
/* The ratio alone may lead to a bad r. So when the estimated gap has not fallen by the factor SLOW
 * from WINDOW outer steps to the next ones, r times STEP is tried (where the loss is not smooth
 * r/STEP, since too large an r is worse there): after as many steps to settle, it must make the gap
 * fall faster, or the other one is tried. A trial that helps is followed by the next in its
 * direction, as long as the gap falls slowly. From the first trial on the ratio counts no more. */
#define WINDOW 6
#define SLOW 0.75
#define STEP 3.0
/* Where the loss is not smooth and the gap of the inner problem is less than RESIDUAL_SHARE times
 * that of the residual W0 + X^T A - W, r is too large: the ratio counts as this one at most. */
#define RESIDUAL_SHARE 2.0
#define RESIDUAL_RATIO 0.65
/* D below 0, which plain passes never have, after more than so many outer steps, and the gap mostly
 * that of the residual: r is far too large, and is halved. */
#define PATIENCE 3
/* Larger ratios count as this one. */
#define LARGEST_RATIO 1.5
/* Root mean square moves of this relative size are rounding, and their ratio is meaningless. */
#define ROUNDING 1e-12
/* Bounds of r, and the first one; LARGEST and FIRST in units of max{1, C R^2}. */
#define SMALLEST 0.1
#define FIRST 0.3
#define SMALLEST_FIRST 1.0
#define LARGEST_FIRST 10.0
#define LARGEST 10.0
/* In the augmented Lagrangian: the gap of an inner problem over its proximal term that is aimed at,
 * and how fast r follows. */
#define LAGRANGIAN_RATIO 3.0
#define LAGRANGIAN_GAIN 0.05
/* Of an r that the caller sets, in these units: beyond, A leaves its domain by rounding. */
#define LARGEST_FIXED 1e6

static bool is_fixed(const tl_solver *self) {
    return self->settings.acceleration > 0.0;
}

static double *primal(const tl_solver *self) {
    return tl_is_gram(self) ? self->coefficients : self->weights;
}

/* weights from the weights32 that the passes have changed, and the reverse. */
static void read_weights(tl_solver *self) {
    for (size_t i = 0; self->is_behind && i < tl_weights_size(self); i++)
        self->weights[i] = (double)self->weights32[i];
}

static void write_weights(tl_solver *self) {
    if (tl_is_gram(self)) tl_blocks_copy_coefficients(self);
    for (size_t i = 0; self->weights32 != NULL && i < tl_weights_size(self); i++)
        self->weights32[i] = (float)self->weights[i];
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
    return r < SMALLEST ? SMALLEST : (r < outer->largest ? r : outer->largest);
}

/* The r of the first outer step for this C. */
static double first_r(tl_solver *self, double otherwise) {
    if (is_fixed(self)) return fmin(self->settings.acceleration, LARGEST_FIXED * hardness(self));
    const double unit = hardness(self);
    self->outer.largest = LARGEST * unit;
    if (self->lagrangian.gamma > 0.0) return unit / (self->params.gamma + self->lagrangian.gamma);
    if (otherwise > 0.0) return bounded(&self->outer, otherwise);
    return bounded(&self->outer, fmin(fmax(SMALLEST_FIRST, FIRST * unit), LARGEST_FIRST));
}

/* The sequence begins anew at W. */
static void begin_sequence(tl_solver *self, double r) {
    tl_outer *outer = &self->outer;
    outer->active = true;
    outer->r = r;
    outer->sigma = 1.0 / (1.0 + r);
    outer->t = 1.0;
    outer->passes = 0;
    outer->steps = 0;
    outer->gaps_count = 0;
    outer->windows = 0;
    outer->log_gaps = 0.0;
    outer->trial = TL_NO_TRIAL;
    outer->factor = tl_is_smooth(self->ops, self->params) ? STEP : 1.0 / STEP;
    outer->failures = 0;
    outer->wait = 0;
    outer->moved = 0.0;
}

/* From plain passes: Y = W = W0 + X^T A. */
static void activate(tl_solver *self) {
    tl_outer *outer = &self->outer;
    const size_t bytes = tl_primal_size(self) * sizeof(double);
    if (tl_is_gram(self)) {
        memcpy(outer->coefficients, self->dual, bytes);
        self->coefficients = outer->coefficients;
    }
    read_weights(self);
    memcpy(outer->anchor, primal(self), bytes);
    begin_sequence(self, first_r(self, self->settings.start_r));
}

void tl_accelerate_at_once(tl_solver *self) {
    activate(self);
    memcpy(self->outer.previous, self->outer.anchor, tl_primal_size(self) * sizeof(double));
}

void tl_accelerate_from_previous(tl_solver *self) {
    tl_outer *outer = &self->outer;
    activate(self);
    const double sigma = outer->sigma;
    double *w = primal(self);
    for (size_t i = 0; i < tl_primal_size(self); i++) {
        w[i] = outer->previous[i];
        outer->anchor[i] = (w[i] - sigma * outer->anchor[i]) / (1.0 - sigma); /* (*) */
    }
    write_weights(self);
}

void tl_accelerate_again(tl_solver *self) {
    tl_outer *outer = &self->outer;
    const size_t size = tl_primal_size(self);
    memcpy(outer->anchor, primal(self), size * sizeof(double));
    memcpy(outer->previous, primal(self), size * sizeof(double));
    begin_sequence(self, first_r(self, 0.0));
    if (!tl_is_gram(self)) return;
    for (size_t i = 0; i < size; i++)
        self->coefficients[i] =
            outer->sigma * self->dual[i] + (1.0 - outer->sigma) * outer->anchor[i];
    tl_blocks_copy_coefficients(self);
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

/* <Y - W, W - W_before>; above 0 the momentum is no descent direction. */
TL_CLONES
static double overshoot(size_t n, const double *anchor, const double *w, const double *previous) {
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < n; i++)
        sum += (anchor[i] - w[i]) * (w[i] - previous[i]);
    return sum;
}

/* beta. The sequence is restarted where the momentum is no descent direction (O'Donoghue and Candes
 * 2015): its factor is for a smaller curvature. With a Gram matrix that would take a product. */
static double momentum(tl_solver *self, double sigma_next) {
    tl_outer *outer = &self->outer;
    if (!tl_is_gram(self) &&
        overshoot(tl_primal_size(self), outer->anchor, self->weights, outer->previous) > 0.0) {
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
    return !self->outer.active || self->outer.passes == PASSES;
}

void tl_accelerate_begin_pass(tl_solver *self) {
    tl_outer *outer = &self->outer;
    outer->moved_before = outer->moved;
    outer->moved = outer->size = 0.0;
    if (!outer->active || !tl_is_step_over(self)) return;
    read_weights(self);
    const double sigma_next = 1.0 / (1.0 + outer->r), beta = momentum(self, sigma_next);
    move_anchor(tl_primal_size(self), outer->sigma, sigma_next, beta, primal(self), outer->anchor,
                outer->previous);
    outer->sigma = sigma_next;
    write_weights(self);
    outer->passes = 0;
}

/* Of the root mean square moves of this pass to those of the last; 0: unknown. */
static double move_ratio(const tl_outer *outer) {
    if (!(outer->moved > ROUNDING * ROUNDING * outer->size) || !(outer->moved_before > 0.0))
        return 0.0;
    return fmin(sqrt(outer->moved / outer->moved_before), LARGEST_RATIO);
}

static void try_r(tl_outer *outer, double factor, double fall) {
    outer->trial = TL_SETTLING;
    outer->factor = factor;
    outer->fall = fall;
    outer->r_before = outer->r;
    outer->r = bounded(outer, factor * outer->r);
}

static void judge_trial(tl_outer *outer, double fall) {
    outer->trial = TL_TRIED;
    if (fall < outer->fall) {
        outer->failures = 0;
        if (fall > SLOW) try_r(outer, outer->factor, fall);
        return;
    }
    outer->r = outer->r_before;
    outer->failures++;
    if (outer->failures % 2 == 1)
        try_r(outer, 1.0 / outer->factor, outer->fall);
    else
        outer->wait = outer->failures;
}

/* Begin, judge or end a trial of r, given the fall of the gap from the last window to this one. */
static void judge_progress(tl_outer *outer, double fall) {
    if (outer->trial == TL_SETTLING)
        outer->trial = TL_TRYING;
    else if (outer->trial == TL_TRYING)
        judge_trial(outer, fall);
    else if (outer->wait > 0)
        outer->wait--;
    else if (fall > SLOW)
        try_r(outer, outer->factor, fall);
}

tl_gap_parts tl_estimate_parts(const tl_solver *self, const tl_sample *sample) {
    if (!(sample->C > 0.0)) return (tl_gap_parts){NAN, NAN, NAN};
    const double half_lambda = 0.5 / (self->settings.C * self->total_weight);
    return (tl_gap_parts){(sample->losses + sample->conjugates + sample->products) / sample->C,
                          half_lambda * self->outer.residual2,
                          sample->losses / sample->C + half_lambda * self->outer.norm2};
}

/* Windows are compared by the geometric means of the gap, which single estimates disturb less. */
static void watch_gap(tl_outer *outer, double gap) {
    outer->log_gaps += log(gap);
    outer->gaps_count++;
    if (outer->gaps_count < WINDOW) return;
    if (outer->windows > 0)
        judge_progress(outer, exp((outer->log_gaps - outer->log_gaps_before) / WINDOW));
    outer->windows++;
    outer->log_gaps_before = outer->log_gaps;
    outer->log_gaps = 0.0;
    outer->gaps_count = 0;
}

static void follow_lagrangian(tl_solver *self) {
    tl_outer *outer = &self->outer;
    const tl_gap_parts gap = tl_estimate_parts(self, &self->lagrangian.sampled);
    const double proximal = gap.residual * outer->sigma / (1.0 - outer->sigma); /* over r */
    if (!(gap.inner > 0.0) || !(proximal > 0.0)) return;
    const double step = log(gap.inner / (LAGRANGIAN_RATIO * proximal));
    outer->r = fmax(SMALLEST, outer->r * exp(LAGRANGIAN_GAIN * fmax(-1.0, fmin(1.0, step))));
}

void tl_accelerate_restart(tl_solver *self) {
    if (!self->outer.active) return;
    self->outer.t = 1.0;
    self->outer.r = first_r(self, 0.0);
}

/* The r of the next outer step. */
static void follow(tl_solver *self, double ratio) {
    tl_outer *outer = &self->outer;
    const tl_gap_parts gap = tl_estimate_parts(self, &self->sampled);
    outer->steps++;
    if (self->lagrangian.gamma > 0.0) {
        follow_lagrangian(self);
        return;
    }
    if (outer->steps > PATIENCE && gap.inner + gap.residual > gap.primal &&
        gap.residual > gap.inner) {
        outer->r = bounded(outer, 0.5 * outer->r);
        return;
    }
    if (gap.inner + gap.residual > 0.0) watch_gap(outer, gap.inner + gap.residual);
    if (!tl_is_smooth(self->ops, self->params) && gap.inner < RESIDUAL_SHARE * gap.residual)
        ratio = fmin(ratio, RESIDUAL_RATIO);
    if (!(outer->moved > 0.0)) { /* r is so large that nothing moves */
        outer->r = bounded(outer, outer->r * exp(-GAIN_DOWN * TARGET));
        return;
    }
    if (ratio == 0.0 || outer->trial != TL_NO_TRIAL) return;
    const double damping =
        fmax(LEAST_DAMPING, DAMPED_STEPS / (DAMPED_STEPS + (double)outer->steps));
    const double gain = damping * (ratio > TARGET ? GAIN_UP : GAIN_DOWN);
    outer->r = bounded(outer, outer->r * exp(gain * (ratio - TARGET)));
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
    if (!is_fixed(self) && (outer->passes < FIRST_PASSES || !(ratio > FAST))) return;
    tl_accelerate_at_once(self);
}

/* ---- how far W is from Y ---- */

/* From a part of the rows, with B = coefficients - anchor: <B, K B>, and <M, K M> of the
 * coefficients M. */
static void sample_distance(tl_solver *self, double *distance, double *norm2) {
    const size_t n = self->data.n, m = self->data.m;
    const size_t rows = tl_smaller(n, tl_smaller(self->block, TL_SAMPLE_BLOCK));
    const double *sides[] = {self->outer.anchor, self->coefficients};
    size_t index[TL_SAMPLE_BLOCK] = {0};
    double products[2][2] = {{0.0}}; /* <K side, side'> */
    for (size_t i = 0; i < rows; i++)
        index[i] = tl_sampled_row(n, rows, i);
    for (int a = 0; a < 2; a++) {
        tl_blocks_products(self, sides[a], rows, index);
        for (size_t i = 0; i < rows; i++)
            for (int b = 0; b < 2; b++)
                products[a][b] += tl_dot(m, self->scores + i * m, sides[b] + index[i] * m);
    }
    const double whole = (double)n / (double)rows;
    const double sum = products[0][0] - products[0][1] - products[1][0] + products[1][1];
    *distance = fmax(0.0, whole * sum);
    *norm2 = fmax(0.0, whole * products[1][1]);
    double *b = self->lagrangian.difference;
    if (b == NULL || !(self->lagrangian.gamma > 0.0)) return;
    for (size_t i = 0; i < n * m; i++) /* the sum of four products may cancel */
        b[i] = self->coefficients[i] - self->outer.anchor[i];
    double direct = 0.0;
    tl_blocks_products(self, b, rows, index);
    for (size_t i = 0; i < rows; i++)
        direct += tl_dot(m, self->scores + i * m, b + index[i] * m);
    *distance = fmax(0.0, whole * direct);
}

void tl_accelerate_measure(tl_solver *self) {
    tl_outer *outer = &self->outer;
    const double r = (1.0 - outer->sigma) / outer->sigma;
    double distance;
    if (tl_is_gram(self)) {
        sample_distance(self, &distance, &outer->norm2);
    } else {
        const size_t size = tl_weights_size(self);
        read_weights(self);
        outer->norm2 = tl_weights_norm2(self, self->center);
        distance = tl_squared_distance(size, self->weights, outer->anchor);
    }
    outer->residual2 = r * r * distance; /* by (*) */
}
