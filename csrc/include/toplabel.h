/* SPDX-License-Identifier: MIT
 *
 * toplabel.h: the public interface of the toplabel C library, and the only header to include.
 *
 * The library trains linear and kernel classifiers by stochastic dual coordinate ascent (SDCA) and
 * certifies each of them with a duality gap. It follows Lapin, Hein, Schiele, "Analysis and
 * Optimization of Loss Functions for Multiclass, Top-k, and Multilabel Classification" (TPAMI 2017;
 * "the paper" below), whose notation is kept: n examples x_i in R^d, m classes, weights W, dual
 * variables A, regularisation C = 1/(lambda n). There is no bias term.
 *
 * Three layers, from simple to advanced:
 *   1. Proximal maps (tl_prox_*): one problem a call, no state, no allocation.
 *   2. The solver: tl_settings_default, tl_solver_create, then any mix of tl_solver_run and
 *      tl_solver_evaluate, then tl_solver_weights and tl_solver_free. The caller keeps control
 * between epochs.
 *   3. tl_blas_set: give the library your BLAS. Without it, portable loops are used.
 *
 * Rules that hold everywhere:
 *   - A function that can fail returns a tl_status; results leave through pointers. On failure
 * nothing that the caller sees is changed, unless the function's comment says so.
 *   - Whether a run has converged is not an error: read it off tl_objective.
 *   - Matrices are dense, row-major, float64, without padding, unless said otherwise. Features may
 * be float32, and sparse (CSR).
 *   - Memory named "borrowed" must outlive the object that borrows it. Work memory is allocated
 * once, in tl_solver_create; nothing is allocated while it runs.
 *   - A solver belongs to one thread at a time. There is no global state but the BLAS table, which
 * is to be set once, before the first solver runs.
 *   - The library prints nothing and never exits.
 */
#ifndef TOPLABEL_H
#define TOPLABEL_H

#include <stddef.h>
#include <stdint.h>

/** Version of this header; tl_version() is that of the library. */
#define TL_VERSION "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif

/* The shared library is built with hidden visibility: it exports what is declared here, no more. */
#if defined(TL_EXPORT) && defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

/* The region between the two markers is also what the Python binding declares: it holds plain C
 * declarations and no preprocessor directive. */
/* TL_CFFI_BEGIN */

/* ---- Status ---- */

/** What went wrong. Zero is success. */
typedef enum tl_status {
    TL_OK = 0,
    TL_ERR_NULL,      /* a required pointer is NULL */
    TL_ERR_ALLOC,     /* out of memory */
    TL_ERR_DIMENSION, /* a size is out of range (n, d < 1; m < 2; k < 1, k >= m; too large for BLAS)
                       */
    TL_ERR_NOT_FINITE, /* a feature, weight or dual variable is NaN or infinite */
    TL_ERR_OVERFLOW,   /* features, C or gamma so large that numbers overflow */
    TL_ERR_LABEL, /* a label is out of range, repeated, unsorted, or a row has the wrong number */
    TL_ERR_PARAMETER,  /* C not in [1e-100, 1e100], gamma not in [0, 1e100], radius < 0, a negative
                          weight, or NaN */
    TL_ERR_LOSS,       /* unknown loss, or a loss that does not fit */
    TL_ERR_INDEX,      /* CSR: row_start falls, or a column is out of range, repeated or unsorted */
    TL_ERR_GRAM,       /* a Gram matrix with a negative diagonal or not symmetric */
    TL_ERR_INFEASIBLE, /* the starting dual variables are outside the domain of the conjugate */
    TL_STATUS_COUNT    /* number of codes; not a status */
} tl_status;

/** One line of English for a status; never NULL. */
const char *tl_status_text(tl_status status);

/** Library version, "major.minor.patch". */
const char *tl_version(void);

/* ---- BLAS ---- */

/** Fortran BLAS, 32-bit integers, column-major; as exported by any BLAS and by SciPy. */
typedef void (*tl_dgemm_fn)(char *transa, char *transb, int *m, int *n, int *k, double *alpha,
                            double *a, int *lda, double *b, int *ldb, double *beta, double *c,
                            int *ldc);
typedef void (*tl_dsyrk_fn)(char *uplo, char *trans, int *n, int *k, double *alpha, double *a,
                            int *lda, double *beta, double *c, int *ldc);

