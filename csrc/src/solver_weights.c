/* SPDX-License-Identifier: MIT */
/* Weights from dual variables, scores from weights, and the change of the passes from float32 to
 * float64. */
#include "sampling.h"
#include "solver.h"

#include <string.h>

/* Of W itself the rows' coefficients are those of A, with acceleration of A and Y. */
static void compute_coefficients(tl_solver *self) {
    const double sigma = self->outer.sigma;
    for (size_t i = 0; self->outer.active && i < self->primal_size; i++)
        self->primal[i] = sigma * self->dual[i] + (1.0 - sigma) * self->outer.anchor[i];
    if (self->storage->write != NULL) self->storage->write(self);
}

void tl_compute_weights(tl_solver *self) {
    if (self->storage->by_coefficients) {
        compute_coefficients(self);
        return;
    }
    const size_t size = self->primal_size;
    double *primal = self->primal;
    const bool at_zero = self->at_zero;
    if (!at_zero && !self->outer.active)
        memcpy(self->outer.previous, primal, size * sizeof *primal);
    memset(primal, 0, size * sizeof *primal);
    if (!at_zero) self->storage->add_duals(self);
    if (!at_zero && self->watch.is_over) {
        memcpy(primal, self->outer.previous, size * sizeof *primal);
        return;
    }
    self->sums.norm2 = tl_dot(size, primal, primal);
    self->sums.center_product = 0.0;
    if (self->center != NULL) {
        self->sums.center_product = tl_dot(size, primal, self->center);
        for (size_t i = 0; i < size; i++)
            primal[i] += self->center[i];
    }
    const double sigma = self->outer.sigma;
    for (size_t i = 0; self->outer.active && i < size; i++)
        primal[i] = sigma * primal[i] + (1.0 - sigma) * self->outer.anchor[i];
    if (self->storage->settle != NULL) self->storage->settle(self);
}

/* ---- from float32 to float64 ---- */

bool tl_widen_passes(tl_solver *self) {
    if (self->storage->widen == NULL) return false;
    if (self->storage->widen(self)) tl_compute_weights(self);
    return true;
}

/* Some rows from all over the data; how many. */
static size_t sample_rows(const tl_solver *self, size_t *index) {
    const size_t n = self->data.n;
    size_t count = 0;
    for (; count < n && count < self->block && count < TL_SAMPLE_BLOCK; count++)
        index[count] = tl_sampled_row(n, TL_SAMPLE_BLOCK, count);
    return count;
}

void tl_sample_float32(tl_solver *self) {
    if (self->storage->widen == NULL) return;
    size_t index[TL_SAMPLE_BLOCK] = {0};
    const size_t count = sample_rows(self, index);
    self->storage->sample32(self, count, index);
}

/* A conditional: GCC 12 crashes on AArch64 where fmax is reduced inside the sum over the rows. */
static double largest_error(size_t m, const double *scores, const float *rounded) {
    double largest = 0.0;
    for (size_t j = 0; j < m; j++) {
        const double error = fabs(scores[j] - (double)rounded[j]);
        largest = error > largest ? error : largest;
    }
    return largest;
}

void tl_check_float32(tl_solver *self, double gap) {
    if (self->storage->widen == NULL) return;
    const size_t m = self->data.m;
    size_t index[TL_SAMPLE_BLOCK] = {0};
    const size_t count = sample_rows(self, index);
    self->storage->sample(self, count, index);
    double sum = 0.0;
    for (size_t i = 0; i < count; i++)
        sum += largest_error(m, self->scores + i * m, self->float32.scores + i * m);
    if (!(gap > TL_ROUNDING_MARGIN * sum / (double)count)) tl_widen_passes(self);
}
