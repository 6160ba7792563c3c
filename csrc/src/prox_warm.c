/* SPDX-License-Identifier: MIT */
/* The projections of the hinge losses' updates: Newton's method on piecewise linear systems,
 * started at the last solution for the row. A pass over the entries at a point gives the linear
 * piece, and the piece its root; if a pass at the root finds the same piece, the root is exact. The
 * pass has no branch and also writes the result, so that mostly two passes make an update.
 *
 * Entries are v_j = b_j - top <= 0 with top > 0 the largest b_j, and -inf for those that do not
 * take part; their number n is a multiple of 8. Thresholds tau are relative to top too, t = top +
 * tau. */
#include "prox.h"

/* More are rare; then the methods with guaranteed termination take over. */
#define MAX_PASSES 16
/* The linear piece at (tau, u). */
typedef struct piece {
    double sum;    /* of x_j = clip(v_j - tau, 0, u) */
    double high;   /* sum of the capped v_j, v_j - tau >= u */
    double capped; /* their number */
    double above;  /* the number of v_j - tau > 0 */
} piece;

TL_INLINE piece clip(size_t n, const double *restrict v, double tau, double u,
                     double *restrict minus_x) {
    double sum = 0.0, high = 0.0, capped = 0.0, above = 0.0;
    if (n % 8 != 0) TL_UNREACHABLE();
#pragma omp simd reduction(+ : sum, high, capped, above)
    for (size_t j = 0; j < n; j++) {
        const double d = v[j] - tau;
        const bool is_capped = d >= u, is_above = d > 0.0;
        const double x = is_capped ? u : (is_above ? d : 0.0);
        minus_x[j] = -x;
        sum += x;
        high += is_capped ? v[j] : 0.0;
        capped += is_capped ? 1.0 : 0.0;
        above += is_above ? 1.0 : 0.0;
    }
    return (piece){sum, high, capped, above};
}

static bool near(double sum, double target) {
    return fabs(sum - target) <= TL_SUM_TOLERANCE * target;
}

/* sum_j (v_j - tau)_+ = min((top + tau)/bias, radius): the left side minus the right one is convex
 * and decreasing, so that Newton's method goes up to the root from the left, after one step from
 * the right at most. */
TL_CLONES
static double simplex_newton(size_t n, const double *v, double top, double radius, double bias,
                             double *tau, double *minus_x) {
    const double low = -radius > -top ? -radius : -top; /* x_j = radius, or t = 0 */
    double at = *tau > low ? (*tau < 0.0 ? *tau : 0.0) : low, last = -1.0;
    for (bool first = true;; first = false) {
        double sum = 0.0, count = 0.0;
        if (n % 8 != 0) TL_UNREACHABLE();
#pragma omp simd reduction(+ : sum, count)
        for (size_t j = 0; j < n; j++) {
            const double d = v[j] - at, x = d > 0.0 ? d : 0.0;
            minus_x[j] = -x;
            sum += x;
            count += d > 0.0 ? 1.0 : 0.0;
        }
        *tau = at;
        if (count == last) return sum;
        last = count;
        double step = (bias * sum - (top + at)) / (1.0 + bias * count);
        if (sum - count * step > radius) step = (sum - radius) / count;
        if (!(first || step > 0.0)) return sum; /* rounding */
        at += step;
        if (at < low) {
            at = low;
            last = -1.0;
        }
    }
}

/* sum_j clip(v_j - tau, 0, u) = min((top + tau)/bias, radius), u = radius/k. Returns the sum, or a
 * negative number if Newton's method did not reach the root. */
