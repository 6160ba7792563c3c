/* SPDX-License-Identifier: MIT */
/* The projections by sorting, for comparison (the paper, Table 2); the others avoid it.
 *
 * All three follow the solution as the sum of x grows from 0 and stop at the first point where it
 * is optimal. Between two breakpoints the thresholds move linearly; a pointer or two into the
 * sorted input says which breakpoint is next, so that a scan costs O(n) after the sort. Distances
 * are kept instead of thresholds, and all of them grow: nothing cancels. */
#include "prox.h"

#include <string.h>

/* ---- sorting ---- */

#define INSERTION_LENGTH 40
#define DIGITS 8
#define BUCKETS 256

/* An integer that is larger for a smaller value. */
TL_INLINE uint64_t descending_key(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits >> 63 ? bits : ~bits & 0x7fffffffffffffffULL;
}

static void insertion_sort(size_t n, double *b) {
    for (size_t i = 1; i < n; i++) {
        const double value = b[i];
        size_t j = i;
        for (; j > 0 && b[j - 1] < value; j--)
            b[j] = b[j - 1];
        b[j] = value;
    }
}

/* Descending radix sort. scratch: n. */
static void sort_descending(size_t n, double *b, double *scratch) {
    if (n <= INSERTION_LENGTH) {
        insertion_sort(n, b);
        return;
    }
    size_t place[DIGITS][BUCKETS] = {{0}};
    for (size_t i = 0; i < n; i++) {
        const uint64_t key = descending_key(b[i]);
        for (size_t digit = 0; digit < DIGITS; digit++)
            place[digit][(key >> (8 * digit)) & (BUCKETS - 1)]++;
    }
    double *from = b, *to = scratch;
    for (size_t digit = 0; digit < DIGITS; digit++) {
        size_t *next = place[digit];
        const unsigned shift = (unsigned)(8 * digit);
        if (next[(descending_key(from[0]) >> shift) & (BUCKETS - 1)] == n) continue; /* all equal */
        size_t sum = 0;
        for (size_t bucket = 0; bucket < BUCKETS; bucket++) {
            const size_t count = next[bucket];
            next[bucket] = sum;
            sum += count;
        }
        for (size_t i = 0; i < n; i++)
            to[next[(descending_key(from[i]) >> shift) & (BUCKETS - 1)]++] = from[i];
        double *other = from;
        from = to;
        to = other;
    }
    if (from != b) memcpy(b, from, n * sizeof *b);
}

/* A descending copy of b in work; work: 2 n. */
static const double *sorted_copy(size_t n, const double *b, double *work) {
    memcpy(work, b, n * sizeof *work);
    sort_descending(n, work, work + n);
    return work;
}

/* ---- knapsack: sum_j clip(b_j - t, 0, u) = min(t/bias, radius) ---- */

/* t falls from the largest entry. The entries s[p .. q) are free, those before at u; t lies `depth`
 * below s[p], or in a gap without free entries. */
static tl_capped knapsack_scan(size_t n, const double *s, size_t k, double radius, double bias) {
    const double u = radius / (double)k;
    if (!(u > 0.0 && s[0] > 0.0)) return (tl_capped){{0.0, INFINITY}, 0.0};
    double sum = 0.0, depth = 0.0;
    size_t p = 0, q = 1;
    for (;;) {
        const double free_count = (double)(q - p), t = s[p] - depth;
        const double to_bias = (t - bias * sum) / (1.0 + bias * free_count);
        const double to_radius = (radius - sum) / free_count;
        const double to_entry = q < n ? (s[p] - s[q]) - depth : INFINITY;
        const double to_cap = u - depth;
        const double to_end = fmin(to_bias, to_radius);
        if (to_end <= to_entry && to_end <= to_cap) {
            if (bias == 0.0 && to_bias <= to_radius) return (tl_capped){{0.0, 0.0}, u};
            return (tl_capped){{s[p], -(depth + fmax(to_end, 0.0))}, u};
        }
        if (to_entry <= to_cap) {
            sum += free_count * to_entry;
            depth = s[p] - s[q++];
            continue;
        }
        sum += free_count * to_cap;
        p++;
        if (p < q) {
            depth = u - (s[p - 1] - s[p]);
            continue;
        }
        /* none is free: t goes on to the next entry, unless it meets bias * sum before */
        if (q == n || sum >= radius || bias * sum >= s[q])
            return (tl_capped){{s[p - 1], -u}, u}; /* any t of the gap gives the same x */
        depth = 0.0;
        q++;
    }
}

/* ---- top-k cone and top-k simplex alpha ---- */

/* Sum with the rounding errors added up besides (Neumaier): the k largest may nearly cancel, and
 * the sign of their sum decides. */
static double exact_sum(size_t n, const double *s) {
    double sum = 0.0, lost = 0.0;
    for (size_t j = 0; j < n; j++) {
        const double next = sum + s[j];
        lost += fabs(sum) >= fabs(s[j]) ? (sum - next) + s[j] : (s[j] - next) + sum;
        sum = next;
    }
    return sum + lost;
}

/* The solution x_j = clip(b_j - t, 0, u), u = sum/k, for every sum: t falls and t + u rises. They
 * start at the k-th largest entry v: t = v - low, t + u = v + high. The entries s[p .. q) are free.
 * h is half the derivative in the sum of the smallest ||x - b||^2 + bias sum^2 (prox_topk.c); it
 * increases from -(mean of the k largest). */
