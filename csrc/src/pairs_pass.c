/* SPDX-License-Identifier: MIT */
/* Coordinate ascent over the pairs of a working set, and the gap of the restricted problem. */
#include "pairs.h"
#include "sampling.h"

TL_CLONES
static void add_multiple(size_t n, double factor, const float *restrict x, double *restrict y) {
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        y[i] += factor * (double)x[i];
}

/* The scores of its class move with the dual variable at a place. */
static void move(const tl_pairs *self, size_t c, size_t place, double delta, double *scores) {
    const size_t first = self->class_start[c], t = self->class_start[c + 1] - first;
    add_multiple(t, delta, self->blocks + self->block_start[c] + (place - first) * t,
                 scores + first);
}

void tl_pairs_multiply_add(const tl_pairs *self, const double *moved, double *scores) {
    for (size_t c = 0; c < self->m; c++)
        for (size_t p = self->class_start[c]; p < self->class_start[c + 1]; p++)
            if (moved[p] != 0.0) move(self, c, p, moved[p], scores);
}

static void gather_scores(const tl_pairs *self, size_t r, double *s) {
    const size_t *place = self->place + self->start[r];
    for (size_t j = 0; j < tl_pairs_width(self, r); j++)
        s[j] = self->scores[place[j]];
}

static void visit(tl_pairs *self, size_t r) {
    const size_t first = self->start[r], width = tl_pairs_width(self, r), n = tl_padded(self->m);
    double *s = self->work, *a_new = s + n, *rest = a_new + n, *a = self->dual + first;
    const tl_row row = tl_pairs_row(self, r);
    gather_scores(self, r, s);
    self->ops->update(&row, width, s, a, a_new, self->warm + TL_WARM * r, rest);
    for (size_t j = 0; j < width; j++) {
        const double delta = a_new[j] - a[j];
        if (delta == 0.0) continue;
        move(self, (size_t)self->column[first + j], self->place[first + j], delta, self->scores);
        a[j] = a_new[j];
    }
}

tl_status tl_pairs_run(tl_pairs *self, size_t passes) {
    if (self == NULL || self->blocks == NULL) return TL_ERR_NULL;
    for (size_t pass = 0; pass < passes; pass++) {
        tl_shuffle(&self->random, self->rows, self->order);
        for (size_t i = 0; i < self->rows; i++) {
            const size_t r = self->order[i];
            const double width = (double)tl_pairs_width(self, r);
            const double longest = (double)self->entries / (double)self->m;
            if (tl_is_over(&self->watch, width * (TL_WORK_OF_CLASS + longest))) return TL_ERR_OVER;
            visit(self, r);
        }
    }
    return TL_OK;
}

tl_status tl_pairs_gap(tl_pairs *self, double *gap) {
    if (self == NULL || gap == NULL) return TL_ERR_NULL;
    double *s = self->work, *rest = s + tl_padded(self->m), losses = 0.0, conjugates = 0.0;
    double product = 0.0;
    for (size_t r = 0; r < self->rows; r++) {
        const tl_row row = tl_pairs_row(self, r);
        const double *a = self->dual + self->start[r];
        const size_t width = tl_pairs_width(self, r);
        gather_scores(self, r, s);
        product += tl_dot(width, a, s);
        conjugates += row.C * tl_conjugate_of(self->ops, &row, width, a, -1.0 / row.C, rest);
        losses += row.C * self->ops->value(&row, width, s, rest);
    }
    *gap = losses + conjugates + product;
    return TL_OK;
}
