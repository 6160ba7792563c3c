/* SPDX-License-Identifier: MIT
 *
 * solver.h: the state of the solver, and the functions that its files share. Each file calls only
 * those below it, and the storages by the table tl_storage:
 *
 *   solver_create.c                 set up, change C, hand out the weights, free
 *   solver_run.c                    passes, to a tolerance
 *   solver_start.c                  from one C to another
 *   solver_objective.c              the certificate, and its estimate
 *   solver_lagrangian.c             the outer loop for hinges that are not smooth
 *   solver_accelerate.c             the loop around the passes, within that
 *   solver_weights.c                W from A, scores, and the change from float32 to float64
 *   storage_*.c                     updates, scores and W for each way to store the features
 *   solver_rounding.c               bounds of rounding errors
 *   solver_update.c                 the update of a row, and what it leaves behind; shrinking
 *   solver_check.c                  checks of data, settings and start
 *   solver_memory.c                 pages of mapped files
 */
#ifndef TL_SOLVER_H
#define TL_SOLVER_H

#include "loss.h"
#include "products.h"
#include "row_features.h"
#include "tuning.h"

typedef struct tl_storage tl_storage;

typedef struct tl_distances {
    double anchor;    /* ||W - Y||^2 */
    double center;    /* ||W - W0||^2 */
    double overshoot; /* of tl_outer; 0: unknown */
} tl_distances;

typedef struct tl_norms {
    double primal; /* ||W - W0||^2 */
    double dual;   /* ||X^T A||^2 */
} tl_norms;

/* What the caller is asked by tl_is_over. */
typedef struct tl_watch {
    int (*ask)(void *user); /* or NULL */
    void *user;
    double work; /* since it was asked last, in multiplications */
    bool is_over;
} tl_watch;

/* Is the call to end? Asked before this much work more; once it is to end, for good. Loops that ask
 * leave what they compute unfinished, and the function of the interface returns TL_ERR_OVER. */
TL_INLINE bool tl_is_over(tl_watch *watch, double work) {
    watch->work += work;
    if (watch->work >= TL_WORK_BETWEEN && watch->ask != NULL && !watch->is_over) {
        watch->work = 0.0;
        watch->is_over = watch->ask(watch->user) != 0;
    }
    return watch->is_over;
}

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

/* The accelerated proximal-point loop, solver_accelerate.c; anchor and previous are laid out as W.
 */
