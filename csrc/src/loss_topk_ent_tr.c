/* SPDX-License-Identifier: MIT */
/* The truncated top-k entropy: the softmax without the k - 1 highest scores of other classes (the
 * paper, section 3.2). It is the smallest of the softmax losses over all choices of m - k other
 * classes, hence not convex: it has no certificate and no coordinate update. */
#include "loss.h"
#include "vmath.h"

#include <string.h>

/* What the k - 1 dropped classes have in common: all classes above the threshold, and `ties` of
 * those that equal it. */
typedef struct dropped {
    double threshold;
    size_t ties;
} dropped;

/* Moves the scores of the other classes to `others` (m - 1), those to drop in front. */
static dropped split(size_t y, size_t k, size_t m, const double *s, double *others) {
    memcpy(others, s, y * sizeof *others);
    memcpy(others + y, s + y + 1, (m - 1 - y) * sizeof *others);
    if (k == 1) return (dropped){INFINITY, 0};
    tl_sum_of_largest(m - 1, others, k - 1);
    dropped d = {others[0], 0};
    for (size_t j = 1; j < k - 1; j++)
        d.threshold = fmin(d.threshold, others[j]);
    for (size_t j = 0; j < k - 1; j++)
        d.ties += others[j] == d.threshold;
    return d;
}

/* log(1 + sum_j exp(kept_j - s_y)), n >= 1 kept scores. */
TL_CLONES
static double log_loss(size_t n, const double *kept, double s_y) {
    double top = s_y, sum = 0.0;
#pragma omp simd reduction(max : top)
    for (size_t j = 0; j < n; j++)
        top = kept[j] > top ? kept[j] : top;
#pragma omp simd reduction(+ : sum)
    for (size_t j = 0; j < n; j++)
        sum += tl_exp(kept[j] - top);
    return top > s_y ? (top - s_y) + log(sum + tl_exp(s_y - top)) : log1p(sum);
}

static double value(const tl_row *row, size_t m, const double *s, double *work) {
    const size_t y = (size_t)row->labels[0];
    split(y, row->params.k, m, s, work);
    return log_loss(m - row->params.k, work + (row->params.k - 1), s[y]);
}

/* p_j = e^{s_j} / sum, 0 where s_j is -inf. */
TL_CLONES
static void softmax(size_t m, const double *s, double *p) {
    double top = s[0], sum = 0.0;
#pragma omp simd reduction(max : top)
    for (size_t j = 0; j < m; j++)
        top = s[j] > top ? s[j] : top;
#pragma omp simd reduction(+ : sum)
    for (size_t j = 0; j < m; j++) {
        p[j] = tl_exp(s[j] - top);
        sum += p[j];
    }
    for (size_t j = 0; j < m; j++)
        p[j] /= sum;
}

static void gradient(const tl_row *row, size_t m, const double *s, double *g, double *work) {
    const size_t y = (size_t)row->labels[0];
    const dropped d = split(y, row->params.k, m, s, work);
    double *kept = work;
    for (size_t j = 0; j < m; j++)
        kept[j] = s[j] > d.threshold ? -INFINITY : s[j];
    kept[y] = s[y];
    for (size_t j = 0, ties = d.ties; ties > 0; j++) {
        if (j == y || s[j] != d.threshold) continue;
        kept[j] = -INFINITY;
        ties--;
    }
    softmax(m, kept, g);
    double others = 0.0; /* 1 - g_y would lose the digits of small losses */
    for (size_t j = 0; j < m; j++)
        others += j == y ? 0.0 : g[j];
    g[y] = -others;
}

const tl_loss_ops tl_ops_topk_ent_tr = {
    .multiclass = true,
    .always_smooth = true,
    .has_k = true,
    .value = value,
    .gradient = gradient,
};
