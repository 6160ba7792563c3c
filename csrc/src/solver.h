/* SPDX-License-Identifier: MIT
 *
 * solver.h: the state of the solver, and the functions that its files share. Each file calls only
 * those below it:
 *
 *   solver_create.c                 set up, change C, hand out the weights, free
 *   solver_run.c                    passes, to a tolerance
 *   solver_start.c                  from one C to another
 *   solver_objective.c              the certificate, and its estimate
 *   solver_accelerate.c             the loop around the passes
 *   solver_lagrangian.c             the one around that, for hinges that are not smooth
 *   solver_weights.c                W and scores, by rows or in blocks
 *   solver_rows.c, solver_blocks.c  updates of rows one by one, or in blocks
 *   solver_update.c                 what the update of a row leaves behind; shrinking
 *   solver_check.c                  checks of data, settings and start
 *   solver_memory.c                 pages of mapped files
 */
#ifndef TL_SOLVER_H
#define TL_SOLVER_H

#include "loss.h"
#include "products.h"
#include "row_features.h"
#include "tuning.h"

/* Where rows are updated one by one, classes are padded to a multiple of this. */
#define TL_LANES 8
/* Rows whose scores are computed by one product where no update comes between. */
#define TL_EVALUATION_BLOCK 128
/* The same for rows that are not neighbours; at most a block of the solver. */
#define TL_SAMPLE_BLOCK 64

/* Neighbouring rows that stay together in windows: enough to read a file in pieces. */
#define TL_RUN 64

/* Sums over sampled rows i, each just before its update, or at a start (tl_solver_estimate). */
typedef struct tl_sample {
    double C;          /* of C_i */
    double losses;     /* of C_i L(s_i) */
    double conjugates; /* of C_i L*(-a_i/C_i) */
    double products;   /* of <a_i, s_i> */
} tl_sample;

/* Shrinking: a row whose last updates changed nothing is left out of some passes. */
typedef struct tl_shrinking {
    uint8_t unchanged; /* last updates in a row that changed nothing, up to a bound */
    uint8_t skips;     /* passes still to leave the row out of */
} tl_shrinking;

/* The accelerated proximal-point loop, solver_accelerate.c. Of a Gram matrix the weights are their
 * coefficients (n, m), W = sum_i x_i coefficients_i^T. */
typedef struct tl_outer {
    bool active;         /* else the passes are plain, and only the next four are used */
    double sigma;        /* 1/(1 + r) of the present outer step; 1 while plain */
    unsigned passes;     /* of the present outer step; while plain, since the start or a new C */
    double moved;        /* sum_i sigma |x_i|^2 |change of a_i|^2 in the present pass */
    double moved_before; /* in the pass before */
    double size;         /* sum_i sigma |x_i|^2 |a_i|^2 over the rows visited in the present pass */
    double r;            /* of the next outer step */
    double largest;      /* bound of r */
    double t;            /* of Nesterov's sequence */
    double *anchor;      /* Y */
    double *previous;    /* W at the end of the outer step before */
    double *coefficients; /* of a Gram matrix: (n, m) for self->coefficients */
    double *difference;   /* of a Gram matrix: (n, m) for work */
    double overshoot;     /* <Y - W, W - W_before> at its end; 0: unknown */
    double residual2;     /* ||W0 + X^T A - W||^2 at the end of the last outer step */
    double norm2;         /* ||W - W0||^2 then; both estimates with a Gram matrix */
} tl_outer;

/* The augmented Lagrangian, solver_lagrangian.c. */
typedef struct tl_lagrangian {
    bool is_open;      /* may it begin? */
    uint64_t passes;   /* since the start or a new C */
    double gamma;      /* gamma_k; 0: not begun */
    double *center;    /* B, (n, m) */
    tl_sample sample;  /* of the present epoch, of the inner problem */
    tl_sample sampled; /* of the last whole one */
} tl_lagrangian;

