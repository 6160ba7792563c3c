/* SPDX-License-Identifier: MIT
 *
 * simplex.h: the simplex coding, and what its solvers share; not installed.
 */
#ifndef TL_SIMPLEX_H
#define TL_SIMPLEX_H

#include "input.h"
#include "row_features.h"

/* C[T] row by row: height[r] on the diagonal, step[r] to the right of it, zeros to the left. */
typedef struct tl_coding {
    size_t classes; /* T */
    double *height; /* (T - 1) */
    double *step;   /* (T - 1) */
} tl_coding;

/* height and step are the caller's memory. */
void tl_coding_fill(tl_coding *coding);
/* s_y = <c_y, f> for all y: f (T - 1), s (T). */
void tl_coding_scores(const tl_coding *coding, const double *f, double *s);
/* f = sum_y b_y c_y: b (T), f (T - 1). They may be the same array. */
void tl_coding_combine(const tl_coding *coding, const double *b, double *f);
/* <c_y, f>. */
double tl_coding_score(const tl_coding *coding, size_t y, const double *f);
/* f += factor c_y. */
void tl_coding_add(const tl_coding *coding, size_t y, double factor, double *f);

/* The u in [0, c]^T with u_y = 0 that maximises <b, u> - k/2 <u, G u>, G_jl = <c_j, c_l>: the block
 * of one example in the dual of SC-SVM (NIPS 2012, Eq. (4)). *total is the start of the search for
 * sum_j u_j, and that sum on return. */
void tl_simplex_block(size_t T, size_t y, double k, double c, const double *b, double *total,
                      double *u);

/* ||x_i||^2 or K_ii of all rows, and what tl_check_input leaves to be checked: TL_ERR_NOT_FINITE,
 * TL_ERR_OVERFLOW. */
tl_status tl_simplex_norms(const tl_data *data, double *norm2);

/* V(y, f) from the scores s (T). */
double tl_simplex_value(tl_simplex_loss loss, size_t T, size_t y, const double *s);

/* float64 features and one label per row; `memory` is what the results go to. */
tl_status tl_simplex_check(const tl_data *data, tl_simplex_loss loss, const double *memory);

/* ---- the solver of the two SVMs ----
 *
 *   minimise   1/2 ||W||^2 + C sum_i V(y_i, W^T x_i),   C = 1/(2 n lambda)
 *   W = sum_i x_i a_i^T,   a_i = -sum_(y != y_i) alpha_iy c_y   or   a_i = alpha_i c_(y_i)
 *
 * Features keep W, (d, T - 1). A Gram matrix keeps the values f(x_i) of all rows, (T - 1, n); for
 * SH-SVM only their products with the row's own code vector, (n): its dual is no larger than a
 * binary one. */
struct tl_simplex {
    tl_data data;
    tl_simplex_loss loss;
    double C;
    double total_weight;
    uint64_t epochs;
    uint64_t random_state;
    tl_coding coding;
    size_t k;      /* T - 1 */
    double *alpha; /* the caller's: (n, T), or (n) */
    double *state; /* W (d, k); of a Gram matrix f (k, n), or (n) */
    double *A;     /* (k, n), of a Gram matrix and SC-SVM: to compute f anew */
    double *norm2; /* (n) */
    double *total; /* (n), SC-SVM: the sum of the row's alpha */
    size_t *order; /* (n) */
    double *f;     /* (k) */
    double *a;     /* (k) */
    double *s;     /* (T) */
    double *u;     /* (T) */
};

TL_INLINE bool tl_simplex_is_gram(const tl_simplex *self) {
    return self->data.representation == TL_GRAM;
}

TL_INLINE const double *tl_simplex_gram_row(const tl_simplex *self, size_t i) {
    return (const double *)self->data.x + i * self->data.n;
}

TL_INLINE bool tl_simplex_is_cone(const tl_simplex *self) {
    return self->loss == TL_SIMPLEX_SC_SVM;
}

TL_INLINE size_t tl_simplex_label(const tl_data *data, size_t i) {
    return (size_t)data->label[data->label_start[i]];
}

TL_INLINE double tl_simplex_box(const tl_simplex *self, size_t i) {
    return self->C * (self->data.weight ? self->data.weight[i] : 1.0);
}

TL_INLINE size_t tl_simplex_variables(const tl_simplex *self) { /* of an example */
    return tl_simplex_is_cone(self) ? self->data.m : 1;
}

/* a_i into a; false if it is zero. work (T). */
bool tl_simplex_coefficient(const tl_simplex *self, size_t i, double *work, double *a);
/* f(x_i); not for SH-SVM with a Gram matrix. Valid until the next call. */
const double *tl_simplex_values(tl_simplex *self, size_t i);
/* <c_(y_i), f(x_i)>, of SH-SVM. */
double tl_simplex_own_value(tl_simplex *self, size_t i);
/* W, or the values at the rows, from the dual variables. */
void tl_simplex_compute(tl_simplex *self);
/* l of D = l - 1/2 ||W||^2; and ||W||^2, right after tl_simplex_compute. */
double tl_simplex_linear_part(const tl_simplex *self);
double tl_simplex_norm2(const tl_simplex *self);

#endif /* TL_SIMPLEX_H */
