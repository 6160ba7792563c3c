/* SPDX-License-Identifier: MIT */
/* The top-k SVM alpha, max{0, mean of the k largest of (a + c) without the y-th}, and beta, the
 * mean of the k largest of max{0, (a + c)_j}, with their smoothings (the paper, Propositions 1, 2
 * and 14). They differ in the domain of the conjugate only: the cap on each dual variable is their
 * sum over k (alpha) or 1/k (beta). */
#include "loss.h"

/* The k largest of 1 + s_j - s_y, j != y, in descending order; they are in work. */
static const double *largest_margins(const tl_row *row, size_t m, const double *s, double *work) {
    const size_t n = tl_padded(m), k = row->params.k;
    double *top = work + n;
    const double highest = tl_margins(m, (size_t)row->labels[0], s, s, 0.0, 1.0, work);
    tl_largest(n, work, k, top, work + 2 * n);
    for (size_t j = 0; j < k; j++)
        top[j] += highest;
    return top;
}

static double infeasibility(const tl_row *row, size_t m, const double *a, double scale,
                            bool cap_by_sum) {
    const size_t y = (size_t)row->labels[0];
    const tl_others others = tl_sum_others(row, m, a, scale);
    const double cap = fmax(0.0, (cap_by_sum ? others.sum : 1.0) / (double)row->params.k);
    const double above = tl_excess(y, scale, a, cap) + tl_excess(m - y - 1, scale, a + y + 1, cap);
    return others.below + above + fmax(0.0, others.sum - 1.0) + fabs(others.sum + scale * a[y]);
}

/* ---- alpha ---- */

static double value_alpha(const tl_row *row, size_t m, const double *s, double *work) {
    if (row->params.gamma > 0.0) return tl_value_smooth_hinge(row, m, s, work);
    const double *top = largest_margins(row, m, s, work);
    double sum = 0.0;
    for (size_t j = 0; j < row->params.k; j++)
        sum += top[j];
    return sum > 0.0 ? sum / (double)row->params.k : 0.0;
}

double tl_infeasibility_topk_alpha(const tl_row *row, size_t m, const double *a, double scale) {
    return infeasibility(row, m, a, scale, true);
}

/* With the sum at its bound the cap is 1/k, as for beta. Else the p capped entries are u, and the
 * sum of the free ones, x_M, is rho u with rho = k - p, so that g is the projection of the margins
 * b onto that subspace: x_M = b_M - t and p u = sum of b_U + rho t, with
 *
 *     t = (p sum of b_M - rho sum of b_U)/D,   D = rho^2 + p |M|. */
static void curvature_alpha(const tl_row *row, size_t m, const double *g, tl_curvature *out) {
    const size_t y = (size_t)row->labels[0];
    const double k = (double)row->params.k, sum = -g[y];
    if (!(sum > 0.0)) return;
    if (sum >= 1.0 - TL_AT_BOUND) {
        tl_curvature_box(m, y, g, sum / k, true, out);
        return;
    }
    const double cap = tl_largest_other(m, y, g);
    const double limit =
        cap * k >= sum * (1.0 - TL_AT_BOUND) ? cap * (1.0 - TL_AT_BOUND) : INFINITY;
    for (size_t j = 0; j < m; j++)
        if (j != y && g[j] > 0.0 && g[j] < limit) tl_add_entry(out, j, 1.0);
    out->middle = out->count;
    for (size_t j = 0; j < m; j++)
        if (j != y && g[j] >= limit) tl_add_entry(out, j, 0.0);
    const double free_count = (double)out->middle, p = (double)(out->count - out->middle);
    const double rho = k - p, D = rho * rho + p * free_count;
    if (free_count == 0.0) {
        out->core[2] = 1.0 / p;
        return;
    }
    out->core[0] = -p / D;
    out->core[1] = rho / D;
    out->core[2] = free_count / D;
}

const tl_loss_ops tl_ops_topk_svm_alpha = {
    .multiclass = true,
    .differences = true,
    .curvature = curvature_alpha,
    .quadratic_conjugate = true,
    .has_k = true,
    .project = tl_warm_topk_alpha,
    .update = tl_update_hinge,
    .value = value_alpha,
    .gradient = tl_gradient_hinge,
    .conjugate = tl_conjugate_svm_multi,
    .infeasibility = tl_infeasibility_topk_alpha,
};

/* ---- beta ---- */

static double value_beta(const tl_row *row, size_t m, const double *s, double *work) {
    if (row->params.gamma > 0.0) return tl_value_smooth_hinge(row, m, s, work);
    const double *top = largest_margins(row, m, s, work);
    double sum = 0.0;
    for (size_t j = 0; j < row->params.k && top[j] > 0.0; j++)
        sum += top[j];
    return sum / (double)row->params.k;
}

static double infeasibility_beta(const tl_row *row, size_t m, const double *a, double scale) {
    return infeasibility(row, m, a, scale, false);
}

static void curvature_beta(const tl_row *row, size_t m, const double *g, tl_curvature *out) {
    const size_t y = (size_t)row->labels[0];
    const double cap = row->params.k > 1 ? 1.0 / (double)row->params.k : INFINITY;
    tl_curvature_box(m, y, g, cap, -g[y] >= 1.0 - TL_AT_BOUND, out);
}

const tl_loss_ops tl_ops_topk_svm_beta = {
    .multiclass = true,
    .differences = true,
    .curvature = curvature_beta,
    .quadratic_conjugate = true,
    .has_k = true,
    .project = tl_warm_topk_beta,
    .update = tl_update_hinge,
    .value = value_beta,
    .gradient = tl_gradient_hinge,
    .conjugate = tl_conjugate_svm_multi,
    .infeasibility = infeasibility_beta,
};
