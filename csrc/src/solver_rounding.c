/* SPDX-License-Identifier: MIT */
/* Bounds of the rounding errors of P and D.
 *
 * With u half the distance of 1 to the next number, a dot product <x, w> of `length` terms counts
 * as right up to u kappa ||x|| ||w||, kappa = 4 + sqrt(length): errors of random sign grow with
 * the square root, and the size on the right is above that of the terms. For all sums `length` is
 * the largest of n, m and the length of a row. With S_c = sum_i ||x_i||
 * |a_ic| and M_c = ||W_c||, for a Gram matrix M_c = sum_i ||x_i|| |coefficients_ic|, a score s_ic
 * is right up to u kappa ||x_i|| M_c, and X^T A in class c up to u kappa S_c. Every loss falls in
 * the scores of the labels and rises in the others, so the largest loss nearby is that of scores
 * moved so. The mean of centred scores moves, too: the others are moved by the mean of the errors
 * more, and the label so far that the mean does not rise.
 */
#include "solver.h"

#include <float.h>
#include <string.h>

#define UNIT (0.5 * DBL_EPSILON)

static double longest_sum(const tl_solver *self) {
    return fmax(fmax((double)self->data.n, (double)self->data.m), (double)self->row_length);
}

double tl_rounding_unit(const tl_solver *self) {
    return UNIT * (4.0 + sqrt(longest_sum(self)));
}

double tl_rounding_strict(const tl_solver *self) {
    const double length = longest_sum(self);
    return (4.0 + length) / (4.0 + sqrt(length));
}

TL_CLONES
static void add_sizes(size_t m, double norm, const double *a, double *sizes) {
#pragma omp simd
    for (size_t c = 0; c < m; c++)
        sizes[c] += norm * fabs(a[c]);
}

void tl_add_sizes(size_t m, double norm, const double *a, double *sizes) {
    add_sizes(m, norm, a, sizes);
}

tl_sizes tl_find_sizes(tl_solver *self) {
    const size_t n = self->data.n, m = self->data.m;
    double *dual = self->sizes, *primal = self->sizes + m;
    memset(dual, 0, m * sizeof *dual);
    tl_sizes sizes = {.rows = 0.0, .largest = 0.0, .dual2 = 0.0, .primal2 = 0.0};
    for (size_t i = 0; i < n && !tl_is_over(&self->watch, (double)m); i++) {
        const double norm = sqrt(self->norm2[i]);
        sizes.rows += norm * (self->data.weight ? self->data.weight[i] : 1.0);
        if (!self->at_zero) tl_add_sizes(m, norm, self->dual + i * m, dual);
    }
    self->storage->class_norms(self, primal);
    for (size_t c = 0; c < m; c++) {
        sizes.largest = fmax(sizes.largest, primal[c]);
        sizes.dual2 += dual[c] * dual[c];
        sizes.primal2 += primal[c] * primal[c];
    }
    return sizes;
}

double tl_worst_loss(tl_solver *self, size_t i, const tl_row *row, double *s) {
    const size_t m = self->data.m;
    const double *primal = self->sizes + m;
    const double error = tl_rounding_unit(self) * sqrt(self->norm2[i]);
    double mean = 0.0;
    for (size_t c = 0; c < m && self->ops->centred; c++)
        mean += primal[c] / (double)m;
    for (size_t c = 0; c < m; c++)
        s[c] += error * (primal[c] + mean);
    for (size_t l = 0; l < row->n_labels; l++)
        s[row->labels[l]] -= 2.0 * error * (primal[row->labels[l]] + (double)m * mean);
    const double worst = self->ops->value(row, m, s, self->work);
    const tl_loss_ops *ops = self->ops;
    /* A smooth loss of one label, or of each class by itself, has the differences of scores in
     * exponents, whose rounding is that of the scores. */
    if (ops->always_smooth && (ops->multiclass || ops->free_sum)) return worst;
    if (!ops->always_smooth && !(worst > 0.0)) return worst;
    /* A hinge is a difference of margins, and the softmax of label sets has one of labels, right to
     * their digits. */
    double largest = 1.0;
    for (size_t c = 0; c < m; c++)
        largest = fmax(largest, fabs(s[c]));
    return worst + tl_rounding_unit(self) * largest;
}

double tl_domain_error(const tl_solver *self, const tl_row *row, size_t i, const double *s) {
    const size_t m = self->data.m;
    const double *a = self->dual + i * m;
    double most, largest;
    const double size = tl_norm1(m, a, &most);
    tl_norm1(m, s, &largest);
    const double digits = self->ops->free_sum ? 0.0 : UNIT * size; /* of their sum of 0 */
    const double violation = self->ops->infeasibility(row, m, a, -1.0 / row->C);
    /* The derivative of D by an entry of a_i: that of a conjugate, and a score. That of an entropy
     * grows with the logarithm of an entry that a feasible one has not. */
    double slope = 1.0 + log((double)m) + self->params.gamma * most / row->C + largest;
    if (self->ops->always_smooth && violation > TL_FEASIBLE) slope -= log(fmin(violation, 1.0));
    return (4.0 * row->C * violation + digits) * slope;
}
