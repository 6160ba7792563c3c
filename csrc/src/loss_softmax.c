/* SPDX-License-Identifier: MIT */
/* The softmax loss and the multilabel softmax log sum_j exp u_j - (1/|Y|) sum_{y in Y} u_y (the
 * paper, Propositions 3, 7, 15 and 20). Proposition 3 is Proposition 7 with one label, so both
 * losses are one. An empty label set has the loss 0 and the dual variables 0. gamma is ignored. */
#include "loss.h"
#include "vmath.h"

#include <string.h>

/* z = s - norm2 a, and -inf behind, where the padding takes no part. */
TL_CLONES
static void without_row(size_t m, size_t n, const double *restrict s, const double *restrict a,
                        double norm2, double *restrict z) {
    const size_t whole = m / 8 * 8;
    for (size_t j = m; j < n; j++)
        z[j] = -INFINITY;
#pragma omp simd
    for (size_t j = 0; j < whole; j++)
        z[j] = s[j] - norm2 * a[j];
    for (size_t j = whole; j < m; j++)
        z[j] = s[j] - norm2 * a[j];
}

TL_CLONES
static void negative(size_t n, double factor, const double *restrict v, double *restrict a_new) {
#pragma omp simd
    for (size_t j = 0; j < n; j++)
        a_new[j] = -factor * v[j];
}

static void update(const tl_row *row, size_t m, const double *s, const double *a, double *a_new,
                   double *warm, double *work) {
    if (row->n_labels == 0) {
        memset(a_new, 0, m * sizeof *a_new);
        return;
    }
    const size_t n = tl_padded(m);
    const double alpha = row->norm2 * row->C, uniform = 1.0 / (double)row->n_labels;
    double *z = work, *v = work + n;
    without_row(m, n, s, a, row->norm2, z);
    for (size_t i = 0; i < row->n_labels; i++)
        z[row->labels[i]] += alpha * uniform;
    const double factor = row->C / tl_warm_softmax(n, z, alpha, warm, v, work + 2 * n);
    negative(n, factor, v, a_new);
    for (size_t i = 0; i < row->n_labels; i++) {
        const size_t y = (size_t)row->labels[i];
        a_new[y] = row->C * uniform - factor * v[y];
    }
}

/* sum_j exp(s_j - *largest). copy: tl_padded(m) for work. */
TL_CLONES
static double sum_exp(size_t m, const double *restrict s, double *restrict copy, double *largest) {
    const size_t n = tl_padded(m);
    double top = s[0], sum = 0.0;
    for (size_t j = m; j < n; j++)
        copy[j] = -INFINITY;
#pragma omp simd reduction(max : top)
    for (size_t j = 0; j < m; j++) {
        copy[j] = s[j];
        top = s[j] > top ? s[j] : top;
    }
    if (n % 8 != 0) TL_UNREACHABLE();
#pragma omp simd reduction(+ : sum)
    for (size_t j = 0; j < n; j++)
        sum += tl_exp(copy[j] - top);
    *largest = top;
    return sum;
}

/* log sum_j exp s_j - s_y, right to a few units in the last place: where s_y is the largest, the
 * loss may be far smaller than the scores. copy: tl_padded(m) for work. */
TL_CLONES
static double log_loss(size_t m, const double *restrict s, size_t y, double *restrict copy) {
    const size_t n = tl_padded(m);
    double sum = 0.0;
    for (size_t j = m; j < n; j++)
        copy[j] = -INFINITY;
#pragma omp simd
    for (size_t j = 0; j < m; j++)
        copy[j] = s[j] - s[y];
    copy[y] = -INFINITY;
    double top = 0.0;
#pragma omp simd reduction(max : top)
    for (size_t j = 0; j < m; j++)
        top = copy[j] > top ? copy[j] : top;
    if (n % 8 != 0) TL_UNREACHABLE();
#pragma omp simd reduction(+ : sum)
    for (size_t j = 0; j < n; j++)
        sum += tl_exp(copy[j] - top);
    return top > 0.0 ? top + log(sum + exp(-top)) : log1p(sum);
}

