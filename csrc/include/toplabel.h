/* SPDX-License-Identifier: MIT
 *
 * toplabel.h: the public interface of the toplabel C library, and the only header to include.
 *
 * The library trains linear and kernel classifiers by stochastic dual coordinate ascent (SDCA) and
 * certifies each of them with a duality gap. It follows Lapin, Hein, Schiele, "Analysis and
 * Optimization of Loss Functions for Multiclass, Top-k, and Multilabel Classification" (TPAMI 2017;
 * "the paper" below), whose notation is kept: n examples x_i in R^d, m classes, weights W, dual
 * variables A, regularisation C = 1/(lambda n). There is no bias term, but tl_data.constant.
 *
 * Training, step by step:
 *
 *   1. describe   fill in a tl_data; tl_settings_default, then change what should differ
 *   2. create     tl_solver_create checks everything and allocates all memory
 *   3. solve      tl_solver_solve, to a tolerance; or any mix of
 *                 tl_solver_run, tl_solver_step, tl_solver_estimate, tl_solver_evaluate
 *   4. read       tl_solver_weights (tl_solver_coefficients with a kernel)
 *   5. go on      tl_solver_set_C, and back to 3
 *   6. destroy    tl_solver_free
 *   7. predict    tl_predict, with the weights
 *
 * By themselves: the proximal maps (tl_prox_*), the losses (tl_loss_*), V(t) = W(e^t)
 * (tl_lambert_w_exp), and online training of the simplex coding (tl_simplex_*).
 *
 * Rules that hold everywhere:
 *
 *   - A function that can fail returns a tl_status; results leave through pointers. On failure
 *     nothing that the caller sees is changed, unless the function's comment says so.
 *   - Whether a run has converged is not an error: read it off tl_objective.
 *   - Matrices are dense, row-major, float64, without padding, unless said otherwise. Features
 *     may be float32, and sparse (CSR).
 *   - Memory named "borrowed" must outlive the object that borrows it. Work memory is allocated
 *     once, when a solver is created; nothing is allocated while it runs.
 *   - A solver belongs to one thread at a time. There is no global state but the BLAS table,
 *     which is to be set once, before the first solver runs.
 *   - The library prints nothing and never exits.
 *   - Settings (tl_settings, tl_stopping, tl_online_settings) are made by their ..._default. They
 *     may get new fields, at their ends, where 0 stands for what was before: programs that were
 *     compiled with another version of this header go on to work, and settings that the library
 *     does not know are TL_ERR_PARAMETER. All other structures keep their fields.
 *
 * In Python only, since they are written in it: Newton's method and the choice between methods, the
 * truncated top-k entropy's training, certificates that are checked independently, kernels,
 * metrics, thresholds of label sets, cross-validation, and the estimators.
 */
#ifndef TOPLABEL_H
#define TOPLABEL_H

#include <stddef.h>
#include <stdint.h>

/** Version of this header; tl_version() and tl_version_number() are those of the library. */
#define TL_VERSION_MAJOR 1
#define TL_VERSION_MINOR 1
#define TL_VERSION_PATCH 0
#define TL_VERSION "1.1.0"
/** Larger for later versions, as in `#if TL_VERSION_NUMBER >= 10200` for 1.2.0. */
#define TL_VERSION_NUMBER (TL_VERSION_MAJOR * 10000 + TL_VERSION_MINOR * 100 + TL_VERSION_PATCH)

/** Functions that the shared library exports; it is built with hidden visibility. On Windows define
 *  TL_SHARED to link with the DLL. */
#if defined(_WIN32) && defined(TL_EXPORT)
#define TL_API __declspec(dllexport)
#elif defined(_WIN32) && defined(TL_SHARED)
#define TL_API __declspec(dllimport)
#elif defined(__GNUC__) && defined(TL_EXPORT)
#define TL_API __attribute__((visibility("default")))
#else
#define TL_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The region between the two markers is also what the Python binding declares: it holds plain C
 * declarations with TL_API before each function, and no preprocessor directive. */
/* TL_CFFI_BEGIN */

/* ---- Status ---- */

