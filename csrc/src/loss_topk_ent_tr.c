/* SPDX-License-Identifier: MIT */
/* The truncated top-k entropy: the softmax without the k - 1 highest scores of other classes (the
 * paper, section 3.2). It is the smallest of the softmax losses over all choices of m - k other
 * classes, hence not convex: it has no conjugate to certify with and no coordinate update. */
#include "internal.h"

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

/* log(1 + sum_j exp(kept_j - s_y)), n >= 1 kept scores, one term taken out as the largest. */
static double log_loss(size_t n, const double *kept, double s_y) {
    size_t largest = 0;
    for (size_t j = 1; j < n; j++)
        if (kept[j] > kept[largest]) largest = j;
    const bool wrong = kept[largest] > s_y;
    const double top = wrong ? kept[largest] : s_y;
    double rest = wrong ? exp(s_y - top) : 0.0;
    for (size_t j = 0; j < n; j++)
        if (!wrong || j != largest) rest += exp(kept[j] - top);
    return (top - s_y) + log1p(rest);
}

static double value(const tl_row *row, tl_params params, size_t m, const double *s, double *work) {
    const size_t y = (size_t)row->labels[0];
    split(y, params.k, m, s, work);
    return log_loss(m - params.k, work + (params.k - 1), s[y]);
}

static void gradient(const tl_row *row, tl_params params, size_t m, const double *s, double *g,
                     double *work) {
    const size_t y = (size_t)row->labels[0];
    dropped d = split(y, params.k, m, s, work);
    double top = s[y];
    for (size_t j = params.k - 1; j < m - 1; j++)
        top = fmax(top, work[j]);
    double sum = 0.0;
    for (size_t j = 0; j < m; j++) {
        const bool tie = j != y && d.ties > 0 && s[j] == d.threshold;
        d.ties -= tie;
        g[j] = j != y && (tie || s[j] > d.threshold) ? 0.0 : exp(s[j] - top);
        sum += g[j];
    }
    double others = 0.0; /* 1 - p_y would lose the digits of small losses */
    for (size_t j = 0; j < m; j++) {
        g[j] /= sum;
        others += j == y ? 0.0 : g[j];
    }
    g[y] = -others;
}

const tl_loss_ops tl_ops_topk_ent_tr = {
    .multiclass = true,
    .always_smooth = true,
    .has_k = true,
    .value = value,
    .gradient = gradient,
};
