/* SPDX-License-Identifier: MIT
 *
 * internal.h: what the translation units of the library share; not installed.
 */
#ifndef TL_INTERNAL_H
#define TL_INTERNAL_H

#include "toplabel.h"

#include <math.h>
#include <stdbool.h>

/* Run-time dispatch: one symbol, compiled for several instruction sets, chosen by the loader. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12 && defined(__x86_64__) &&           \
    defined(__linux__) && defined(__GLIBC__) && !defined(TL_NO_CLONES)
#define TL_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define TL_CLONES
#endif

#if defined(__GNUC__)
#define TL_UNREACHABLE() __builtin_unreachable()
#else
#define TL_UNREACHABLE() ((void)0)
#endif

#if defined(__GNUC__)
#define TL_INLINE static inline __attribute__((always_inline))
#else
#define TL_INLINE static inline
#endif

/* ---- blas.c: row-major products on top of the table; ...32 in float32 ---- */

/* S (b, m) = X (b, d) W^T, W (m, d). */
void tl_gemm_nt(size_t b, size_t m, size_t d, const double *x, const double *w, double *s);
void tl_gemm_nt32(size_t b, size_t m, size_t d, const float *x, const float *w, float *s);
/* S (b, m) = K (b, n) A, A (n, m). */
void tl_gemm_nn(size_t b, size_t m, size_t n, const double *k, const double *a, double *s);
void tl_gemm_nn32(size_t b, size_t m, size_t n, const float *k, const float *a, float *s);
/* S (b, m) += G A, G (b, n) with rows `stride` apart, A (n, m). */
void tl_gemm_nn_add(size_t b, size_t m, size_t n, const double *g, size_t stride, const double *a,
                    double *s);
/* W (m, d) += D^T X, D (b, m), X (b, d). */
void tl_gemm_tn_add(size_t b, size_t m, size_t d, const double *delta, const double *x, double *w);
void tl_gemm_tn_add32(size_t b, size_t m, size_t d, const float *delta, const float *x, float *w);
/* Lower triangle (with diagonal) of G (b, b) = X X^T, X (b, d). */
void tl_syrk_lower(size_t b, size_t d, const double *x, double *g);
void tl_syrk_lower32(size_t b, size_t d, const float *x, float *g);

/* ---- thresholds of the projections ---- */

/* A threshold t = top + tau, where top is an entry of b near it: (b_j - top) - tau has the digits
 * that b_j - t would lose. */
typedef struct tl_threshold {
    double top;
    double tau;
} tl_threshold;

TL_INLINE double tl_above(double b, tl_threshold t) {
    const double x = (b - t.top) - t.tau;
    return x > 0.0 ? x : 0.0;
}

/* Root t of sum_j clip(b_j - t, 0, u) = total if bias is 0, else of bias times that sum = t; 0 < u
 * <= inf; b is destroyed (it serves as work memory of the variable fixing). The root must exist:
 * total <= n u. */
tl_threshold tl_knapsack_threshold(size_t n, double *b, double u, double total, double bias);

/* x_j = min((b_j - t)_+, u). */
typedef struct tl_capped {
    tl_threshold t;
    double u;
} tl_capped;

/* The biased projection onto the top-k simplex alpha of this radius > 0; infinite: onto the top-k
 * cone. work: n. */
tl_capped tl_topk_alpha_threshold(size_t n, const double *b, size_t k, double radius, double bias,
                                  double *work);

/* The biased projection onto the top-k simplex beta of this radius > 0. work: n. */
tl_capped tl_topk_beta_threshold(size_t n, const double *b, size_t k, double radius, double bias,
                                 double *work);

/* The same projections for the losses' updates, from where the last one of the row ended: kept[0]
 * and kept[1], which may be NaN, are read as a start and written. v_j = b_j - top <= 0 for the
 * largest entry top > 0; n is a multiple of 8, and entries of -inf count as absent. Writes -x and
 * returns sum_j x_j. radius > 0, infinite bias excluded; 1 <= k < number of entries;
 * tl_warm_simplex is both for k = 1. work: 2 n. */
typedef double (*tl_warm_projection)(size_t n, const double *v, double top, size_t k, double radius,
                                     double bias, double *kept, double *minus_x, double *work);
double tl_warm_simplex(size_t n, const double *v, double top, size_t k, double radius, double bias,
                       double *kept, double *minus_x, double *work);
double tl_warm_topk_alpha(size_t n, const double *v, double top, size_t k, double radius,
                          double bias, double *kept, double *minus_x, double *work);
double tl_warm_topk_beta(size_t n, const double *v, double top, size_t k, double radius,
                         double bias, double *kept, double *minus_x, double *work);

