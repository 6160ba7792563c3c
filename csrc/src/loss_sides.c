/* SPDX-License-Identifier: MIT */
/* Two losses of label sets with the logarithms of a sum of exponentials of each side,
 *
 *     A = log sum_{j not in Y} e^{u_j},   B = log sum_{y in Y} e^{-u_y}.
 *
 * ZLPR (Su et al., arXiv 2208.02955) is log(1 + e^A) + log(1 + e^B), LSEP (Li, Song and Luo, CVPR
 * 2017) log(1 + e^{A + B}). With p = |v| >= 0, of which s and s' are the sums over the other
 * classes and over the labels, their conjugates are
 *
 *     ZLPR   <p, log p> + (1 - s) log(1 - s) + (1 - s') log(1 - s')
 *     LSEP   <p, log p> + (1 - s) log(1 - s) - s log s, and s = s'.
 *
 * Where a set is empty or full, ZLPR has the one side that there is, and LSEP, which has no pair,
 * the loss 0 and the dual variables 0. gamma is ignored. */
#include "loss.h"
#include "vmath.h"

#include <string.h>

static void mark(const tl_row *row, size_t m, double *in) {
    memset(in, 0, tl_padded(m) * sizeof *in);
    for (size_t l = 0; l < row->n_labels; l++)
        in[row->labels[l]] = 1.0;
}

/* z = s - norm2 a, of the labels with the opposite sign, and -inf behind. */
TL_CLONES
static void without_row(size_t m, double norm2, const double *restrict s, const double *restrict a,
                        const double *restrict in, double *restrict z) {
    for (size_t j = m; j < tl_padded(m); j++)
        z[j] = -INFINITY;
#pragma omp simd
    for (size_t j = 0; j < m; j++)
        z[j] = (1.0 - 2.0 * in[j]) * (s[j] - norm2 * a[j]);
}

/* a = factor v of the labels, -factor' v of the others. */
TL_CLONES
static void store(size_t m, double of_others, double of_labels, const double *restrict in,
                  const double *restrict v, double *restrict a) {
#pragma omp simd
    for (size_t j = 0; j < m; j++)
        a[j] = v[j] * (in[j] > 0.0 ? of_labels : -of_others);
}

/* ---- update ---- */

typedef void (*projection)(const tl_sides *sides, double alpha, double *warm, double *factor);

TL_INLINE void update(projection project, const tl_row *row, size_t m, const double *s,
                      const double *a, double *a_new, double *warm, double *work) {
    const size_t n = tl_padded(m);
    double *z = work, *in = work + n, *v = work + 2 * n, *u = work + 3 * n, factor[2];
    mark(row, m, in);
    without_row(m, row->norm2, s, a, in, z);
    const tl_sides sides = {n, row->n_labels, m - row->n_labels, z, in, v, u};
    /* For a tiny alpha nothing changes but rounding. */
    project(&sides, fmax(row->norm2 * row->C, 1e-17), warm, factor);
    store(m, row->C * factor[0], row->C * factor[1], in, v, a_new);
}

static void update_zlpr(const tl_row *row, size_t m, const double *s, const double *a,
                        double *a_new, double *warm, double *work) {
    update(tl_warm_apart, row, m, s, a, a_new, warm, work);
}

static bool has_no_pair(const tl_row *row, size_t m) {
    return row->n_labels == 0 || row->n_labels == m;
}

static void update_lsep(const tl_row *row, size_t m, const double *s, const double *a,
                        double *a_new, double *warm, double *work) {
    if (has_no_pair(row, m))
        memset(a_new, 0, m * sizeof *a_new);
    else
        update(tl_warm_paired, row, m, s, a, a_new, warm, work);
}

/* ---- value and gradient ---- */

/* A side's log sum e^z is top + log(sum); e: the terms of the sum. */
typedef struct side {
    double top, sum;
} side;

TL_CLONES
static void exponentials(size_t m, const double *restrict s, const double *restrict in,
                         double *restrict e, side *others, side *labels) {
    double top = -INFINITY, top_in = -INFINITY, sum = 0.0, sum_in = 0.0;
#pragma omp simd reduction(max : top, top_in)
    for (size_t j = 0; j < m; j++) {
        const double other = in[j] > 0.0 ? -INFINITY : s[j];
        const double label = in[j] > 0.0 ? -s[j] : -INFINITY;
        top = other > top ? other : top;
        top_in = label > top_in ? label : top_in;
    }
#pragma omp simd reduction(+ : sum, sum_in)
    for (size_t j = 0; j < m; j++) {
        const bool is_label = in[j] > 0.0;
        e[j] = tl_exp(is_label ? -s[j] - top_in : s[j] - top);
        sum_in += is_label ? e[j] : 0.0;
        sum += is_label ? 0.0 : e[j];
    }
    *others = (side){tl_reduced_max(top), sum};
    *labels = (side){tl_reduced_max(top_in), sum_in};
}