/** What went wrong. Zero is success. */
typedef enum tl_status {
    TL_OK = 0,
    TL_ERR_NULL = 1,       /* A required pointer is NULL. */
    TL_ERR_ALLOC = 2,      /* Out of memory. */
    TL_ERR_DIMENSION = 3,  /* A size is out of range, or too large for BLAS. */
    TL_ERR_NOT_FINITE = 4, /* A feature, weight or dual variable is NaN or infinite. */
    TL_ERR_OVERFLOW = 5,   /* Features, C, gamma or W0 are so large that numbers overflow. */
    TL_ERR_LABEL = 6, /* A label out of range, repeated or unsorted; the wrong number in a row. */
    TL_ERR_PARAMETER = 7,   /* C, gamma, a radius or a weight is NaN or out of range. */
    TL_ERR_LOSS = 8,        /* Unknown loss, or a loss that does not fit. */
    TL_ERR_INDEX = 9,       /* CSR: row_start falls; a column out of range, repeated or unsorted. */
    TL_ERR_GRAM = 10,       /* A Gram matrix has a negative diagonal entry or is not symmetric. */
    TL_ERR_INDEFINITE = 11, /* A Gram matrix turned out not to be positive semidefinite. */
    TL_ERR_INFEASIBLE =
        12,              /* The starting dual variables are outside the domain of the conjugate. */
    TL_ERR_OVER = 13,    /* tl_settings.is_over has ended the call before it had a result. */
    TL_STATUS_COUNT = 14 /* Number of codes; not a status. */
} tl_status;

/** One line of English for a status; never NULL. */
TL_API const char *tl_status_text(tl_status status);

/** Library version, "major.minor.patch". */
TL_API const char *tl_version(void);
/** The TL_VERSION_NUMBER of the library. */
TL_API int tl_version_number(void);

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
    /** Required. */
    tl_dgemm_fn dgemm;
    tl_dsyrk_fn dsyrk;
    /** For TL_FLOAT32 only; NULL: portable loops. */
    tl_sgemm_fn sgemm;
    tl_ssyrk_fn ssyrk;
} tl_blas;

/** Use this BLAS from now on; NULL goes back to the portable loops. Not while a solver runs. */
TL_API tl_status tl_blas_set(const tl_blas *table);

/* ---- Special function ---- */

/** y[i] = V(t[i]) = W(exp(t[i])), W the Lambert function (the paper, section 5.1): the solution
 *  y > 0 of y + log y = t. Relative error below 5e-15. V(-inf) = 0, V(inf) = inf, V(NaN) = NaN.
 *  t and y may be the same array. */
TL_API tl_status tl_lambert_w_exp(size_t n, const double *t, double *y);

/* ---- Proximal maps ----
 *
 * Each takes its input as const, writes the minimiser to an array of the same length (which may
 * be the input itself) and needs `work`, an array of the stated length. Results are right up to
 * rounding of the largest input.
 *
 *   - Inputs are finite (TL_ERR_NOT_FINITE) and at most 1e150 in size (TL_ERR_OVERFLOW).
 *   - 0 <= radius <= 1e150, 0 <= bias <= 1e100, 1e-100 <= alpha <= 1e100 (TL_ERR_PARAMETER). */

/** argmin ||x - b||^2 + bias <1,x>^2 over { x : <1,x> <= radius, 0 <= x_j <= radius/k }, the top-k
 *  simplex beta (the paper, Eq. (3)); k = 1 is the simplex { x >= 0 : <1,x> <= radius }. Variable
 *  fixing (Kiwiel), no sorting. 1 <= k <= n. work: n. */
TL_API tl_status tl_prox_topk_simplex_beta(size_t n, const double *b, size_t k, double radius,
                                           double bias, double *x, double *work);

/** The minimiser of that over { x : <1,x> <= radius, 0 <= x_j <= <1,x>/k }, the top-k simplex alpha
 *  (the paper, Eq. (2)). work: n. */
TL_API tl_status tl_prox_topk_simplex_alpha(size_t n, const double *b, size_t k, double radius,
                                            double bias, double *x, double *work);

/** The minimiser of that over { x : 0 <= x_j <= <1,x>/k }, the top-k cone. work: n. */
TL_API tl_status tl_prox_topk_cone(size_t n, const double *b, size_t k, double bias, double *x,
                                   double *work);

/** Projection of (b, b_bar) onto the bipartite simplex { (x, y) >= 0 : <1,x> = <1,y> <= radius }
 *  (the paper, Eq. (17)) by variable fixing. n, n_bar >= 1. work: n + n_bar. */
TL_API tl_status tl_prox_bipartite_simplex(size_t n, const double *b, size_t n_bar,
                                           const double *b_bar, double radius, double *x, double *y,
                                           double *work);

/** argmin alpha/2 ||x - b||^2 + <x, log x> + alpha/2 ||y - b_bar||^2 + <y, log y> over x, y >= 0
 *  with <1,x> + <1,y> = 1 (the paper, Eq. (18)). n >= 1, n_bar >= 0. work: 2 (n + n_bar). */