typedef struct tl_outer {
    bool active;          /* else the passes are plain, and only the next five are used */
    double sigma;         /* 1/(1 + r) of the present outer step; 1 while plain */
    unsigned passes;      /* of the present outer step; while plain, since the start or a new C */
    double change;        /* sum_i sigma |x_i|^2 |change of a_i|^2 in the present pass */
    double change_before; /* in the pass before */
    double size;    /* sum_i sigma |x_i|^2 |a_i|^2 over the rows visited in the present pass */
    double r;       /* of the next outer step */
    double largest; /* bound of r */
    double t;       /* of Nesterov's sequence */
    double *anchor; /* Y */
    double *
        previous; /* W at the end of the outer step before; else a copy of W while it is computed */
    double overshoot; /* <Y - W, W - W_before> at the end of the last outer step; 0: unknown */
    double residual2; /* ||W0 + X^T A - W||^2 at the end of the last outer step */
    double norm2;     /* ||W - W0||^2 then; both estimates with a Gram matrix */
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

/* Sums over the entries of X^T A, found when the weights are computed from A. */
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

/* What updates in blocks need besides, storage_blocks.c. */
typedef struct tl_blocks {
    const tl_products *products; /* of dense rows, or of a Gram matrix; NULL: by the BLAS */
    const double **row;          /* (block): where the rows of the block are, for these products */
    double *rows;                /* gathered or converted rows */
    double *gram;                /* (block, block), lower triangle */
    double *difference;          /* of a Gram matrix with acceleration: W - Y */
    bool *changed;               /* (block): is delta of this row not zero? */
} tl_blocks;

/* What passes in float32 need besides. */
typedef struct tl_float32 {
    const float *x;    /* the rows of the data, or a copy of float64 ones */
    size_t length;     /* of these rows; what they lack is the constant feature */
    size_t stride;     /* between two of them */
    float *copy;       /* memory of the copy */
    float *primal;     /* W; of a Gram matrix (n, m), or (m, n) by the own products */
    bool is_ahead;     /* has this W changed since self->primal was computed? */
    const float **row; /* as those of tl_blocks */
    float *rows;
    float *gram;
    float *scores;
    float *delta;
} tl_float32;

struct tl_solver {
    tl_watch watch;
    tl_data data;
    tl_settings settings;
    const tl_loss_ops *ops;
    tl_params params;
    const tl_storage *storage;
    double total_weight;
    uint64_t epochs;
    uint64_t visited; /* rows, in all epochs */
    uint64_t random_state;
    size_t *order;  /* (n) */
    size_t *strips; /* with windows: an order of the strips of neighbouring rows */
    size_t *visits; /* (n): the rows of the present epoch, in their order */
    size_t n_visits;
    bool *sampled_here;      /* (n): is this visit sampled? */
    tl_shrinking *shrinking; /* (n) */
    size_t position;   /* visits of the present epoch that are made; 0 or all: between epochs */
    double *norm2;     /* (n) */
    double *warm;      /* (n, TL_WARM): where the search of the next update of a row begins */
    tl_sample sample;  /* of the present epoch */
    tl_sample sampled; /* of the last whole epoch, or of a start with a Gram matrix */

    double *dual;        /* (n, m), the caller's */
    bool at_zero;        /* dual is still all zeros */
    size_t primal_size;  /* numbers in W as it is stored */
    double *primal;      /* W; while a Gram matrix has plain passes, dual itself */
    double *weights;     /* memory of W */
    double *center;      /* W0 in the layout of W, or NULL */
    tl_weight_sums sums; /* at the last call of tl_compute_weights */
    tl_outer outer;
    tl_lagrangian lagrangian;

    size_t row_length;    /* of x_i as the storage sees it: d, of a Gram matrix n */
    size_t stored_length; /* the same without a constant feature */
    size_t stride; /* between two rows of scores or of delta: m, or more, padded with zeros */
    size_t block;  /* rows updated between two products; 1: one by one */
    tl_blocks blocks;
    tl_float32 float32;
    double *row;    /* one by one: the row in float64 */
    double *scores; /* (max(block, TL_EVALUATION_BLOCK), stride) */
    double *delta;  /* (block, stride) */
    double *work;   /* (TL_WORK(m)) */
    double *sizes;  /* (2, m): S_c and M_c of solver_rounding.c */
};

/* A way to store the features, and W with them. `primal` is laid out as the storage has it; with a
 * Gram matrix it holds coefficients (n, m), W = sum_i x_i coefficients_i^T. */
struct tl_storage {
    const tl_storage *rounded; /* that of a float32 copy of the same rows, or NULL */
    bool in_float32;           /* do the passes run in float32, with their own W? */
    bool by_coefficients;      /* is W given by coefficients, which each update changes with A? */
    bool copies_rows;          /* are the rows themselves rounded to float32? */
    /* Memory for work; freed by tl_solver_free. */
    bool (*allocate)(tl_solver *self);
    /* ||x_i||^2 */
    double (*norm2)(tl_solver *self, size_t i);
    /* Update the rows of the visits first .. first + count - 1; `count` is a whole number of
     * blocks, or ends the epoch. */
    void (*update)(tl_solver *self, size_t first, size_t count);
    /* Scores of rows first .. first + count - 1 under primal, into self->scores. */
    void (*scores)(tl_solver *self, size_t first, size_t count);
    /* primal += X^T A; NULL where W is given by coefficients. */
    void (*add_duals)(tl_solver *self);
    /* From weights (d, m), or coefficients (n, m), to the layout of primal, and back. */
    void (*lay_out)(const tl_solver *self, const double *given, double *primal);
    void (*hand_out)(const tl_solver *self, double *given);
    /* M_c of solver_rounding.c */
    void (*class_norms)(tl_solver *self, double *norms);
    /* At least the norm of the given weights, and their largest entry if it counts in float32. */
    double (*bound)(const tl_solver *self, const double *given, double *entry);
    /* With a Gram matrix from some of the rows, and in the augmented Lagrangian from all of them.
     */
    tl_distances (*distances)(tl_solver *self);
    /* <Y - W, W - W_before>, or what `distances` found of it */
    double (*overshoot)(const tl_solver *self);
    /* From the sums over the rows of <a_i, s_i> and of <coefficients_i, s_i>, and their errors. */
    tl_norms (*norms)(tl_solver *self, double dual_product, double own_product);
    double (*norms_rounding)(const tl_solver *self, const tl_sizes *sizes, const tl_norms *norms);

    /* The next three are NULL where the passes run in float64. */
    /* Bring primal up to date with the W of the passes, and the reverse. */
    void (*read)(tl_solver *self);
    void (*write)(tl_solver *self);
    /* What write does, after tl_compute_weights. */
    void (*settle)(tl_solver *self);

    /* The next three are NULL where the passes cannot change from float32 to float64. */
    /* Scores of these rows as the passes have them, into float32.scores, and under primal. */
    void (*sample32)(tl_solver *self, size_t count, const size_t *index);
    void (*sample)(tl_solver *self, size_t count, const size_t *index);
    /* Change to float64; is primal to be computed anew? */
    bool (*widen)(tl_solver *self);

    /* ||X^T A||^2 of a start, where W is not computed anew; with a Gram matrix from some rows. */
    double (*start_norm2)(tl_solver *self);
    /* Add some rows to self->sampled; NULL where an evaluation is as cheap. */
    void (*sample_start)(tl_solver *self);
};

extern const tl_storage tl_storage_rows;    /* few features, or sparse ones; one by one */
extern const tl_storage tl_storage_dense;   /* float64 rows in blocks */
extern const tl_storage tl_storage_dense32; /* float32 rows in blocks */
extern const tl_storage tl_storage_copy32;  /* a float32 copy of float64 rows, in blocks */
extern const tl_storage tl_storage_gram;    /* a Gram matrix, in blocks */
extern const tl_storage tl_storage_gram32;  /* a Gram matrix in float32, or such a copy */

/* To the storage of a float32 copy of the rows; false without the memory or the time for it. */
bool tl_copy_to_float32(tl_solver *self);

TL_INLINE size_t tl_smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

TL_INLINE size_t tl_larger(size_t a, size_t b) {
    return a > b ? a : b;
}

/* Is W computed anew from A for an evaluation? */
TL_INLINE bool tl_is_computed(const tl_solver *self) {
    const tl_storage *storage = self->storage;
    return !storage->by_coefficients &&
           (storage->in_float32 || self->center != NULL || self->outer.active);
}

/* Is W what the passes have made of it, with their rounding? */
TL_INLINE bool tl_has_drift(const tl_solver *self) {
    return !self->storage->by_coefficients && !tl_is_computed(self);
}

/* Multiplications that the scores of a row take, about. */
TL_INLINE double tl_row_work(const tl_solver *self) {
    const tl_data *data = &self->data;
    const bool sparse = data->representation == TL_CSR;
    const size_t n = data->n;
    const double length =
        sparse ? (double)data->row_start[n] / (double)n : (double)self->row_length;
    return (length + TL_WORK_OF_CLASS) * (double)data->m;
}

TL_INLINE tl_row tl_row_view(const tl_solver *self, size_t i) {
    const tl_data *data = &self->data;
    return tl_row_of(self->params, tl_row_C(self->settings.C, data->weight, i),
                     self->outer.sigma * self->norm2[i], data->label_start, data->label, i);
}

/* solver_update.c */
/* The update of the row of this visit from a to a_new; may change the scores s. */
void tl_update_row(tl_solver *self, size_t visit, const tl_row *row, double *s, const double *a,
                   double *a_new);
/* The update of row i from a to a_new, which it replaces: delta = sigma (a_new - a), by which W
 * changes. Returns whether there is a change. */
bool tl_replace_dual(tl_solver *self, size_t i, const double *a_new, double *a, double *delta);
/* The rows of the order that shrinking does not leave out; sampled rows never are. */
void tl_choose_visits(tl_solver *self);
void tl_add_to_sample(tl_solver *self, tl_sample *sample, const tl_row *row, const double *s,
                      const double *a);
/* Add a row to self->sample, if its visit is to be sampled. */
void tl_sample_row(tl_solver *self, size_t visit, const tl_row *row, const double *s,
                   const double *a);

/* solver_check.c */
/* The features alone. */
tl_status tl_check_rows(const tl_data *data);
tl_status tl_check_input(const tl_data *data, const tl_settings *settings, const double *dual);
tl_status tl_check_row(const tl_solver *self, size_t i);
tl_status tl_check_start(tl_solver *self, double C_start);

/* solver_accelerate.c */
/* From plain passes on to accelerated ones, with Y = W. */
void tl_accelerate_at_once(tl_solver *self);
/* From plain passes on to accelerated ones, with W = outer.previous and the Y that belongs to it.
 */
void tl_accelerate_from_previous(tl_solver *self);
/* Restart the loop, after A has been rescaled for another C, with Y = W. The caller computes W anew
 * afterwards. */
void tl_accelerate_again(tl_solver *self);
/* Fill in outer.residual2 and outer.norm2. */
void tl_accelerate_measure(tl_solver *self);
void tl_accelerate_begin_pass(tl_solver *self);
void tl_accelerate_end_pass(tl_solver *self);
/* Between outer steps? Only there an evaluation is of use. */
bool tl_is_step_over(const tl_solver *self);

/* What P - D consists of. */
typedef struct tl_gap_parts {
    double inner;    /* (1/n) sum_i [L(s_i) + L*(-a_i/C_i)] + lambda sum_i <a_i, s_i> */
    double residual; /* lambda/2 ||W0 + X^T A - W||^2; 0 in plain passes */
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

/* solver_memory.c: give back the pages of a mapped file. */
void tl_release_rows(const tl_solver *self, size_t first, size_t count);
/* Rows between two such calls in a pass over all rows. */
size_t tl_rows_in_memory(const tl_solver *self);

/* solver_rounding.c */
/* u kappa */
double tl_rounding_unit(const tl_solver *self);
/* Times the bounds: those that hold whatever the signs of the errors are. */
double tl_rounding_strict(const tl_solver *self);
/* sizes_c += norm |a_c| */
void tl_add_sizes(size_t m, double norm, const double *a, double *sizes);
tl_sizes tl_find_sizes(tl_solver *self);
/* A bound, times lambda and to first order, of the change of D from a_i to the nearest point in the
 * domain of the conjugate. */
double tl_domain_error(const tl_solver *self, const tl_row *row, size_t i, const double *s);
/* The largest loss of row i at scores that differ from s by rounding only; changes s. After
 * tl_find_sizes. */
double tl_worst_loss(tl_solver *self, size_t i, const tl_row *row, double *s);

/* solver_weights.c */
/* W = W0 + X^T A, with acceleration sigma (W0 + X^T A) + (1 - sigma) Y; fills self->sums. Where the
 * call is over, W is as it was, or in the accelerated loop outer.previous. */
void tl_compute_weights(tl_solver *self);
/* Go on in float64; false: the passes cannot, or do so already. */
bool tl_widen_passes(tl_solver *self);
/* Before an evaluation that computes W anew: the scores of some rows as float32 passes have them.
 */
void tl_sample_float32(tl_solver *self);
/* After it: go on in float64 once rounding is no longer small against the gap, P - D. */
void tl_check_float32(tl_solver *self, double gap);

/* solver_objective.c */
/* Weighted sum over the rows of -L*(-scale a_i / C_i), estimated from every so-many-th row. */
double tl_dual_sum(tl_solver *self, double scale, size_t every);

/* solver_start.c */
/* Where an evaluation of the start costs as much as an epoch: an estimate of the gap decides
 * whether to evaluate. */
void tl_sample_start(tl_solver *self);
/* Carry A and W from C_from to the C of the settings. */
void tl_rescale(tl_solver *self, double C_from);

#endif /* TL_SOLVER_H */
