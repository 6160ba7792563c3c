/* SPDX-License-Identifier: MIT */
/* The entropic projections of the two sides of a label set, the updates of ZLPR and LSEP. On each
 * side alpha x_j = V(z_j - t), with a threshold t of its own. Apart, the rest of a side is alpha (1
 * - s) = e^-t. Paired, with the log-odds o = log(s/(1 - s)), both sides have the sum alpha s, and
 *
 *     t + t' + 2 log alpha + log s + log(1 - s) = 0.
 *
 * The search starts at the last solution for the row and proceeds as in prox_warm_entropic.c. */
#include "prox.h"
#include "vmath.h"

enum { OTHERS, LABELS };

/* From farther off, V is found afresh; else by a series from the last estimate (error r^4/24). */
#define LONG_STEP 0.4
/* A step this short ends the search. */
#define SHORT_STEP 2e-3
#define PASSES 8
/* Rounds for a paired step, whose error is of second order in the last; a step this short ends
 * them. */
#define PAIRED_ROUNDS 2
#define PAIRED_STEP 1e-3
#define START_ROUNDS 8
/* Below, the sum of a side is 0: V would leave the range of normal numbers. */
#define LEAST_LOG_SUM (-600.0)

/* ---- passes ---- */

/* Of each side: sums of V, V' and V''. */
typedef struct totals {
    double sum[2], slope[2], second[2];
} totals;

/* v, u: V(z_j - t) and 1/(1 + V), to four digits if `rough`, else, from estimates at t + shift, to
 * all. */
TL_INLINE totals pass(bool rough, const tl_sides *sides, const double *t, const double *shift) {
    const double *restrict z = sides->z, *restrict in = sides->in;
    double *restrict v = sides->v, *restrict u = sides->u;
    const size_t n = sides->n;
    double sum = 0.0, slope = 0.0, second = 0.0, sum_in = 0.0, slope_in = 0.0, second_in = 0.0;
    if (n % 8 != 0) TL_UNREACHABLE();
#pragma omp simd reduction(+ : sum, slope, second, sum_in, slope_in, second_in)
    for (size_t j = 0; j < n; j++) {
        const bool is_label = in[j] > 0.0;
        const double x = z[j] - tl_select(is_label, t[LABELS], t[OTHERS]);
        double value, inverse;
        if (rough) {
            tl_v_rough(x, &value, &inverse);
        } else {
            value = tl_v_taylor(v[j], u[j], tl_select(is_label, shift[LABELS], shift[OTHERS]));
            tl_v_polish(x, &value, &inverse);
        }
        const double first = value * inverse, bend = first * inverse * inverse;
        v[j] = value;
        u[j] = inverse;
        sum_in += is_label ? value : 0.0;
        slope_in += is_label ? first : 0.0;
        second_in += is_label ? bend : 0.0;
        sum += is_label ? 0.0 : value;
        slope += is_label ? 0.0 : first;
        second += is_label ? 0.0 : bend;
    }
    return (totals){{sum, sum_in}, {slope, slope_in}, {second, second_in}};
}

TL_CLONES
static totals rough_pass(const tl_sides *sides, const double *t) {
    return pass(true, sides, t, t);
}

TL_CLONES
static totals exact_pass(const tl_sides *sides, const double *t, const double *shift) {
    return pass(false, sides, t, shift);
}

/* v becomes V(z_j - t), from values at t + shift, of which `sum` is the sum on each side. */
TL_CLONES
static void last_pass(const tl_sides *sides, const double *shift, double *sum) {
    const double *restrict in = sides->in, *restrict u = sides->u;
    double *restrict v = sides->v;
    const size_t n = sides->n;
    double others = 0.0, labels = 0.0;
    if (n % 8 != 0) TL_UNREACHABLE();
#pragma omp simd reduction(+ : others, labels)
    for (size_t j = 0; j < n; j++) {
        const bool is_label = in[j] > 0.0;
        const double r = tl_select(is_label, shift[LABELS], shift[OTHERS]);
        const double value = tl_v_taylor(v[j], u[j], r);
        v[j] = value;
        labels += is_label ? value : 0.0;
        others += is_label ? 0.0 : value;
    }
    sum[LABELS] = labels;
    sum[OTHERS] = others;
}

