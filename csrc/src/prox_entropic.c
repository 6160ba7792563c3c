/* SPDX-License-Identifier: MIT */
/* Entropic projections through V(t) = W(e^t) (the paper, Propositions 15, 16 and 20). */
#include "prox.h"
#include "vmath.h"

/* Below this alpha, V(z - t)/alpha differs from the softmax of z by less than rounding. */
#define SOFTMAX_ALPHA 1e-17
/* A step this short is made without evaluating V afresh: the errors of step and shift are of third
 * and fourth order in it. */
#define SHORT_STEP 1e-4
/* For larger alpha the square of V overflows in the shift. */
#define LARGEST_SHIFTED 1e150

TL_CLONES
static void evaluate_v(size_t m, const double *z, double t, double *w, double *s0, double *s1,
                       double *s2) {
    double sum0 = 0.0, sum1 = 0.0, sum2 = 0.0;
#pragma omp simd reduction(+ : sum0, sum1, sum2)
    for (size_t j = 0; j < m; j++) {
        const double v = tl_v(z[j] - t);
        const double r = 1.0 / (1.0 + v);
        const double first = v * r; /* V' */
        w[j] = v;
        sum0 += v;
        sum1 += first;
        sum2 += first * r * r; /* V'' */
    }
    *s0 = sum0;
    *s1 = sum1;
    *s2 = sum2;
}

TL_CLONES
static double shift_v(size_t m, double *w, double r) {
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (size_t j = 0; j < m; j++) {
        const double v = tl_v_step(w[j], r);
        w[j] = v;
        sum += v;
    }
    return sum;
}

TL_CLONES
static double exp_shifted(size_t m, const double *z, double t, double *p) {
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (size_t j = 0; j < m; j++) {
        const double v = tl_exp(z[j] - t);
        p[j] = v;
        sum += v;
    }
    return sum;
}

void tl_entropic_solve(size_t m, const double *z, double alpha, double *t, double *p) {
    const double top = tl_max_of(m, z);
    if (alpha < SOFTMAX_ALPHA) {
        tl_scale(m, 1.0 / exp_shifted(m, z, top, p), p);
        *t = NAN;
        return;
    }
    /* One entry alone is at most alpha, and the largest one at least alpha/m: V^{-1}(v) = v + log
     * v. */
    const double log_alpha = log(alpha), share = alpha / (double)m;
    double low = top - alpha - log_alpha;
    double high = top - share - (log_alpha - log((double)m));
    double x = *t;
    if (!(x >= low && x <= high)) x = low;

    /* Halley's method on g(t) = log sum V(z - t) - log alpha, which is nearly linear, kept in the
     * bracket. Thirty rounds are never reached; rounding of huge z may make g miss zero, and then
     * the bracket is tiny. */
    for (int round = 0; round < 30; round++) {
        double s0, s1, s2;
        evaluate_v(m, z, x, p, &s0, &s1, &s2);
        const double g = log(s0) - log_alpha;
        if (g > 0.0)
            low = x;
        else
            high = x;
        const double d1 = -s1 / s0;
        const double d2 = s2 / s0 - d1 * d1;
        double step = -2.0 * g * d1 / (2.0 * d1 * d1 - g * d2);
        if (!(x + step >= low && x + step <= high)) step = 0.5 * (low + high) - x;
        x += step;
        if (fabs(step) <= SHORT_STEP && alpha <= LARGEST_SHIFTED) {
            tl_scale(m, 1.0 / shift_v(m, p, -step), p);
            *t = x;
            return;
        }
    }
    double s0, s1, s2;
    evaluate_v(m, z, x, p, &s0, &s1, &s2);
    tl_scale(m, 1.0 / s0, p);
    *t = x;
}

tl_status tl_prox_bipartite_entropic(size_t n, const double *b, size_t n_bar, const double *b_bar,
                                     double alpha, double *x, double *y, double *work) {
    if (b == NULL || x == NULL || work == NULL) return TL_ERR_NULL;
    if (n_bar > 0 && (b_bar == NULL || y == NULL)) return TL_ERR_NULL;
    if (n < 1) return TL_ERR_DIMENSION;
    if (!tl_in_range(alpha, 1.0 / TL_LARGEST_PARAMETER, TL_LARGEST_PARAMETER))
        return TL_ERR_PARAMETER;
    tl_status status = tl_check_values(n, b);
    if (status == TL_OK) status = tl_check_values(n_bar, b_bar);
    if (status != TL_OK) return status;

    const size_t m = n + n_bar;
    const double top = n_bar > 0 ? fmax(tl_max_of(n, b), tl_max_of(n_bar, b_bar)) : tl_max_of(n, b);
    double *p = work + m;
    /* The sum of x and y is fixed: a shift changes nothing, and saves digits. */
    for (size_t j = 0; j < n; j++)
        work[j] = alpha * (b[j] - top);
    for (size_t j = 0; j < n_bar; j++)
        work[n + j] = alpha * (b_bar[j] - top);
    double t = NAN;
    tl_entropic_solve(m, work, alpha, &t, p);
    for (size_t j = 0; j < n; j++)
        x[j] = p[j];
    for (size_t j = 0; j < n_bar; j++)
        y[j] = p[n + j];
    return TL_OK;
}