typedef void (*tl_sgemm_fn)(char *transa, char *transb, int *m, int *n, int *k, float *alpha,
                            float *a, int *lda, float *b, int *ldb, float *beta, float *c,
                            int *ldc);
typedef void (*tl_ssyrk_fn)(char *uplo, char *trans, int *n, int *k, float *alpha, float *a,
                            int *lda, float *beta, float *c, int *ldc);

typedef struct tl_blas {
    tl_dgemm_fn dgemm;
    tl_dsyrk_fn dsyrk;
    tl_sgemm_fn sgemm; /* the float32 ones are for TL_FLOAT32 only; NULL: portable loops */
    tl_ssyrk_fn ssyrk;
} tl_blas;

/** Use this BLAS from now on; NULL goes back to the portable loops. Not while a solver runs. */
tl_status tl_blas_set(const tl_blas *table);

/* ---- Special function ---- */

/** y[i] = V(t[i]) = W(exp(t[i])), W the Lambert function (the paper, section 5.1): the solution y >
 * 0 of y + log y = t. Relative error below 5e-15. V(-inf) = 0, V(inf) = inf, V(NaN) = NaN. t and y
 * may be the same array. */
tl_status tl_lambert_w_exp(size_t n, const double *t, double *y);

/* ---- Proximal maps ---- */

/* Each takes its input as const, writes the minimiser to an array of the same length (which may be
 * the input itself) and needs `work`, an array of the stated length. Inputs are finite
 * (TL_ERR_NOT_FINITE) and at most 1e150 in size (TL_ERR_OVERFLOW); 0 <= radius <= 1e150, 0 <= bias
 * <= 1e100, 1e-100 <= alpha <= 1e100 (TL_ERR_PARAMETER). Results are right up to rounding of the
 * largest input. */

/** argmin ||x - b||^2 + bias <1,x>^2 over { x : <1,x> <= radius, 0 <= x_j <= radius/k }, the top-k
 * simplex beta (the paper, Eq. (3)); k = 1 is the simplex { x >= 0 : <1,x> <= radius }. Variable
 * fixing (Kiwiel), no sorting. 1 <= k <= n. work: n. */
tl_status tl_prox_topk_simplex_beta(size_t n, const double *b, size_t k, double radius, double bias,
                                    double *x, double *work);

/** The same over { x : <1,x> <= radius, 0 <= x_j <= <1,x>/k }, the top-k simplex alpha (the paper,
 *  Eq. (2)). work: n. */
tl_status tl_prox_topk_simplex_alpha(size_t n, const double *b, size_t k, double radius,
                                     double bias, double *x, double *work);

/** The same over { x : 0 <= x_j <= <1,x>/k }, the top-k cone. work: n. */
tl_status tl_prox_topk_cone(size_t n, const double *b, size_t k, double bias, double *x,
                            double *work);

/** Projection of (b, b_bar) onto the bipartite simplex { (x, y) >= 0 : <1,x> = <1,y> <= radius }
 *  (the paper, Eq. (17)) by variable fixing. n, n_bar >= 1. work: n + n_bar. */
tl_status tl_prox_bipartite_simplex(size_t n, const double *b, size_t n_bar, const double *b_bar,
                                    double radius, double *x, double *y, double *work);

/** argmin alpha/2 ||x - b||^2 + <x, log x> + alpha/2 ||y - b_bar||^2 + <y, log y> over x, y >= 0
 * with <1,x> + <1,y> = 1 (the paper, Eq. (18)). n >= 1, n_bar >= 0. work: 2 (n + n_bar). */
tl_status tl_prox_bipartite_entropic(size_t n, const double *b, size_t n_bar, const double *b_bar,
                                     double alpha, double *x, double *y, double *work);

/** argmin alpha/2 (<x,x> + s^2) - <b,x> + <x,log x> + (1 - s) log(1 - s), s = <1,x>, over the top-k
 * simplex alpha of radius 1 (the paper, Eq. (11)). 1 <= k <= n.
 * work: 3 n + 2. */
tl_status tl_prox_topk_entropic(size_t n, const double *b, size_t k, double alpha, double *x,
                                double *work);