TL_API tl_status tl_prox_bipartite_entropic(size_t n, const double *b, size_t n_bar,
                                            const double *b_bar, double alpha, double *x, double *y,
                                            double *work);

/** argmin alpha/2 (<x,x> + s^2) - <b,x> + <x,log x> + (1 - s) log(1 - s), s = <1,x>, over the top-k
 *  simplex alpha of radius 1 (the paper, Eq. (11)). 1 <= k <= n. work: 3 n + 2. */
TL_API tl_status tl_prox_topk_entropic(size_t n, const double *b, size_t k, double alpha, double *x,
                                       double *work);

/** The maps above by name, and the parameters that each has. */
typedef enum tl_prox_id {
    TL_PROX_TOPK_SIMPLEX_ALPHA = 0, /* k, radius, bias */
    TL_PROX_TOPK_SIMPLEX_BETA = 1,  /* k, radius, bias */
    TL_PROX_TOPK_CONE = 2,          /* k, bias */
    TL_PROX_BIPARTITE_SIMPLEX = 3,  /* n_bar, radius */
    TL_PROX_TOPK_ENTROPIC = 4,      /* k, alpha */
    TL_PROX_BIPARTITE_ENTROPIC = 5, /* n_bar, alpha */
    TL_PROX_COUNT = 6               /* Number of maps; not a map. */
} tl_prox_id;

/** A map with its parameters; those that the map does not have are ignored. */
typedef struct tl_prox {
    tl_prox_id map;
    /** Length of b and x; of b_bar and y. */
    size_t n;
    size_t n_bar;

    size_t k;
    double radius;
    double bias;
    double alpha;
} tl_prox;

/** Length of the work array of one problem; 0 for an unknown map. */
TL_API size_t tl_prox_work(const tl_prox *prox);

/** One problem per row: b and x are (rows, n), b_bar and y (rows, n_bar) or NULL. On failure the
 *  rows before the one that failed have been written. work: tl_prox_work(prox). */
TL_API tl_status tl_prox_rows(const tl_prox *prox, size_t rows, const double *b,
                              const double *b_bar, double *x, double *y, double *work);

/* ---- Losses ---- */

/** The losses. Multiclass ones take one label per row, multilabel ones (..._ML) a set of labels,
 *  one-vs-all ones either. The hinges (SVM) take gamma >= 0, the top-k losses k. */
typedef enum tl_loss_id {
    TL_LOSS_SVM_OVA = 0,        /* One-vs-all hinge; with label sets: binary relevance. */
    TL_LOSS_LR_OVA = 1,         /* One-vs-all logistic loss. */
    TL_LOSS_SVM_MULTI = 2,      /* Multiclass SVM. */
    TL_LOSS_TOPK_SVM_ALPHA = 3, /* Top-k SVM alpha. */
    TL_LOSS_TOPK_SVM_BETA = 4,  /* Top-k SVM beta. */
    TL_LOSS_LR_MULTI = 5,       /* Softmax. */
    TL_LOSS_TOPK_ENT = 6,       /* Top-k entropy. */
    TL_LOSS_TOPK_ENT_TR = 7,    /* Truncated top-k entropy, not convex: value and gradient only. */
    TL_LOSS_SVM_ML = 8,         /* Multilabel SVM. */
    TL_LOSS_LR_ML = 9,          /* Multilabel softmax. */
    TL_LOSS_SVM_WW = 10,        /* Multiclass SVM, summed over the classes (Weston and Watkins). */
    TL_LOSS_SC_SVM = 11,        /* Simplex cone SVM (NIPS 2012), of the centred scores. */
    TL_LOSS_SH_SVM = 12,        /* Simplex half space SVM, without the constraint of the hull. */
    TL_LOSS_ZLPR = 13,          /* Zero-bounded log-sum-exp of each side of a label set. */
    TL_LOSS_LSEP = 14,          /* Log-sum-exp of the pairs of a right and a wrong label. */
    TL_LOSS_COUNT = 15          /* Number of losses; not a loss. */
} tl_loss_id;

/** What a loss takes and has; each is 0 or 1. */
typedef struct tl_traits {
    int multiclass; /* Exactly one label per row; otherwise a set of labels. */
    int has_k;      /* 1 <= k < m; otherwise k is 1. */
    int smooth;     /* Smooth whatever gamma is; otherwise only for gamma > 0. */
    int convex;     /* Has a conjugate and a dual; otherwise tl_solver_create refuses it. */
    int curvature;  /* Has generalised Jacobians; otherwise tl_curvatures_create refuses it. */
} tl_traits;

/** TL_ERR_LOSS for what is not a loss. */
TL_API tl_status tl_loss_traits(tl_loss_id loss, tl_traits *traits);

