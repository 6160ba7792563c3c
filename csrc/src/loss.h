/* SPDX-License-Identifier: MIT
 *
 * loss.h: a loss as the solver sees it, the list of losses, and what families of them share.
 */
#ifndef TL_LOSS_H
#define TL_LOSS_H

#include "prox.h"

/* What distinguishes members of a family of losses. */
typedef struct tl_params {
    double gamma;
    size_t k;
    tl_warm_projection project; /* of the multiclass hinges: onto the domain of the conjugate */
} tl_params;

/* A row of the data as its loss sees it. */
typedef struct tl_row {
    tl_params params;
    double C;              /* C times the weight of the row */
    double norm2;          /* <x_i, x_i> */
    const int32_t *labels; /* ascending */
    size_t n_labels;
} tl_row;

/* Row i of data with these labels. */
TL_INLINE tl_row tl_row_of(tl_params params, double C, double norm2, const int64_t *label_start,
                           const int32_t *label, size_t i) {
    return (tl_row){.params = params,
                    .C = C,
                    .norm2 = norm2,
                    .labels = label + label_start[i],
                    .n_labels = (size_t)(label_start[i + 1] - label_start[i])};
}

/* C times the weight of row i; `weight` may be NULL. Where its inverse could overflow it is 0, and
 * the row is not there. */
TL_INLINE double tl_row_C(double C, const double *weight, size_t i) {
    const double C_i = weight ? C * weight[i] : C;
    return C_i >= DBL_MIN ? C_i : 0.0;
}

/* Is class j a label? For j in ascending order; `in` counts the labels so far. */
TL_INLINE bool tl_is_next_label(const tl_row *row, size_t j, size_t *in) {
    const bool is_label = *in < row->n_labels && (size_t)row->labels[*in] == j;
    *in += is_label;
    return is_label;
}

/* Numbers that a loss keeps of a row from one update to the next. */
#define TL_WARM 2

/* Numbers in `work`; the last tl_padded(m) of them, behind those that an update works in, are where
 * the solver takes its result. */
#define TL_UPDATE_WORK(m) (4 * tl_padded(m))
#define TL_WORK(m) (5 * tl_padded(m))

/* Dual variables may miss the domain of the conjugate by so much, as when they were stored in
 * float32. */
#define TL_DOMAIN_TOLERANCE 1e-6

/* The generalised Jacobian of the gradient of the loss of a row in its scores, without the factor
 * 1/gamma of a hinge, as a sparse diagonal plus rank two,
 *
 *     J = diag(w) + Q K Q^T,   K = (core[0] core[1]; core[1] core[2]):
 *
 * entry e stands for class column[e] and has the weight w_e = weight[e]. Entries before `middle`
 * have a number in the first column of Q, the others in the second: w_e, or 1 where w_e is 0. A J
 * of `differences` acts on t_j - t_y; its row and column of y are minus the sums of the others. */
typedef struct tl_curvature {
    int32_t *column;
    double *weight;
    size_t count, middle;
    double core[3];
} tl_curvature;

/* A loss is this table, one instance per loss, in the list below. `work` is TL_WORK(m) doubles,
 * for an update TL_UPDATE_WORK(m). A loss that is not convex has no dual: `update`, `conjugate` and
 * `infeasibility` are NULL; and `curvature` of one that Newton's method does not take. */
typedef struct tl_loss_ops {
    bool multiclass;            /* exactly one label per row */
    bool quadratic_conjugate;   /* L*(s v) = l s + q s^2 */
    bool always_smooth;         /* smooth for gamma = 0 too */
    bool free_sum;              /* the dual variables of a row need not sum to 0 */
    bool has_k;                 /* 1 <= k < m; k is 1 otherwise */
    bool differences;           /* of tl_curvature */
    bool centred;               /* of scores minus their mean; gamma smooths at the label too */
    tl_warm_projection project; /* of tl_params */
    /* Maximise D over the row's dual variables: from the scores s = W^T x_i (which contain the old
     * a) to the new a, which has room for tl_padded(m) numbers. warm: TL_WARM numbers of the row
     * that the loss alone writes, NaN at first; they may speed up its next update. */
    void (*update)(const tl_row *row, size_t m, const double *s, const double *a, double *a_new,
                   double *warm, double *work);
    double (*value)(const tl_row *row, size_t m, const double *s, double *work);
    void (*gradient)(const tl_row *row, size_t m, const double *s, double *g, double *work);
    /* L*(v), v = scale * a; the domain is not tested. */
    double (*conjugate)(const tl_row *row, size_t m, const double *a, double scale);
    /* Sum of the violations of the domain by v = scale * a, relative to its size: v is no farther
     * than 4 times that from the nearest point of the domain, in the 1-norm. */
    double (*infeasibility)(const tl_row *row, size_t m, const double *a, double scale);
    /* Where the gradient is g, of a smoothed hinge whatever its gamma; `out` is empty at first and
     * has room for m entries. */
    void (*curvature)(const tl_row *row, size_t m, const double *g, tl_curvature *out);
} tl_loss_ops;

/* L*(scale a). Where the square of a large scale could overflow, the numbers are scaled in `work`
 * (m) first. */
TL_INLINE double tl_conjugate_of(const tl_loss_ops *ops, const tl_row *row, size_t m,
                                 const double *a, double scale, double *work) {
    if (fabs(scale) <= TL_LARGEST_PARAMETER) return ops->conjugate(row, m, a, scale);
    for (size_t j = 0; j < m; j++)
        work[j] = scale * a[j];
    return ops->conjugate(row, m, work, 1.0);
}

