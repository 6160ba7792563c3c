/* SPDX-License-Identifier: MIT */
/* The entropic projections of the updates, started at the last solution for the row. V to four
 * digits gives a first step of the threshold; at the new threshold, one step of fourth order gives
 * V to all digits; and a last, small step of the threshold carries V along by Taylor's series. */
#include "prox.h"
#include "vmath.h"

/* From farther off, V is found afresh; else by a series from the last estimate (error r^4/24). */
#define LONG_STEP 0.4
/* A step this short ends the search: the relative error of the series is below 1e-12. */
#define SHORT_STEP 2e-3
#define MAX_PASSES 8
#define LEAST_ALPHA 1e-17

/* sum_j V(z_j - t) and its derivatives, up to the sign. */
typedef struct v_sums {
    double v;
    double first;
    double second;
} v_sums;

/* v, u: V(z_j - t) and 1/(1 + V), to four digits or, from estimates at t + shift, to all. */
TL_INLINE v_sums pass(bool rough, size_t n, const double *restrict z, double t, double shift,
                      double *restrict v, double *restrict u) {
    double s0 = 0.0, s1 = 0.0, s2 = 0.0;
    if (n % 8 != 0) TL_UNREACHABLE();
#pragma omp simd reduction(+ : s0, s1, s2)
    for (size_t j = 0; j < n; j++) {
        double value, inverse;
        if (rough) {
            tl_v_rough(z[j] - t, &value, &inverse);
        } else {
            value = tl_v_taylor(v[j], u[j], shift);
            tl_v_polish(z[j] - t, &value, &inverse);
        }
        v[j] = value;
        u[j] = inverse;
        const double first = value * inverse;
        s0 += value;
        s1 += first;
        s2 += first * inverse * inverse;
    }
    return (v_sums){s0, s1, s2};
}

TL_CLONES
static v_sums rough_pass(size_t n, const double *z, double t, double *v, double *u) {
    return pass(true, n, z, t, 0.0, v, u);
}

TL_CLONES
static v_sums exact_pass(size_t n, const double *z, double t, double shift, double *v, double *u) {
    return pass(false, n, z, t, shift, v, u);
}

/* v becomes V(z_j - t), from values at t + shift; returns their sum. */
TL_CLONES
static double last_pass(size_t n, double shift, double *restrict v, const double *restrict u) {
    double sum = 0.0;
    if (n % 8 != 0) TL_UNREACHABLE();
#pragma omp simd reduction(+ : sum)
    for (size_t j = 0; j < n; j++) {
        const double value = tl_v_taylor(v[j], u[j], shift);
        v[j] = value;
        sum += value;
    }
    return sum;
}

/* Halley's step in t for g(t) = log sum_j V(z_j - t) - log alpha, which is nearly linear. For the
 * logarithm, the fraction 3 (q^2 - 1)/(q^2 + 4 q + 1): it is of fifth order at q = 1, and bounded.
 */
static double halley(v_sums s, double inverse_alpha) {
    const double q = s.v * inverse_alpha, first = s.first * inverse_alpha;
    const double over = 3.0 * (q * q - 1.0), under = q * q + 4.0 * q + 1.0;
    const double bend = s.second * inverse_alpha * q - first * first;
    return 2.0 * over * first * q / (2.0 * first * first * under - over * bend);
}

static double root_below(size_t n, const double *z, double alpha) {
    return tl_max_of(n, z) - alpha - log(alpha); /* the largest entry alone has the sum alpha */
}

double tl_warm_softmax(size_t n, const double *z, double alpha, double *t, double *v, double *u) {
    const double inverse_alpha = 1.0 / alpha;
    double x = isnan(*t) ? root_below(n, z, alpha) : *t, step = INFINITY;
    /* For a tiny alpha, V(z - t)/alpha is the softmax of z, and 1/alpha may overflow. */
    for (int pass = 0; pass < MAX_PASSES && alpha >= LEAST_ALPHA; pass++) {
        const bool near = fabs(step) <= LONG_STEP;
        const v_sums s = near ? exact_pass(n, z, x, -step, v, u) : rough_pass(n, z, x, v, u);
        step = halley(s, inverse_alpha);
        x += step;
        if (!near || !(fabs(step) <= SHORT_STEP)) continue;
        *t = x;
        return last_pass(n, -step, v, u);
    }
    *t = NAN;
    tl_entropic_solve(n, z, alpha, t, v);
    return 1.0;
}