/** values[i] = the loss of row i at given scores (n, m), which are at most 1e150 in size
 *  (TL_ERR_OVERFLOW). Labels as in tl_data. */
TL_API tl_status tl_loss_values(tl_loss_id loss, size_t k, double gamma, size_t n, size_t m,
                                const double *scores, const int64_t *label_start,
                                const int32_t *label, double *values);

/** Gradient in the scores, (n, m), of a smooth loss (lr_*, topk_ent*, or gamma > 0; else
 *  TL_ERR_LOSS). TL_LOSS_TOPK_ENT_TR has kinks where the (k-1)-th and the k-th largest score of the
 *  other classes are equal; there it is the gradient with the tied classes of smallest index
 *  dropped, and its negative is a direction of descent. */
TL_API tl_status tl_loss_gradients(tl_loss_id loss, size_t k, double gamma, size_t n, size_t m,
                                   const double *scores, const int64_t *label_start,
                                   const int32_t *label, double *gradients);

/** Conjugate L*(v_i) for each row v_i of v (n, m); +inf outside the domain, which is tested with a
 *  tolerance of 1e-6 (tl_loss_violations). TL_ERR_LOSS for TL_LOSS_TOPK_ENT_TR. */
TL_API tl_status tl_loss_conjugates(tl_loss_id loss, size_t k, double gamma, size_t n, size_t m,
                                    const double *v, const int64_t *label_start,
                                    const int32_t *label, double *values);

/** By how much each row v_i of v (n, m) violates the domain of the conjugate, in sum: the nearest
 *  point of the domain is no farther than 4 times that in the 1-norm. Errors as above. */
TL_API tl_status tl_loss_violations(tl_loss_id loss, size_t k, double gamma, size_t n, size_t m,
                                    const double *v, const int64_t *label_start,
                                    const int32_t *label, double *values);

/* ---- Curvature of the losses ----
 *
 * What Newton's method needs beside gradients: for each row the generalised Jacobian J_i of the
 * gradient of its loss in the scores, times C w_i. It is symmetric and positive semidefinite, and
 * for a hinge, smoothed by gamma, of a size up to C w_i/gamma. */

typedef struct tl_curvatures tl_curvatures;

/** Allocate, for n rows. The labels, as in tl_data, are borrowed. TL_ERR_LOSS for
 *  TL_LOSS_TOPK_ENT_TR, whose gradient has kinks that are not convex. */
TL_API tl_status tl_curvatures_create(tl_loss_id loss, size_t k, size_t n, size_t m,
                                      const int64_t *label_start, const int32_t *label,
                                      tl_curvatures **curvatures);

/** Find them where the gradients are these, (n, m), as from tl_loss_gradients: of a hinge those for
 *  this gamma > 0, which others ignore. weight: (n), or NULL for ones. *rows is the number of rows
 *  whose J_i is not 0, *entries that of their classes, labels of multiclass losses not counted. */
TL_API tl_status tl_curvatures_set(tl_curvatures *self, double gamma, double C,
                                   const double *weight, const double *gradients, size_t *rows,
                                   size_t *entries);

/** The indices of these rows, ascending; the functions below have them alone. */
TL_API tl_status tl_curvatures_rows(const tl_curvatures *self, int64_t *rows);

/** t_i <- C w_i J_i t_i for the rows of t (rows, m). */
TL_API tl_status tl_curvatures_multiply(const tl_curvatures *self, double *t);

/** The diagonals of C w_i J_i, (rows, m). */
TL_API tl_status tl_curvatures_diagonal(const tl_curvatures *self, double *diagonal);

/** matrix += sum_i C w_i J_i (x) x_i x_i^T, the Kronecker product, (m d, m d) with the features of
 * a class together; of its blocks (d, d) those on and above the diagonal. x: (rows, d). */
TL_API tl_status tl_curvatures_assemble(const tl_curvatures *self, size_t d, const double *x,
                                        double *matrix);

/** Free; NULL is fine. */
TL_API void tl_curvatures_free(tl_curvatures *self);

/* ---- Solver: describe the data ---- */

typedef enum tl_representation {
    TL_DENSE = 0, /* x is the (n, d) feature matrix. */
    TL_CSR = 1,   /* x are the stored values of the sparse (n, d) feature matrix. */
    TL_GRAM = 2   /* x is the (n, n) symmetric Gram matrix; d is ignored; there are no weights. */
} tl_representation;

/** The type of x. With TL_FLOAT32 the matrix products of wide dense data run in float32; dual
 *  variables, updates, objectives and the certificate are float64 always. */