/* Of X^T A, found when the weights are computed from A. */
typedef struct tl_weight_sums {
    double norm2;          /* ||X^T A||^2 */
    double center_product; /* <X^T A, W0> */
} tl_weight_sums;

/* What bounds rounding errors (solver_rounding.c); per class they are in self->sizes. */
typedef struct tl_sizes {
    double rows;    /* sum_i w_i ||x_i|| */
    double largest; /* max_c M_c */
    double dual2;   /* sum_c S_c^2 */
    double primal2; /* sum_c M_c^2 */
} tl_sizes;

struct tl_solver {
    tl_data data;
    tl_settings settings;
    const tl_loss_ops *ops;
    tl_params params;
    bool by_rows; /* rows are updated one by one (few features, or sparse ones), else in blocks */
    double total_weight;
    uint64_t epochs;
    uint64_t visited; /* rows, in all epochs */
    uint64_t random_state;
    size_t *order;  /* (n) */
    size_t *runs;   /* of neighbouring rows: an order of them; NULL without windows */
    size_t *visits; /* (n): the rows of the present epoch, in their order */
    size_t n_visits;
    bool *sampled_here;      /* (n): is this visit sampled? */
    tl_shrinking *shrinking; /* (n) */
    size_t position;   /* visits of the present epoch that are made; 0 or all: between epochs */
    double *norm2;     /* (n) */
    double *kept;      /* (n, TL_KEPT): what a loss keeps of a row between its updates */
    tl_sample sample;  /* of the present epoch */
    tl_sample sampled; /* of the last whole epoch, or of a start with a Gram matrix */

    double *dual;     /* (n, m), the caller's */
    bool at_zero;     /* dual is still all zeros */
    double *weights;  /* by rows: (d, stride); in blocks: (m, d); NULL for a Gram matrix */
    float *weights32; /* (m, d), in blocks, as long as the products run in float32: these are what
                         the epochs work with, and weights those of the last evaluation */
    bool is_behind;   /* have weights32 changed since weights were computed? */
    float *x32;       /* (n, stride32), for float64 rows, as long as the products run in float32 */
    size_t stride32;
    float *coefficients32; /* for a Gram matrix in float32, as long as its products run in that: the
                              coefficients that they take, (n, m), or (m, n) by the own products */
    double *center;        /* W0 in the layout of weights, or NULL */
    tl_weight_sums sums;   /* at the last call of tl_compute_weights */
    tl_outer outer;
    tl_lagrangian lagrangian;
    double *coefficients; /* (n, m), of a Gram matrix; while plain, dual itself */

    size_t stride; /* between two rows of scores or of delta: m, by rows padded with zeros */
    size_t block;
    size_t inner; /* updates within a block are carried to later rows by products of so many */
    const tl_products *products; /* of dense rows, or of a Gram matrix; NULL: by the BLAS */
    const double **row;          /* (block): where the rows of the block are, for these products */
    const float **row32;
    double *rows;    /* gathered or converted rows */
    float *rows32;   /* (block, d), for a Gram matrix (block, n) */
    double *gram;    /* (block, block), lower triangle */
    float *gram32;   /* the same, not for a Gram matrix */
    double *scores;  /* (max(block, TL_EVALUATION_BLOCK), stride) */
    float *scores32; /* (block, m) */
    double *delta;   /* (block, stride) */
    float *delta32;  /* (block, m), for a Gram matrix (1, m) */
    bool *moved;     /* (block): is delta of this row not zero? */
    double *work;    /* (TL_WORK(m)) */
    double *sizes;   /* (2, m): S_c and M_c of solver_rounding.c */
};

TL_INLINE size_t tl_smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

TL_INLINE bool tl_is_gram(const tl_solver *self) {
    return self->data.representation == TL_GRAM;
}

TL_INLINE size_t tl_row_length(const tl_solver *self) {
    return tl_is_gram(self) ? self->data.n : self->data.d;
}

/* The same of a row of x, which lacks a constant feature. */
TL_INLINE size_t tl_stored_length(const tl_solver *self) {
    return tl_is_gram(self) ? self->data.n : tl_stored_features(&self->data);
}

