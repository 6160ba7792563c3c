/* SPDX-License-Identifier: MIT */
/* An augmented Lagrangian around the accelerated passes, for hinges that are not smooth: the
 * proximal method of multipliers (Rockafellar 1976).
 *
 * Once the passes have been slow, the dual problem gets the term
 *
 *     gamma_k/(2 C_i) ||a_i - b_i||^2   for each row (not the label of a loss of margins),
 *
 * with the centre B = A at the time. That is the dual of the loss smoothed by gamma_k, at the
 * scores s_j - gamma_k/C_i b_ij: an update is that of the smoothed loss. Accelerated passes are
 * fast where a loss is smooth; A stays feasible, and certifies the problem as it is. When the gap
 * of this inner problem is small against that of the problem itself, B becomes A and gamma_k is
 * halved.
 */
#include "allocate.h"
#include "solver.h"

bool tl_lagrangian_allocate(tl_solver *self) {
    tl_lagrangian *lagrangian = &self->lagrangian;
    lagrangian->is_open = self->settings.lagrangian > 0 && self->settings.acceleration < 0.0 &&
                          !tl_is_smooth(self->ops, self->params);
    if (!lagrangian->is_open) return true;
    lagrangian->center = tl_doubles(self->data.n, self->data.m);
    return lagrangian->center != NULL;
}

void tl_lagrangian_free(tl_solver *self) {
    free(self->lagrangian.center);
}

void tl_lagrangian_forget(tl_solver *self) {
    self->lagrangian.passes = 0;
    self->lagrangian.gamma = 0.0;
}

static void begin(tl_solver *self) {
    tl_lagrangian *lagrangian = &self->lagrangian;
    memcpy(lagrangian->center, self->dual, self->data.n * self->data.m * sizeof(double));
    lagrangian->gamma = TL_FIRST_GAMMA;
    tl_accelerate_restart(self);
    memset(self->shrinking, 0, self->data.n * sizeof *self->shrinking);
}

static void follow(tl_solver *self) {
    tl_lagrangian *lagrangian = &self->lagrangian;
    const tl_gap_parts inner = tl_estimate_parts(self, &lagrangian->sampled);
    const tl_gap_parts whole = tl_estimate_parts(self, &self->sampled);
    const double residual = inner.residual;
    if (self->outer.active && !(residual > 0.0)) return; /* unknown, of a Gram matrix */
    if (!(inner.inner + residual <= TL_SOLVED * (whole.inner + residual))) return;
    memcpy(lagrangian->center, self->dual, self->data.n * self->data.m * sizeof(double));
    const double before = self->params.gamma + lagrangian->gamma;
    lagrangian->gamma = fmax(TL_LEAST_GAMMA, TL_GAMMA_FACTOR * lagrangian->gamma);
    self->outer.t = 1.0;
    self->outer.r *= before / (self->params.gamma + lagrangian->gamma);
}

void tl_lagrangian_end_pass(tl_solver *self) {
    tl_lagrangian *lagrangian = &self->lagrangian;
    if (!lagrangian->is_open) return;
    lagrangian->passes++;
    if (!tl_is_step_over(self)) return;
    if (lagrangian->gamma > 0.0)
        follow(self);
    else if (lagrangian->passes >= self->settings.lagrangian)
        begin(self);
}