typedef enum tl_type { TL_FLOAT64 = 0, TL_FLOAT32 = 1 } tl_type;

/** The training set. All arrays are borrowed. */
typedef struct tl_data {
    tl_representation representation;
    /** The type of x. */
    tl_type type;
    /** Rows >= 1, features >= 1, classes >= 2. */
    size_t n;
    size_t d;
    size_t m;

    /** Not 0: the last of the d features has this value in every row and is not stored, so that x
     *  is (n, d - 1); with TL_GRAM its square is added to every entry of x. The weights of the
     *  feature, times its value, are an intercept that is regularised like all weights. Finite.
     *  Not for the simplex coding (TL_ERR_PARAMETER). */
    double constant;
    /** double or float: (n, d), (n, n), or with TL_CSR (row_start[n]). */
    const void *x;
    /** TL_CSR, (n + 1): row i is x[row_start[i]] .. x[row_start[i+1] - 1]. */
    const int64_t *row_start;
    /** TL_CSR: the columns 0 .. d-1 of these values, ascending in a row; one of the two, the other
     *  is NULL. */
    const int32_t *column32;
    const int64_t *column64;

    /** (n + 1): the labels of row i are label[label_start[i]] .. label[label_start[i+1] - 1]. */
    const int64_t *label_start;
    /** 0 .. m-1, ascending within a row. */
    const int32_t *label;
    /** (n) sample weights >= 0, or NULL for ones: w is the same as w copies of the row. A row with
     *  C w below 2.2e-308 counts as absent, as with the weight 0; C times the sum of all weights is
     *  at least 1e-250 (TL_ERR_OVERFLOW). */
    const double *weight;

    /** Not 0: x is a file mapped into memory, so that pages may be dropped after use and read
     *  again. Never set it for other memory, whose content would be lost. For dense x on Linux; has
     *  no effect elsewhere. */
    int mapped;
} tl_data;

typedef struct tl_settings {
    /** The bytes of the structure, set by tl_settings_default. */
    size_t size;
    /** The loss, its k (1 <= k < m; 1 if it has none), and the smoothing of the hinges, up to
     *  1e100 (below 1e-100: none). */
    tl_loss_id loss;
    size_t k;
    double gamma;

    /** In [1e-100, 1e100]. */
    double C;
    /** The C for which the starting dual variables are feasible; 0: the same C. If they differ, the
     *  start is multiplied by the s in [0, C/C_start] that maximises D(sA): the warm start. */
    double C_start;

    /** The order of the rows is drawn from it. */
    uint64_t seed;
    /** Rows updated between two matrix products; 0: chosen from the shape. */
    size_t block;
    /** Not 0: epochs over dense float64 rows of more than 64 features, or over a Gram matrix in
     *  float64, whose numbers are in the range of float32, work with a float32 copy of them, as
     * long as rounding is small against the gap; the objectives stay those of the data, in float64.
     * Where there is no memory for the copy it is left out. */
    int float32_passes;
    /** 0: every epoch in an order drawn from all rows. Else rows are drawn within windows of about
     *  so many, made of strips of neighbouring rows that are drawn anew each epoch: for features
     * that do not fit into memory. */
    size_t window;

    /** W0, (d, m): the regulariser is lambda/2 ||W - W0||^2. NULL: zeros. Copied. Not with TL_GRAM
     *  (TL_ERR_PARAMETER). */
    const double *center;

    /** 0: plain passes. Negative: where passes are slow, they are accelerated, with an r that
     *  adapts to them. Else this r after a plain first pass, up to 1e100: the ratio of the proximal
     *  term to the regulariser; below 1e-10: none. */
    double acceleration;
    /** The r that the acceleration begins with; 0: chosen from C and ||x_i||^2. */
    double start_r;
    /** Not 0: after so many passes, for a hinge that is not smooth, and with acceleration
     *  negative, the passes are those of an augmented Lagrangian, which reach small gaps sooner;
     *  easy problems should be solved by then. Takes memory for (n, m) numbers. */
    uint64_t lagrangian;
    /** Weights (d, m), or coefficients (n, m) with TL_GRAM, that an accelerated run ended with, to
     *  begin at beside its dual variables; NULL: at those of the dual variables. Copied. */
    const double *start;

    /** Asked several times a second where a call takes long: checks and set-up, evaluations,
     *  another C. An answer other than 0 ends the call with TL_ERR_OVER. Or NULL. Parts of an epoch
     *  are not ended so, but by the callback of tl_solver_solve. Called with `user`. */
    int (*is_over)(void *user);
    void *user;
} tl_settings;