/* Sum of the k largest of b, which are moved to the front. */
double tl_sum_of_largest(size_t n, double *b, size_t k);
/* The k largest of v in descending order; n is a multiple of 8. work: n, untouched for small k. */
void tl_largest(size_t n, const double *v, size_t k, double *top, double *work);

/* Thresholds of the projection of (b, b_bar) onto the bipartite simplex; both arrays are destroyed.
 * If the projection is zero, so are both tau. radius > 0; n, n_bar >= 1. */
void tl_bipartite_thresholds(size_t n, double *b, size_t n_bar, double *b_bar, double radius,
                             tl_threshold *t, tl_threshold *t_bar);

/* p_j = V(z_j - t)/alpha with sum 1, alpha > 0; *t is the start when finite, and the root on
 * return. p and z may not overlap. */
void tl_entropic_solve(size_t m, const double *z, double alpha, double *t, double *p);

/* The same for the losses' updates, from where the last one of the row ended: *t, which may be NaN.
 * n is a multiple of 8, and entries of -inf count as absent. Writes v; p = v divided by the sum,
 * which is returned. u: n for work. */
double tl_warm_softmax(size_t n, const double *z, double alpha, double *t, double *v, double *u);

/* The x of tl_topk_entropic_project for the losses' updates, from where the last one of the row
 * ended: kept[0] and kept[1], which may be NaN, are read as a start and written. n is a multiple of
 * 8; entries of -inf count as absent, and b[y] is one. Returns s = <1, x>, or a negative number if
 * the search failed. v, u: n for work. */
double tl_warm_topk_entropic(size_t n, double *b, size_t y, size_t k, double alpha, double *kept,
                             double *x, double *v, double *u);

/* x in the top-k simplex alpha that minimises alpha/2 (<x,x> + s^2) - <b,x> + <x,log x> + (1-s)
 * log(1-s), s = <1,x>, which is returned. *t is the start of the case without a cap. x may not
 * overlap the rest; z, p: n + 1. */
double tl_topk_entropic_project(size_t n, const double *b, size_t k, double alpha, double *t,
                                double *x, double *z, double *p);

/* ---- losses ---- */

typedef struct tl_row {
    double C;              /* C times the weight of the row */
    double norm2;          /* <x_i, x_i> */
    const int32_t *labels; /* ascending */
    size_t n_labels;
} tl_row;

/* Numbers that a loss keeps of a row from one update to the next. */
#define TL_KEPT 2

/* m rounded up to whole vectors of 512 bits: a loop over so many entries has no remainder. */
TL_INLINE size_t tl_padded(size_t m) {
    return (m + 7) / 8 * 8;
}

/* Numbers in `work`; the last tl_padded(m) of them, behind those that an update works in, are where
 * the solver takes its result. */
#define TL_UPDATE_WORK(m) (3 * tl_padded(m))
#define TL_WORK(m) (4 * tl_padded(m))

/* What distinguishes members of a family of losses. */
typedef struct tl_params {
    double gamma;
    size_t k;
} tl_params;

/* A loss is this table, one instance a loss, in loss.c's list. `work` is TL_WORK(m) doubles, for an
 * update TL_UPDATE_WORK(m). A loss that is not convex has no dual: `update`, `conjugate` and
 * `infeasibility` are NULL. */
typedef struct tl_loss_ops {
    bool multiclass;          /* exactly one label a row */
    bool quadratic_conjugate; /* L*(s v) = l s + q s^2 */
    bool always_smooth;       /* smooth for gamma = 0 too */
    bool has_k;               /* 1 <= k < m; k is 1 otherwise */
    /* Maximise D over the row's dual variables: from the scores s = W^T x_i (which contain the old
     * a) to the new a, which has room for tl_padded(m) numbers. kept: TL_KEPT numbers of the row
     * that the loss alone writes, NaN at first; they may speed up its next update. */
    void (*update)(const tl_row *row, tl_params params, size_t m, const double *s, const double *a,
                   double *a_new, double *kept, double *work);
    double (*value)(const tl_row *row, tl_params params, size_t m, const double *s, double *work);
    void (*gradient)(const tl_row *row, tl_params params, size_t m, const double *s, double *g,
                     double *work);
    /* L*(v), v = scale * a; the domain is not tested. */
    double (*conjugate)(const tl_row *row, tl_params params, size_t m, const double *a,
                        double scale);
    /* Largest violation of the domain by v = scale * a, relative to its size. */
    double (*infeasibility)(const tl_row *row, tl_params params, size_t m, const double *a,
                            double scale);
} tl_loss_ops;

extern const tl_loss_ops tl_ops_svm_ova, tl_ops_lr_ova, tl_ops_svm_multi, tl_ops_topk_svm_alpha,
    tl_ops_topk_svm_beta, tl_ops_lr_multi, tl_ops_topk_ent, tl_ops_topk_ent_tr, tl_ops_svm_ml,
    tl_ops_lr_ml;

