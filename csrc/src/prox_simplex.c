/* SPDX-License-Identifier: MIT */
/* Projections onto the simplex and the top-k simplex beta: one-dimensional root finding without
 * sorting. */
#include "internal.h"

#include <string.h>

/* Kiwiel's variable fixing. phi(t) = sum_j clip(b_j - t, 0, u) is piecewise linear and decreasing.
 * With the free variables I, and the rest fixed at 0 or u, the restricted equation is linear; its
 * root t is left of the true one when the violations at 0 outweigh those at u, and then the former
 * are 0 at the true root too. Each round fixes at least one variable or ends. */
double tl_knapsack_threshold(size_t n, double *b, double u, double a, double c) {
    size_t free_count = n;
    size_t fixed_up = 0;
    double t = 0.0;
    while (free_count > 0) {
        double sum = 0.0;
        for (size_t j = 0; j < free_count; j++)
            sum += b[j];
        if (fixed_up > 0) sum += (double)fixed_up * u;
        t = (sum - a) / ((double)free_count + c);

        double below = 0.0, above = 0.0;
        for (size_t j = 0; j < free_count; j++) {
            const double x = b[j] - t;
            below += x < 0.0 ? -x : 0.0;
            above += x > u ? x - u : 0.0;
        }
        if (below == above)
            break; /* phi(t) is met: with no violation, or with violations that cancel */

        size_t kept = 0;
        if (below > above) {
            for (size_t j = 0; j < free_count; j++)
                if (b[j] > t) b[kept++] = b[j];
        } else {
            for (size_t j = 0; j < free_count; j++)
                if (b[j] - t < u) b[kept++] = b[j];
            fixed_up += free_count - kept;
        }
        if (kept == free_count) break; /* rounding: nothing left to fix */
        free_count = kept;
    }
    return t;
}

TL_CLONES
static void sum_above(size_t n, const double *v, double tau, double *sum, double *count) {
    double s = 0.0, c = 0.0;
#pragma omp simd reduction(+ : s, c)
    for (size_t j = 0; j < n; j++) {
        const bool above = v[j] > tau;
        s += above ? v[j] : 0.0;
        c += above ? 1.0 : 0.0;
    }
    *sum = s;
    *count = c;
}

double tl_simplex_threshold(size_t n, const double *v, double top, double radius, double bias) {
    /* F(tau) = sum (v_j - tau)_+ - min((tau + top)/bias, radius) is convex and decreasing; F >= 0
     * at the start, where the largest x alone has the sum radius, or where tau + top = 0. Newton
     * steps from the left are exact on the linear pieces, never jump over the root, and so end
     * after finitely many. */
    const double kink = bias * radius - top; /* right of it, the bound on the sum is active */
    double tau = -radius > -top ? -radius : -top;
    for (;;) {
        double sum, count;
        sum_above(n, v, tau, &sum, &count);
        const double next = tau < kink ? (bias * sum - top) / (1.0 + bias * count)
                                       : (count > 0.0 ? (sum - radius) / count : tau);
        if (!(next > tau)) return tau;
        tau = next;
    }
}

tl_status tl_prox_topk_simplex_beta(size_t n, const double *b, size_t k, double radius, double bias,
                                    double *x, double *work) {
    if (b == NULL || x == NULL || work == NULL) return TL_ERR_NULL;
    if (n < 1 || k < 1 || k > n) return TL_ERR_DIMENSION;
    if (!(radius >= 0.0) || !isfinite(radius) || !(bias >= 0.0) || !isfinite(bias))
        return TL_ERR_PARAMETER;
    if (!tl_all_finite(n, b)) return TL_ERR_NOT_FINITE;

    double top = b[0];
    for (size_t j = 1; j < n; j++)
        top = b[j] > top ? b[j] : top;
    const double u = radius / (double)k;
    if (top <= 0.0 || u == 0.0) {
        for (size_t j = 0; j < n; j++)
            x[j] = 0.0;
        return TL_OK;
    }
    /* All relative to the largest entry: the threshold is near it, and digits would be lost for
     * huge b. */
    for (size_t j = 0; j < n; j++)
        x[j] = b[j] - top;

    double tau;
    if (k == 1) {
        tau = tl_simplex_threshold(n, x, top, radius, bias);
    } else {
        /* First without the bound on the sum: t = bias sum(x), that is sum = (tau + top)/bias. */
        double sum = 0.0;
        tau = -top;
        if (bias > 0.0) {
            memcpy(work, x, n * sizeof *work);
            tau = tl_knapsack_threshold(n, work, u, top / bias, 1.0 / bias);
        }
        for (size_t j = 0; j < n; j++) {
            const double value = x[j] - tau;
            sum += value <= 0.0 ? 0.0 : (value < u ? value : u);
        }
        if (sum > radius) {
            memcpy(work, x, n * sizeof *work);
            tau = tl_knapsack_threshold(n, work, u, radius, 0.0);
        }
    }
    for (size_t j = 0; j < n; j++) {
        const double value = x[j] - tau;
        x[j] = value <= 0.0 ? 0.0 : (value < u ? value : u);
    }
    return TL_OK;
}
