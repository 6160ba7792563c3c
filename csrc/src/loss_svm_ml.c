/* SPDX-License-Identifier: MIT */
/* The multilabel SVM max{0, 1 + max_{j not in Y} u_j - min_{y in Y} u_y} and its smoothing (the
 * paper, Propositions 5, 6 and 18). Empty and full label sets have the loss 0 and the dual
 * variables 0. */
#include "loss.h"

#include <float.h>
#include <string.h>

TL_INLINE bool trivial(const tl_row *row, size_t m) {
    return row->n_labels == 0 || row->n_labels == m;
}

/* Splits factor (1/2 - u_y), y in Y, to the front of `out` and factor (1/2 + u_j), j not in Y,
 * behind it. */
static void split(const tl_row *row, size_t m, const double *u, double factor, double *out) {
    size_t in = 0, rest = row->n_labels;
    for (size_t j = 0; j < m; j++) {
        if (tl_is_next_label(row, j, &in))
            out[in - 1] = factor * (0.5 - u[j]);
        else
            out[rest++] = factor * (0.5 + u[j]);
    }
}

/* The projection in class order: positive for labels, negative for the rest. */
static void merge(const tl_row *row, size_t m, const double *u, double factor, tl_threshold t,
                  tl_threshold t_bar, double *out) {
    size_t in = 0;
    for (size_t j = 0; j < m; j++) {
        if (tl_is_next_label(row, j, &in))
            out[j] = tl_above(factor * (0.5 - u[j]), t);
        else
            out[j] = -tl_above(factor * (0.5 + u[j]), t_bar);
    }
}

/* Without features and smoothing the dual is linear: any point whose sums are C is a maximiser. */
static void spread(const tl_row *row, size_t m, double *a) {
    const double up = row->C / (double)row->n_labels, down = row->C / (double)(m - row->n_labels);
    for (size_t j = 0; j < m; j++)
        a[j] = -down;
    for (size_t i = 0; i < row->n_labels; i++)
        a[row->labels[i]] = up;
}

static void update(const tl_row *row, size_t m, const double *s, const double *a, double *a_new,
                   double *warm, double *work) {
    (void)warm;
    if (trivial(row, m)) {
        memset(a_new, 0, m * sizeof *a_new);
        return;
    }
    const double smoothing = row->params.gamma / row->C;
    if (row->norm2 + smoothing <= DBL_MIN) {
        spread(row, m, a_new);
        return;
    }
    const double factor = 1.0 / (row->norm2 + smoothing);
    double *q = work, *parts = work + m;
    for (size_t j = 0; j < m; j++)
        q[j] = s[j] - row->norm2 * a[j];
    split(row, m, q, factor, parts);
    tl_threshold t_in, t_out;
    tl_bipartite_thresholds(row->n_labels, parts, m - row->n_labels, parts + row->n_labels, row->C,
                            &t_in, &t_out);
    merge(row, m, q, factor, t_in, t_out, a_new);
}

static double value(const tl_row *row, size_t m, const double *s, double *work) {
    if (trivial(row, m)) return 0.0;
    double *parts = work, *copy = work + m;
    split(row, m, s, 1.0, parts);
    const size_t n = row->n_labels;
    if (row->params.gamma == 0.0) {
        const double largest = tl_max_of(n, parts) + tl_max_of(m - n, parts + n);
        return largest > 0.0 ? largest : 0.0;
    }
    memcpy(copy, parts, m * sizeof *copy);
    tl_threshold t, t_bar;
    tl_bipartite_thresholds(n, copy, m - n, copy + n, row->params.gamma, &t, &t_bar);
    /* <b, p> - p^2/2 = p^2/2 + t p, summed; the sums of both sides are equal, so the thresholds
     * enter by their sum. */
    double squares = 0.0, sum = 0.0;
    for (size_t j = 0; j < m; j++) {
        const double x = tl_above(parts[j], j < n ? t : t_bar);
        squares += x * x;
        sum += j < n ? x : 0.0;
    }
    return (0.5 * squares + ((t.top + t_bar.top) + (t.tau + t_bar.tau)) * sum) / row->params.gamma;
}

static void gradient(const tl_row *row, size_t m, const double *s, double *g, double *work) {
    memset(g, 0, m * sizeof *g);
    if (trivial(row, m)) return;
    split(row, m, s, 1.0, work);
    tl_threshold t, t_bar;
    const size_t n = row->n_labels;
    tl_bipartite_thresholds(n, work, m - n, work + n, row->params.gamma, &t, &t_bar);
    merge(row, m, s, 1.0, t, t_bar, g);
    for (size_t j = 0; j < m; j++)
        g[j] /= -row->params.gamma;
}

static double conjugate(const tl_row *row, size_t m, const double *a, double scale) {
    if (trivial(row, m)) return 0.0;
    double sum = 0.0, squares = 0.0;
    for (size_t j = 0; j < m; j++) {
        sum +=
            fabs(a[j]); /* on the domain v_y <= 0 <= v_j, so (sum v_y - sum v_j)/2 = -sum |v|/2 */
        squares += a[j] * a[j];
    }
    return -0.5 * fabs(scale) * sum + 0.5 * row->params.gamma * scale * scale * squares;
}

double tl_infeasibility_bipartite(const tl_row *row, size_t m, const double *a, double scale) {
    double largest;
    if (trivial(row, m)) return fabs(scale) * tl_norm1(m, a, &largest);
    const tl_others others = tl_sum_others(row, m, a, scale);
    double sum = 0.0, wrong = others.below;
    for (size_t i = 0; i < row->n_labels; i++) {
        const double v = scale * a[row->labels[i]];
        sum -= v;
        wrong += fmax(0.0, v);
    }
    return wrong + fmax(0.0, sum - 1.0) + fabs(sum - others.sum);
}

void tl_curvature_of_sides(const tl_row *row, size_t m, const double *g, double least,
                           bool with_size, tl_curvature *out) {
    for (size_t i = 0; i < row->n_labels; i++) {
        const double size = -g[row->labels[i]];
        if (size > least) tl_add_entry(out, (size_t)row->labels[i], with_size ? size : 1.0);
    }
    out->middle = out->count;
    for (size_t j = 0, in = 0; j < m; j++)
        if (!tl_is_next_label(row, j, &in) && g[j] > least)
            tl_add_entry(out, j, with_size ? g[j] : 1.0);
}

/* -g is a projection of both sides' margins, with the sums of the sides equal, or both 1: the
 * directions of the free entries on both sides are those with the same sum on both, or with the sum
 * 0 on each. In the scores the sides have opposite signs. */
static void curvature(const tl_row *row, size_t m, const double *g, tl_curvature *out) {
    tl_curvature_of_sides(row, m, g, 0.0, false, out);
    double sum = 0.0;
    for (size_t e = 0; e < out->middle; e++)
        sum -= g[out->column[e]];
    if (out->count == 0) return;
    const double sides[] = {(double)out->middle, (double)(out->count - out->middle)};
    if (sum >= 1.0 - TL_AT_BOUND) {
        out->core[0] = -1.0 / fmax(sides[0], 1.0);
        out->core[2] = -1.0 / fmax(sides[1], 1.0);
        if (out->count == 2) out->count = out->middle = 0; /* neither can move */
    } else {
        out->core[0] = out->core[1] = out->core[2] = -1.0 / (double)out->count;
    }
}

const tl_loss_ops tl_ops_svm_ml = {
    .curvature = curvature,
    .quadratic_conjugate = true,
    .update = update,
    .value = value,
    .gradient = gradient,
    .conjugate = conjugate,
    .infeasibility = tl_infeasibility_bipartite,
};