/* Are rows copied for products, since they are float32 or lack a constant feature? */
TL_INLINE bool tl_copies_rows(const tl_data *data) {
    return data->type == TL_FLOAT32 || data->constant != 0.0;
}

TL_INLINE size_t tl_weights_size(const tl_solver *self) {
    return self->data.d * (self->by_rows ? self->stride : self->data.m);
}

/* Numbers in the weights, or in the coefficients of a Gram matrix. */
TL_INLINE size_t tl_primal_size(const tl_solver *self) {
    return tl_is_gram(self) ? self->data.n * self->data.m : tl_weights_size(self);
}

TL_INLINE tl_row tl_row_view(const tl_solver *self, size_t i) {
    const tl_data *data = &self->data;
    const int64_t first = data->label_start[i];
    const tl_row row = {.C = self->settings.C * (data->weight ? data->weight[i] : 1.0),
                        .norm2 = self->outer.sigma * self->norm2[i],
                        .labels = data->label + first,
                        .n_labels = (size_t)(data->label_start[i + 1] - first)};
    return row;
}

/* solver_update.c */
/* The update of row i from a to a_new, which it replaces: delta = sigma (a_new - a), by which W
 * changes. Returns whether there is a change. */
bool tl_replace_dual(tl_solver *self, size_t i, const double *a_new, double *a, double *delta);
/* The rows of the order that shrinking does not leave out; sampled rows never are. */
void tl_choose_visits(tl_solver *self);
void tl_add_to_sample(tl_solver *self, tl_sample *sample, const tl_row *row, const double *s,
                      const double *a);
/* The same for self->sample, if the row of this visit is to be sampled. */
void tl_sample_row(tl_solver *self, size_t visit, const tl_row *row, const double *s,
                   const double *a);

/* solver_check.c */
/* The features alone. */
tl_status tl_check_rows(const tl_data *data);
tl_status tl_check_input(const tl_data *data, const tl_settings *settings, const double *dual);
tl_status tl_check_row(const tl_solver *self, size_t i);
tl_status tl_check_start(const tl_solver *self, double C_start);

/* solver_rows.c: rows one by one, W as (d, stride) */
/* Update the rows of the visits first .. first + count - 1. */
void tl_rows_update(tl_solver *self, size_t first, size_t count);
void tl_rows_scores(tl_solver *self, size_t first, size_t count);
/* W += A^T X */
void tl_rows_add_duals(tl_solver *self);
double tl_rows_norm2(tl_solver *self, size_t i);

/* solver_blocks.c: rows in blocks, W as (m, d); or a Gram matrix */
/* The same; `count` is a whole number of blocks, or ends the epoch. */
void tl_blocks_update(tl_solver *self, size_t first, size_t count);
void tl_blocks_scores(tl_solver *self, size_t first, size_t count);
void tl_blocks_add_duals(tl_solver *self);
double tl_blocks_norm2(tl_solver *self, size_t i);
/* Bring self->coefficients32, if there are any, up to date after self->coefficients have changed.
 */
void tl_blocks_copy_coefficients(tl_solver *self);
/* A float32 copy of float64 rows; is there memory for it? */
bool tl_blocks_copy_rows(tl_solver *self);
/* Before an evaluation that computes W anew: the scores of a sample as the float32 products have
 * them, into self->scores32. */
void tl_blocks_sample32(tl_solver *self);
/* After it: switch to products in float64 once rounding is no longer small against the gap, P - D.
 */
void tl_blocks_check_rounding(tl_solver *self, double gap);
/* Switch to them in any case; whether there was something to switch. */
bool tl_blocks_widen(tl_solver *self);
/* Do products of float64 data run in float32? */
bool tl_blocks_are_narrow(const tl_solver *self);
/* With a Gram matrix: products of at most self->block rows with a matrix (n, m), into self->scores.
 */