static double value(const tl_row *row, size_t m, const double *s, double *work) {
    if (row->n_labels == 0) return 0.0;
    if (row->n_labels == 1) return log_loss(m, s, (size_t)row->labels[0], work);
    double mean = 0.0;
    for (size_t i = 0; i < row->n_labels; i++)
        mean += s[row->labels[i]];
    double top;
    const double sum = sum_exp(m, s, work, &top);
    return top + log(sum) - mean / (double)row->n_labels;
}

static void gradient(const tl_row *row, size_t m, const double *s, double *g, double *work) {
    memset(g, 0, m * sizeof *g);
    if (row->n_labels == 0) return;
    double top;
    const double sum = sum_exp(m, s, work, &top);
    for (size_t j = 0; j < m; j++)
        g[j] = tl_exp(s[j] - top) / sum;
    for (size_t i = 0; i < row->n_labels; i++)
        g[row->labels[i]] -= 1.0 / (double)row->n_labels;
}

TL_INLINE double sum_x_log_x(size_t n, const double *a, double scale) {
    double sum = 0.0;
    if (n % 8 != 0) TL_UNREACHABLE();
#pragma omp simd reduction(+ : sum)
    for (size_t j = 0; j < n; j++)
        sum += tl_x_log_x(scale * a[j]);
    return sum;
}

/* Whole vectors, then the rest as one more. */
TL_CLONES
static double negative_entropy(size_t m, const double *a, double scale) {
    const size_t whole = m / 8 * 8;
    double rest[8] = {0.0};
    for (size_t j = whole; j < m; j++)
        rest[j - whole] = a[j];
    return sum_x_log_x(whole, a, scale) + sum_x_log_x(8, rest, scale);
}

static double x_log_x(double x) {
    return x > 1e-300 ? x * log(x) : 0.0;
}

double tl_conjugate_softmax(const tl_row *row, size_t m, const double *a, double scale) {
    if (row->n_labels == 0) return 0.0;
    double sum = negative_entropy(m, a, scale);
    const double uniform = 1.0 / (double)row->n_labels;
    for (size_t i = 0; i < row->n_labels; i++) {
        const double v = scale * a[row->labels[i]], x = v + uniform;
        /* x log x; with one label x is near 1 where the loss is small */
        const double own = row->n_labels > 1 ? x_log_x(x) : (x > 1e-300 ? x * log1p(v) : 0.0);
        sum += own - x_log_x(v);
    }
    return sum;
}

static double infeasibility(const tl_row *row, size_t m, const double *a, double scale) {
    tl_others others = tl_sum_others(row, m, a, scale);
    if (row->n_labels == 0) {
        double largest;
        return fabs(scale) * tl_norm1(m, a, &largest) + fabs(others.sum);
    }
    const double uniform = 1.0 / (double)row->n_labels;
    for (size_t i = 0; i < row->n_labels; i++) {
        const double v = scale * a[row->labels[i]];
        others.sum += v;
        others.below += fmax(0.0, -(v + uniform));
    }
    return others.below + fabs(others.sum);
}

/* diag(p) - p p^T */
static void curvature(const tl_row *row, size_t m, const double *g, tl_curvature *out) {
    const double uniform = row->n_labels > 0 ? 1.0 / (double)row->n_labels : 0.0;
    for (size_t j = 0, in = 0; j < m; j++) {
        const double p = tl_is_next_label(row, j, &in) ? g[j] + uniform : g[j];
        if (p > TL_AT_BOUND) tl_add_entry(out, j, p);
    }
    out->middle = out->count;
    out->core[0] = -1.0;
}

const tl_loss_ops tl_ops_lr_multi = {
    .curvature = curvature,
    .multiclass = true,
    .always_smooth = true,
    .update = update,
    .value = value,
    .gradient = gradient,
    .conjugate = tl_conjugate_softmax,
    .infeasibility = infeasibility,
};

const tl_loss_ops tl_ops_lr_ml = {
    .curvature = curvature,
    .always_smooth = true,
    .update = update,
    .value = value,
    .gradient = gradient,
    .conjugate = tl_conjugate_softmax,
    .infeasibility = infeasibility,
};
