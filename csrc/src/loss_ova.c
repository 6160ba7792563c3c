/* SPDX-License-Identifier: MIT */
/* One-vs-all: the sum over classes of the binary hinge or logistic loss of tau_j u_j, tau_j = +1
 * for a label and -1 for the rest. One label per row is the multiclass reduction, a set of labels
 * is binary relevance. The problem separates into one per class with shared features. */
#include "loss.h"
#include "vmath.h"

#include <float.h>

/* tau for all classes. */
static void signs(const tl_row *row, size_t m, double *tau) {
    for (size_t j = 0; j < m; j++)
        tau[j] = -1.0;
    for (size_t i = 0; i < row->n_labels; i++)
        tau[row->labels[i]] = 1.0;
}

/* ---- hinge ---- */

TL_CLONES
static void hinge_steps(size_t m, double norm2, double factor, double C, const double *tau,
                        const double *s, const double *a, double *a_new) {
#pragma omp simd
    for (size_t j = 0; j < m; j++) {
        const double x = factor * (1.0 - tau[j] * (s[j] - norm2 * a[j]));
        a_new[j] = tau[j] * (x < 0.0 ? 0.0 : (x > C ? C : x));
    }
}

static void update_hinge(const tl_row *row, size_t m, const double *s, const double *a,
                         double *a_new, double *warm, double *work) {
    (void)warm;
    signs(row, m, work);
    const double denominator = row->norm2 + row->params.gamma / row->C;
    if (denominator <= DBL_MIN) { /* the dual is linear in a_i */
        for (size_t j = 0; j < m; j++)
            a_new[j] = row->C * work[j];
        return;
    }
    hinge_steps(m, row->norm2, 1.0 / denominator, row->C, work, s, a, a_new);
}

static double value_hinge(const tl_row *row, size_t m, const double *s, double *work) {
    signs(row, m, work);
    const double gamma = row->params.gamma;
    double sum = 0.0;
    for (size_t j = 0; j < m; j++) {
        const double z = 1.0 - work[j] * s[j];
        if (z <= 0.0) continue;
        sum += z < gamma ? 0.5 * z * z / gamma : z - 0.5 * gamma;
    }
    return sum;
}

static void gradient_hinge(const tl_row *row, size_t m, const double *s, double *g, double *work) {
    signs(row, m, work);
    for (size_t j = 0; j < m; j++) {
        const double z = 1.0 - work[j] * s[j];
        g[j] = z <= 0.0 ? 0.0 : -work[j] * fmin(z / row->params.gamma, 1.0);
    }
}

static double conjugate_hinge(const tl_row *row, size_t m, const double *a, double scale) {
    (void)row;
    double sum = 0.0, squares = 0.0;
    for (size_t j = 0; j < m; j++) {
        sum += fabs(a[j]); /* tau_j v_j = -|v_j| on the domain */
        squares += a[j] * a[j];
    }
    return -fabs(scale) * sum + 0.5 * row->params.gamma * scale * scale * squares;
}

/* Domain of both losses: 0 <= -tau_j v_j <= 1. */
static double infeasibility(const tl_row *row, size_t m, const double *a, double scale) {
    double wrong = 0.0;
    size_t in = 0;
    for (size_t j = 0; j < m; j++) {
        const double x = tl_is_next_label(row, j, &in) ? -scale * a[j] : scale * a[j];
        wrong += fmax(0.0, fmax(-x, x - 1.0));
    }
    return wrong;
}

static void curvature_hinge(const tl_row *row, size_t m, const double *g, tl_curvature *out) {
    (void)row;
    for (size_t j = 0; j < m; j++)
        if (g[j] != 0.0 && fabs(g[j]) < 1.0 - TL_AT_BOUND) tl_add_entry(out, j, 1.0);
    out->middle = out->count;
}

const tl_loss_ops tl_ops_svm_ova = {
    .curvature = curvature_hinge,
    .free_sum = true,
    .quadratic_conjugate = true,
    .update = update_hinge,
    .value = value_hinge,
    .gradient = gradient_hinge,
    .conjugate = conjugate_hinge,
    .infeasibility = infeasibility,
};

/* ---- logistic ---- */

/* The update: a_j = tau_j C p_j with p_j = 1/(1 + exp(tau_j q_j + alpha p_j)), alpha = norm2 C, so
 * logit p + alpha p = z with z = -tau_j q_j. For z > alpha/2 the other probability 1 - p solves the
 * same for alpha - z; so p in (0, 1/2]. In l = log p the equation l - log(1 - e^l) + alpha e^l = z
 * is convex and increasing with a slope of at least 1: Newton's method is on the right of the root
 * after one step, wherever it starts, and then comes down to it.
 *
 * The search for a class starts at the root of its last update; the first time at the value of V,
 * which solves the equation without its middle term. */

/* Newton's steps have become so small that the next is rounding. */
#define LOGISTIC_STEP 1e-8
#define LOGISTIC_ROUNDS 60