/** The maps above by name. */
typedef enum tl_prox_id {
    TL_PROX_TOPK_SIMPLEX_ALPHA = 0, /* k, radius, bias */
    TL_PROX_TOPK_SIMPLEX_BETA,      /* k, radius, bias */
    TL_PROX_TOPK_CONE,              /* k, bias */
    TL_PROX_BIPARTITE_SIMPLEX,      /* n_bar, radius */
    TL_PROX_TOPK_ENTROPIC,          /* k, alpha */
    TL_PROX_BIPARTITE_ENTROPIC,     /* n_bar, alpha */
    TL_PROX_COUNT                   /* number of maps; not a map */
} tl_prox_id;

/** A map with its parameters; those that the map does not have are ignored. */
typedef struct tl_prox {
    tl_prox_id map;
    int sorting; /* not 0: by sorting; TL_ERR_PARAMETER for an entropic map, which has no such way
                  */
    size_t n;
    size_t n_bar;
    size_t k;
    double radius;
    double bias;
    double alpha;
} tl_prox;

/** Length of the work array of one problem; 0 for an unknown map. */
size_t tl_prox_work(const tl_prox *prox);

/** One problem a row: b and x are (rows, n), b_bar and y (rows, n_bar) or NULL. On failure the rows
 * before the one that failed have been written. work: tl_prox_work(prox). */
tl_status tl_prox_rows(const tl_prox *prox, size_t rows, const double *b, const double *b_bar,
                       double *x, double *y, double *work);

/* ---- Losses ---- */

/** The losses. Multiclass ones take one label a row, multilabel ones (..._ML) a set of labels,
 * one-vs-all ones either. */
typedef enum tl_loss_id {
    TL_LOSS_SVM_OVA = 0,    /* one-vs-all hinge, gamma >= 0; with label sets: binary relevance */
    TL_LOSS_LR_OVA,         /* one-vs-all logistic */
    TL_LOSS_SVM_MULTI,      /* multiclass SVM, gamma >= 0 */
    TL_LOSS_TOPK_SVM_ALPHA, /* top-k SVM alpha, k, gamma >= 0 */
    TL_LOSS_TOPK_SVM_BETA,  /* top-k SVM beta, k, gamma >= 0 */
    TL_LOSS_LR_MULTI,       /* softmax */
    TL_LOSS_TOPK_ENT,       /* top-k entropy, k */
    TL_LOSS_TOPK_ENT_TR,    /* truncated top-k entropy, k: value and gradient only (not convex) */
    TL_LOSS_SVM_ML,         /* multilabel SVM, gamma >= 0 */
    TL_LOSS_LR_ML,          /* multilabel softmax */
    TL_LOSS_COUNT           /* number of losses; not a loss */
} tl_loss_id;

/** Value of the loss at given scores, averaged over nothing: values[i] is the loss of row i.
 *  labels as in tl_data; scores (n, m), at most 1e150 in size (TL_ERR_OVERFLOW). */
tl_status tl_loss_values(tl_loss_id loss, size_t k, double gamma, size_t n, size_t m,
                         const double *scores, const int64_t *label_start, const int32_t *label,
                         double *values);

/** Gradient in the scores, (n, m), of a smooth loss (lr_*, topk_ent*, or gamma > 0; else
 *  TL_ERR_LOSS). TL_LOSS_TOPK_ENT_TR has kinks where the (k-1)-th and the k-th largest score of the
 *  other classes are equal; there it is the gradient with the tied classes of smallest index
 *  dropped, and its negative is a direction of descent. */
tl_status tl_loss_gradients(tl_loss_id loss, size_t k, double gamma, size_t n, size_t m,
                            const double *scores, const int64_t *label_start, const int32_t *label,
                            double *gradients);

/** Conjugate L*(v_i) for each row v_i of v (n, m); +inf outside the domain, which is tested with a
 *  relative tolerance of 1e-9. TL_ERR_LOSS for TL_LOSS_TOPK_ENT_TR. */
tl_status tl_loss_conjugates(tl_loss_id loss, size_t k, double gamma, size_t n, size_t m,
                             const double *v, const int64_t *label_start, const int32_t *label,
                             double *values);

/* ---- Solver ---- */

