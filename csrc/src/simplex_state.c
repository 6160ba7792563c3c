/* SPDX-License-Identifier: MIT */
/* What SC-SVM and SH-SVM keep beside their dual variables: W, or the values f(x_i) of a Gram
 * matrix. */
#include "simplex.h"

#include "blas.h"

#include <math.h>
#include <string.h>

bool tl_simplex_coefficient(const tl_simplex *self, size_t i, double *work, double *a) {
    const size_t T = self->data.m, y = tl_simplex_label(&self->data, i);
    const double *alpha = self->alpha + i * tl_simplex_variables(self);
    bool any = false;
    if (tl_simplex_is_cone(self)) {
        for (size_t j = 0; j < T; j++) {
            work[j] = -alpha[j];
            any = any || alpha[j] != 0.0;
        }
        tl_coding_combine(&self->coding, work, a);
        return any;
    }
    memset(a, 0, self->k * sizeof *a);
    tl_coding_add(&self->coding, y, alpha[0], a);
    return alpha[0] != 0.0;
}

/* sum_j alpha_j K_ij <c_i, c_j>, SH-SVM. */
static double own_score(const tl_simplex *self, size_t i) {
    const double other = -1.0 / (double)self->k;
    const double *row = tl_simplex_gram_row(self, i);
    const size_t y = tl_simplex_label(&self->data, i);
    double sum = 0.0;
    for (size_t j = 0; j < self->data.n; j++)
        sum += self->alpha[j] * row[j] * (tl_simplex_label(&self->data, j) == y ? 1.0 : other);
    return sum;
}

void tl_simplex_compute(tl_simplex *self) {
    const size_t n = self->data.n, k = self->k;
    if (tl_simplex_is_gram(self) && !tl_simplex_is_cone(self)) {
        for (size_t i = 0; i < n; i++)
            self->state[i] = own_score(self, i);
        return;
    }
    if (tl_simplex_is_gram(self)) {
        memset(self->A, 0, n * k * sizeof *self->A);
        for (size_t i = 0; i < n; i++)
            if (tl_simplex_coefficient(self, i, self->u, self->a))
                for (size_t r = 0; r < k; r++)
                    self->A[r * n + i] = self->a[r];
        tl_gemm_nn(k, n, n, self->A, self->data.x, self->state);
        return;
    }
    memset(self->state, 0, self->data.d * k * sizeof *self->state);
    for (size_t i = 0; i < n; i++)
        if (tl_simplex_coefficient(self, i, self->u, self->a)) {
            const tl_features x = tl_features_of(&self->data, i, NULL);
            tl_features_add(&x, k, self->a, self->state);
        }
}

/* ---- one example ---- */

const double *tl_simplex_values(tl_simplex *self, size_t i) {
    if (tl_simplex_is_gram(self)) {
        for (size_t r = 0; r < self->k; r++)
            self->f[r] = self->state[r * self->data.n + i];
        return self->f;
    }
    const tl_features x = tl_features_of(&self->data, i, NULL);
    tl_features_project(&x, self->k, self->state, self->f);
    return self->f;
}

double tl_simplex_own_value(tl_simplex *self, size_t i) {
    if (tl_simplex_is_gram(self)) return self->state[i];
    return tl_coding_score(&self->coding, tl_simplex_label(&self->data, i),
                           tl_simplex_values(self, i));
}
