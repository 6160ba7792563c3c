/* SPDX-License-Identifier: MIT */
/* The top-k SVM alpha, max{0, mean of the k largest of (a + c) without the y-th}, and beta, the
 * mean of the k largest of max{0, (a + c)_j}, with their smoothings (the paper, Propositions 1, 2
 * and 14). They differ in the domain of the conjugate only: the cap on each dual variable is their
 * sum over k (alpha) or 1/k (beta). */
#include "internal.h"

#include <float.h>
#include <string.h>

/* The capped simplex of this radius, biased: x_j = min((b_j - t)_+, u). work: n. */
typedef tl_capped (*projection)(size_t n, const double *b, size_t k, double radius, double bias,
                                double *work);

/* b = factor (q + (1 - q_y)) without the y-th entry, q = s - norm2 a (a may be NULL). */
static void margins(const tl_row *row, size_t m, const double *s, const double *a, double factor,
                    double *b) {
    const size_t y = (size_t)row->labels[0];
    const double norm2 = a == NULL ? 0.0 : row->norm2;
    const double q_y = s[y] - (a == NULL ? 0.0 : norm2 * a[y]);
    size_t next = 0;
    for (size_t j = 0; j < m; j++) {
        if (j == y) continue;
        const double q = s[j] - (a == NULL ? 0.0 : norm2 * a[j]);
        b[next++] = factor * (1.0 + (q - q_y));
    }
}

/* Spreads sign * min((b_j - t)_+, u) over the classes other than y; returns the sum of the minima.
 */
static double scatter(size_t m, size_t y, const double *b, tl_capped c, double sign, double *out) {
    double sum = 0.0;
    for (size_t j = 0, next = 0; j < m; j++) {
        if (j == y) continue;
        const double x = fmin(tl_above(b[next++], c.t), c.u);
        out[j] = sign * x;
        sum += x;
    }
    return sum;
}

static void update(projection project, const tl_row *row, tl_params params, size_t m,
                   const double *s, const double *a, double *a_new, double *work) {
    const size_t y = (size_t)row->labels[0];
    const double smoothing = params.gamma / row->C;
    if (row->norm2 + smoothing <= DBL_MIN) {
        /* x_i = 0 and no smoothing: the dual is linear in a_i; the uniform point maximises it. */
        for (size_t j = 0; j < m; j++)
            a_new[j] = -row->C / (double)(m - 1);
        a_new[y] = row->C;
        return;
    }
    const double factor = 1.0 / (row->norm2 + smoothing);
    margins(row, m, s, a, factor, work);
    const tl_capped c = project(m - 1, work, params.k, row->C, row->norm2 * factor, work + m);
    a_new[y] = scatter(m, y, work, c, -1.0, a_new);
}

static double smooth_value(projection project, const tl_row *row, tl_params params, size_t m,
                           const double *s, double *work) {
    margins(row, m, s, NULL, 1.0, work);
    const tl_capped c = project(m - 1, work, params.k, params.gamma, 0.0, work + m);
    double sum = 0.0;
    for (size_t j = 0; j < m - 1; j++) {
        const double x = fmin(tl_above(work[j], c.t), c.u);
        sum += x * (work[j] - 0.5 * x);
    }
    return sum / params.gamma;
}

static void gradient(projection project, const tl_row *row, tl_params params, size_t m,
                     const double *s, double *g, double *work) {
    const size_t y = (size_t)row->labels[0];
    margins(row, m, s, NULL, 1.0, work);
    const tl_capped c = project(m - 1, work, params.k, params.gamma, 0.0, work + m);
    g[y] = -scatter(m, y, work, c, 1.0, g);
    for (size_t j = 0; j < m; j++)
        g[j] /= params.gamma;
}

static double infeasibility(const tl_row *row, tl_params params, size_t m, const double *a,
                            double scale, bool cap_by_sum) {
    const size_t y = (size_t)row->labels[0];
    double sum = 0.0, worst = 0.0, largest = 0.0;
    for (size_t j = 0; j < m; j++) {
        if (j == y) continue;
        const double v = scale * a[j];
        sum += v;
        worst = fmax(worst, -v);
        largest = fmax(largest, v);
    }
    worst = fmax(worst, sum - 1.0);
    worst = fmax(worst, fabs(sum + scale * a[y]));
    return fmax(worst, largest - (cap_by_sum ? sum : 1.0) / (double)params.k);
}

/* ---- alpha ---- */

static void update_alpha(const tl_row *row, tl_params params, size_t m, const double *s,
                         const double *a, double *a_new, double *kept, double *work) {
    (void)kept;
    update(tl_topk_alpha_threshold, row, params, m, s, a, a_new, work);
}

static double value_alpha(const tl_row *row, tl_params params, size_t m, const double *s,
                          double *work) {
    if (params.gamma > 0.0) return smooth_value(tl_topk_alpha_threshold, row, params, m, s, work);
    margins(row, m, s, NULL, 1.0, work);
    return fmax(0.0, tl_sum_of_largest(m - 1, work, params.k) / (double)params.k);
}

static void gradient_alpha(const tl_row *row, tl_params params, size_t m, const double *s,
                           double *g, double *work) {
    gradient(tl_topk_alpha_threshold, row, params, m, s, g, work);
}

double tl_infeasibility_topk_alpha(const tl_row *row, tl_params params, size_t m, const double *a,
                                   double scale) {
    return infeasibility(row, params, m, a, scale, true);
}

const tl_loss_ops tl_ops_topk_svm_alpha = {
    .multiclass = true,
    .quadratic_conjugate = true,
    .has_k = true,
    .update = update_alpha,
    .value = value_alpha,
    .gradient = gradient_alpha,
    .conjugate = tl_conjugate_svm_multi,
    .infeasibility = tl_infeasibility_topk_alpha,
};

/* ---- beta ---- */

static void update_beta(const tl_row *row, tl_params params, size_t m, const double *s,
                        const double *a, double *a_new, double *kept, double *work) {
    (void)kept;
    update(tl_topk_beta_threshold, row, params, m, s, a, a_new, work);
}

static double value_beta(const tl_row *row, tl_params params, size_t m, const double *s,
                         double *work) {
    if (params.gamma > 0.0) return smooth_value(tl_topk_beta_threshold, row, params, m, s, work);
    margins(row, m, s, NULL, 1.0, work);
    for (size_t j = 0; j < m - 1; j++)
        work[j] = fmax(0.0, work[j]);
    return tl_sum_of_largest(m - 1, work, params.k) / (double)params.k;
}

static void gradient_beta(const tl_row *row, tl_params params, size_t m, const double *s, double *g,
                          double *work) {
    gradient(tl_topk_beta_threshold, row, params, m, s, g, work);
}

static double infeasibility_beta(const tl_row *row, tl_params params, size_t m, const double *a,
                                 double scale) {
    return infeasibility(row, params, m, a, scale, false);
}

const tl_loss_ops tl_ops_topk_svm_beta = {
    .multiclass = true,
    .quadratic_conjugate = true,
    .has_k = true,
    .update = update_beta,
    .value = value_beta,
    .gradient = gradient_beta,
    .conjugate = tl_conjugate_svm_multi,
    .infeasibility = infeasibility_beta,
};