typedef enum tl_representation {
    TL_DENSE = 0, /* x is the (n, d) feature matrix */
    TL_CSR,       /* x are the stored values of the sparse (n, d) feature matrix */
    TL_GRAM       /* x is the (n, n) symmetric Gram matrix; d is ignored; there are no weights */
} tl_representation;

/** The type of x. With TL_FLOAT32 the matrix products of wide dense data run in float32; dual
 * variables, updates, objectives and the certificate are float64 always. */
typedef enum tl_type { TL_FLOAT64 = 0, TL_FLOAT32 } tl_type;

/** The training set. All arrays are borrowed. */
typedef struct tl_data {
    tl_representation representation;
    tl_type type;             /* of x */
    size_t n;                 /* rows */
    size_t d;                 /* features */
    size_t m;                 /* classes */
    const void *x;            /* double or float: (n, d), (n, n), or (row_start[n]) */
    const int64_t *row_start; /* TL_CSR, (n + 1): row i is x[row_start[i] .. row_start[i+1]-1] */
    const int32_t *column32; /* TL_CSR: the columns 0 .. d-1 of these values, ascending in a row; */
    const int64_t *column64; /* one of the two, the other is NULL */
    const int64_t
        *label_start;     /* (n + 1): the labels of row i are label[label_start[i] .. [i+1]-1] */
    const int32_t *label; /* 0 .. m-1, ascending within a row */
    const double *weight; /* (n) sample weights >= 0, or NULL for ones: w is the same as w copies */
    int mapped; /* not 0: x is a file mapped into memory, so that pages may be dropped after use and
                   read again; never set it for other memory, whose content would be lost. Dense
                   x on Linux; has no effect elsewhere */
} tl_data;

typedef struct tl_settings {
    tl_loss_id loss;
    size_t k;       /* of top-k losses, 1 <= k < m; 1 for the others */
    double gamma;   /* smoothing of the hinge, up to 1e100; below 1e-100: none */
    double C;       /* in [1e-100, 1e100] */
    double C_start; /* the C for which the starting point is feasible; 0: the same C. If they
                       differ, the start is multiplied by the s in [0, C/C_start] that maximises
                       D(sA): the warm start */
    uint64_t seed;  /* order of the rows */
    size_t block;   /* rows updated between two matrix products; 0: chosen from the shape */
    size_t window;  /* 0: every epoch in an order drawn from all. Else rows are drawn within windows
                       of about so many, made of runs of neighbouring rows that are drawn anew
                       each epoch: for features that do not fit into memory */
    const double *center; /* W0, (d, m): the regulariser is lambda/2 ||W - W0||^2. NULL: zeros.
                             Copied. Not with TL_GRAM (TL_ERR_PARAMETER) */
    double acceleration;  /* 0: none. Negative: where passes are slow, they are accelerated, with an
                             r that follows them. Else this r after a plain first pass, up to 1e100:
                             the ratio of the proximal term to the regulariser; below 1e-10: none */
    double start_r; /* the r that the acceleration begins with; 0: chosen from C and ||x_i||^2 */
    const double *start; /* weights (d, m), or coefficients (n, m) with TL_GRAM, that an
                            accelerated run ended with, to begin at beside its dual variables;
                            NULL: at those of the dual variables. Copied */
} tl_settings;

/** svm_multi, gamma 0, C 1, C_start 0, seed 0, block and acceleration chosen, no window, center and
 * start. */
void tl_settings_default(tl_settings *settings);

/** Both objectives in the normalisation of the paper's Eq. (9), with n the sum of the weights. */
typedef struct tl_objective {
    double primal;       /* P(W) */
    double dual;         /* D(A) <= P(W) up to rounding */
    double relative_gap; /* (P - D) / max(|P|, |D|), 0 if both are 0 */
    double norm2;        /* ||W - W0||_F^2 */
    uint64_t epochs;     /* passes over the data so far */
    uint64_t visits;     /* rows visited in them; shrinking leaves some out */
    double r;            /* of the acceleration at this point; 0: none */
} tl_objective;

/** What tl_solver_solve tells its caller: objective, which has just been evaluated and is that of
 * the present point, or NULL before each part of an epoch. The answer 0 goes on; above 0, the run
 * ends at this point, which is evaluated and told if it has not been; below 0, it ends at once. The
 * solver may be read, with tl_solver_weights and the like, but not changed. */
