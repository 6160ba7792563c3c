/* SPDX-License-Identifier: MIT */
/* Projections onto the top-k cone and the top-k simplex alpha (NIPS 2015, section 4; the paper,
 * Proposition 14).
 *
 * Both are min ||x - b||^2 + bias s^2 with s = <1, x> and 0 <= x_j <= u = s/k, the simplex with s
 * <= radius besides. For a fixed s it is a knapsack problem with a threshold t(s), x_j = clip(b_j -
 * t, 0, u), and half the derivative of its value in s is
 *
 *     h(s) = bias s - (1 - |U|/k) t(s) - (1/k) sum_{j in U} (b_j - u),   U = { j : b_j - t >= u },
 *
 * which increases. So s is the root of h, or 0 if h(0+) = -(sum of the k largest b)/k >= 0, or the
 * radius if h(radius) <= 0. The papers search the partitions of the sorted b instead; here nothing
 * is sorted. */
#include "prox.h"

#include <string.h>

typedef struct cone_point {
    tl_threshold t;
    double h;     /* h(s) */
    double slope; /* of its linear piece */
} cone_point;

static cone_point evaluate(size_t n, const double *b, size_t k, double bias, double s,
                           double *work) {
    const double u = s / (double)k, inverse_k = 1.0 / (double)k;
    memcpy(work, b, n * sizeof *work);
    cone_point p = {.t = tl_knapsack_threshold(n, work, u, s, 0.0)};
    size_t positive = 0;
    for (size_t j = 0; j < n; j++)
        positive += (b[j] - p.t.top) - p.t.tau > 0.0;
    /* No more than k: they are all at u, up to rounding, and t is any number of a gap. */
    const bool all_capped = positive <= k;
    /* The capped b_j may nearly cancel, and the sign of h decides: their rounding errors are added
     * up besides (Neumaier). */
    double sum = 0.0, lost = 0.0, capped = 0.0;
    for (size_t j = 0; j < n; j++) {
        const double x = (b[j] - p.t.top) - p.t.tau;
        if (!(x > 0.0 && (x >= u || all_capped))) continue;
        const double next = sum + b[j];
        lost += fabs(sum) >= fabs(b[j]) ? (sum - next) + b[j] : (b[j] - next) + sum;
        sum = next;
        capped += 1.0;
    }
    const double free_count = (double)positive - capped;
    const double rest = free_count > 0.0 ? ((double)k - capped) * inverse_k : 0.0;
    p.h = bias * s - rest * (p.t.top + p.t.tau) - ((sum + lost) - capped * u) * inverse_k;
    p.slope = bias + capped * inverse_k * inverse_k + (rest > 0.0 ? rest * rest / free_count : 0.0);
    return p;
}

tl_capped tl_topk_alpha_threshold(size_t n, const double *b, size_t k, double radius, double bias,
                                  double *work) {
    const tl_capped zero = {{0.0, INFINITY}, 0.0};
    memcpy(work, b, n * sizeof *work);
    const double largest = tl_sum_of_largest(n, work, k);
    if (!(largest > 0.0)) return zero;

    /* The norm of a projection onto a cone is at most that of the positive part, and s <= sqrt(n)
     * ||x||. Relative to the largest entry, so that no square overflows or vanishes. */
    const double top = tl_max_of(n, b);
    double squares = 0.0;
    for (size_t j = 0; j < n; j++)
        squares += b[j] > 0.0 ? (b[j] / top) * (b[j] / top) : 0.0;
    double low = 0.0, high = top * sqrt((double)n * squares);
    cone_point p;
    if (radius < high) {
        p = evaluate(n, b, k, bias, radius, work);
        if (p.h <= 0.0) return (tl_capped){p.t, radius / (double)k};
        high = radius;
    } else {
        p = evaluate(n, b, k, bias, high, work);
    }
    /* Newton on a piecewise linear function: exact as soon as the piece is right; bisection keeps
     * it in the bracket. */
    double s = high;
    for (int round = 0; round < 200; round++) {
        if (p.h > 0.0)
            high = s;
        else
            low = s;
        double next = s - p.h / p.slope;
        if (!(next > low && next < high)) next = 0.5 * (low + high);
        if (next == s || next <= low || next >= high) break;
        s = next;
        p = evaluate(n, b, k, bias, s, work);
        if (p.h == 0.0) break;
    }
    return (tl_capped){p.t, s / (double)k};
}

/* The cone has no radius, and so no bound of the threshold that is known beforehand. */
static tl_status project(bool cone, size_t n, const double *b, size_t k, double radius, double bias,
                         double *x, double *work) {
    if (b == NULL || x == NULL || work == NULL) return TL_ERR_NULL;
    size_t count = 0;
    tl_status status = tl_check_topk(n, k, cone ? 0.0 : radius, bias);
    if (status == TL_OK)
        status = cone ? tl_check_values(n, b) : tl_filter(n, b, k, radius, work, &count);
    if (status != TL_OK) return status;
    tl_capped c = {{0.0, INFINITY}, 0.0};
    if (radius > 0.0)
        c = count > 0 ? tl_topk_alpha_threshold(count, work, k, radius, bias, work + count)
                      : tl_topk_alpha_threshold(n, b, k, radius, bias, work);
    tl_scatter(n, b, c, count, work, x);
    return TL_OK;
}

tl_status tl_prox_topk_simplex_alpha(size_t n, const double *b, size_t k, double radius,
                                     double bias, double *x, double *work) {
    return project(false, n, b, k, radius, bias, x, work);
}

tl_status tl_prox_topk_cone(size_t n, const double *b, size_t k, double bias, double *x,
                            double *work) {
    return project(true, n, b, k, INFINITY, bias, x, work);
}
