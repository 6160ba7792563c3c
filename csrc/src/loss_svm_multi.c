/* SPDX-License-Identifier: MIT */
/* The multiclass SVM max_j (a_j + c_j) and its smoothing (the paper, Propositions 1, 2 and 14 with
 * k = 1), and what it shares with the top-k SVMs. */
#include "loss.h"

#include <float.h>

TL_CLONES
static double shifted_margins(size_t m, size_t y, const double *restrict s,
                              const double *restrict a, double norm2, double factor,
                              double *restrict v) {
    const size_t n = tl_padded(m);
    const size_t whole = m / 8 * 8;
    double top = -INFINITY;
    for (size_t j = m; j < n; j++)
        v[j] = -INFINITY;
#pragma omp simd reduction(max : top)
    for (size_t j = 0; j < whole; j++) {
        const double q = j == y ? -INFINITY : s[j] - norm2 * a[j];
        v[j] = q;
        top = q > top ? q : top;
    }
    for (size_t j = whole; j < m; j++) {
        const double q = j == y ? -INFINITY : s[j] - norm2 * a[j];
        v[j] = q;
        top = q > top ? q : top;
    }
#pragma omp simd
    for (size_t j = 0; j < n; j++)
        v[j] = factor * (v[j] - top);
    return factor * (1.0 + top - (s[y] - norm2 * a[y]));
}

double tl_margins(size_t m, size_t y, const double *s, const double *a, double norm2, double factor,
                  double *v) {
    return shifted_margins(m, y, s, a, norm2, factor, v);
}

void tl_update_hinge(const tl_row *row, size_t m, const double *s, const double *a, double *a_new,
                     double *warm, double *work) {
    const size_t y = (size_t)row->labels[0], n = tl_padded(m);
    const double smoothing = row->params.gamma / row->C;
    if (row->norm2 + smoothing <= DBL_MIN) {
        /* x_i = 0 and no smoothing: the dual is linear in a_i; the uniform point maximises it. */
        for (size_t j = 0; j < m; j++)
            a_new[j] = -row->C / (double)(m - 1);
        a_new[y] = row->C;
        return;
    }
    const double factor = 1.0 / (row->norm2 + smoothing);
    const double top = tl_margins(m, y, s, a, row->norm2, factor, work);
    if (top > 0.0) {
        a_new[y] = row->params.project(n, work, top, row->params.k, row->C, row->norm2 * factor,
                                       warm, a_new, work + n);
    } else {
        for (size_t j = 0; j < m; j++)
            a_new[j] = 0.0;
    }
}

typedef struct sums {
    double product, square; /* of x_j b_j, and of x_j^2 */
} sums;

TL_CLONES
static sums smooth_sums(size_t n, const double *v, double top, const double *minus_x) {
    double product = 0.0, square = 0.0;
#pragma omp simd reduction(+ : product, square)
    for (size_t j = 0; j < n; j++) {
        const double x = -minus_x[j];
        product += x > 0.0 ? x * (v[j] + top) : 0.0;
        square += x * x;
    }
    return (sums){product, square};
}

/* <b, x> - x^2/2 at its maximiser x, which is the update's projection with the radius gamma and no
 * bias, in scores instead of dual variables. A projection may miss its radius by rounding, and then
 * so would the value, since b may be much larger than gamma: x is scaled to the radius. */
double tl_value_smooth_hinge(const tl_row *row, size_t m, const double *s, double *work) {
    const size_t n = tl_padded(m);
    const double gamma = row->params.gamma;
    double *minus_x = work + n, warm[TL_WARM] = {NAN, NAN};
    const double top = tl_margins(m, (size_t)row->labels[0], s, s, 0.0, 1.0, work);
    if (!(top > 0.0)) return 0.0;
    const double sum =
        row->params.project(n, work, top, row->params.k, gamma, 0.0, warm, minus_x, work + 2 * n);
    const bool is_bounded = fabs(sum - gamma) <= TL_SUM_TOLERANCE * gamma;
    const double scale = is_bounded ? gamma / sum : 1.0;
    const sums of = smooth_sums(n, work, top, minus_x);
    return scale * (of.product - 0.5 * scale * of.square) / gamma;
}

void tl_gradient_hinge(const tl_row *row, size_t m, const double *s, double *g, double *work) {
    const size_t y = (size_t)row->labels[0], n = tl_padded(m);
    double *minus_x = work + n, warm[TL_WARM] = {NAN, NAN}, sum = 0.0;
    const double top = tl_margins(m, y, s, s, 0.0, 1.0, work);
    if (top > 0.0)
        sum = row->params.project(n, work, top, row->params.k, row->params.gamma, 0.0, warm,
                                  minus_x, work + 2 * n);
    for (size_t j = 0; j < m; j++)
        g[j] = top > 0.0 ? -minus_x[j] / row->params.gamma : 0.0;
    g[y] = -sum / row->params.gamma;
}

static double value(const tl_row *row, size_t m, const double *s, double *work) {
    if (row->params.gamma > 0.0) return tl_value_smooth_hinge(row, m, s, work);
    const double largest = tl_margins(m, (size_t)row->labels[0], s, s, 0.0, 1.0, work);
    return largest > 0.0 ? largest : 0.0;
}

double tl_conjugate_svm_multi(const tl_row *row, size_t m, const double *a, double scale) {
    const size_t y = (size_t)row->labels[0];
    double squares = 0.0;
    for (size_t j = 0; j < m; j++)
        squares += j == y ? 0.0 : a[j] * a[j];
    /* - sum_{j != y} v_j = v_y on the domain */
    return scale * a[y] + 0.5 * row->params.gamma * scale * scale * squares;
}

static double infeasibility(const tl_row *row, size_t m, const double *a, double scale) {
    const size_t y = (size_t)row->labels[0];
    const tl_others others = tl_sum_others(row, m, a, scale);
    return others.below + fmax(0.0, others.sum - 1.0) + fabs(others.sum + scale * a[y]);
}

/* g is a projection of the margins: where so many entries are free, the directions in which it
 * moves are those of these entries, with the sum 0 where the sum is at its bound. */
void tl_curvature_box(size_t m, size_t y, const double *g, double cap, bool is_bounded,
                      tl_curvature *out) {
    const double limit = cap * (1.0 - TL_AT_BOUND);
    for (size_t j = 0; j < m; j++)
        if (j != y && g[j] > 0.0 && g[j] < limit) tl_add_entry(out, j, 1.0);
    out->middle = out->count;
    if (!is_bounded) return;
    if (out->count > 1)
        out->core[0] = -1.0 / (double)out->count;
    else
        out->count = out->middle = 0;
}

double tl_largest_other(size_t m, size_t y, const double *g) {
    double top = 0.0;
    for (size_t j = 0; j < m; j++)
        top = j != y && g[j] > top ? g[j] : top;
    return top;
}

static void curvature(const tl_row *row, size_t m, const double *g, tl_curvature *out) {
    const size_t y = (size_t)row->labels[0];
    tl_curvature_box(m, y, g, INFINITY, -g[y] >= 1.0 - TL_AT_BOUND, out);
}

const tl_loss_ops tl_ops_svm_multi = {
    .multiclass = true,
    .differences = true,
    .curvature = curvature,
    .quadratic_conjugate = true,
    .project = tl_warm_simplex,
    .update = tl_update_hinge,
    .value = value,
    .gradient = tl_gradient_hinge,
    .conjugate = tl_conjugate_svm_multi,
    .infeasibility = infeasibility,
};
