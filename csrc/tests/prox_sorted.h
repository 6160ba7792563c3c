/* SPDX-License-Identifier: MIT
 *
 * prox_sorted.h: the projections by sorting, which the tests compare the library's with, and which
 * the figure of TPAMI Table 2 times (pylib/build_native.py).
 *
 * All three follow the solution as the sum of x grows from 0 and stop at the first point where it
 * is optimal. Between two breakpoints the thresholds move linearly; a pointer or two into the
 * sorted input says which breakpoint is next, so that a scan costs O(n) after the sort. Distances
 * are kept instead of thresholds, and all of them grow: nothing cancels.
 *
 * Arguments are those of the functions of toplabel.h, and are not checked; one problem per row. */
#ifndef TL_PROX_SORTED_H
#define TL_PROX_SORTED_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A threshold t = top + tau, where top is an entry of b near it. */
typedef struct sorted_threshold {
    double top, tau;
} sorted_threshold;

static inline double sorted_above(double b, sorted_threshold t) {
    const double x = (b - t.top) - t.tau;
    return x > 0.0 ? x : 0.0;
}

/* x_j = min((b_j - t)_+, u) */
typedef struct sorted_capped {
    sorted_threshold t;
    double u;
} sorted_capped;

/* ---- sorting ---- */

#define INSERTION_LENGTH 40
#define DIGITS 8
#define BUCKETS 256

/* An integer that is larger for a smaller value. */
static inline uint64_t descending_key(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits >> 63 ? bits : ~bits & 0x7fffffffffffffffULL;
}

static inline void insertion_sort(size_t n, double *b) {
    for (size_t i = 1; i < n; i++) {
        const double value = b[i];
        size_t j = i;
        for (; j > 0 && b[j - 1] < value; j--)
            b[j] = b[j - 1];
        b[j] = value;
    }
}

/* Descending radix sort. scratch: n. */
static inline void sort_descending(size_t n, double *b, double *scratch) {
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
static inline const double *sorted_copy(size_t n, const double *b, double *work) {
    memcpy(work, b, n * sizeof *work);
    sort_descending(n, work, work + n);
    return work;
}

/* ---- knapsack: sum_j clip(b_j - t, 0, u) = min(t/bias, radius) ---- */

/* t falls from the largest entry. The entries s[p .. q) are free, those before at u; t lies `depth`
 * below s[p], or in a gap without free entries. */
static inline sorted_capped knapsack_scan(size_t n, const double *s, size_t k, double radius,
                                          double bias) {
    const double u = radius / (double)k;
    if (!(u > 0.0 && s[0] > 0.0)) return (sorted_capped){{0.0, INFINITY}, 0.0};
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
            if (bias == 0.0 && to_bias <= to_radius) return (sorted_capped){{0.0, 0.0}, u};
            return (sorted_capped){{s[p], -(depth + fmax(to_end, 0.0))}, u};
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
            return (sorted_capped){{s[p - 1], -u}, u}; /* any t of the gap gives the same x */
        depth = 0.0;
        q++;
    }
}

/* ---- top-k cone and top-k simplex alpha ---- */

/* Sum with the rounding errors added up besides (Neumaier): the k largest may nearly cancel, and
 * the sign of their sum decides. */
static inline double exact_sum(size_t n, const double *s) {
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
 * h is half the derivative in the sum of the smallest ||x - b||^2 + bias sum^2 (src/prox_topk.c);
 * it increases from -(mean of the k largest). */
static inline sorted_capped cone_scan(size_t n, const double *s, size_t k, double radius,
                                      double bias) {
    const double dk = (double)k, v = s[k - 1];
    double h = -exact_sum(k, s) / dk;
    const sorted_capped zero = {{0.0, INFINITY}, 0.0};
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
        if (step == to_end) return (sorted_capped){{v, -low}, fmin(low + high, radius / dk)};
        if (step == to_entry)
            low = v - s[q++];
        else
            high = s[--p] - v;
    }
}

/* ---- bipartite simplex ---- */

/* Both sums grow together; the thresholds are `depth` below the largest entries, and the first p
 * and q entries are above them. The end is where the thresholds' sum is 0, or the radius. */
static inline void bipartite_scan(size_t n, const double *s, size_t n_bar, const double *s_bar,
                                  double radius, sorted_threshold *t, sorted_threshold *t_bar) {
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
    *t = (sorted_threshold){s[0], -depth};
    *t_bar = (sorted_threshold){s_bar[0], -depth_bar};
}

/* ---- all of them, one problem per row ---- */

/* The top-k simplex beta if `is_beta`, else alpha; with an infinite radius, of alpha alone, the
 * top-k cone. work: 2 n. */
static inline void sorted_topk(int is_beta, size_t rows, size_t n, const double *b, size_t k,
                               double radius, double bias, double *x, double *work) {
    for (size_t i = 0; i < rows; i++, b += n, x += n) {
        sorted_capped c = {{0.0, INFINITY}, 0.0};
        if (radius > 0.0) {
            const double *s = sorted_copy(n, b, work);
            c = is_beta ? knapsack_scan(n, s, k, radius, bias) : cone_scan(n, s, k, radius, bias);
        }
        for (size_t j = 0; j < n; j++)
            x[j] = fmin(sorted_above(b[j], c.t), c.u);
    }
}

/* work: 2 (n + n_bar) */
static inline void sorted_bipartite(size_t rows, size_t n, const double *b, size_t n_bar,
                                    const double *b_bar, double radius, double *x, double *y,
                                    double *work) {
    for (size_t i = 0; i < rows; i++, b += n, x += n, b_bar += n_bar, y += n_bar) {
        const double *s = sorted_copy(n, b, work);
        const double *s_bar = sorted_copy(n_bar, b_bar, work + 2 * n);
        sorted_threshold t = {INFINITY, 0.0}, t_bar = {INFINITY, 0.0};
        if (radius > 0.0 && s[0] + s_bar[0] > 0.0)
            bipartite_scan(n, s, n_bar, s_bar, radius, &t, &t_bar);
        for (size_t j = 0; j < n; j++)
            x[j] = sorted_above(b[j], t);
        for (size_t j = 0; j < n_bar; j++)
            y[j] = sorted_above(b_bar[j], t_bar);
    }
}

#ifdef TOPLABEL_H
/* tl_prox_rows, but for the entropic maps. */
static inline void sorted_rows(const tl_prox *prox, size_t rows, const double *b,
                               const double *b_bar, double *x, double *y) {
    double *work = malloc(2 * (prox->n + prox->n_bar) * sizeof *work);
    if (work == NULL) abort();
    if (prox->map == TL_PROX_BIPARTITE_SIMPLEX)
        sorted_bipartite(rows, prox->n, b, prox->n_bar, b_bar, prox->radius, x, y, work);
    else
        sorted_topk(prox->map == TL_PROX_TOPK_SIMPLEX_BETA, rows, prox->n, b, prox->k,
                    prox->map == TL_PROX_TOPK_CONE ? INFINITY : prox->radius, prox->bias, x, work);
    free(work);
}
#endif

#endif /* TL_PROX_SORTED_H */