TL_CLONES
static double beta_newton(size_t n, const double *v, double top, size_t k, double radius,
                          double bias, double *tau, double *minus_x) {
    const double u = radius / (double)k;
    double low = -top, high = 0.0; /* where x_j = (b_j)_+, and where x = 0 */
    double at = *tau > low ? (*tau < high ? *tau : high) : low;
    double last_capped = -1.0, last_above = -1.0;
    for (int round = 0; round < MAX_PASSES; round++) {
        const piece p = clip(n, v, at, u, minus_x);
        const double free_count = p.above - p.capped;
        *tau = at;
        double step = (bias * p.sum - (top + at)) / (1.0 + bias * free_count);
        const bool bounded = p.sum - free_count * step > radius;
        if (p.capped == last_capped && p.above == last_above)
            return bounded && !near(p.sum, radius) ? -1.0 : p.sum;
        last_capped = p.capped;
        last_above = p.above;
        if (free_count == 0.0 && p.capped == (double)k) {
            /* radius = k u, wherever the threshold is between the capped ones and the rest */
            if (top + at >= bias * radius) return p.sum;
        } else if (bounded) {
            step = (p.sum - radius) / free_count; /* infinite if no entry is free */
        }
        if (p.sum > radius || bias * p.sum > top + at)
            low = at;
        else
            high = at;
        double next = at + step;
        if (next == at) return p.sum;
        if (!(next > low && next < high)) {
            next = 0.5 * (low + high);
            last_capped = -1.0;
        }
        at = next;
    }
    return -1.0;
}

/* No entry is free at tau: moves it to the nearest place where one becomes free, with all that
 * equal it: of the next piece if more than k are capped, and of the one before if fewer. */
TL_CLONES
static void free_one(size_t n, const double *v, size_t k, double u, double *tau, piece *p) {
    const double at = *tau;
    double below = -INFINITY, capped = INFINITY, ties = 0.0;
    if (n % 8 != 0) TL_UNREACHABLE();
#pragma omp simd reduction(max : below) reduction(min : capped)
    for (size_t j = 0; j < n; j++) {
        const double lower = v[j] - at > 0.0 ? -INFINITY : v[j];
        const double upper = v[j] - at >= u ? v[j] : INFINITY;
        below = lower > below ? lower : below;
        capped = upper < capped ? upper : capped;
    }
    below = tl_reduced_max(below);
    capped = -tl_reduced_max(-capped);
    const bool more = p->capped > (double)k;
    const double freed = more ? capped : below;
#pragma omp simd reduction(+ : ties)
    for (size_t j = 0; j < n; j++)
        ties += v[j] == freed ? 1.0 : 0.0;
    *tau = more ? capped - u : below;
    if (more) {
        p->capped -= ties;
        p->high -= ties * capped;
    }
    p->above = p->capped + ties;
}

/* The top-k simplex alpha. With s the sum, u = s/k, p capped and q free entries, the conditions are
 *
 *     sum_j x_j - s = 0,   h = e s - c tau - top - (1/k) sum_{capped} v_j = 0
 *
 * (h <= 0 if s is the radius) with c = 1 - p/k, e = bias + p/k^2; the derivatives of the first are
 * -c in s and -q in tau. Returns the sum, or a negative number without a root. */
TL_CLONES
static double alpha_newton(size_t n, const double *v, double top, size_t k, double radius,
                           double bias, double *tau, double *s, double *minus_x) {
    const double inverse_k = 1.0 / (double)k;
    double last_capped = -1.0, last_above = -1.0, old_capped = -1.0, old_above = -1.0;
    for (int round = 0; round < MAX_PASSES; round++) {
        piece p = clip(n, v, *tau, *s * inverse_k, minus_x);
        if (*s == 0.0) {
            /* sum of the k largest b <= k t + sum (b_j - t)_+ */
            const double h = -top - p.high * inverse_k - (1.0 - p.capped * inverse_k) * *tau;
            if (h >= 0.0) return 0.0;
            if (p.capped != (double)k) return -1.0;
            *s = -h / (bias + inverse_k) < radius ? -h / (bias + inverse_k) : radius;
            continue;
        }
        if (p.capped == last_capped && p.above == last_above) return near(p.sum, *s) ? p.sum : -1.0;
        if (p.above == p.capped && p.capped != (double)k)
            free_one(n, v, k, *s * inverse_k, tau, &p);
        const bool cycle = p.capped == old_capped && p.above == old_above;
        old_capped = last_capped;
        old_above = last_above;
        last_capped = cycle ? -1.0 : p.capped;
        last_above = p.above;
        const double c = 1.0 - p.capped * inverse_k, e = bias + p.capped * inverse_k * inverse_k;
        const double h = e * *s - top - p.high * inverse_k - c * *tau;
        const double free_count = p.above - p.capped, miss = p.sum - *s;
        const double before = *s;
        double ds;
        if (free_count == 0.0) {
            ds = -h / e;
        } else {
            const double scale = 1.0 / (c * c + free_count * e);
            ds = (c * miss - free_count * h) * scale;
        }
        *s += cycle ? 0.5 * ds : ds;
        if (*s > radius) *s = radius;
        if (!(*s > 0.0)) *s = 0.0;
        if (free_count == 0.0) {
            if (*s == before) return p.sum;
        } else {
            *tau += (cycle ? 0.5 : 1.0) * ((miss - c * (*s - before)) / free_count);
        }
    }
    return -1.0;
}