/* What families share. */

/* v_j = factor (q_j - q_top) with q = s - norm2 a, so that max v = 0, and -inf for j = y and from m
 * to tl_padded(m). Returns factor (1 + q_top - q_y), the largest entry of b = factor (q + (1 -
 * q_y)). */
double tl_margins(size_t m, size_t y, const double *s, const double *a, double norm2, double factor,
                  double *v);

/* The updates, values and gradients of the multiclass hinge losses; they differ by the projection
 * that belongs to the domain of the conjugate. */
void tl_update_hinge(tl_warm_projection project, const tl_row *row, tl_params params, size_t m,
                     const double *s, const double *a, double *a_new, double *kept, double *work);
double tl_value_smooth_hinge(tl_warm_projection project, const tl_row *row, tl_params params,
                             size_t m, const double *s, double *work);
void tl_gradient_hinge(tl_warm_projection project, const tl_row *row, tl_params params, size_t m,
                       const double *s, double *g, double *work);

double tl_infeasibility_topk_alpha(const tl_row *row, tl_params params, size_t m, const double *a,
                                   double scale);
double tl_conjugate_svm_multi(const tl_row *row, tl_params params, size_t m, const double *a,
                              double scale);
double tl_conjugate_softmax(const tl_row *row, tl_params params, size_t m, const double *a,
                            double scale);

TL_INLINE bool tl_k_fits(const tl_loss_ops *ops, size_t k, size_t m) {
    return ops->has_k ? k >= 1 && k < m : k == 1;
}

/* NULL for an unknown loss. */
const tl_loss_ops *tl_loss_get(tl_loss_id loss);

/* Do the row starts (n + 1) begin at 0 and rise by at most `longest` a row? To be asked before
 * anything is read through them: the array behind has start[n] items. */
TL_INLINE bool tl_starts_rise(size_t n, const int64_t *start, size_t longest) {
    if (start[0] != 0) return false;
    for (size_t i = 0; i < n; i++)
        if (start[i + 1] < start[i] || (uint64_t)(start[i + 1] - start[i]) > longest) return false;
    return true;
}

/* Labels: TL_ERR_LABEL unless ascending, in range, and one a row for a multiclass loss. */
tl_status tl_check_labels(const tl_loss_ops *ops, size_t n, size_t m, const int64_t *label_start,
                          const int32_t *label);

/* Fisher-Yates with SplitMix64, solver_run.c. */
void tl_shuffle(uint64_t *state, size_t count, size_t *items);

/* x - x is 0 for finite x and NaN otherwise; a sum, unlike a chain of isfinite. */
TL_INLINE bool tl_all_finite(size_t n, const double *x) {
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < n; i++)
        sum += x[i] - x[i];
    return sum == 0.0;
}

TL_INLINE bool tl_all_finite32(size_t n, const float *x) {
    float sum = 0.0F;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < n; i++)
        sum += x[i] - x[i];
    return sum == 0.0F;
}

/* ---- input ---- */

/* Scores, projected vectors and radii; C, 1/C, gamma, bias, alpha, 1/alpha. Within these bounds no
 * square or product overflows. */
#define TL_LARGEST_INPUT 1e150
#define TL_LARGEST_PARAMETER 1e100

TL_INLINE bool tl_in_range(double value, double low, double high) {
    return value >= low && value <= high; /* false for NaN */
}

/* TL_OK, TL_ERR_NOT_FINITE, or TL_ERR_OVERFLOW beyond TL_LARGEST_INPUT. */
tl_status tl_check_values(size_t n, const double *b);

/* tl_check_values, and the entries that may be above the threshold of a projection onto a simplex
 * of this radius, or onto a top-k simplex: they go to the front of work (n), and their places are
 * kept at its end; the part of length *count behind the former is free. *count is 0 if they were
 * too many to be worth it, or n is small; then work holds nothing. */
tl_status tl_filter(size_t n, const double *b, size_t k, double radius, double *work,
                    size_t *count);
/* x_j = min((b_j - t)_+, u) for all j, from what tl_filter left in work. x may be b. */
void tl_scatter(size_t n, const double *b, tl_capped c, size_t count, const double *work,
                double *x);

/* A gamma below 1e-100 counts as 0: it smooths nothing but rounding errors, and divides. */
TL_INLINE tl_params tl_params_of(size_t k, double gamma) {
    const tl_params params = {.gamma = gamma < 1.0 / TL_LARGEST_PARAMETER ? 0.0 : gamma, .k = k};
    return params;
}

#endif /* TL_INTERNAL_H */