/** svm_multi, k 1, gamma 0, C 1, C_start 0, seed 0, block chosen, no float32 passes, no window, no
 *  center, acceleration -1, start_r 0, no lagrangian, no start, no is_over. */
TL_API void tl_settings_init(tl_settings *settings, size_t size);

/* ---- Solver: create ---- */

typedef struct tl_solver tl_solver;

/** Check everything and set up. `dual` (n, m) is borrowed, read as the starting point (zeros, or a
 *  feasible A of an earlier run), rescaled if C_start is another C, and updated in place. The
 *  weights W = W0 + X^T A are computed from it. TL_LOSS_TOPK_ENT_TR, which has no dual, is refused
 *  with TL_ERR_LOSS. After TL_ERR_OVER `dual` may be rescaled. */
TL_API tl_status tl_solver_create(const tl_data *data, const tl_settings *settings, double *dual,
                                  tl_solver **solver);

/* ---- Solver: evaluate ---- */

/** Both objectives in the normalisation of the paper's Eq. (9), with n the sum of the weights. */
typedef struct tl_objective {
    /** P(W), and D(A) <= P(W) up to rounding. */
    double primal;
    double dual;
    /** Bounds the rounding error of P - D. */
    double rounding;
    /** (|P - D| + rounding) / max(|P|, |D|), 0 if both are 0. */
    double relative_gap;
    /** ||W - W0||_F^2. */
    double norm2;

    /** Passes over the data so far. */
    uint64_t epochs;
    /** Rows visited in them; shrinking leaves some out. */
    uint64_t visits;
    /** The r of the acceleration at this point; 0: none. */
    double r;
} tl_objective;

/** Compute both objectives exactly, in float64. With a center, or where the epochs work in float32
 *  (dense data of more than 64 features), W is first computed anew from A, so that no rounding
 *  error of the epochs is left in the certificate; else where that error could count.
 *  TL_ERR_INDEFINITE where a Gram matrix gives a negative norm, or D above P, beyond rounding.
 * After TL_ERR_OVER the objectives are infinite, and W is as before, or as an accelerated run had
 * it after its last outer step. */
TL_API tl_status tl_solver_evaluate(tl_solver *solver, tl_objective *objective);

/** Estimate both objectives, at almost no cost, from a sample of the rows of the last whole epoch,
 *  each seen just before its update: no certificate, but a hint when to ask for one. The gap lies
 *  between those before and after the epoch, up to the noise of the sample; it is infinite before
 *  the first epoch. With a Gram matrix, where an evaluation costs as much as an epoch, going to
 *  another C (also from C_start) leaves an estimate of the point that it starts from. */
TL_API tl_status tl_solver_estimate(const tl_solver *solver, tl_objective *objective);

/* ---- Solver: run ---- */

/** The callback of tl_solver_solve: `objective`, just evaluated, is that of the present
 *  point, or NULL before each part of an epoch, and between the epochs and an evaluation. The
 *  solver may be read, with tl_solver_weights and the like, but not changed. The answer
 *
 *   - 0 goes on;
 *   - above 0 ends the run at this point, which is first evaluated and passed to the callback
 *     unless it was;
 *   - below 0 ends it at once. */
typedef int (*tl_callback)(void *user, const tl_objective *objective);

/** When a run ends. */
typedef struct tl_stopping {
    /** The bytes of the structure, set by tl_stopping_default. */
    size_t size;
    /** Stop when relative_gap <= tol. */
    double tol;
    /** Most epochs of this call. */
    uint64_t max_iter;
    /** Epochs between two evaluations; 0: where an estimate of the gap says that it may have
     *  fallen to tol, and from time to time. */
    uint64_t eval_every;
    /** Not 0: evaluate the start even where the estimate says that it is far from tol. */
    int eval_start;
    /** Rows visited between two calls of the callback with NULL; 0: an epoch. */
    size_t rows;
    /** The callback, or NULL, and its first argument. */
    tl_callback callback;
    void *user;
} tl_stopping;

/** tol 1e-3, max_iter 1000, all others 0. */
TL_API void tl_stopping_init(tl_stopping *stopping, size_t size);

/** How a run ended. */
typedef enum tl_outcome {
    TL_RUNNING = 0,   /* Never returned. */
    TL_CONVERGED = 1, /* relative_gap <= tol. */
    TL_MAX_ITER = 2,  /* max_iter epochs are made. */
    TL_IMPRECISE = 3, /* P - D <= tol max(|P|, |D|), but its rounding error may be larger. */
    TL_STALLED = 4,   /* Rounding, as of float32 features, has ended the progress. */
    TL_STOPPED = 5    /* By the callback, or by is_over during an evaluation. */
} tl_outcome;

