/* SPDX-License-Identifier: MIT */
/* The entropic projection onto the top-k simplex alpha (the paper, Eq. (11)). */
#include "prox.h"
#include "vmath.h"

TL_CLONES
static double capped_sum(size_t n, const double *b, double t, double cap, double *slope,
                         double *count) {
    double sum = 0.0, derivative = 0.0, capped = 0.0;
#pragma omp simd reduction(+ : sum, derivative, capped)
    for (size_t j = 0; j < n; j++) {
        const double v = tl_v(b[j] - t);
        const bool above = v >= cap;
        sum += above ? cap : v;
        derivative += above ? 0.0 : v / (1.0 + v);
        capped += above ? 1.0 : 0.0;
    }
    *slope = derivative;
    *count = capped;
    return sum;
}

typedef struct inner_root {
    double t;     /* sum_j min(V(b_j - t), alpha s/k) = alpha s */
    double slope; /* sum of V' over the free entries */
    double count; /* capped entries */
} inner_root;

/* Newton's method kept in a bracket that shrinks. */
static inner_root solve_inner(size_t n, const double *b, double total, double cap, double low,
                              double high, double start) {
    inner_root r = {.t = start > low && start < high ? start : 0.5 * (low + high)};
    for (int round = 0; round < 100; round++) {
        const double excess = capped_sum(n, b, r.t, cap, &r.slope, &r.count) - total;
        if (excess > 0.0)
            low = r.t;
        else
            high = r.t;
        const double step = r.slope > 0.0 ? excess / r.slope : 0.0;
        double next = r.t + step;
        if (!(next > low && next < high)) next = 0.5 * (low + high);
        if (fabs(excess) <= 1e-15 * total || next <= low || next >= high) break;
        r.t = next;
    }
    return r;
}

/* Replaces the work array by b relative to its k-th largest entry, which is returned. */
static double relative_to_kth(size_t n, const double *b, size_t k, double *work) {
    for (size_t j = 0; j < n; j++)
        work[j] = b[j];
    tl_sum_of_largest(n, work, k);
    double kth = work[0];
    for (size_t j = 1; j < k; j++)
        kth = fmin(kth, work[j]);
    for (size_t j = 0; j < n; j++)
        work[j] = b[j] - kth;
    return kth;
}

/* x_j = min(x_j, u) scaled to the sum s; the scale is 1 but for rounding. Free entries that it
 * lifts to u are at u in the next round. */
static void make_feasible(size_t n, double s, double u, double *x) {
    for (int round = 0; round < 3; round++) {
        double free_sum = 0.0, at_cap = 0.0;
        for (size_t j = 0; j < n; j++) {
            at_cap += x[j] >= u ? u : 0.0;
            free_sum += x[j] >= u ? 0.0 : x[j];
        }
        const double scale = free_sum > 0.0 && s > at_cap ? (s - at_cap) / free_sum : 1.0;
        for (size_t j = 0; j < n; j++)
            x[j] = x[j] >= u ? u : x[j] * scale;
    }
    for (size_t j = 0; j < n; j++)
        x[j] = fmin(x[j], u);
}

/* min over x in the top-k simplex alpha of alpha/2 (<x,x> + s^2) - <b,x> + <x,log x> + (1-s)
 * log(1-s), s = <1,x>, when the cap x_j <= s/k is active. For a fixed s, alpha x_j = min(V(b_j -
 * t), alpha s/k); the derivative in s of the minimum,
 *
 *     h = alpha s - log(1-s) - log alpha - t - (1/k) sum_{capped} (b_j - t - V^{-1}(alpha s/k)),
 *
 * increases. The unknown is w = log(s/(1-s)), in which h is smooth at both ends. (Proposition 16
 * searches the set of capped entries instead; a partition that satisfies its system but not h = 0
 * with all signs is not a solution.)
 *
 * Everything is relative to the k-th largest entry, b_(k): at t = b_(k) - V^{-1}(cap) the k largest
 * are capped and reach the sum; and as at most k - 1 are capped, the n - k + 1 others share at
 * least one cap, so that V(b_(k) - t) >= cap/(n - k + 1). This holds t in a short interval whatever
 * the size of b. Returns s; x is written. */
