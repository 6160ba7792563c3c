/* SPDX-License-Identifier: MIT */
/* SC-SVM and SH-SVM by dual coordinate ascent, one example at a time (NIPS 2012, section 5). */
#include "simplex.h"

#include "blas.h"
#include "sampling.h"
#include "solve.h"
#include "vector.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* The state after a_i has grown by self->a. */
static void add_coefficient(tl_simplex *self, size_t i) {
    const size_t k = self->k;
    if (!tl_simplex_is_gram(self)) {
        const tl_features x = tl_features_of(&self->data, i, NULL);
        tl_features_add(&x, k, self->a, self->state);
        return;
    }
    /* A rank-one update, one value of f after the other: k is small, n is long. */
    const size_t n = self->data.n;
    const double *row = tl_simplex_gram_row(self, i);
    for (size_t r = 0; r < k; r++)
        tl_axpy(n, self->a[r], row, self->state + r * n);
}

static void update_cone(tl_simplex *self, size_t i, double box) {
    const size_t T = self->data.m, y = tl_simplex_label(&self->data, i);
    const double norm2 = self->norm2[i], margin = 1.0 / (double)self->k;
    double *alpha = self->alpha + i * T;
    tl_coding_scores(&self->coding, tl_simplex_values(self, i), self->s);
    /* Without the row's own part: s + ||x||^2 G alpha. */
    const double common = self->total[i] * margin, factor = (double)T * margin;
    for (size_t j = 0; j < T; j++)
        self->s[j] += margin + norm2 * (factor * alpha[j] - common);
    tl_simplex_block(T, y, norm2, box, self->s, &self->total[i], self->u);
    double change = 0.0, sum = 0.0;
    for (size_t j = 0; j < T; j++) {
        const double difference = alpha[j] - self->u[j];
        alpha[j] = self->u[j];
        sum += alpha[j];
        self->u[j] = difference;
        change = fmax(change, fabs(difference));
    }
    self->total[i] = sum;
    if (change == 0.0) return;
    tl_coding_combine(&self->coding, self->u, self->a);
    add_coefficient(self, i);
}

static void update_half_space(tl_simplex *self, size_t i, double box) {
    const double before = self->alpha[i], slack = 1.0 - tl_simplex_own_value(self, i);
    double after = slack > 0.0 ? box : 0.0;
    if (self->norm2[i] > 0.0) after = before + slack / self->norm2[i];
    after = after <= 0.0 ? 0.0 : (after >= box ? box : after);
    const double change = after - before;
    if (change == 0.0) return;
    self->alpha[i] = after;
    const size_t y = tl_simplex_label(&self->data, i);
    if (tl_simplex_is_gram(self)) {
        const double *row = tl_simplex_gram_row(self, i), other = -1.0 / (double)self->k;
        for (size_t j = 0; j < self->data.n; j++)
            self->state[j] +=
                change * row[j] * (tl_simplex_label(&self->data, j) == y ? 1.0 : other);
        return;
    }
    memset(self->a, 0, self->k * sizeof *self->a);
    tl_coding_add(&self->coding, y, change, self->a);
    add_coefficient(self, i);
}

tl_status tl_simplex_run(tl_simplex *self, size_t epochs) {
    if (self == NULL) return TL_ERR_NULL;
    for (size_t epoch = 0; epoch < epochs; epoch++) {
        tl_shuffle(&self->random_state, self->data.n, self->order);
        for (size_t p = 0; p < self->data.n; p++) {
            const size_t i = self->order[p];
            const double box = tl_simplex_box(self, i);
            if (!(box > 0.0)) continue; /* weight 0: the row is not there */
            if (tl_simplex_is_cone(self))
                update_cone(self, i, box);
            else
                update_half_space(self, i, box);
        }
        self->epochs++;
    }
    return TL_OK;
}

/* ---- to a tolerance ---- */

static tl_status step(void *solver, size_t rows, int *ended) {
    (void)rows;
    *ended = 1;
    return tl_simplex_run(solver, 1);
}

static tl_status evaluate(void *solver, tl_objective *objective) {
    return tl_simplex_evaluate(solver, objective);
}

static double no_estimate(const void *solver) {
    (void)solver;
    return INFINITY;
}

tl_status tl_simplex_solve(tl_simplex *self, const tl_stopping *stopping, tl_objective *objective,
                           tl_outcome *outcome) {
    if (self == NULL || stopping == NULL || objective == NULL || outcome == NULL)
        return TL_ERR_NULL;
    const tl_iterative iterative = {
        .solver = self, .step = step, .evaluate = evaluate, .estimate = no_estimate};
    return tl_solve(&iterative, stopping, objective, outcome);
}

tl_status tl_simplex_coefficients(const tl_simplex *self, double *a) {
    if (self == NULL || a == NULL) return TL_ERR_NULL;
    for (size_t i = 0; i < self->data.n; i++)
        tl_simplex_coefficient(self, i, self->u, a + i * self->k);
    return TL_OK;
}

tl_status tl_simplex_weights(const tl_simplex *self, double *weights) {
    if (self == NULL || weights == NULL) return TL_ERR_NULL;
    if (tl_simplex_is_gram(self)) return TL_ERR_PARAMETER;
    memcpy(weights, self->state, self->data.d * self->k * sizeof *weights);
    return TL_OK;
}