/** Passes and evaluations until the gap is small, or something else ends the run: *outcome. The
 *  objective is that of the last evaluation, and of the present point unless the callback's answer
 *  was below 0; where is_over has ended its evaluation it is infinite. TL_ERR_PARAMETER for a tol
 *  that is negative or NaN. */
TL_API tl_status tl_solver_solve(tl_solver *solver, const tl_stopping *stopping,
                                 tl_objective *objective, tl_outcome *outcome);

/** Make this many passes over the data, each in a fresh random order; a pass that tl_solver_step
 *  has begun is finished first and counts. Shrinking leaves a row whose updates change nothing out
 *  of 1, 3, 7 and at most 15 passes, of at most 3 where the loss is smooth or smoothed. Blocking
 *  changes nothing but the speed: the iterates are those of the sequential algorithm. */
TL_API tl_status tl_solver_run(tl_solver *solver, size_t epochs);

/** Go on by about this many rows (whole blocks, at least one), but not beyond the end of the epoch;
 *  *ended says whether the epoch has ended. For callers that want control back sooner. */
TL_API tl_status tl_solver_step(tl_solver *solver, size_t rows, int *ended);

/** Continue with another C: A is multiplied by the s in [0, C/C_now] that maximises D(sA). After
 *  TL_ERR_OVER the solver can be read and freed only. */
TL_API tl_status tl_solver_set_C(tl_solver *solver, double C);

/* ---- Solver: read, destroy ---- */

/** Copy the weights W to `weights` (d, m). TL_ERR_PARAMETER for TL_GRAM. */
TL_API tl_status tl_solver_weights(const tl_solver *solver, double *weights);

/** With TL_GRAM, copy the (n, m) coefficients of W = sum_i x_i coefficients_i^T, which give the
 *  scores of a row x as sum_i k(x, x_i) coefficients_i; else TL_ERR_PARAMETER. Without acceleration
 *  they are the dual variables. */
TL_API tl_status tl_solver_coefficients(const tl_solver *solver, double *coefficients);

/** Free; NULL is fine. `dual` stays the caller's. */
TL_API void tl_solver_free(tl_solver *solver);

/* ---- Predict ---- */

/** The scores W^T x_i, (n, m), of other rows under weights (d, m), and the class of the largest,
 *  the first of several, (n); each may be NULL. Of `data` the labels and the sample weights are not
 *  read. With a kernel x are the values k(x_i, x_j) for the training rows j, TL_DENSE with d their
 *  number, and the weights are the coefficients; TL_GRAM is TL_ERR_PARAMETER. On failure
 *  the rows before the one that failed may have been written. */
TL_API tl_status tl_predict(const tl_data *data, const double *weights, double *scores,
                            int32_t *label);

/* ---- Working sets of pairs ----
 *
 * The dual of a hinge, restricted to pairs of a row and a class, for a method that computes all
 * scores now and then, and between that moves only dual variables that are or may become different
 * from 0. The scores of the pairs follow by blocks of the Gram matrix, one for each class. */

typedef struct tl_pairs tl_pairs;

#define TL_MOST_PARTS 64 /* of its work, for threads */

/** Allocate. Labels as in tl_data; they, weight (n; NULL: ones) and norm2 (n), the squared norms of
 *  the rows, are borrowed. is_over (NULL: none) as in tl_settings. TL_ERR_LOSS for a loss that is
 * no hinge, or one of centred scores. */
TL_API tl_status tl_pairs_create(tl_loss_id loss, size_t k, double gamma, double C, size_t n,
                                 size_t m, const int64_t *label_start, const int32_t *label,
                                 const double *weight, const double *norm2, int (*is_over)(void *),
                                 void *user, tl_pairs **pairs);

/** Have `each` share work among threads: it calls task(arg, part) for each part below `parts`, at
 *  the same time or not, and returns when all have ended. Parts are groups of classes. The numbers
 * do not depend on `parts`, at most TL_MOST_PARTS. is_over is asked by all threads then. Pairs that
 * were chosen before are no longer. */
TL_API tl_status tl_pairs_share(tl_pairs *self, size_t parts,
                                void (*each)(void *user, size_t parts,
                                             void (*task)(void *arg, size_t part), void *arg),
                                void *user);

/** Choose the pairs at dual variables and their scores, both (n, m): those whose dual variables are
 *  not 0, or would not be after an update of their row. Rows of norm 0 have none. *entries is their
 *  number, *numbers that of all blocks. On failure no pairs are chosen. */
TL_API tl_status tl_pairs_select(tl_pairs *self, const double *scores, const double *dual,
                                 size_t *entries, size_t *numbers);