/* z of the smaller probability, and where its p was last. */
TL_CLONES
static void logistic_start(size_t m, double norm2, double C, double alpha, const double *tau,
                           const double *s, const double *a, double *z, double *p) {
    const double inverse = 1.0 / C;
#pragma omp simd
    for (size_t j = 0; j < m; j++) {
        const double full = -tau[j] * (s[j] - norm2 * a[j]);
        const bool upper = full > 0.5 * alpha;
        double last = tau[j] * a[j] * inverse;
        last = upper ? 1.0 - last : last;
        last = last > 1e-300 ? last : 1e-300;
        z[j] = upper ? alpha - full : full;
        p[j] = last < 0.5 ? last : 0.5;
    }
}

TL_CLONES
static void logistic_first_start(size_t m, double alpha, double log_alpha, const double *z,
                                 double *p) {
    const double inverse = 1.0 / alpha;
#pragma omp simd
    for (size_t j = 0; j < m; j++) {
        double first = tl_v(z[j] + log_alpha) * inverse;
        first = first > 1e-300 ? first : 1e-300;
        p[j] = first < 0.5 ? first : 0.5;
    }
}

/* One step of Newton's method for every class; returns the largest. */
TL_CLONES
static double logistic_round(size_t m, double alpha, const double *z, double *p) {
    const double log_half = -0.6931471805599453;
    double largest = 0.0;
#pragma omp simd reduction(max : largest)
    for (size_t j = 0; j < m; j++) {
        const double q = 1.0 - p[j];
        const double l = tl_log(p[j]);
        const double f = l - tl_log(q) + alpha * p[j] - z[j];
        const double slope = 1.0 + p[j] / q + alpha * p[j];
        double next = l - f / slope;
        next = next < log_half ? next : log_half;
        const double step = next > l ? next - l : l - next;
        p[j] = tl_exp(next);
        largest = step > largest ? step : largest;
    }
    return largest;
}

TL_CLONES
static void logistic_store(size_t m, double norm2, double C, double alpha, const double *tau,
                           const double *s, const double *a, const double *p, double *a_new) {
#pragma omp simd
    for (size_t j = 0; j < m; j++) {
        const double full = -tau[j] * (s[j] - norm2 * a[j]);
        a_new[j] = tau[j] * C * (full > 0.5 * alpha ? 1.0 - p[j] : p[j]);
    }
}

static void update_logistic(const tl_row *row, size_t m, const double *s, const double *a,
                            double *a_new, double *warm, double *work) {
    double *tau = work, *z = work + tl_padded(m), *p = work + 2 * tl_padded(m);
    signs(row, m, tau);
    /* For a tiny alpha the equation is p = sigmoid(z) up to rounding. */
    const double alpha = fmax(row->norm2 * row->C, 1e-17);
    logistic_start(m, row->norm2, row->C, alpha, tau, s, a, z, p);
    if (isnan(warm[0])) logistic_first_start(m, alpha, log(alpha), z, p);
    warm[0] = 0.0;
    for (int round = 0; round < LOGISTIC_ROUNDS; round++)
        if (!(logistic_round(m, alpha, z, p) > LOGISTIC_STEP)) break;
    logistic_store(m, row->norm2, row->C, alpha, tau, s, a, p, a_new);
}

TL_CLONES
static double logistic_sum(size_t m, const double *tau, const double *s) {
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (size_t j = 0; j < m; j++) {
        const double z = -tau[j] * s[j];
        const double magnitude = z < 0.0 ? -z : z;
        /* log(1 + e^z) without overflow; log(1 + e) by 2 atanh(e/(2 + e)) would be no better than
         * this */
        sum += (z > 0.0 ? z : 0.0) + tl_log1p(tl_exp(-magnitude));
    }
    return sum;
}

static double value_logistic(const tl_row *row, size_t m, const double *s, double *work) {
    signs(row, m, work);
    return logistic_sum(m, work, s);
}

static void gradient_logistic(const tl_row *row, size_t m, const double *s, double *g,
                              double *work) {
    signs(row, m, work);
    for (size_t j = 0; j < m; j++) {
        const double z = work[j] * s[j];
        const double e = tl_exp(z > 0.0 ? -z : z);
        g[j] = -work[j] * (z > 0.0 ? e / (1.0 + e) : 1.0 / (1.0 + e));
    }
}

TL_CLONES
static double binary_entropies(size_t m, const double *a, double scale) {
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (size_t j = 0; j < m; j++) {
        const double v = scale * a[j];
        const double p = v < 0.0 ? -v : v, q = 1.0 - p;
        /* q log q with the digits of a tiny p */
        sum += tl_x_log_x(p) + tl_select(q > 1e-300, q * tl_log1p(-p), 0.0);
    }
    return sum;
}

static double conjugate_logistic(const tl_row *row, size_t m, const double *a, double scale) {
    (void)row;
    return binary_entropies(m, a, scale);
}

static void curvature_logistic(const tl_row *row, size_t m, const double *g, tl_curvature *out) {
    (void)row;
    for (size_t j = 0; j < m; j++) {
        const double p = fabs(g[j]), weight = p * (1.0 - p);
        if (weight > TL_AT_BOUND) tl_add_entry(out, j, weight);
    }
    out->middle = out->count;
}

const tl_loss_ops tl_ops_lr_ova = {
    .curvature = curvature_logistic,
    .free_sum = true,
    .always_smooth = true,
    .update = update_logistic,
    .value = value_logistic,
    .gradient = gradient_logistic,
    .conjugate = conjugate_logistic,
    .infeasibility = infeasibility,
};
