/* SPDX-License-Identifier: MIT */
/* Objectives of SC-SVM and SH-SVM, with a bound of their rounding errors: as in solver_rounding.c,
 * but with one size in place of one a class, S = sum_i ||x_i|| ||a_i||. */
#include "simplex.h"

#include "solve.h"
#include "vector.h"

#include <float.h>
#include <math.h>

double tl_simplex_linear_part(const tl_simplex *self) {
    double sum = 0.0;
    for (size_t i = 0; i < self->data.n * tl_simplex_variables(self); i++)
        sum += self->alpha[i];
    return tl_simplex_is_cone(self) ? sum / (double)self->k : sum;
}

/* ||W||^2 = sum_i <a_i, f(x_i)>. */
double tl_simplex_norm2(const tl_simplex *self) {
    const size_t n = self->data.n, k = self->k;
    if (!tl_simplex_is_gram(self)) return tl_dot(self->data.d * k, self->state, self->state);
    return tl_simplex_is_cone(self) ? tl_dot(n * k, self->A, self->state)
                                    : tl_dot(n, self->alpha, self->state);
}

#define LEAST_SQUARE 1e-250

/* ||a||, also where squares are too small to be numbers. */
static double norm_of(size_t k, const double *a) {
    const double square = tl_dot(k, a, a);
    if (square > LEAST_SQUARE) return sqrt(square);
    double largest, sum = 0.0;
    tl_norm1(k, a, &largest);
    for (size_t j = 0; largest > 0.0 && j < k; j++)
        sum += a[j] / largest * (a[j] / largest);
    return largest * sqrt(sum);
}

static double find_size(const tl_simplex *self) {
    double sum = 0.0;
    for (size_t i = 0; i < self->data.n; i++)
        if (tl_simplex_coefficient(self, i, self->u, self->a))
            sum += sqrt(self->norm2[i]) * norm_of(self->k, self->a);
    return sum;
}

static double find_unit(const tl_simplex *self) {
    const double n = (double)self->data.n, T = (double)self->data.m;
    const double d = tl_simplex_is_gram(self) ? n : (double)self->data.d;
    return 0.5 * DBL_EPSILON * (4.0 + sqrt(fmax(fmax(n, T), d)));
}

/* The loss of row i, and its largest value if each score is off by at most `error`. */
static double loss_of(tl_simplex *self, size_t i, double error, double *worst) {
    if (!tl_simplex_is_cone(self)) {
        const double slack = 1.0 - tl_simplex_own_value(self, i);
        *worst = fmax(slack + error, 0.0);
        return fmax(slack, 0.0);
    }
    const size_t T = self->data.m, y = tl_simplex_label(&self->data, i);
    tl_coding_scores(&self->coding, tl_simplex_values(self, i), self->s);
    const double value = tl_simplex_value(self->loss, T, y, self->s);
    for (size_t j = 0; j < T; j++)
        self->s[j] += error;
    *worst = tl_simplex_value(self->loss, T, y, self->s);
    return value;
}

tl_status tl_simplex_evaluate(tl_simplex *self, tl_objective *objective) {
    if (self == NULL || objective == NULL) return TL_ERR_NULL;
    tl_simplex_compute(self); /* so that no rounding error of the epochs is in the certificate */
    const double norm2 = tl_simplex_norm2(self), linear = tl_simplex_linear_part(self);
    const double unit = find_unit(self), size = find_size(self);
    const bool is_gram = tl_simplex_is_gram(self);
    const double norm = is_gram ? size : sqrt(norm2);
    double losses = 0.0, worst_losses = 0.0;
    for (size_t i = 0; i < self->data.n; i++) {
        const double box = tl_simplex_box(self, i);
        if (!(box > 0.0)) continue;
        double worst = 0.0;
        losses += box * loss_of(self, i, unit * (1.0 + 2.0 * sqrt(self->norm2[i]) * norm), &worst);
        worst_losses += box * worst;
    }
    /* The error of ||W||^2 as the norm of sum_i x_i a_i^T; from a Gram matrix it is in P and in D.
     */
    const double norm2_error = is_gram ? 2.0 * unit * size * size
                                       : unit * size * (2.0 * norm + unit * size) + unit * norm2;
    if (is_gram && norm2 < -norm2_error) return TL_ERR_INDEFINITE;
    const double scale = 1.0 / (self->C * self->total_weight);
    const double primal = scale * (losses + 0.5 * norm2), dual = scale * (linear - 0.5 * norm2);
    const double rounding =
        scale * (worst_losses - losses + unit * (losses + linear) + norm2_error);
    const tl_status status = tl_fill_objective(objective, primal, dual, rounding);
    if (status != TL_OK) return status;
    objective->norm2 = norm2;
    objective->epochs = self->epochs;
    objective->visits = self->epochs * self->data.n;
    objective->r = 0.0;
    return TL_OK;
}