/* The largest z of each side; -inf of none. */
TL_CLONES
static void find_tops(const tl_sides *sides, double *top) {
    double others = -INFINITY, labels = -INFINITY;
#pragma omp simd reduction(max : others, labels)
    for (size_t j = 0; j < sides->n; j++) {
        const bool is_label = sides->in[j] > 0.0;
        const double other = is_label ? -INFINITY : sides->z[j];
        const double label = is_label ? sides->z[j] : -INFINITY;
        others = other > others ? other : others;
        labels = label > labels ? label : labels;
    }
    top[LABELS] = tl_reduced_max(labels);
    top[OTHERS] = tl_reduced_max(others);
}

/* ---- the search without a start, a side at a time ---- */

/* V(z_j - t) of a side, and their sum and that of V'. */
static double side_sum(const tl_sides *sides, int side, double t, double *slope) {
    double sum = 0.0;
    *slope = 0.0;
    for (size_t j = 0; j < sides->n; j++) {
        if ((sides->in[j] > 0.0) != (side == LABELS)) continue;
        const double v = tl_v(sides->z[j] - t);
        sides->v[j] = v;
        sum += v;
        *slope += v / (1.0 + v);
    }
    return sum;
}

/* The threshold at which the sum of a side, and e^-t if it `has_rest`, is e^log_total. At the root
 * the largest of the terms has a part of it between 1 and one over their number. */
static double find_threshold(const tl_sides *sides, int side, double top, bool has_rest,
                             double log_total, double *ratio) {
    const size_t count = (side == LABELS ? sides->labels : sides->others) + (has_rest ? 1 : 0);
    const double total = exp(log_total), log_share = log_total - log((double)count);
    double low = top - total - log_total, high = top - exp(log_share) - log_share;
    if (has_rest) {
        low = fmax(low, -log_total);
        high = fmax(high, -log_share);
    }
    double t = low, slope = 1.0, sum = 1.0;
    for (int round = 0; round < 200; round++) {
        const double rest = has_rest ? exp(-t) : 0.0;
        sum = side_sum(sides, side, t, &slope) + rest;
        slope += rest;
        const double g = log(sum) - log_total;
        if (g > 0.0)
            low = t;
        else
            high = t;
        double next = t + g * sum / slope;
        if (!(next >= low && next <= high)) next = 0.5 * (low + high);
        const double step = next - t;
        t = next;
        if (fabs(step) <= 1e-14 * (1.0 + fabs(t))) break;
    }
    *ratio = sum / slope;
    return t;
}

/* ---- apart ---- */

static void add_rest(totals *s, int side, double t) {
    const double rest = exp(-t);
    s->sum[side] += rest;
    s->slope[side] += rest;
    s->second[side] += rest;
}

static void start_apart(const tl_sides *sides, double alpha, double *t) {
    const double log_alpha = log(alpha);
    find_tops(sides, t);
    for (int side = 0; side < 2; side++)
        t[side] = fmax(t[side] - alpha, 0.0) - log_alpha;
}

static void cold_apart(const tl_sides *sides, double alpha, double *warm, double *factor) {
    double top[2], slope;
    find_tops(sides, top);
    for (int side = 0; side < 2; side++) {
        const double t = find_threshold(sides, side, top[side], true, log(alpha), &slope);
        factor[side] = 1.0 / (side_sum(sides, side, t, &slope) + exp(-t));
    }
    warm[0] = warm[1] = NAN;
}

