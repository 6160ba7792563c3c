/* SPDX-License-Identifier: MIT
 *
 * solver.h: the solver's state, shared by the files that set it up, run it and evaluate it; not
 * installed.
 */
#ifndef TL_SOLVER_H
#define TL_SOLVER_H

#include "internal.h"

/* With at most so many features, rows are updated one by one, without matrix products. */
#define TL_NARROW_FEATURES 64
/* Classes are padded to a multiple of this. */
#define TL_NARROW_LANES 8

/* Rows whose scores are computed by one product where no update comes between. */
#define TL_EVALUATION_BLOCK 128

struct tl_solver {
    tl_data data;
    tl_settings settings;
    const tl_loss_ops *ops;
    tl_params params;
    double *dual;    /* (n, m), the caller's */
    double *weights; /* (m, d), the caller's; NULL for a Gram matrix */
    double total_weight;
    uint64_t epochs;
    uint64_t random_state;
    size_t block;
    size_t *order;        /* (n) */
    double *norm2;        /* (n) */
    double *kept;         /* (n, TL_KEPT): what a loss keeps of a row between its updates */
    double *narrow;       /* (d, narrow_stride): W transposed and padded; NULL: blocked */
    size_t narrow_stride; /* m rounded up */
    double *rows;         /* (block, d) or (block, n): the gathered rows */
    double *gram;         /* (block, block), lower triangle */
    double *scores;       /* (max(block, TL_EVALUATION_BLOCK), m) */
    double *delta;        /* (block, m) */
    bool *moved;          /* (block): is delta of this row not zero? */
    double *work;         /* (TL_WORK(m)) */
};

TL_INLINE bool is_gram(const tl_solver *self) {
    return self->data.representation == TL_GRAM;
}

TL_INLINE size_t row_length(const tl_solver *self) {
    return is_gram(self) ? self->data.n : self->data.d;
}

TL_INLINE tl_row row_view(const tl_solver *self, size_t i) {
    const tl_data *data = &self->data;
    const int64_t first = data->label_start[i];
    const tl_row row = {.C = self->settings.C * (data->weight ? data->weight[i] : 1.0),
                        .norm2 = self->norm2[i],
                        .labels = data->label + first,
                        .n_labels = (size_t)(data->label_start[i + 1] - first)};
    return row;
}

/* scores (count, m) of `count` rows that lie one behind the other at x. */
TL_INLINE void compute_scores(const tl_solver *self, size_t count, const double *x,
                              double *scores) {
    const size_t m = self->data.m;
    if (is_gram(self))
        tl_gemm_nn(count, m, self->data.n, x, self->dual, scores);
    else
        tl_gemm_nt(count, m, self->data.d, x, self->weights, scores);
}

TL_INLINE double squared_norm(size_t n, const double *x) {
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sum;
}

/* solver_objective.c: tr(A^T X W^T) = sum_i <a_i, s_i>, and, unless `losses` is NULL, the weighted
 * sum of the losses. */
double tl_scan_scores(tl_solver *self, double *losses);
/* solver_objective.c: weighted sum over the rows of -L*(-scale a_i / C_i). */
double tl_dual_sum(const tl_solver *self, double scale);
/* solver_start.c: check the starting point, compute W = A^T X, and scale both if C_start is another
 * C. */
tl_status tl_prepare_start(tl_solver *self, double C_start);

#endif /* TL_SOLVER_H */