typedef int (*tl_callback)(void *user, const tl_objective *objective);

/** When a run ends. */
typedef struct tl_stopping {
    double eps;          /* stop when relative_gap <= eps */
    uint64_t max_epochs; /* of this call */
    uint64_t eval_every; /* epochs between two evaluations; 0: where an estimate of the gap tells
                            that it may have fallen to eps, and from time to time */
    int eval_start; /* not 0: evaluate the start even where the estimate tells that it is far */
    size_t rows;    /* visited between two calls with NULL; 0: an epoch */
    tl_callback callback; /* or NULL */
    void *user;           /* its first argument */
} tl_stopping;

/** eps 1e-3, max_epochs 1000, the rest 0. */
void tl_stopping_default(tl_stopping *stopping);

/** How a run ended. */
typedef enum tl_outcome {
    TL_RUNNING = 0, /* never returned */
    TL_CONVERGED,   /* relative_gap <= eps */
    TL_MAX_EPOCHS,
    TL_STALLED, /* rounding, as of float32 features, has ended the progress */
    TL_STOPPED  /* by the callback */
} tl_outcome;

typedef struct tl_solver tl_solver;

/** Check everything and set up. `dual` (n, m) is borrowed, read as the starting point (zeros, or a
 *  feasible A of an earlier run), rescaled if C_start is another C, and updated in place. The
 * weights W = W0 + X^T A are computed from it. TL_LOSS_TOPK_ENT_TR, which has no dual, is refused
 * with TL_ERR_LOSS. */
tl_status tl_solver_create(const tl_data *data, const tl_settings *settings, double *dual,
                           tl_solver **solver);

/** Make this many passes over the data, each in a fresh random order; a pass that tl_solver_step
 *  has begun is finished first and counts. A row whose updates change nothing is left out of 1, 3,
 *  7 and at most 15 passes. Blocking changes nothing but the speed: the iterates are
 *  those of the sequential algorithm. */
tl_status tl_solver_run(tl_solver *solver, size_t epochs);

/** Go on by about this many rows (whole blocks, at least one), but not beyond the end of the epoch;
 *  *ended says whether the epoch has ended. For callers that want control back sooner. */
tl_status tl_solver_step(tl_solver *solver, size_t rows, int *ended);

/** Compute both objectives exactly, in float64. With a center, or where the epochs work in float32
 *  (dense data of more than 64 features), W is first computed anew from A, so that no rounding
 * error of the epochs is left in the certificate. */
tl_status tl_solver_evaluate(tl_solver *solver, tl_objective *objective);

/** Estimate both objectives, at almost no cost, from a sample of the rows of the last whole epoch,
 *  each seen just before its update: no certificate, but a hint when to ask for one. The gap lies
 *  between those before and after the epoch, up to the noise of the sample; it is infinite before
 *  the first epoch. With a Gram matrix, where an evaluation costs as much as an epoch, going to
 *  another C (also from C_start) leaves an estimate of the point that it starts from. */
tl_status tl_solver_estimate(const tl_solver *solver, tl_objective *objective);

/** Passes and evaluations until the gap is small, or something else ends the run: *outcome. The
 *  objective is that of the last evaluation, and of the present point unless the callback's answer
 * was below 0. TL_ERR_PARAMETER for an eps that is negative or NaN. */
tl_status tl_solver_solve(tl_solver *solver, const tl_stopping *stopping, tl_objective *objective,
                          tl_outcome *outcome);

/** Continue with another C: A is multiplied by the s in [0, C/C_now] that maximises D(sA). */
tl_status tl_solver_set_C(tl_solver *solver, double C);

/** With TL_GRAM, copy the (n, m) coefficients of W = sum_i x_i coefficients_i^T, which give the
 * scores of a row x as sum_i k(x, x_i) coefficients_i; else TL_ERR_PARAMETER. Without acceleration
 * they are the dual variables. */
tl_status tl_solver_coefficients(const tl_solver *solver, double *coefficients);

/** Copy the weights W to `weights` (d, m). TL_ERR_PARAMETER for TL_GRAM. */
tl_status tl_solver_weights(const tl_solver *solver, double *weights);

/** Free; NULL is fine. `dual` stays the caller's. */
void tl_solver_free(tl_solver *solver);