/** The rows of the pairs of class c: rows[class_start[c]] to rows[class_start[c + 1] - 1]; its
 * block is square, and follows that of the class before. class_start: m + 1, rows: entries. */
TL_API tl_status tl_pairs_classes(const tl_pairs *self, int64_t *class_start, int32_t *rows);

/** Fill the blocks from a Gram matrix (n, n) of this type. */
TL_API tl_status tl_pairs_gather(tl_pairs *self, tl_type type, const void *gram, float *blocks);

/** Work with these blocks, which are borrowed, until the next choice of pairs. */
TL_API tl_status tl_pairs_use(tl_pairs *self, const float *blocks);

/** Passes of coordinate ascent over the rows that have pairs. */
TL_API tl_status tl_pairs_run(tl_pairs *self, size_t passes);

/** A step of Newton's method for the dual variables between their bounds: at most `most` steps of
 *  conjugate gradients, to a relative residual `tol`. damping >= 0, times norm2, is added to the
 *  curvature in the direction of each dual variable. *steps are those made, *length is that of the
 *  step, 0 where the dual could not be made larger. */
TL_API tl_status tl_pairs_newton(tl_pairs *self, double damping, double tol, size_t most,
                                 size_t *steps, double *length);

/** The duality gap of the restricted problem, times C and the sum of the weights. */
TL_API tl_status tl_pairs_gap(tl_pairs *self, double *gap);

/** Write the dual variables of the rows that have pairs into `dual` (n, m). */
TL_API tl_status tl_pairs_dual(const tl_pairs *self, double *dual);

/** Free; NULL is fine. */
TL_API void tl_pairs_free(tl_pairs *self);

/* ---- Simplex coding ----
 *
 * Mroueh, Poggio, Rosasco, Slotine, "Multiclass Learning with Simplex Coding" (NIPS 2012): T = m
 * classes are T unit vectors c_y of R^(T-1) with inner products -1/(T-1), and f(x) = W^T x has
 * values there, W (d, T - 1). In batch its SVMs are the losses TL_LOSS_SC_SVM and TL_LOSS_SH_SVM of
 * tl_solver_create. */

typedef enum tl_simplex_loss {
    TL_SIMPLEX_LS = 0,     /* ||c_y - f||^2; online only, since in batch it is a linear system. */
    TL_SIMPLEX_SC_SVM = 1, /* sum_(j != y) max(0, 1/(T-1) + <c_j, f>). */
    TL_SIMPLEX_SH_SVM = 2, /* max(0, 1 - <c_y, f>). */
    TL_SIMPLEX_LOSS_COUNT = 3 /* Number of losses; not a loss. */
} tl_simplex_loss;

/** The code vectors: column y of codes (T - 1, T). T >= 2. */
TL_API tl_status tl_simplex_codes(size_t classes, double *codes);

typedef struct tl_online_settings {
    /** The bytes of the structure, set by tl_online_settings_default. */
    size_t size;
    tl_simplex_loss loss;
    /** In [1e-100, 1e100]: of lambda/2 ||W||^2 + (1/n) sum_i V. */
    double lambda;
    /** >= 1e-100: W is projected onto ||W||_F <= radius; INFINITY: it is not. */
    double radius;
    /** >= 0: step t has the size 1/(lambda (t + t0)), t = 1, 2, .. */
    double t0;
    /** >= 1; each is a pass in a fresh random order. */
    size_t epochs;
    uint64_t seed;
    /** Not 0: the mean of the W after each step, else the last. */
    int average;
} tl_online_settings;

/** TL_SIMPLEX_SC_SVM, lambda 1, no radius, t0 0, one epoch, seed 0, the last W. */
TL_API void tl_online_settings_init(tl_online_settings *settings, size_t size);

/** Projected stochastic subgradient steps from W = 0 (the paper's section 5, after Pegasos) for any
 *  of the losses; weights (d, T - 1). Dense or CSR, no sample weights (TL_ERR_PARAMETER).
 *  TL_ERR_OVERFLOW when the steps diverge. */
TL_API tl_status tl_simplex_online(const tl_data *data, const tl_online_settings *settings,
                                   double *weights);

/* TL_CFFI_END */

/** Default values, for the version of the structure that the caller was compiled with. */
#define tl_settings_default(settings) tl_settings_init((settings), sizeof *(settings))
#define tl_stopping_default(stopping) tl_stopping_init((stopping), sizeof *(stopping))
#define tl_online_settings_default(settings) tl_online_settings_init((settings), sizeof *(settings))

#ifdef __cplusplus
}
#endif
#endif /* TOPLABEL_H */
