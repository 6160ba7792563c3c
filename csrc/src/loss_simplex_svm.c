/* SPDX-License-Identifier: MIT */
/* The SVMs of the simplex coding (Mroueh, Poggio, Rosasco, Slotine, NIPS 2012) as losses of scores.
 *
 * The inner products of f(x) with the T = m codes are t_j = kappa (s_j - mean s), kappa^2 = T/(T -
 * 1), where f(x) has the norm of the centred scores. SC-SVM is the sum of max{0, 1/(T - 1) + t_j}
 * over the classes but y, SH-SVM is max{0, 1 - t_y}. The conjugates are finite at
 *
 *     v_j = kappa (p_j - sum p/T),   p in [0, 1]^T, p_y = 0   and   v = -kappa p (e_y - 1/T), p in
 *     [0, 1],
 *
 * and are there -sum p/(T - 1) and -p. The smoothing adds gamma/2 ||v||^2, with the label's own
 * variable: a Moreau envelope in the scores. */
#include "loss.h"

#include <float.h>

static double kappa_of(size_t m) {
    return sqrt((double)m / (double)(m - 1));
}

static double mean_of(size_t m, const double *s) {
    double sum = 0.0;
    for (size_t j = 0; j < m; j++)
        sum += s[j];
    return sum / (double)m;
}

/* ---- SC-SVM ---- */

/* b_j = 1/(T - 1) + kappa (q_j - mean q) with q = s - norm2 a, and -inf for y. */
static void cone_margins(size_t m, size_t y, const double *s, const double *a, double norm2,
                         double *b) {
    for (size_t j = 0; j < m; j++)
        b[j] = s[j] - norm2 * a[j];
    const double kappa = kappa_of(m), offset = 1.0 / (double)(m - 1) - kappa * mean_of(m, b);
    for (size_t j = 0; j < m; j++)
        b[j] = offset + kappa * b[j];
    b[y] = -INFINITY;
}

typedef struct totals {
    double sum, inside; /* of u, and how many are within their bounds */
} totals;

/* u_j = clip(b_j + common, 0, c). */
TL_CLONES
static totals clip(size_t m, double common, double c, const double *b, double *u) {
    double sum = 0.0, inside = 0.0;
#pragma omp simd reduction(+ : sum, inside)
    for (size_t j = 0; j < m; j++) {
        const double free = b[j] + common;
        const double low = free > 0.0 ? free : 0.0, value = low < c ? low : c;
        u[j] = value;
        sum += value;
        inside += value == free ? 1.0 : 0.0;
    }
    return (totals){sum, inside};
}

#define NEWTON_STEPS 40 /* then bisection, at most about 60 steps */
#define MOST_STEPS 120

/* The maximiser u in [0, c]^T of <b, u> - k/2 (||u||^2 - (sum u)^2/T), and its sum. It is
 * clip(b_j/k
 * + S/T, 0, c) where S is the sum. S minus the sum of these rises with a slope in [1/T, 1]: a root
 * of one variable, found by Newton's method within a shrinking bracket, from a start. b becomes
 * b/k. */
static double maximise(size_t m, double k, double c, double *b, double start, double *u) {
    for (size_t j = 0; j < m; j++)
        b[j] /= k;
    const double T = (double)m;
    double low = 0.0, high = (T - 1.0) * c;
    double S = start >= low && start <= high ? start : low;
    for (int step = 0; step < MOST_STEPS; step++) {
        const totals now = clip(m, S / T, c, b, u);
        const double excess = S - now.sum;
        if (excess == 0.0) break;
        if (excess < 0.0)
            low = S;
        else
            high = S;
        const double newton = S - excess / (1.0 - now.inside / T);
        const bool is_usable = step < NEWTON_STEPS && newton > low && newton < high;
        const double next = is_usable ? newton : 0.5 * (low + high);
        /* A root that coincides with an end, up to rounding, is that end. */
        const bool is_last = fabs(next - S) <= 4e-16 * fabs(S) || next == low || next == high;
        S = next;
        if (is_last) break;
    }
    return clip(m, S / T, c, b, u).sum;
}