void tl_blocks_products(tl_solver *self, const double *matrix, size_t count, const size_t *index);
/* The same of rows first .. first + count - 1. */
void tl_blocks_consecutive(tl_solver *self, const double *matrix, size_t first, size_t count);

/* solver_accelerate.c */
/* From plain passes on to accelerated ones, with Y = W. */
void tl_accelerate_at_once(tl_solver *self);
/* The same with W = outer.previous. */
void tl_accelerate_from_previous(tl_solver *self);
/* Restart the loop, after A has been rescaled for another C, with Y = W. The caller computes W anew
 * afterwards, unless there is a Gram matrix. */
void tl_accelerate_again(tl_solver *self);
/* Fill in outer.residual2 and outer.norm2. */
void tl_accelerate_measure(tl_solver *self);
void tl_accelerate_begin_pass(tl_solver *self);
void tl_accelerate_end_pass(tl_solver *self);
/* Between outer steps? Only there an evaluation is of use. */
bool tl_is_step_over(const tl_solver *self);

/* Estimates of P, and of what P - D consists of. */
typedef struct tl_gap_parts {
    double inner;    /* that of the inner problem */
    double residual; /* lambda/2 ||W0 + X^T A - W||^2 */
    double primal;
} tl_gap_parts;
/* From a sample of the last pass; NaN of an empty one. */
tl_gap_parts tl_estimate_parts(const tl_solver *self, const tl_sample *sample);
/* The sequence begins anew where the augmented Lagrangian does. */
void tl_accelerate_restart(tl_solver *self);

/* solver_lagrangian.c */
bool tl_lagrangian_allocate(tl_solver *self);
void tl_lagrangian_free(tl_solver *self);
void tl_lagrangian_forget(tl_solver *self);
void tl_lagrangian_end_pass(tl_solver *self);
/* The update of the row of this visit from a to a_new; may change the scores s. */
void tl_update_row(tl_solver *self, size_t visit, const tl_row *row, double *s, const double *a,
                   double *a_new);

/* solver_memory.c: give back the pages of a mapped file. */
void tl_release_rows(const tl_solver *self, size_t first, size_t count);
/* Rows between two such calls in a pass over all rows. */
size_t tl_rows_in_memory(const tl_solver *self);

/* solver_rounding.c */
/* u kappa */
double tl_rounding_unit(const tl_solver *self);
/* Times the bounds: those that hold whatever the signs of the errors are. */
double tl_rounding_strict(const tl_solver *self);
tl_sizes tl_find_sizes(tl_solver *self);
/* Of D, times lambda: the nearest a_i in the domain of the conjugate moves D by no more, to first
 * order. */
double tl_domain_error(const tl_solver *self, const tl_row *row, size_t i, const double *s);
/* The largest loss of row i at scores that differ from s by rounding only; changes s. After
 * tl_find_sizes. */
double tl_worst_loss(tl_solver *self, size_t i, const tl_row *row, double *s);

/* solver_weights.c */
double tl_row_norm2(tl_solver *self, size_t i);
/* Scores of rows first .. first + count - 1 into self->scores. */
void tl_scores(tl_solver *self, size_t first, size_t count);
/* W = W0 + X^T A, with acceleration sigma (W0 + X^T A) + (1 - sigma) Y; fills self->sums. */
void tl_compute_weights(tl_solver *self);
/* ||W - other||^2; other NULL: 0. */
double tl_weights_norm2(const tl_solver *self, const double *other);

/* solver_objective.c */
/* Weighted sum over the rows of -L*(-scale a_i / C_i), estimated from every so-many-th row. */
double tl_dual_sum(const tl_solver *self, double scale, size_t every);

/* solver_start.c */
/* With a Gram matrix, where an evaluation of the start costs as much as an epoch: an estimate of
 * the gap decides whether to evaluate. */
void tl_sample_start(tl_solver *self);
/* Carry A and W from C_from to the C of the settings. */
void tl_rescale(tl_solver *self, double C_from);

#endif /* TL_SOLVER_H */
