/* SPDX-License-Identifier: MIT */
/* Newton's method on the face of the restricted dual: the direction by preconditioned conjugate
 * gradients, and a search along its projections onto the domain.
 *
 * With P the projector onto the directions that stay on the face, and K the blocks of the free
 * pairs, the direction solves P (K + gamma/C) P d = P grad. The preconditioner is P (K +
 * gamma/C)^-1 P, as of FETI in domain decomposition: the classes are the domains, and the rows
 * couple them. */
#include "pairs.h"
#include "tuning.h"

#include <string.h>

static double dot(const tl_pairs *self, const double *x, const double *y) {
    return tl_dot(self->face.count, x, y);
}

/* The linear part of minus the conjugate, times C, in a dual variable. */
static double slope_of(const tl_loss_ops *ops, bool is_label) {
    if (ops->multiclass) return is_label ? 1.0 : 0.0;
    const double size = ops->free_sum ? 1.0 : 0.5;
    return is_label ? size : -size;
}

/* The gradient of the dual on the face. */
static void find_gradient(const tl_pairs *self, double *g) {
    const tl_face *face = &self->face;
    for (size_t r = 0; r < self->rows; r++) {
        const tl_row row = tl_pairs_row(self, r);
        for (size_t e = self->start[r], j = 0, in = 0; e < self->start[r + 1]; e++, j++) {
            const bool is_label = tl_is_next_label(&row, j, &in);
            const size_t at = face->number[self->place[e]];
            if (at == TL_NOT_FREE) continue;
            const double bend =
                is_label && self->ops->multiclass ? 0.0 : self->params.gamma / row.C;
            g[at] =
                slope_of(self->ops, is_label) - bend * self->dual[e] - self->scores[self->place[e]];
        }
    }
    tl_face_project(self, g);
}

/* hp = P (K + gamma/C) p */
static void multiply(tl_pairs *self, const double *p, double *hp) {
    tl_face_multiply(self, p, hp);
    tl_face_project(self, hp);
}

static void precondition(tl_pairs *self, const double *r, double *z) {
    tl_face_divide(self, r, z);
    tl_face_project(self, z);
}

/* d becomes the direction, r, z, p and hp work; r is the gradient at first. Where the dual has no
 * curvature along a step, it ends there: along the first one it goes as far as the domain. */
static tl_status conjugate_gradients(tl_pairs *self, double tol, size_t most, double *const *v,
                                     size_t *steps) {
    double *d = v[0], *r = v[1], *z = v[2], *p = v[3], *hp = v[4];
    const size_t count = self->face.count;
    const double work = (double)(2 * self->face.block_start[self->m] + 16 * count);
    memset(d, 0, count * sizeof *d);
    precondition(self, r, z);
    memcpy(p, z, count * sizeof *p);
    double product = dot(self, r, z);
    const double least = tol * tol * product;
    while (*steps < most && product > least) {
        if (tl_is_over(&self->watch, work)) return TL_ERR_OVER;
        multiply(self, p, hp);
        const double curvature = dot(self, p, hp);
        (*steps)++;
        if (!(curvature > 0.0)) {
            if (*steps == 1) tl_axpy(count, TL_UNBOUNDED * self->C, p, d);
            break;
        }
        const double length = product / curvature;
        tl_axpy(count, length, p, d);
        tl_axpy(count, -length, hp, r);
        precondition(self, r, z);
        const double before = product;
        product = dot(self, r, z);
        for (size_t i = 0; i < count; i++)
            p[i] = z[i] + product / before * p[i];
    }
    return TL_OK;
}

/* ---- the search ---- */

/* Is v, of a row, in the domain but for rounding? */
static bool is_in_domain(const tl_pairs *self, const tl_row *row, size_t width, const double *v) {
    double largest;
    const double size = tl_norm1(width, v, &largest) / row->C;
    return self->ops->infeasibility(row, width, v, -1.0 / row->C) <= TL_PAIRS_ROUNDING * size;
}

/* Row r of a + t d, or its projection onto the domain, an update without features and with a
 * smoothing that makes its weight 1. The projection has the rounding of margins of size 1, which is
 * above the gain of the last steps. */