void tl_warm_apart(const tl_sides *sides, double alpha, double *warm, double *factor) {
    const double inverse_alpha = 1.0 / alpha;
    double t[2] = {warm[0], warm[1]}, shift[2], sum[2];
    if (isnan(t[0])) start_apart(sides, alpha, t);
    bool near = false;
    for (int round = 0; round < PASSES; round++) {
        totals s = near ? exact_pass(sides, t, shift) : rough_pass(sides, t);
        const bool was_exact = near;
        double longest = 0.0;
        for (int side = 0; side < 2; side++) {
            add_rest(&s, side, t[side]);
            const double step =
                tl_halley(s.sum[side], s.slope[side], s.second[side], inverse_alpha);
            t[side] += step;
            shift[side] = -step;
            longest = fmax(longest, fabs(step)); /* after a NaN the factor is one */
        }
        near = longest <= LONG_STEP;
        if (!was_exact || !(longest <= SHORT_STEP)) continue;
        last_pass(sides, shift, sum);
        for (int side = 0; side < 2; side++) {
            factor[side] = 1.0 / (sum[side] + exp(-t[side]));
            warm[side] = t[side];
        }
        if (isfinite(factor[0]) && isfinite(factor[1])) return;
        break;
    }
    cold_apart(sides, alpha, warm, factor);
}

/* ---- paired ---- */

/* s and 1 - s of the log-odds o, and log s + log(1 - s). */
typedef struct odds {
    double o, s, rest, log_product;
} odds;

static odds odds_of(double o) {
    const double size = fabs(o), e = exp(-size);
    const double larger = 1.0 / (1.0 + e), smaller = e * larger;
    return (odds){o, o > 0.0 ? larger : smaller, o > 0.0 ? smaller : larger,
                  -size - 2.0 * log1p(e)};
}

/* The other threshold. */
static double threshold_of_labels(double of_others, odds at, double log_alpha) {
    return -2.0 * log_alpha - at.log_product - of_others;
}

/* The derivative by o of minus the sum of the thresholds and log_product; at least 1. A ratio is
 * that of the sums of V and V'. */
static double fall(odds at, double ratios) {
    return at.rest * ratios - (at.rest - at.s);
}

/* As if all z of a side were its largest: o + kappa s = high, where kappa is alpha times the sum of
 * one over the number of classes of each side. */
static double start_paired(const tl_sides *sides, const double *top, double alpha, double *o) {
    const double others = (double)sides->others, labels = (double)sides->labels;
    const double kappa = alpha / others + alpha / labels;
    double high = top[OTHERS] + top[LABELS] + log(others * labels), low = high - kappa;
    const double level = high;
    *o = fmin(fmax(0.0, low), high);
    for (int round = 0; round < START_ROUNDS; round++) {
        const double s = 1.0 / (1.0 + exp(-*o));
        const double excess = *o + kappa * s - level;
        if (excess > 0.0)
            high = *o;
        else
            low = *o;
        *o -= excess / (1.0 + kappa * s * (1.0 - s));
        if (!(*o >= low && *o <= high)) *o = 0.5 * (low + high);
    }
    const double share = alpha / (1.0 + exp(-*o)) / others;
    return top[OTHERS] - share - log(share);
}

/* Moves the threshold of the others, and o, so that the sums of both sides are alpha s. */
static odds step_paired(const totals *t, double inverse_alpha, double log_alpha,
                        const double *threshold, odds at, double *others) {
    const double ratio = t->sum[OTHERS] / t->slope[OTHERS];
    const double ratios = ratio + t->sum[LABELS] / t->slope[LABELS];
    double moved = 0.0;
    for (int round = 0; round < PAIRED_ROUNDS; round++) {
        double move[2], level = 2.0 * log_alpha + at.log_product;
        for (int side = 0; side < 2; side++) {
            move[side] =
                tl_halley(t->sum[side], t->slope[side], t->second[side], inverse_alpha / at.s);
            level += threshold[side] + move[side];
        }
        const double change = level / fall(at, ratios);
        moved = move[OTHERS] - at.rest * ratio * change;
        at = odds_of(at.o + change);
        if (fabs(change) <= PAIRED_STEP) break;
    }
    *others = threshold[OTHERS] + moved;
    return at;
}

