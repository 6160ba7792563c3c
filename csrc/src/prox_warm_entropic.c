/* SPDX-License-Identifier: MIT */
/* The entropic projections of the updates, started at the last solution for the row. V to four
 * digits gives a first step of the threshold; at the new threshold, one step of fourth order gives
 * V to all digits; and a last, small step of the threshold carries V along by Taylor's series. */
#include "prox.h"
#include "vmath.h"

/* From farther off, V is found afresh; else by a series from the last estimate (error r^4/24). */
#define LONG_STEP 0.4

/* ---- passes ---- */

/* Sums over the entries below the cap, and over those at it. */
typedef struct sums {
    double free;   /* of V */
    double slope;  /* of V' */
    double second; /* of V'', up to the sign; without a cap */
    double capped; /* their number */
    double high;   /* of the capped b_j */
} sums;

/* v, u: V(b_j - t) and 1/(1 + V), to four digits if `rough`, else, from estimates at t + shift, to
 * all. The cap counts if `has_cap`. */
TL_INLINE sums pass(bool rough, bool has_cap, size_t n, const double *restrict b, double t,
                    double shift, double cap, double *restrict v, double *restrict u) {
    double free_sum = 0.0, slope = 0.0, second = 0.0, capped = 0.0, high = 0.0;
    if (n % 8 != 0) TL_UNREACHABLE();
#pragma omp simd reduction(+ : free_sum, slope, second, capped, high)
    for (size_t j = 0; j < n; j++) {
        double value, inverse;
        if (rough) {
            tl_v_rough(b[j] - t, &value, &inverse);
        } else {
            value = tl_v_taylor(v[j], u[j], shift);
            tl_v_polish(b[j] - t, &value, &inverse);
        }
        const bool is_capped = has_cap && value >= cap;
        const double first = value * inverse;
        v[j] = value;
        u[j] = inverse;
        free_sum += is_capped ? 0.0 : value;
        slope += is_capped ? 0.0 : first;
        if (has_cap) {
            capped += is_capped ? 1.0 : 0.0;
            high += is_capped ? b[j] : 0.0;
        } else {
            second += first * inverse * inverse;
        }
    }
    return (sums){free_sum, slope, second, capped, high};
}

TL_CLONES
static sums rough_pass(size_t n, const double *z, double t, double *v, double *u) {
    return pass(true, false, n, z, t, 0.0, 0.0, v, u);
}

TL_CLONES
static sums exact_pass(size_t n, const double *z, double t, double shift, double *v, double *u) {
    return pass(false, false, n, z, t, shift, 0.0, v, u);
}

TL_CLONES
static sums rough_capped_pass(size_t n, const double *b, double t, double cap, double *v,
                              double *u) {
    return pass(true, true, n, b, t, 0.0, cap, v, u);
}

TL_CLONES
static sums exact_capped_pass(size_t n, const double *b, double t, double shift, double cap,
                              double *v, double *u) {
    return pass(false, true, n, b, t, shift, cap, v, u);
}

/* ---- softmax ---- */

/* A step this short ends the search: the relative error of the series is below 1e-12. */
#define SOFTMAX_STEP 2e-3
#define SOFTMAX_PASSES 8
#define LEAST_ALPHA 1e-17

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

static double root_below(size_t n, const double *z, double alpha) {
    return tl_max_of(n, z) - alpha - log(alpha); /* the largest entry alone has the sum alpha */
}

double tl_warm_softmax(size_t n, const double *z, double alpha, double *t, double *v, double *u) {
    const double inverse_alpha = 1.0 / alpha;
    double x = isnan(*t) ? root_below(n, z, alpha) : *t, step = INFINITY;
    /* For a tiny alpha, V(z - t)/alpha is the softmax of z, and 1/alpha may overflow. */
    for (int pass = 0; pass < SOFTMAX_PASSES && alpha >= LEAST_ALPHA; pass++) {
        const bool near = fabs(step) <= LONG_STEP;
        const sums s = near ? exact_pass(n, z, x, -step, v, u) : rough_pass(n, z, x, v, u);
        step = tl_halley(s.free, s.slope, s.second, inverse_alpha);
        x += step;
        if (!near || !(fabs(step) <= SOFTMAX_STEP)) continue;
        *t = x;
        return last_pass(n, -step, v, u);
    }
    *t = NAN;
    tl_entropic_solve(n, z, alpha, t, v);
    return 1.0;
}

