/* SPDX-License-Identifier: MIT */
/* The multiclass SVM max_j (a_j + c_j) and its smoothing (the paper, Propositions 1, 2 and 14 with
 * k = 1). */
#include "internal.h"

#include <float.h>

/* v_j = factor (q_j - q_top) with q = s - norm2 a, -inf for j = y, so that max v = 0. Returns
 * factor (1 + q_top - q_y), the largest entry of b = factor (q + (1 - q_y)). */
TL_CLONES
static double margins(size_t m, size_t y, const double *s, const double *a, double norm2,
                      double factor, double *v) {
    double top = -INFINITY;
#pragma omp simd
    for (size_t j = 0; j < m; j++)
        v[j] = s[j] - norm2 * a[j];
    const double q_y = v[y];
    v[y] = -INFINITY;
#pragma omp simd reduction(max : top)
    for (size_t j = 0; j < m; j++)
        top = v[j] > top ? v[j] : top;
#pragma omp simd
    for (size_t j = 0; j < m; j++)
        v[j] = factor * (v[j] - top);
    return factor * (1.0 + top - q_y);
}

TL_CLONES
static double store_negative(size_t m, const double *v, double tau, double *a_new) {
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (size_t j = 0; j < m; j++) {
        const double x = v[j] > tau ? v[j] - tau : 0.0;
        a_new[j] = -x;
        sum += x;
    }
    return sum;
}

static void update(const tl_row *row, tl_params params, size_t m, const double *s, const double *a,
                   double *a_new, double *kept, double *work) {
    const size_t y = (size_t)row->labels[0];
    const double smoothing = params.gamma / row->C;
    (void)kept;
    if (row->norm2 + smoothing <= DBL_MIN) {
        /* x_i = 0 and no smoothing: the dual is linear in a_i, and every point with sum C is a
         * maximiser. */
        for (size_t j = 0; j < m; j++)
            a_new[j] = -row->C / (double)(m - 1);
        a_new[y] = row->C;
        return;
    }
    const double factor = 1.0 / (row->norm2 + smoothing);
    const double top = margins(m, y, s, a, row->norm2, factor, work);
    double sum = 0.0;
    if (top > 0.0) {
        const double tau = tl_simplex_threshold(m, work, top, row->C, row->norm2 * factor);
        sum = store_negative(m, work, tau, a_new);
    } else {
        for (size_t j = 0; j < m; j++)
            a_new[j] = 0.0;
    }
    a_new[y] = sum;
}

/* The loss is the update's projection with the radius gamma and no bias, in scores instead of dual
 * variables. */
static double value(const tl_row *row, tl_params params, size_t m, const double *s, double *work) {
    const size_t y = (size_t)row->labels[0];
    double top = -INFINITY;
    for (size_t j = 0; j < m; j++)
        if (j != y && s[j] > top) top = s[j];
    const double largest = 1.0 + top - s[y];
    if (params.gamma == 0.0) return largest > 0.0 ? largest : 0.0;
    if (largest <= 0.0) return 0.0;
    for (size_t j = 0; j < m; j++)
        work[j] = s[j] - top;
    work[y] = -INFINITY;
    const double tau = tl_simplex_threshold(m, work, largest, params.gamma, 0.0);
    const double threshold = largest + tau;
    double sum = 0.0;
    for (size_t j = 0; j < m; j++) {
        const double x = work[j] - tau; /* <b, p> - p^2/2 with p = x, b = x + threshold */
        if (x > 0.0) sum += x * (threshold + 0.5 * x);
    }
    return sum / params.gamma;
}

static void gradient(const tl_row *row, tl_params params, size_t m, const double *s, double *g,
                     double *work) {
    const size_t y = (size_t)row->labels[0];
    double top = -INFINITY, sum = 0.0;
    for (size_t j = 0; j < m; j++)
        if (j != y && s[j] > top) top = s[j];
    const double largest = 1.0 + top - s[y];
    double tau = 0.0;
    for (size_t j = 0; j < m; j++)
        work[j] = s[j] - top;
    work[y] = -INFINITY;
    if (largest > 0.0) tau = tl_simplex_threshold(m, work, largest, params.gamma, 0.0);
    for (size_t j = 0; j < m; j++) {
        g[j] = work[j] > tau ? (work[j] - tau) / params.gamma : 0.0;
        sum += g[j];
    }
    g[y] = -sum;
}

double tl_conjugate_svm_multi(const tl_row *row, tl_params params, size_t m, const double *a,
                              double scale) {
    const size_t y = (size_t)row->labels[0];
    double squares = 0.0;
    for (size_t j = 0; j < m; j++)
        squares += a[j] * a[j];
    squares -= a[y] * a[y];
    /* - sum_{j != y} v_j = v_y on the domain */
    return scale * a[y] + 0.5 * params.gamma * scale * scale * squares;
}

static double infeasibility(const tl_row *row, tl_params params, size_t m, const double *a,
                            double scale) {
    (void)params;
    const size_t y = (size_t)row->labels[0];
    double sum = 0.0, worst = 0.0;
    for (size_t j = 0; j < m; j++) {
        const double v = scale * a[j];
        if (j == y) continue;
        sum += v;
        if (-v > worst) worst = -v;
    }
    if (sum - 1.0 > worst) worst = sum - 1.0;
    const double balance = fabs(sum + scale * a[y]);
    return balance > worst ? balance : worst;
}

const tl_loss_ops tl_ops_svm_multi = {
    .multiclass = true,
    .quadratic_conjugate = true,
    .update = update,
    .value = value,
    .gradient = gradient,
    .conjugate = tl_conjugate_svm_multi,
    .infeasibility = infeasibility,
};
