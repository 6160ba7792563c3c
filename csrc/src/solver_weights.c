/* SPDX-License-Identifier: MIT */
/* Weights from dual variables, and scores from weights, by rows or in blocks. */
#include "solver.h"

#include <string.h>

/* With float32 rows W is in float32; with a float32 copy of float64 rows only the passes are. */
static void round_to_float32(tl_solver *self) {
    const bool rounded = self->data.type == TL_FLOAT32;
    for (size_t i = 0; self->weights32 != NULL && i < tl_weights_size(self); i++) {
        self->weights32[i] = (float)self->weights[i];
        if (rounded) self->weights[i] = (double)self->weights32[i];
    }
    self->is_behind = false;
}

double tl_weights_norm2(const tl_solver *self, const double *other) {
    const size_t size = tl_weights_size(self);
    return other ? tl_squared_distance(size, self->weights, other)
                 : tl_dot(size, self->weights, self->weights);
}

void tl_compute_weights(tl_solver *self) {
    const size_t size = tl_weights_size(self);
    memset(self->weights, 0, size * sizeof *self->weights);
    if (!self->at_zero) {
        if (self->by_rows)
            tl_rows_add_duals(self);
        else
            tl_blocks_add_duals(self);
    }
    self->sums.norm2 = tl_dot(size, self->weights, self->weights);
    self->sums.center_product = 0.0;
    if (self->center != NULL) {
        self->sums.center_product = tl_dot(size, self->weights, self->center);
        for (size_t i = 0; i < size; i++)
            self->weights[i] += self->center[i];
    }
    const double sigma = self->outer.sigma;
    for (size_t i = 0; self->outer.active && i < size; i++)
        self->weights[i] = sigma * self->weights[i] + (1.0 - sigma) * self->outer.anchor[i];
    round_to_float32(self);
}

void tl_scores(tl_solver *self, size_t first, size_t count) {
    if (self->at_zero && self->center == NULL && !self->outer.active)
        memset(self->scores, 0, count * self->stride * sizeof *self->scores);
    else if (self->by_rows)
        tl_rows_scores(self, first, count);
    else
        tl_blocks_scores(self, first, count);
}

double tl_row_norm2(tl_solver *self, size_t i) {
    return self->by_rows ? tl_rows_norm2(self, i) : tl_blocks_norm2(self, i);
}
