/* SPDX-License-Identifier: MIT */
/* Projection onto the bipartite simplex (the paper, section 5.3) by variable fixing. */
#include "prox.h"

#include <string.h>

TL_CLONES
static double violation_below(size_t n, const double *b, double t) {
    double below = 0.0;
#pragma omp simd reduction(+ : below)
    for (size_t j = 0; j < n; j++) {
        const double x = b[j] - t;
        below += x < 0.0 ? x : 0.0;
    }
    return below;
}

/* Root t of sum (u_j - t)_+ = sum (v_j + gap + t)_+ with max u = max v = 0, -gap <= t <= 0. */
static double coupled_root(size_t n, double *u, size_t n_bar, double *v, double gap) {
    size_t free_u = n, free_v = n_bar;
    double t = 0.0;
    while (free_u > 0 && free_v > 0) {
        t = (tl_sum(free_u, u) - tl_sum(free_v, v) - (double)free_v * gap) /
            (double)(free_u + free_v);
        const double below_u = violation_below(free_u, u, t);
        const double below_v = violation_below(free_v, v, -gap - t);
        if (below_u == below_v) break;
        size_t kept;
        if (below_u < below_v) { /* the true root is larger: what is below stays below */
            kept = tl_keep_above(free_u, u, t);
            if (kept == free_u) break;
            free_u = kept;
        } else {
            kept = tl_keep_above(free_v, v, -gap - t);
            if (kept == free_v) break;
            free_v = kept;
        }
    }
    return t < -gap ? -gap : (t > 0.0 ? 0.0 : t);
}

void tl_bipartite_thresholds(size_t n, double *b, size_t n_bar, double *b_bar, double radius,
                             tl_threshold *t, tl_threshold *t_bar) {
    t->top = tl_max_of(n, b);
    t_bar->top = tl_max_of(n_bar, b_bar);
    t->tau = t_bar->tau = 0.0;
    const double gap = t->top + t_bar->top;
    if (!(gap > 0.0)) return;
    /* Relative to the maxima, near which the thresholds are: t + t_bar = 0 is tau + tau_bar = -gap.
     */
    for (size_t j = 0; j < n; j++)
        b[j] -= t->top;
    for (size_t j = 0; j < n_bar; j++)
        b_bar[j] -= t_bar->top;

    /* If the bound on the sums is active, the two sides separate. If it is not, both thresholds are
     * larger than those of the separate problems, so what these fixed at zero stays there. */
    t->tau = tl_simplex_root(&n, b, INFINITY, radius, 0.0);
    t_bar->tau = tl_simplex_root(&n_bar, b_bar, INFINITY, radius, 0.0);
    if (t->tau + t_bar->tau >= -gap) return;
    t->tau = coupled_root(n, b, n_bar, b_bar, gap);
    t_bar->tau = -gap - t->tau;
}

tl_status tl_prox_bipartite_simplex(size_t n, const double *b, size_t n_bar, const double *b_bar,
                                    double radius, double *x, double *y, double *work) {
    if (b == NULL || b_bar == NULL || x == NULL || y == NULL || work == NULL) return TL_ERR_NULL;
    if (n < 1 || n_bar < 1) return TL_ERR_DIMENSION;
    if (!tl_in_range(radius, 0.0, TL_LARGEST_INPUT)) return TL_ERR_PARAMETER;
    size_t count, count_bar;
    tl_status status = tl_filter(n, b, 1, radius, work, &count);
    if (status == TL_OK) status = tl_filter(n_bar, b_bar, 1, radius, work + n, &count_bar);
    if (status != TL_OK) return status;

    tl_threshold t = {INFINITY, 0.0}, t_bar = {INFINITY, 0.0};
    if (radius > 0.0) {
        if (count == 0) memcpy(work, b, n * sizeof *work);
        if (count_bar == 0) memcpy(work + n, b_bar, n_bar * sizeof *work);
        tl_bipartite_thresholds(count > 0 ? count : n, work, count_bar > 0 ? count_bar : n_bar,
                                work + n, radius, &t, &t_bar);
    }
    tl_scatter(n, b, (tl_capped){t, INFINITY}, count, work, x);
    tl_scatter(n_bar, b_bar, (tl_capped){t_bar, INFINITY}, count_bar, work + n, y);
    return TL_OK;
}