/* ---- top-k entropy ----
 *
 * With s = <1, x>, its log-odds o = log(s/(1 - s)) and the cap c = alpha s/k, alpha x_j = min(V(b_j
 * - t), c), and (t, o) is the root of
 *
 *     G = log sum_j min(V(b_j - t), c) - log(alpha s),
 *     H = alpha s - log(1 - s) - log alpha - t - (1/k) sum_{capped} (b_j - t - V^{-1}(c)),
 *
 * the derivatives of the problem of prox_topk_entropic.c. Both are nearly linear in t and o, so
 * Newton's method converges fast. */

/* A step this short ends the search; Newton's next one would be its square. */
#define TOPK_STEP 3e-6
#define TOPK_PASSES 20
/* With k entries at the cap, a sum of the others below this part of it does not count. */
#define NEGLIGIBLE 1e-13
#define NUDGE 1e-7
/* V below about 1e-260 counts as 0, so that a smaller cap could not be told from it. */
#define LEAST_CAP 1e-250

/* A point (t, o) and what follows from it. */
typedef struct point {
    double t;
    double odds;
    double s;
    double rest;     /* 1 - s */
    double softplus; /* -log(1 - s) */
    double cap;
    double log_cap;
} point;

typedef struct problem {
    size_t n;
    const double *b;
    double k;
    double alpha;
    double log_alpha;
    double log_k;
} problem;

/* x_j = min(V(b_j - t), cap), from values at t + shift; `free` is the sum of all of them. */
TL_CLONES
static sums last_capped_pass(size_t n, double shift, double cap, const double *restrict v,
                             const double *restrict u, double *restrict x) {
    double sum = 0.0, capped = 0.0;
    if (n % 8 != 0) TL_UNREACHABLE();
#pragma omp simd reduction(+ : sum, capped)
    for (size_t j = 0; j < n; j++) {
        const double value = tl_v_taylor(v[j], u[j], shift);
        const bool is_capped = value >= cap;
        x[j] = tl_select(is_capped, cap, value);
        sum += tl_select(is_capped, cap, value);
        capped += is_capped ? 1.0 : 0.0;
    }
    return (sums){.free = sum, .capped = capped};
}

static point at(const problem *p, double t, double odds) {
    const double e = exp(-fabs(odds)), large = 1.0 / (1.0 + e), small = e * large;
    point q = {.t = t, .odds = odds};
    q.s = odds > 0.0 ? large : small;
    q.rest = odds > 0.0 ? small : large;
    q.softplus = (odds > 0.0 ? odds : 0.0) + log1p(e);
    q.cap = p->alpha * q.s / p->k;
    q.log_cap = (odds - q.softplus) + p->log_alpha - p->log_k;
    return q;
}

/* The count-th smallest of the capped entries; ties count once. */
static double low_capped(size_t n, const double *b, double cap, const double *v, double count) {
    double lowest = -INFINITY;
    for (double found = 0.0; found < count; found += 1.0) {
        double next = INFINITY;
        for (size_t j = 0; j < n; j++)
            if (v[j] >= cap && b[j] > lowest && b[j] < next) next = b[j];
        if (isinf(next)) break;
        lowest = next;
    }
    return lowest;
}

typedef struct step {
    double t;
    double odds;
} step;

/* H, its derivative in o. */
static double condition(const problem *p, const point *q, sums y, double *slope) {
    const double share = y.capped / p->k, g = q->s * q->rest;
    *slope = p->alpha * g + q->s + share * (p->alpha * g / p->k + q->rest);
    return p->alpha * q->s + q->softplus - p->log_alpha - (1.0 - share) * q->t - y.high / p->k +
           share * (q->cap + q->log_cap);
}