/* The sum of the thresholds that belong to o, and of log_product, falls in o by at least 1. */
static void cold_paired(const tl_sides *sides, const double *top, double alpha, double *factor) {
    const double log_alpha = log(alpha);
    double low = -INFINITY, high = INFINITY, step = INFINITY;
    odds at = odds_of(0.0);
    for (int round = 0; round < 200 && fabs(step) > 1e-14 * (1.0 + fabs(at.o)); round++) {
        const double log_sum = log_alpha + 0.5 * (at.log_product + at.o);
        double ratios = 0.0, level = 2.0 * log_alpha + at.log_product;
        for (int side = 0; side < 2; side++) {
            double ratio;
            level += find_threshold(sides, side, top[side], false, log_sum, &ratio);
            ratios += ratio;
        }
        low = level > 0.0 ? at.o : fmax(low, at.o + level);
        high = level > 0.0 ? fmin(high, at.o + level) : at.o;
        double next = at.o + level / fall(at, ratios);
        if (!(next >= low && next <= high)) next = 0.5 * (low + high);
        step = next - at.o;
        at = odds_of(next);
    }
    const double log_sum = log_alpha + 0.5 * (at.log_product + at.o);
    for (int side = 0; side < 2; side++) {
        double slope;
        const double t = find_threshold(sides, side, top[side], false, log_sum, &slope);
        factor[side] = at.s / side_sum(sides, side, t, &slope);
    }
}

/* The largest z of each side. Writes x = 0, and returns true, where the sums would be too small. */
static bool is_zero(const tl_sides *sides, double *top, double *factor) {
    find_tops(sides, top);
    const double pairs = (double)sides->others * (double)sides->labels;
    if (top[OTHERS] + top[LABELS] + log(pairs) >= LEAST_LOG_SUM) return false;
    memset(sides->v, 0, sides->n * sizeof *sides->v);
    factor[OTHERS] = factor[LABELS] = 1.0;
    return true;
}

void tl_warm_paired(const tl_sides *sides, double alpha, double *warm, double *factor) {
    const double inverse_alpha = 1.0 / alpha, log_alpha = log(alpha);
    double o = warm[1], t[2] = {warm[0], 0.0}, shift[2], sum[2], top[2];
    if (isnan(t[OTHERS])) {
        if (is_zero(sides, top, factor)) return;
        t[OTHERS] = start_paired(sides, top, alpha, &o);
    }
    odds at = odds_of(o);
    t[LABELS] = threshold_of_labels(t[OTHERS], at, log_alpha);
    bool near = false;
    for (int round = 0; round < PASSES; round++) {
        const totals s = near ? exact_pass(sides, t, shift) : rough_pass(sides, t);
        const bool was_exact = near;
        const double before[2] = {t[OTHERS], t[LABELS]};
        at = step_paired(&s, inverse_alpha, log_alpha, before, at, &t[OTHERS]);
        t[LABELS] = threshold_of_labels(t[OTHERS], at, log_alpha);
        for (int side = 0; side < 2; side++)
            shift[side] = before[side] - t[side];
        const double longest = fmax(fabs(shift[0]), fabs(shift[1]));
        near = longest <= LONG_STEP;
        if (!was_exact || !(longest <= SHORT_STEP)) continue;
        last_pass(sides, shift, sum);
        for (int side = 0; side < 2; side++)
            factor[side] = at.s / sum[side];
        warm[0] = t[OTHERS];
        warm[1] = at.o;
        if (isfinite(factor[0]) && isfinite(factor[1])) return;
        break;
    }
    warm[0] = warm[1] = NAN;
    if (!is_zero(sides, top, factor)) cold_paired(sides, top, alpha, factor);
}