/* ---- Simplex coding ---- */

/* Mroueh, Poggio, Rosasco, Slotine, "Multiclass Learning with Simplex Coding" (NIPS 2012): T = m
 * classes are T unit vectors c_y of R^(T-1) with inner products -1/(T-1), and f(x) = W^T x has
 * values there, W (d, T - 1). The features are float64 here (TL_ERR_PARAMETER), labels are one a
 * row. */
typedef enum tl_simplex_loss {
    TL_SIMPLEX_LS = 0,    /* ||c_y - f||^2; online only, in batch it is a linear system */
    TL_SIMPLEX_SC_SVM,    /* sum_(j != y) max(0, 1/(T-1) + <c_j, f>) */
    TL_SIMPLEX_SH_SVM,    /* max(0, 1 - <c_y, f>) */
    TL_SIMPLEX_LOSS_COUNT /* number of losses; not a loss */
} tl_simplex_loss;

/** The code vectors: column y of codes (T - 1, T). T >= 2. */
tl_status tl_simplex_codes(size_t classes, double *codes);

typedef struct tl_simplex tl_simplex;

/** Dual coordinate ascent for TL_SIMPLEX_SC_SVM or TL_SIMPLEX_SH_SVM, an example at a time:
 *  minimises 1/2 ||W||_F^2 + C sum_i w_i V(y_i, f(x_i)); C is the paper's C_0 = 1/(2 n lambda).
 *  `alpha` is borrowed, read as the starting point (zeros, or feasible), and updated in place:
 *  SC-SVM (n, T), alpha_iy in [0, C w_i] and 0 for y = y_i; SH-SVM (n), in [0, C w_i]. */
tl_status tl_simplex_create(const tl_data *data, tl_simplex_loss loss, double C, uint64_t seed,
                            double *alpha, tl_simplex **solver);

/** Make this many passes over the data, each in a fresh random order. */
tl_status tl_simplex_run(tl_simplex *solver, size_t epochs);

/** As tl_solver_solve. */
tl_status tl_simplex_solve(tl_simplex *solver, const tl_stopping *stopping, tl_objective *objective,
                           tl_outcome *outcome);

/** Compute both objectives exactly, from alpha alone, in the normalisation of tl_objective:
 *  1/n times the loss and 1/(2 C n) times the norm. TL_ERR_OVERFLOW if they are not finite, as
 *  with a Gram matrix that is indefinite. */
tl_status tl_simplex_evaluate(tl_simplex *solver, tl_objective *objective);

/** Continue with another C: alpha is multiplied by the feasible factor with the largest dual. */
tl_status tl_simplex_set_C(tl_simplex *solver, double C);

/** Copy the a_i of f = sum_i k(x_i, .) a_i to a (n, T - 1). */
tl_status tl_simplex_coefficients(const tl_simplex *solver, double *a);

/** Copy the weights to `weights` (d, T - 1). TL_ERR_PARAMETER for TL_GRAM. */
tl_status tl_simplex_weights(const tl_simplex *solver, double *weights);

/** Free; NULL is fine. `alpha` stays the caller's. */
void tl_simplex_free(tl_simplex *solver);

typedef struct tl_online_settings {
    tl_simplex_loss loss;
    double lambda; /* in [1e-100, 1e100]: of lambda/2 ||W||^2 + (1/n) sum_i V */
    double radius; /* >= 1e-100: W is projected onto ||W||_F <= radius; INFINITY: it is not */
    double t0;     /* >= 0: step t has the size 1/(lambda (t + t0)), t = 1, 2, .. */
    size_t epochs; /* >= 1; each is a pass in a fresh random order */
    uint64_t seed;
    int average; /* not 0: the mean of the W after each step, else the last */
} tl_online_settings;

/** Projected stochastic subgradient steps from W = 0 (the paper's section 5, after Pegasos) for
 *  any of the losses; weights (d, T - 1). Dense or CSR, no sample weights (TL_ERR_PARAMETER).
 *  TL_ERR_OVERFLOW when the steps diverge. */
tl_status tl_simplex_online(const tl_data *data, const tl_online_settings *settings,
                            double *weights);

/* TL_CFFI_END */

#if defined(TL_EXPORT) && defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif
#endif /* TOPLABEL_H */