static step newton(const problem *p, const point *q, sums y) {
    const double share = y.capped / p->k;
    const double total = y.free + y.capped * q->cap, ratio = total / (p->alpha * q->s);
    /* log ratio, exact to fifth order at 1 */
    const double G = 3.0 * (ratio * ratio - 1.0) / (ratio * ratio + 4.0 * ratio + 1.0);
    const double G_odds = q->rest * (y.free / total), G_t = y.slope / total; /* negative */
    double H_odds;
    const double H = condition(p, q, y, &H_odds);
    const double scale = 1.0 / (G_odds * (1.0 - share) + G_t * H_odds);
    return (step){.t = (H_odds * G + G_odds * H) * scale,
                  .odds = ((1.0 - share) * G - G_t * H) * scale};
}

/* With k or more entries at the cap the sum is too large, unless exactly k are and the others are
 * negligible. Raises t until less than k are at the cap. */
static step release_capped(const problem *p, const point *q, sums y, const double *v) {
    if (y.capped == p->k && y.free <= NEGLIGIBLE * q->cap) {
        double slope;
        const double H = condition(p, q, y, &slope);
        return (step){0.0, -H / slope};
    }
    const double highest = low_capped(p->n, p->b, q->cap, v, y.capped - p->k + 1.0);
    return (step){highest - (q->cap + q->log_cap) - q->t + NUDGE, 0.0};
}

/* Returns s, or a negative number if the root was not found. */
static double solve(const problem *p, double *warm, double *v, double *u, double *x) {
    double shift = INFINITY, last = -1.0, last_but_one = -1.0;
    point q = at(p, warm[0], warm[1]);
    for (int pass = 0; pass < TOPK_PASSES && q.cap >= LEAST_CAP; pass++) {
        const bool near = fabs(shift) <= LONG_STEP;
        const sums y = near ? exact_capped_pass(p->n, p->b, q.t, shift, q.cap, v, u)
                            : rough_capped_pass(p->n, p->b, q.t, q.cap, v, u);
        const step d = y.capped >= p->k ? release_capped(p, &q, y, v) : newton(p, &q, y);
        const bool done = near && fabs(d.t) <= TOPK_STEP && fabs(d.odds) <= TOPK_STEP;
        /* Between two capped sets that point at each other, half-way is better. */
        const bool cycle = !done && y.capped == last_but_one && y.capped != last;
        const double part = cycle ? 0.5 : 1.0;
        last_but_one = cycle ? -1.0 : last;
        last = y.capped;
        shift = -part * d.t;
        q = at(p, q.t - shift, q.odds + part * d.odds);
        if (!done) continue;
        const sums end = last_capped_pass(p->n, shift, q.cap, v, u, x);
        if (end.capped != y.capped) continue;
        warm[0] = q.t;
        warm[1] = q.odds;
        tl_scale(p->n, q.s / end.free, x); /* their sum is s, not almost s */
        return q.s;
    }
    return -1.0;
}

/* Without the cap this is the softmax with one more class of score alpha, which takes the place y
 * and has the share 1 - s. Returns s; warm: the threshold, and the log-odds. */
static double softmax(const problem *p, size_t y, double *b, double *warm, double *v, double *u,
                      double *x) {
    b[y] = p->alpha;
    const double factor = 1.0 / tl_warm_softmax(p->n, b, p->alpha, warm, v, u);
    b[y] = -INFINITY;
    v[y] = 0.0;
    double s = 0.0;
    for (size_t j = 0; j < p->n; j++) {
        x[j] = factor * v[j];
        s += x[j];
    }
    /* t = alpha s - log(1 - s) - log alpha */
    warm[1] = log(s) + (warm[0] - p->alpha * s + p->log_alpha);
    return s;
}

double tl_warm_topk_entropic(size_t n, double *b, size_t y, size_t k, double alpha, double *warm,
                             double *x, double *v, double *u) {
    const problem p = {.n = n,
                       .b = b,
                       .k = (double)k,
                       .alpha = alpha,
                       .log_alpha = log(alpha),
                       .log_k = log((double)k)};
    if (k == 1) return softmax(&p, y, b, warm, v, u, x);
    double s = -1.0;
    if (isfinite(warm[0]) && isfinite(warm[1])) s = solve(&p, warm, v, u, x);
    if (s >= 0.0) return s;
    warm[0] = NAN;
    s = softmax(&p, y, b, warm, v, u, x);
    if (tl_max_of(n, x) * p.k <= s) return s;
    return isfinite(warm[0]) && isfinite(warm[1]) ? solve(&p, warm, v, u, x) : -1.0;
}
