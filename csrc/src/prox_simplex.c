/* SPDX-License-Identifier: MIT */
/* Projections onto the simplex and the top-k simplex beta: one-dimensional root finding without
 * sorting. */
#include "prox.h"

#include <string.h>

/* Kiwiel's variable fixing. phi(t) = sum_j clip(b_j - t, 0, u) is piecewise linear and decreasing.
 * With the free variables I, and the rest fixed at 0 or u, the restricted equation is linear. If
 * phi exceeds the right-hand side at its root t, the true root is larger, and what is 0 at t stays
 * 0; else what is u stays u. Each round fixes at least one variable or ends. The entries that stay
 * free are within u of each other, so all is computed relative to one of them; and phi is summed
 * directly, not as the difference of the violations (as Kiwiel does), which would
 * lose a tiny u. */
tl_threshold tl_knapsack_threshold(size_t n, double *b, double u, double total, double bias) {
    /* factor phi(t) = a + c t; never 1/bias, which overflows */
    const double factor = bias > 0.0 ? bias : 1.0;
    const double a = bias > 0.0 ? 0.0 : total, c = bias > 0.0 ? 1.0 : 0.0;
    size_t free_count = n;
    size_t fixed_up = 0;
    tl_threshold t = {b[0], 0.0};
    while (free_count > 0) {
        t.top = b[0];
        const double from_fixed = fixed_up > 0 ? (double)fixed_up * u : 0.0;
        double sum = from_fixed;
        for (size_t j = 0; j < free_count; j++)
            sum += b[j] - t.top;
        t.tau = (factor * sum - (a + c * t.top)) / (factor * (double)free_count + c);
        /* Far from its top, t is no better than rounded, but x must be that of one t. */
        if (fabs(t.top + t.tau) < 0.5 * fabs(t.tau)) t = (tl_threshold){0.0, t.top + t.tau};

        double phi = from_fixed;
        for (size_t j = 0; j < free_count; j++)
            phi += fmin(tl_above(b[j], t), u);
        const double left = factor * phi, right = a + c * (t.top + t.tau);
        if (left == right) break;

        const bool fix_low = left > right;
        size_t kept = 0;
        for (size_t j = 0; j < free_count; j++) {
            const double x = (b[j] - t.top) - t.tau;
            if (fix_low ? x > 0.0 : x < u) b[kept++] = b[j];
        }
        if (kept == 0 || kept == free_count) break; /* rounding: nothing left to fix */
        if (!fix_low) fixed_up += free_count - kept;
        free_count = kept;
    }
    return t;
}

size_t tl_keep_above(size_t n, double *b, double t) {
    size_t kept = 0;
    for (size_t j = 0; j < n; j++) {
        const double value = b[j];
        b[kept] = value;
        kept += value > t;
    }
    return kept;
}

double tl_simplex_root(size_t *n, double *v, double top, double radius, double bias) {
    /* F(tau) = sum (v_j - tau)_+ - min((tau + top)/bias, radius) is convex and decreasing; F >= 0
     * at the start, where the largest x alone has the sum radius, or where tau + top = 0. Newton
     * steps from the left are exact on the linear pieces, never jump over the root, and so end
     * after finitely many; what is below tau stays at zero. */
    const double kink = bias * radius - top; /* right of it, the bound on the sum is active */
    double tau = -radius > -top ? -radius : -top;
    for (;;) {
        const size_t count = tl_keep_above(*n, v, tau);
        if (count == 0) return tau;
        *n = count;
        const double sum = tl_sum(count, v);
        const double next = tau < kink ? (bias * sum - top) / (1.0 + bias * (double)count)
                                       : (sum - radius) / (double)count;
        if (!(next > tau)) return tau;
        tau = next;
    }
}

tl_capped tl_topk_beta_threshold(size_t n, const double *b, size_t k, double radius, double bias,
                                 double *work) {
    const double top = tl_max_of(n, b);
    tl_capped c = {{top, 0.0}, radius / (double)k};
    if (!(top > 0.0)) return c; /* x = 0: no entry is above the largest */
    if (k == 1) {
        for (size_t j = 0; j < n; j++)
            work[j] = b[j] - top;
        c.t.tau = tl_simplex_root(&n, work, top, radius, bias);
        return c;
    }
    /* First without the bound on the sum: t = bias sum(x), that is sum = t/bias. */
    c.t = (tl_threshold){0.0, 0.0};
    if (bias > 0.0) {
        memcpy(work, b, n * sizeof *work);
        c.t = tl_knapsack_threshold(n, work, c.u, 0.0, bias);
    }
    double sum = 0.0;
    for (size_t j = 0; j < n; j++)
        sum += fmin(tl_above(b[j], c.t), c.u);
    if (sum > radius) {
        memcpy(work, b, n * sizeof *work);
        c.t = tl_knapsack_threshold(n, work, c.u, radius, 0.0);
    }
    return c;
}

tl_status tl_prox_topk_simplex_beta(size_t n, const double *b, size_t k, double radius, double bias,
                                    double *x, double *work) {
    if (b == NULL || x == NULL || work == NULL) return TL_ERR_NULL;
    size_t count = 0;
    tl_status status = tl_check_topk(n, k, radius, bias);
    if (status == TL_OK) status = tl_filter(n, b, k, radius, work, &count);
    if (status != TL_OK) return status;
    tl_capped c = {{0.0, INFINITY}, 0.0};
    if (radius / (double)k > 0.0)
        c = count > 0 ? tl_topk_beta_threshold(count, work, k, radius, bias, work + count)
                      : tl_topk_beta_threshold(n, b, k, radius, bias, work);
    tl_scatter(n, b, c, count, work, x);
    return TL_OK;
}