static void update_cone(const tl_row *row, size_t m, const double *s, const double *a,
                        double *a_new, double *warm, double *work) {
    const size_t y = (size_t)row->labels[0];
    const double kappa = kappa_of(m), size = row->norm2 + row->params.gamma / row->C;
    double *b = work, *u = work + tl_padded(m);
    cone_margins(m, y, s, a, row->norm2, b);
    double sum = 0.0;
    if (size > DBL_MIN) {
        sum = maximise(m, kappa * kappa * size, row->C, b, warm[0], u);
    } else { /* the dual is linear in a_i */
        for (size_t j = 0; j < m; j++) {
            u[j] = b[j] > 0.0 ? row->C : 0.0;
            sum += u[j];
        }
    }
    warm[0] = sum;
    for (size_t j = 0; j < m; j++)
        a_new[j] = kappa * (sum / (double)m - u[j]);
}

/* sum of <b, p> - gamma/2 ||v||^2 at its maximiser p, which is the gradient in t: into u. */
static double envelope(size_t m, double gamma, double *b, double *u) {
    const double kappa2 = (double)m / (double)(m - 1), k = kappa2 * gamma;
    const double sum = maximise(m, k, 1.0, b, NAN, u);
    double value = 0.5 * sum * sum / (double)m;
    for (size_t j = 0; j < m; j++)
        value += u[j] > 0.0 ? u[j] * (b[j] - 0.5 * u[j]) : 0.0;
    return k * value;
}

static double value_cone(const tl_row *row, size_t m, const double *s, double *work) {
    cone_margins(m, (size_t)row->labels[0], s, s, 0.0, work);
    if (row->params.gamma > 0.0) return envelope(m, row->params.gamma, work, work + tl_padded(m));
    double sum = 0.0;
    for (size_t j = 0; j < m; j++)
        sum += fmax(0.0, work[j]);
    return sum;
}

static void gradient_cone(const tl_row *row, size_t m, const double *s, double *g, double *work) {
    const double kappa = kappa_of(m);
    cone_margins(m, (size_t)row->labels[0], s, s, 0.0, work);
    const double sum = maximise(m, kappa * kappa * row->params.gamma, 1.0, work, NAN, g);
    for (size_t j = 0; j < m; j++)
        g[j] = kappa * (g[j] - sum / (double)m);
}

static double squares_of(size_t m, const double *a) {
    double sum = 0.0;
    for (size_t j = 0; j < m; j++)
        sum += a[j] * a[j];
    return sum;
}

/* p_j = (v_j - v_y)/kappa, of which the sum over the others is -(T/kappa) v_y where v sums to 0. */
static double conjugate_cone(const tl_row *row, size_t m, const double *a, double scale) {
    const double smoothing = 0.5 * row->params.gamma * scale * scale * squares_of(m, a);
    return kappa_of(m) * scale * a[row->labels[0]] + smoothing;
}

static double infeasibility_cone(const tl_row *row, size_t m, const double *a, double scale) {
    const double kappa = kappa_of(m), at_label = a[row->labels[0]];
    double sum = 0.0, wrong = 0.0;
    for (size_t j = 0; j < m; j++) {
        const double p = scale * (a[j] - at_label) / kappa;
        sum += scale * a[j];
        wrong += fmax(0.0, fmax(-p, p - 1.0));
    }
    return wrong + fabs(sum);
}

/* The projection onto the v that sum to 0 and are equal where p is at a bound, as at the label. */
static void curvature_cone(const tl_row *row, size_t m, const double *g, tl_curvature *out) {
    const double kappa = kappa_of(m), at_label = g[row->labels[0]];
    const double low = kappa * TL_AT_BOUND, high = kappa * (1.0 - TL_AT_BOUND);
    for (size_t j = 0; j < m; j++)
        if (g[j] - at_label > low && g[j] - at_label < high) tl_add_entry(out, j, 1.0);
    out->middle = out->count;
    if (out->middle == 0) return;
    for (size_t j = 0; j < m; j++)
        if (!(g[j] - at_label > low && g[j] - at_label < high)) tl_add_entry(out, j, 0.0);
    const double mean = 1.0 / (double)m;
    out->core[0] = out->core[1] = -mean;
    out->core[2] = 1.0 / (double)(m - out->middle) - mean;
}