static double solve_capped(size_t n, const double *b, size_t k, double alpha, double s_start,
                           double *x, double *work) {
    const double log_alpha = log(alpha), inverse_k = 1.0 / (double)k;
    const double others = (double)(n - k + 1), log_others = log(others);
    const double kth = relative_to_kth(n, b, k, work);

    /* Beyond these bounds s or 1 - s is 0 but for 1e-180, and V and the cap would vanish. */
    double low = -650.0 + fmax(0.0, -log_alpha), high = 700.0;
    double w = log(s_start) - log1p(-s_start);
    if (!(w > low && w < high)) w = s_start > 0.5 ? 30.0 : -30.0;
    double s = s_start, t = NAN, cap = 0.0;
    for (int round = 0; round < 200; round++) {
        const double rest = 1.0 / (1.0 + exp(w)); /* 1 - s */
        s = 1.0 / (1.0 + exp(-w));
        cap = alpha * s * inverse_k;
        const double inverse_cap = cap + log(cap); /* V^{-1} */
        const double inverse_share = cap / others + (log(cap) - log_others);
        const inner_root inner =
            solve_inner(n, work, alpha * s, cap, -inverse_cap, -inverse_share, t);
        t = inner.t;
        double excess = 0.0;
        for (size_t j = 0; j < n; j++)
            excess += fmax(0.0, (work[j] - t) - inverse_cap);
        const double h = alpha * s - log(rest) - log_alpha - (kth + t) - inverse_k * excess;
        if (h > 0.0)
            high = w;
        else
            low = w;
        const double rounding = 2e-16 * (alpha * s - log(rest) + fabs(log_alpha) + fabs(kth) +
                                         fabs(t) + inverse_k * excess);
        if (fabs(h) <= rounding || high - low <= 1e-15 * fmax(1.0, fabs(w))) break;
        const double rho = inner.count * inverse_k, free_share = 1.0 - rho;
        const double through_t =
            inner.slope > 0.0 ? alpha * free_share * free_share / inner.slope : 0.0;
        const double slope_s = alpha + 1.0 / rest + through_t + rho * (alpha * inverse_k + 1.0 / s);
        /* h is asymptotically linear in w on both sides, so full Newton steps are safe. */
        double next = w - h / (slope_s * s * rest);
        if (!(next > low && next < high)) next = 0.5 * (low + high);
        w = next;
    }
    for (size_t j = 0; j < n; j++)
        x[j] = tl_v(work[j] - t) / alpha;
    make_feasible(n, s, s * inverse_k, x);
    return s;
}

double tl_topk_entropic_project(size_t n, const double *b, size_t k, double alpha, double *t,
                                double *x, double *z, double *p) {
    /* Without the cap this is the softmax with a class of score 0 that has 1 - s. */
    for (size_t j = 0; j < n; j++)
        z[j] = b[j];
    z[n] = alpha;
    tl_entropic_solve(n + 1, z, alpha, t, p);
    double s = 0.0, largest = 0.0;
    for (size_t j = 0; j < n; j++) {
        s += p[j];
        largest = fmax(largest, p[j]);
    }
    if (k == 1 || largest * (double)k <= s * (1.0 + 1e-15)) {
        for (size_t j = 0; j < n; j++)
            x[j] = p[j];
        return s;
    }
    return solve_capped(n, b, k, alpha, s, x, z);
}

tl_status tl_prox_topk_entropic(size_t n, const double *b, size_t k, double alpha, double *x,
                                double *work) {
    if (b == NULL || x == NULL || work == NULL) return TL_ERR_NULL;
    if (n < 1 || k < 1 || k > n) return TL_ERR_DIMENSION;
    if (!tl_in_range(alpha, 1.0 / TL_LARGEST_PARAMETER, TL_LARGEST_PARAMETER))
        return TL_ERR_PARAMETER;
    const tl_status status = tl_check_values(n, b);
    if (status != TL_OK) return status;
    double t = NAN;
    for (size_t j = 0; j < n; j++)
        work[j] = b[j];
    tl_topk_entropic_project(n, work, k, alpha, &t, x, work + n, work + 2 * n + 1);
    return TL_OK;
}