static tl_capped cone_scan(size_t n, const double *s, size_t k, double radius, double bias) {
    const double dk = (double)k, v = s[k - 1];
    double h = -exact_sum(k, s) / dk;
    const tl_capped zero = {{0.0, INFINITY}, 0.0};
    if (!(h < 0.0)) return zero;

    double sum = 0.0, low = 0.0, high = 0.0;
    size_t p = k - 1, q = k;
    for (;;) {
        const double capped = (double)p, free_count = (double)(q - p);
        const double low_rate = (dk - capped) / (dk * free_count);
        const double high_rate = (double)(q - k) / (dk * free_count);
        const double h_rate =
            bias + capped / (dk * dk) + (dk - capped) * (dk - capped) / (dk * dk * free_count);
        const double to_entry = q < n ? ((v - s[q]) - low) / low_rate : INFINITY;
        const double to_release =
            p > 0 && high_rate > 0.0 ? ((s[p - 1] - v) - high) / high_rate : INFINITY;
        const double to_end = fmin(-h / h_rate, radius - sum);
        const double step = fmin(to_end, fmin(to_entry, to_release));
        sum += step;
        h += step * h_rate;
        low += step * low_rate;
        high += step * high_rate;
        if (step == to_end) return (tl_capped){{v, -low}, fmin(low + high, radius / dk)};
        if (step == to_entry)
            low = v - s[q++];
        else
            high = s[--p] - v;
    }
}

/* ---- bipartite simplex ---- */

/* Both sums grow together; the thresholds are `depth` below the largest entries, and the first p
 * and q entries are above them. The end is where the thresholds' sum is 0, or the radius. */
static void bipartite_scan(size_t n, const double *s, size_t n_bar, const double *s_bar,
                           double radius, tl_threshold *t, tl_threshold *t_bar) {
    const double gap = s[0] + s_bar[0];
    double sum = 0.0, depth = 0.0, depth_bar = 0.0;
    size_t p = 1, q = 1;
    for (;;) {
        const double rate = 1.0 / (double)p, rate_bar = 1.0 / (double)q;
        const double to_entry = p < n ? ((s[0] - s[p]) - depth) * (double)p : INFINITY;
        const double to_entry_bar =
            q < n_bar ? ((s_bar[0] - s_bar[q]) - depth_bar) * (double)q : INFINITY;
        const double to_gap = ((gap - depth) - depth_bar) / (rate + rate_bar);
        const double to_end = fmin(to_gap, radius - sum);
        const double step = fmin(to_end, fmin(to_entry, to_entry_bar));
        sum += step;
        depth += step * rate;
        depth_bar += step * rate_bar;
        if (step == to_end) break;
        if (step == to_entry)
            depth = s[0] - s[p++];
        else
            depth_bar = s_bar[0] - s_bar[q++];
    }
    *t = (tl_threshold){s[0], -depth};
    *t_bar = (tl_threshold){s_bar[0], -depth_bar};
}

static tl_status project_bipartite(const tl_prox *prox, const double *b, const double *b_bar,
                                   double *x, double *y, double *work) {
    const size_t n = prox->n, n_bar = prox->n_bar;
    if (n < 1 || n_bar < 1) return TL_ERR_DIMENSION;
    if (!tl_in_range(prox->radius, 0.0, TL_LARGEST_INPUT)) return TL_ERR_PARAMETER;
    tl_status status = tl_check_values(n, b);
    if (status == TL_OK) status = tl_check_values(n_bar, b_bar);
    if (status != TL_OK) return status;

    const double *s = sorted_copy(n, b, work), *s_bar = sorted_copy(n_bar, b_bar, work + 2 * n);
    tl_threshold t = {INFINITY, 0.0}, t_bar = {INFINITY, 0.0};
    if (prox->radius > 0.0 && s[0] + s_bar[0] > 0.0)
        bipartite_scan(n, s, n_bar, s_bar, prox->radius, &t, &t_bar);
    for (size_t j = 0; j < n; j++)
        x[j] = tl_above(b[j], t);
    for (size_t j = 0; j < n_bar; j++)
        y[j] = tl_above(b_bar[j], t_bar);
    return TL_OK;
}

/* ---- all of them ---- */

static tl_status project_topk(const tl_prox *prox, const double *b, double *x, double *work) {
    const bool cone = prox->map == TL_PROX_TOPK_CONE;
    const size_t n = prox->n, k = prox->k;
    const double radius = cone ? INFINITY : prox->radius;
    tl_status status = tl_check_topk(n, k, cone ? 0.0 : radius, prox->bias);
    if (status == TL_OK) status = tl_check_values(n, b);
    if (status != TL_OK) return status;
    tl_capped c = {{0.0, INFINITY}, 0.0};
    if (radius > 0.0) {
        const double *s = sorted_copy(n, b, work);
        c = prox->map == TL_PROX_TOPK_SIMPLEX_BETA ? knapsack_scan(n, s, k, radius, prox->bias)
                                                   : cone_scan(n, s, k, radius, prox->bias);
    }
    for (size_t j = 0; j < n; j++)
        x[j] = fmin(tl_above(b[j], c.t), c.u);
    return TL_OK;
}

tl_status tl_prox_sorted(const tl_prox *prox, const double *b, const double *b_bar, double *x,
                         double *y, double *work) {
    switch (prox->map) {
    case TL_PROX_TOPK_SIMPLEX_ALPHA:
    case TL_PROX_TOPK_SIMPLEX_BETA:
    case TL_PROX_TOPK_CONE:
        return project_topk(prox, b, x, work);
    case TL_PROX_BIPARTITE_SIMPLEX:
        return project_bipartite(prox, b, b_bar, x, y, work);
    case TL_PROX_TOPK_ENTROPIC:
    case TL_PROX_BIPARTITE_ENTROPIC:
    case TL_PROX_COUNT:
        break;
    }
    return TL_ERR_PARAMETER;
}