static void project_row(tl_pairs *self, size_t r, double t, const double *d) {
    const size_t first = self->start[r], width = tl_pairs_width(self, r), n = tl_padded(self->m);
    double *s = self->work, *a_new = s + n, *rest = a_new + n, warm[TL_WARM] = {NAN, NAN};
    double *trial = self->trial + first;
    tl_row row = tl_pairs_row(self, r);
    for (size_t j = 0; j < width; j++) {
        const size_t at = self->face.number[self->place[first + j]];
        trial[j] = self->dual[first + j] + (at == TL_NOT_FREE ? 0.0 : t * d[at]);
    }
    if (is_in_domain(self, &row, width, trial)) return;
    for (size_t j = 0, in = 0; j < width; j++) {
        const bool is_label = tl_is_next_label(&row, j, &in);
        s[j] = slope_of(self->ops, is_label);
        if (!(is_label && self->ops->multiclass)) s[j] -= trial[j];
    }
    row.norm2 = 0.0;
    row.params.gamma = row.C;
    self->ops->update(&row, width, s, self->dual + first, a_new, warm, rest);
    memcpy(trial, a_new, width * sizeof *a_new);
}

static double conjugate_of(const tl_pairs *self, size_t r, const double *dual) {
    const tl_row row = tl_pairs_row(self, r);
    const double *a = dual + self->start[r];
    const size_t width = tl_pairs_width(self, r);
    return row.C * tl_conjugate_of(self->ops, &row, width, a, -1.0 / row.C, self->work);
}

/* The gain of the dual from the point to the trial; `change` becomes that of the scores. */
static double gain_of_trial(tl_pairs *self, double *change) {
    double gain = 0.0;
    for (size_t r = 0; r < self->rows; r++) {
        gain += conjugate_of(self, r, self->dual) - conjugate_of(self, r, self->trial);
        for (size_t e = self->start[r]; e < self->start[r + 1]; e++)
            self->moved[self->place[e]] = self->trial[e] - self->dual[e];
    }
    memset(change, 0, self->entries * sizeof *change);
    tl_pairs_multiply_add(self, self->moved, change);
    return gain - tl_dot(self->entries, self->moved, self->scores) -
           0.5 * tl_dot(self->entries, self->moved, change);
}

/* Moves along d; *length is that of the step, 0 where none makes the dual larger. */
static tl_status search(tl_pairs *self, const double *d, double *change, double *length) {
    const double work =
        (double)self->block_start[self->m] + TL_WORK_OF_CLASS * (double)self->entries;
    double t = 1.0;
    for (int trial = 0; trial < TL_PAIRS_TRIALS; trial++, t *= 0.5) {
        if (tl_is_over(&self->watch, work)) return TL_ERR_OVER;
        for (size_t r = 0; r < self->rows; r++)
            project_row(self, r, t, d);
        if (!(gain_of_trial(self, change) > 0.0)) continue;
        memcpy(self->dual, self->trial, self->entries * sizeof *self->dual);
        tl_axpy(self->entries, 1.0, change, self->scores);
        *length = t;
        break;
    }
    return TL_OK;
}

tl_status tl_pairs_newton(tl_pairs *self, double damping, double tol, size_t most, size_t *steps,
                          double *length) {
    if (self == NULL || self->blocks == NULL || steps == NULL || length == NULL) return TL_ERR_NULL;
    *steps = 0;
    *length = 0.0;
    if (!tl_in_range(damping, 0.0, TL_LARGEST_PARAMETER)) return TL_ERR_PARAMETER;
    tl_status status = tl_pairs_find_face(self, damping);
    if (status != TL_OK || self->face.count == 0) return status;
    double *vectors[5];
    for (size_t i = 0; i < 5; i++)
        vectors[i] = self->vectors + i * self->entries;
    find_gradient(self, vectors[1]);
    status = conjugate_gradients(self, tol, most, vectors, steps);
    if (status != TL_OK || *steps == 0) return status;
    return search(self, vectors[0], vectors[1], length);
}
