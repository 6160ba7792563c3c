/* SPDX-License-Identifier: MIT */
/* The top-k entropy loss: the softmax whose conjugate lives on the top-k simplex alpha (the paper,
 * Propositions 4 and 15 to 17). */
#include "internal.h"

#include <stdlib.h>

/* b = q - q_y with q = s - norm2 a, and -inf in the place of y and behind. */
TL_CLONES
static void dual_differences(size_t m, size_t n, size_t y, const double *restrict s,
                             const double *restrict a, double norm2, double *restrict b) {
    const double q_y = s[y] - norm2 * a[y];
    for (size_t j = m; j < n; j++)
        b[j] = -INFINITY;
#pragma omp simd
    for (size_t j = 0; j < m; j++)
        b[j] = (s[j] - norm2 * a[j]) - q_y;
    b[y] = -INFINITY;
}

/* From nothing, for the rare row whose search failed. x: m for work. */
static double update_from_nothing(size_t m, size_t y, size_t k, double alpha, double *b, double *z,
                                  double *p, double *x) {
    double t = NAN;
    size_t count = 0;
    for (size_t j = 0; j < m; j++)
        if (j != y) b[count++] = b[j];
    const double sum = tl_topk_entropic_project(count, b, k, alpha, &t, x, z, p);
    /* from m - 1 packed entries to their places, backwards */
    for (size_t j = m; j-- > 0;)
        x[j] = j == y ? 0.0 : x[j > y ? j - 1 : j];
    return sum;
}

TL_CLONES
static void scale(size_t m, double factor, double *a) {
#pragma omp simd
    for (size_t j = 0; j < m; j++)
        a[j] *= factor;
}

static void update(const tl_row *row, tl_params params, size_t m, const double *s, const double *a,
                   double *a_new, double *kept, double *work) {
    const size_t y = (size_t)row->labels[0], n = tl_padded(m);
    const double alpha = fmax(row->norm2 * row->C, 1e-17); /* below, nothing changes but rounding */
    double *b = work, *v = work + n, *u = work + 2 * n;
    dual_differences(m, n, y, s, a, row->norm2, b);
    double sum = tl_warm_topk_entropic(n, b, y, params.k, alpha, kept, a_new, v, u);
    if (sum < 0.0) sum = update_from_nothing(m, y, params.k, alpha, b, v, u, a_new);
    scale(m, -row->C, a_new);
    a_new[y] = row->C * sum;
}

/* ---- loss ---- */

static int descending(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a < b) - (a > b);
}

static double log_add(double a, double b) {
    const double top = fmax(a, b);
    return isinf(top) ? top : top + log1p(exp(-fabs(a - b)));
}

/* log(1 + e^score), with all digits where it is tiny. For a fixed direction x/s the maximum over s
 * of s score - s log s - (1-s) log(1-s) is this, and it is -log(1-s) there. */
static double softplus(double score) {
    return fmax(score, 0.0) + log1p(exp(-fabs(score)));
}

/* The maximiser of Proposition 17: x_j = min(e^{a_j - t}, s/k). Returns the loss. a (n) is
 * reordered. `tail` is n. */
static double maximise(size_t n, double *a, size_t k, double *tail, double *s, double *t) {
    tl_sum_of_largest(n, a, k);
    qsort(a, k, sizeof *a, descending);
    double log_rest = -INFINITY, top = -INFINITY;
    for (size_t j = k; j < n; j++)
        top = fmax(top, a[j]);
    if (k < n) {
        double sum = 0.0;
        for (size_t j = k; j < n; j++)
            sum += exp(a[j] - top);
        log_rest = top + log(sum);
    }
    /* tail[i] = log of the sum over the entries after the i largest */
    tail[k] = log_rest;
    for (size_t i = k; i-- > 0;)
        tail[i] = log_add(tail[i + 1], a[i]);

    double mean = 0.0; /* A = sum of the capped a_j over k */
    for (size_t i = 0; i < k; i++) {
        const double rho = (double)i / (double)k, free_share = 1.0 - rho;
        const double log_q = free_share * (log(free_share) - tail[i]) - rho * log((double)k) - mean;
        const double log_1q = log_q > 0.0 ? log_q + log1p(exp(-log_q)) : log1p(exp(log_q));
        const double log_s = -log_1q;
        *t = tail[i] + log_1q - log(free_share);
        const double log_cap = log_s - log((double)k);
        if (a[i] - *t <= log_cap) {
            *s = exp(log_s);
            return softplus(-log_q);
        }
        mean += a[i] / (double)k;
    }
    /* all k largest capped: x = s/k on them, s/(1 - s) = k e^mean */
    const double score = log((double)k) + mean;
    *s = 1.0 / (1.0 + exp(-score));
    *t = INFINITY;
    return softplus(score);
}

static void differences(const tl_row *row, size_t m, const double *s, double *a) {
    const size_t y = (size_t)row->labels[0];
    size_t next = 0;
    for (size_t j = 0; j < m; j++)
        if (j != y) a[next++] = s[j] - s[y];
}

static double value(const tl_row *row, tl_params params, size_t m, const double *s, double *work) {
    double sum, t;
    differences(row, m, s, work);
    return maximise(m - 1, work, params.k, work + m, &sum, &t);
}

static void gradient(const tl_row *row, tl_params params, size_t m, const double *s, double *g,
                     double *work) {
    const size_t y = (size_t)row->labels[0];
    double sum, t;
    differences(row, m, s, work);
    maximise(m - 1, work, params.k, work + m, &sum, &t);
    const double cap = sum / (double)params.k, kth = work[params.k - 1];
    /* After all k largest are capped (t infinite), the rest is 0; ties of the k-th share what is
     * left. */
    size_t above = 0, equal = 0;
    for (size_t j = 0; j < m; j++) {
        if (j == y) continue;
        above += s[j] - s[y] > kth;
        equal += s[j] - s[y] == kth;
    }
    const double shared = cap * (double)(params.k - above) / (double)equal;
    for (size_t j = 0; j < m; j++) {
        const double a = s[j] - s[y];
        if (isinf(t))
            g[j] = a > kth ? cap : (a == kth ? shared : 0.0);
        else
            g[j] = fmin(exp(a - t), cap);
    }
    g[y] = -sum;
}

const tl_loss_ops tl_ops_topk_ent = {
    .multiclass = true,
    .always_smooth = true,
    .has_k = true,
    .update = update,
    .value = value,
    .gradient = gradient,
    .conjugate = tl_conjugate_softmax,
    .infeasibility = tl_infeasibility_topk_alpha,
};