double tl_warm_simplex(size_t n, const double *v, double top, size_t k, double radius, double bias,
                       double *warm, double *minus_x, double *work) {
    (void)k;
    (void)work;
    return simplex_newton(n, v, top, radius, bias, warm, minus_x);
}

/* work: the entries that take part, packed. */
static size_t pack(size_t n, const double *v, double top, double *work) {
    size_t count = 0;
    for (size_t j = 0; j < n; j++) {
        work[count] = v[j] + top;
        count += v[j] > -INFINITY;
    }
    return count;
}

/* -x, and its sum, from the threshold and cap of the method with guaranteed termination. */
static double write_capped(size_t n, const double *v, double top, tl_capped c, double *minus_x) {
    double sum = 0.0;
    for (size_t j = 0; j < n; j++) {
        const double above = tl_above(v[j] + top, c.t), x = above < c.u ? above : c.u;
        minus_x[j] = -x;
        sum += x;
    }
    return sum;
}

double tl_warm_topk_beta(size_t n, const double *v, double top, size_t k, double radius,
                         double bias, double *warm, double *minus_x, double *work) {
    if (k == 1) return tl_warm_simplex(n, v, top, k, radius, bias, warm, minus_x, work);
    double *tau = warm;
    if (isnan(*tau)) *tau = -top;
    double sum = beta_newton(n, v, top, k, radius, bias, tau, minus_x);
    if (sum < 0.0) {
        const size_t count = pack(n, v, top, work);
        const tl_capped c = tl_topk_beta_threshold(count, work, k, radius, bias, work + count);
        *tau = c.t.tau + (c.t.top - top);
        sum = write_capped(n, v, top, c, minus_x);
    }
    if (sum <= radius || near(sum, radius)) return sum;
    /* The threshold is far below the largest entry and has lost the digits of a small radius. */
    for (size_t j = 0; j < n; j++)
        minus_x[j] *= radius / sum;
    return radius;
}

/* A start with the k largest entries capped. work: 2 n. */
static void alpha_start(size_t n, const double *v, double top, size_t k, double radius, double bias,
                        double *tau, double *s, double *work) {
    tl_largest(n, v, k + 1, work, work + n);
    double mean = 0.0;
    for (size_t j = 0; j < k; j++)
        mean += work[j] / (double)k;
    const double kth = work[k - 1], next = work[k], sum = (mean + top) / (bias + 1.0 / (double)k);
    *s = sum > 0.0 ? (sum < radius ? sum : radius) : 0.0;
    /* Where the k-th is just capped, or half-way to the next one, but not so far off that digits
     * are lost. */
    const double u = *s / (double)k, highest = kth - u;
    const double middle = 0.5 * (next + highest), lowest = highest - (top - kth + u);
    *tau = next < highest ? (middle > lowest ? middle : lowest) : highest;
}

double tl_warm_topk_alpha(size_t n, const double *v, double top, size_t k, double radius,
                          double bias, double *warm, double *minus_x, double *work) {
    if (k == 1) return tl_warm_simplex(n, v, top, k, radius, bias, warm, minus_x, work);
    double *tau = warm, *s = warm + 1;
    double sum = -1.0;
    if (!isnan(*tau)) {
        *s = *s < radius ? *s : radius;
        sum = alpha_newton(n, v, top, k, radius, bias, tau, s, minus_x);
    }
    if (sum < 0.0) {
        alpha_start(n, v, top, k, radius, bias, tau, s, work);
        sum = alpha_newton(n, v, top, k, radius, bias, tau, s, minus_x);
    }
    if (sum >= 0.0) return sum;
    const size_t count = pack(n, v, top, work);
    const tl_capped c = tl_topk_alpha_threshold(count, work, k, radius, bias, work + count);
    *tau = c.t.tau + (c.t.top - top);
    *s = c.u * (double)k;
    return write_capped(n, v, top, c, minus_x);
}