static double log_sum(side x) {
    return x.sum > 0.0 ? x.top + log(x.sum) : -INFINITY;
}

static double sigmoid(double x) {
    return x > 0.0 ? 1.0 / (1.0 + exp(-x)) : exp(x) / (1.0 + exp(x));
}

static double value_zlpr(const tl_row *row, size_t m, const double *s, double *work) {
    side others, labels;
    mark(row, m, work);
    exponentials(m, s, work, work + tl_padded(m), &others, &labels);
    return tl_softplus(log_sum(others)) + tl_softplus(log_sum(labels));
}

static double value_lsep(const tl_row *row, size_t m, const double *s, double *work) {
    if (has_no_pair(row, m)) return 0.0;
    side others, labels;
    mark(row, m, work);
    exponentials(m, s, work, work + tl_padded(m), &others, &labels);
    return tl_softplus((others.top + labels.top) + log(others.sum * labels.sum));
}

static void gradient_zlpr(const tl_row *row, size_t m, const double *s, double *g, double *work) {
    side others, labels;
    double *e = work + tl_padded(m);
    mark(row, m, work);
    exponentials(m, s, work, e, &others, &labels);
    const double of_labels = labels.sum > 0.0 ? sigmoid(log_sum(labels)) / labels.sum : 0.0;
    const double of_others = others.sum > 0.0 ? sigmoid(log_sum(others)) / others.sum : 0.0;
    store(m, -of_others, -of_labels, work, e, g);
}

static void gradient_lsep(const tl_row *row, size_t m, const double *s, double *g, double *work) {
    memset(g, 0, m * sizeof *g);
    if (has_no_pair(row, m)) return;
    side others, labels;
    double *e = work + tl_padded(m);
    mark(row, m, work);
    exponentials(m, s, work, e, &others, &labels);
    const double share = sigmoid((others.top + labels.top) + log(others.sum * labels.sum));
    store(m, -share / others.sum, -share / labels.sum, work, e, g);
}

/* ---- conjugate ---- */

TL_CLONES
static double negative_entropy(size_t m, const double *a, double scale) {
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (size_t j = 0; j < m; j++)
        sum += tl_x_log_x(fabs(scale * a[j]));
    return sum;
}

static double sum_of_labels(const tl_row *row, const double *a, double scale) {
    double sum = 0.0;
    for (size_t l = 0; l < row->n_labels; l++)
        sum -= scale * a[row->labels[l]];
    return sum;
}

/* (1 - s) log(1 - s) */
static double of_rest(double s) {
    return s < 1.0 ? (1.0 - s) * log1p(-s) : 0.0;
}

static double conjugate_zlpr(const tl_row *row, size_t m, const double *a, double scale) {
    return negative_entropy(m, a, scale) + of_rest(tl_sum_others(row, m, a, scale).sum) +
           of_rest(sum_of_labels(row, a, scale));
}

static double conjugate_lsep(const tl_row *row, size_t m, const double *a, double scale) {
    const double s = sum_of_labels(row, a, scale);
    return negative_entropy(m, a, scale) + of_rest(s) - (s > 1e-300 ? s * log(s) : 0.0);
}

static double infeasibility_zlpr(const tl_row *row, size_t m, const double *a, double scale) {
    const tl_others others = tl_sum_others(row, m, a, scale);
    double below = others.below;
    for (size_t l = 0; l < row->n_labels; l++)
        below += fmax(0.0, scale * a[row->labels[l]]);
    return below + fmax(0.0, others.sum - 1.0) + fmax(0.0, sum_of_labels(row, a, scale) - 1.0);
}

/* ---- curvature ---- */

/* Of both: diag(p) - p p^T on each side. Between the sides there is (1 - s)/s p p'^T of LSEP, with
 * the signs of the scores: its A + B has the second derivative s (1 - s) beside s. */
static void curvature_zlpr(const tl_row *row, size_t m, const double *g, tl_curvature *out) {
    tl_curvature_of_sides(row, m, g, TL_AT_BOUND, true, out);
    out->core[0] = out->core[2] = -1.0;
}

static void curvature_lsep(const tl_row *row, size_t m, const double *g, tl_curvature *out) {
    curvature_zlpr(row, m, g, out);
    const double s = sum_of_labels(row, g, 1.0);
    if (out->count > 0) out->core[1] = -fmax(1.0 - s, 0.0) / s;
}

const tl_loss_ops tl_ops_zlpr = {
    .curvature = curvature_zlpr,
    .free_sum = true,
    .always_smooth = true,
    .update = update_zlpr,
    .value = value_zlpr,
    .gradient = gradient_zlpr,
    .conjugate = conjugate_zlpr,
    .infeasibility = infeasibility_zlpr,
};

const tl_loss_ops tl_ops_lsep = {
    .curvature = curvature_lsep,
    .always_smooth = true,
    .update = update_lsep,
    .value = value_lsep,
    .gradient = gradient_lsep,
    .conjugate = conjugate_lsep,
    .infeasibility = tl_infeasibility_bipartite,
};