/* Gradients are so near to a bound of the domain of the conjugate where they are at it; and weights
 * of so little are left out. */
#define TL_AT_BOUND 1e-10

/* The number in Q of an entry with this weight. */
TL_INLINE double tl_factor_of(double weight) {
    return weight > 0.0 ? weight : 1.0;
}

TL_INLINE void tl_add_entry(tl_curvature *out, size_t j, double weight) {
    out->column[out->count] = (int32_t)j;
    out->weight[out->count++] = weight;
}

/* The curvature of a projection onto { x : 0 <= x_j <= cap, sum of x = 1 } or, unless `is_bounded`,
 * without the bound of the sum: its entries are those of g, but for y, that are free. */
void tl_curvature_box(size_t m, size_t y, const double *g, double cap, bool is_bounded,
                      tl_curvature *out);
/* The entries of a gradient that has one sign on each side of a label set, of the labels and then
 * of the others, where they are larger than `least`: with their size as weight, or 1. */
void tl_curvature_of_sides(const tl_row *row, size_t m, const double *g, double least,
                           bool with_size, tl_curvature *out);
/* The largest entry of g, but for y, at least 0. */
double tl_largest_other(size_t m, size_t y, const double *g);

/* The losses: the name in tl_loss_id, and in the table tl_ops_*. */
#define TL_LOSSES(ROW)                                                                             \
    ROW(SVM_OVA, svm_ova)                                                                          \
    ROW(LR_OVA, lr_ova)                                                                            \
    ROW(SVM_MULTI, svm_multi)                                                                      \
    ROW(TOPK_SVM_ALPHA, topk_svm_alpha)                                                            \
    ROW(TOPK_SVM_BETA, topk_svm_beta)                                                              \
    ROW(LR_MULTI, lr_multi)                                                                        \
    ROW(TOPK_ENT, topk_ent)                                                                        \
    ROW(TOPK_ENT_TR, topk_ent_tr)                                                                  \
    ROW(SVM_ML, svm_ml)                                                                            \
    ROW(LR_ML, lr_ml)                                                                              \
    ROW(SVM_WW, svm_ww)                                                                            \
    ROW(SC_SVM, sc_svm)                                                                            \
    ROW(SH_SVM, sh_svm)                                                                            \
    ROW(ZLPR, zlpr)                                                                                \
    ROW(LSEP, lsep)

#define TL_DECLARE(ID, name) extern const tl_loss_ops tl_ops_##name;
TL_LOSSES(TL_DECLARE)

/* ---- what families of losses share ---- */

/* log(1 + e^x) */
TL_INLINE double tl_softplus(double x) {
    return x > 0.0 ? x + log1p(exp(-x)) : log1p(exp(x));
}

/* v_j = factor (q_j - q_top) with q = s - norm2 a, so that max v = 0, and -inf for j = y and from m
 * to tl_padded(m). Returns factor (1 + q_top - q_y), the largest entry of b = factor (q + (1 -
 * q_y)). */
double tl_margins(size_t m, size_t y, const double *s, const double *a, double norm2, double factor,
                  double *v);

/* The updates, values and gradients of the multiclass hinge losses; they differ by params.project.
 */
void tl_update_hinge(const tl_row *row, size_t m, const double *s, const double *a, double *a_new,
                     double *warm, double *work);
double tl_value_smooth_hinge(const tl_row *row, size_t m, const double *s, double *work);
void tl_gradient_hinge(const tl_row *row, size_t m, const double *s, double *g, double *work);

/* The sum of v = scale a without the labels, and how far its negative entries lie below 0. */
typedef struct tl_others {
    double sum, below;
} tl_others;
tl_others tl_sum_others(const tl_row *row, size_t m, const double *a, double scale);

double tl_infeasibility_topk_alpha(const tl_row *row, size_t m, const double *a, double scale);
/* Of { v : v_y <= 0 <= v_j, the sums of -v_y and of v_j are equal and at most 1 }. */
double tl_infeasibility_bipartite(const tl_row *row, size_t m, const double *a, double scale);
double tl_conjugate_svm_multi(const tl_row *row, size_t m, const double *a, double scale);
double tl_conjugate_softmax(const tl_row *row, size_t m, const double *a, double scale);

/* Have arrays of (n, m) numbers a size, and of the work of a row? */
TL_INLINE bool tl_is_shape(size_t n, size_t m) {
    return n >= 1 && m >= 2 && m <= INT32_MAX && n < PTRDIFF_MAX / sizeof(double) / m;
}

TL_INLINE bool tl_k_fits(const tl_loss_ops *ops, size_t k, size_t m) {
    return ops->has_k ? k >= 1 && k < m : k == 1;
}

TL_INLINE bool tl_is_smooth(const tl_loss_ops *ops, tl_params params) {
    return ops->always_smooth || params.gamma > 0.0;
}

/* NULL for an unknown loss. */
const tl_loss_ops *tl_loss_get(tl_loss_id loss);

/* Labels: TL_ERR_LABEL unless ascending, in range, and one per row for a multiclass loss. */
tl_status tl_check_labels(const tl_loss_ops *ops, size_t n, size_t m, const int64_t *label_start,
                          const int32_t *label);

/* A gamma below 1e-100 counts as 0: it smooths nothing but rounding errors, and divides. */
TL_INLINE tl_params tl_params_of(const tl_loss_ops *ops, size_t k, double gamma) {
    const double smoothing = gamma < 1.0 / TL_LARGEST_PARAMETER ? 0.0 : gamma;
    return (tl_params){.gamma = smoothing, .k = k, .project = ops->project};
}

#endif /* TL_LOSS_H */