const tl_loss_ops tl_ops_sc_svm = {
    .multiclass = true,
    .centred = true,
    .curvature = curvature_cone,
    .quadratic_conjugate = true,
    .update = update_cone,
    .value = value_cone,
    .gradient = gradient_cone,
    .conjugate = conjugate_cone,
    .infeasibility = infeasibility_cone,
};

/* ---- SH-SVM ---- */

/* v at p = 1, times a factor. */
static void half_space(size_t m, size_t y, double factor, double *v) {
    const double others = factor * kappa_of(m) / (double)m;
    for (size_t j = 0; j < m; j++)
        v[j] = others;
    v[y] = others - factor * kappa_of(m);
}

/* 1 - t_y, of which p over gamma is the gradient; ||v||^2 = p^2. */
static double slack_of(size_t m, size_t y, const double *s) {
    return 1.0 - kappa_of(m) * (s[y] - mean_of(m, s));
}

static double step_of(double slack, double size, double cap) {
    const double step = slack > 0.0 ? (size > DBL_MIN ? slack / size : cap) : 0.0;
    return step < cap ? step : cap;
}

static void update_half_space(const tl_row *row, size_t m, const double *s, const double *a,
                              double *a_new, double *warm, double *work) {
    (void)warm;
    const size_t y = (size_t)row->labels[0];
    for (size_t j = 0; j < m; j++)
        work[j] = s[j] - row->norm2 * a[j];
    const double size = row->norm2 + row->params.gamma / row->C;
    half_space(m, y, -step_of(slack_of(m, y, work), size, row->C), a_new);
}

static double value_half_space(const tl_row *row, size_t m, const double *s, double *work) {
    (void)work;
    const double slack = slack_of(m, (size_t)row->labels[0], s);
    const double p = step_of(slack, row->params.gamma, 1.0);
    return p * (slack - 0.5 * row->params.gamma * p);
}

static void gradient_half_space(const tl_row *row, size_t m, const double *s, double *g,
                                double *work) {
    (void)work;
    const size_t y = (size_t)row->labels[0];
    half_space(m, y, step_of(slack_of(m, y, s), row->params.gamma, 1.0), g);
}

static double conjugate_half_space(const tl_row *row, size_t m, const double *a, double scale) {
    const double p = -kappa_of(m) * scale * a[row->labels[0]];
    return -p + 0.5 * row->params.gamma * p * p;
}

static double infeasibility_half_space(const tl_row *row, size_t m, const double *a, double scale) {
    const size_t y = (size_t)row->labels[0];
    const double others = -scale * a[y] / (double)(m - 1), p = -kappa_of(m) * scale * a[y];
    double wrong = fmax(0.0, fmax(-p, p - 1.0));
    for (size_t j = 0; j < m; j++)
        wrong += j == y ? 0.0 : fabs(scale * a[j] - others);
    return wrong;
}

static void curvature_half_space(const tl_row *row, size_t m, const double *g, tl_curvature *out) {
    const size_t y = (size_t)row->labels[0];
    const double kappa = kappa_of(m), p = -kappa * g[y], mean = 1.0 / (double)m;
    if (!(p > TL_AT_BOUND && p < 1.0 - TL_AT_BOUND)) return;
    tl_add_entry(out, y, 0.0);
    out->middle = out->count;
    for (size_t j = 0; j < m; j++)
        if (j != y) tl_add_entry(out, j, 0.0);
    out->core[0] = 1.0 - mean;
    out->core[1] = -mean;
    out->core[2] = mean / (double)(m - 1);
}

const tl_loss_ops tl_ops_sh_svm = {
    .multiclass = true,
    .centred = true,
    .curvature = curvature_half_space,
    .quadratic_conjugate = true,
    .update = update_half_space,
    .value = value_half_space,
    .gradient = gradient_half_space,
    .conjugate = conjugate_half_space,
    .infeasibility = infeasibility_half_space,
};
