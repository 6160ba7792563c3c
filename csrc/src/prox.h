/* SPDX-License-Identifier: MIT
 *
 * prox.h: proximal maps and projections, as the losses and the public functions call them.
 *
 * Which algorithm serves which caller:
 *
 *   tl_prox_*, and tl_prox_rows problem by problem
 *     simplex, top-k simplex beta variable fixing; Newton if k = 1      prox_simplex.c
 *     top-k simplex alpha, cone   Newton in the sum, variable fixing    prox_topk.c
 *     bipartite simplex           variable fixing of both sides         prox_bipartite.c
 *     bipartite, entropic         Halley on V(t) = W(e^t)               prox_entropic.c
 *     simplex alpha, entropic     two nested Newton searches            prox_topk_entropic.c
 *
 *   losses, from the last solution for the row; values and gradients without one
 *     svm_multi, topk_svm_*       Newton on the linear piece            prox_warm.c
 *     lr_multi, lr_ml             Halley                                prox_warm_entropic.c
 *     topk_ent                    Newton in two variables               prox_warm_entropic.c
 *     zlpr, lsep                  Halley, on both sides                 prox_warm_sides.c
 *     svm_ml                      as above, always without a start      prox_bipartite.c
 *
 * Of a long input, prox_filter.c leaves few entries to the first three. Where the search of a loss
 * fails, the algorithm of the first list takes over.
 */
#ifndef TL_PROX_H
#define TL_PROX_H

#include "input.h"
#include "vector.h"

#include <math.h>

/* ---- thresholds ---- */

/* A threshold t = top + tau, where top is an entry of b near it: (b_j - top) - tau has the digits
 * that b_j - t would lose. */
typedef struct tl_threshold {
    double top;
    double tau;
} tl_threshold;

TL_INLINE double tl_above(double b, tl_threshold t) {
    const double x = (b - t.top) - t.tau;
    return x > 0.0 ? x : 0.0;
}

/* x_j = min((b_j - t)_+, u). */
typedef struct tl_capped {
    tl_threshold t;
    double u;
} tl_capped;

/* ---- one problem ---- */

/* Root t of sum_j clip(b_j - t, 0, u) = total if bias is 0, else of bias times that sum = t; 0 < u
 * <= inf; b is destroyed (it serves as work memory of the variable fixing). The root must exist:
 * total <= n u. */
tl_threshold tl_knapsack_threshold(size_t n, double *b, double u, double total, double bias);

/* For v_j <= 0 relative to their maximum `top` > 0: tau >= -radius such that x_j = (v_j - tau)_+
 * has the sum min((tau + top)/bias, radius), radius > 0; the radius, where top is infinite and bias
 * 0. Moves the v_j that may be above tau to the front, and stores their number. */
double tl_simplex_root(size_t *n, double *v, double top, double radius, double bias);
/* Moves the entries above t to the front, in their order; returns their number. */
size_t tl_keep_above(size_t n, double *b, double t);

/* The biased projection onto the top-k simplex alpha of this radius > 0; infinite: onto the top-k
 * cone. work: n. */
tl_capped tl_topk_alpha_threshold(size_t n, const double *b, size_t k, double radius, double bias,
                                  double *work);

/* The biased projection onto the top-k simplex beta of this radius > 0. work: n. */
tl_capped tl_topk_beta_threshold(size_t n, const double *b, size_t k, double radius, double bias,
                                 double *work);

/* Thresholds of the projection of (b, b_bar) onto the bipartite simplex; both arrays are destroyed.
 * If the projection is zero, so are both tau. radius > 0; n, n_bar >= 1. */
void tl_bipartite_thresholds(size_t n, double *b, size_t n_bar, double *b_bar, double radius,
                             tl_threshold *t, tl_threshold *t_bar);

/* p_j = V(z_j - t)/alpha with sum 1, alpha > 0; *t is the start when finite, and the root on
 * return. p and z may not overlap. */
void tl_entropic_solve(size_t m, const double *z, double alpha, double *t, double *p);

/* x in the top-k simplex alpha that minimises alpha/2 (<x,x> + s^2) - <b,x> + <x,log x> + (1-s)
 * log(1-s), s = <1,x>, which is returned. *t is the start of the case without a cap. x may not
 * overlap the rest; z, p: n + 1. */
double tl_topk_entropic_project(size_t n, const double *b, size_t k, double alpha, double *t,
                                double *x, double *z, double *p);

/* ---- updates of the losses: started at the last solution for the row ----
 *
 * `warm` holds it, two numbers which may be NaN, and receives the new one. n is a multiple of 8,
 * and entries of -inf count as absent. */

/* The sum of the x that a warm projection gives may miss what it should be by this part of it. */
#define TL_SUM_TOLERANCE 1e-12

/* Onto the top-k simplices. v_j = b_j - top <= 0 for the largest entry top > 0. Writes -x and
 * returns sum_j x_j. radius > 0, infinite bias excluded; 1 <= k <= number of entries;
 * tl_warm_simplex is both for k = 1. work: 2 n. */
typedef double (*tl_warm_projection)(size_t n, const double *v, double top, size_t k, double radius,
                                     double bias, double *warm, double *minus_x, double *work);
double tl_warm_simplex(size_t n, const double *v, double top, size_t k, double radius, double bias,
                       double *warm, double *minus_x, double *work);
double tl_warm_topk_alpha(size_t n, const double *v, double top, size_t k, double radius,
                          double bias, double *warm, double *minus_x, double *work);
double tl_warm_topk_beta(size_t n, const double *v, double top, size_t k, double radius,
                         double bias, double *warm, double *minus_x, double *work);

/* The problem of tl_entropic_solve; *t is the start if it is a number, and receives the root.
 * Writes v; p = v divided by the sum, which is returned. u: n for work. */
double tl_warm_softmax(size_t n, const double *z, double alpha, double *t, double *v, double *u);

/* Halley's step in t for g(t) = log sum_j V(z_j - t) - log total, which is nearly linear, from the
 * sums of V, V' and V''. For the logarithm, the fraction 3 (q^2 - 1)/(q^2 + 4 q + 1): it is of
 * fifth order at q = 1, and bounded. */
TL_INLINE double tl_halley(double sum, double slope, double second, double inverse_total) {
    const double q = sum * inverse_total, first = slope * inverse_total;
    const double over = 3.0 * (q * q - 1.0), under = q * q + 4.0 * q + 1.0;
    const double bend = second * inverse_total * q - first * first;
    return 2.0 * over * first * q / (2.0 * first * first * under - over * bend);
}

/* ---- the two sides of a label set: prox_warm_sides.c ---- */

/* z_j = q_j of the other classes, -q_y of the labels, with the mask `in` 1; n is a multiple of 8,
 * and z is -inf behind. v, u: n for work. */
typedef struct tl_sides {
    size_t n, labels, others;
    const double *z, *in;
    double *v, *u;
} tl_sides;

/* x >= 0 that minimises <x, log x> + alpha/2 <x, x> - <z, x> + R(s, s'), where s and s' are its
 * sums over the other classes and over the labels, and
 *
 *     apart     R = (1 - s) log(1 - s) + (1 - s') log(1 - s')
 *     paired    R = (1 - s) log(1 - s) - s log s, and s = s'; both sides have a class.
 *
 * x_j = factor[in_j] v_j, where v is written. */
void tl_warm_apart(const tl_sides *sides, double alpha, double *warm, double *factor);
void tl_warm_paired(const tl_sides *sides, double alpha, double *warm, double *factor);

/* The x of tl_topk_entropic_project; b[y] is -inf. Returns s = <1, x>, or a negative number if the
 * search failed. v, u: n for work. */
double tl_warm_topk_entropic(size_t n, double *b, size_t y, size_t k, double alpha, double *warm,
                             double *x, double *v, double *u);

/* ---- what the public functions share ---- */

/* Sizes and parameters of a projection onto a top-k set; the radius of the cone is 0. */
TL_INLINE tl_status tl_check_topk(size_t n, size_t k, double radius, double bias) {
    if (n < 1 || k < 1 || k > n) return TL_ERR_DIMENSION;
    const bool in_range =
        tl_in_range(radius, 0.0, TL_LARGEST_INPUT) && tl_in_range(bias, 0.0, TL_LARGEST_PARAMETER);
    return in_range ? TL_OK : TL_ERR_PARAMETER;
}

/* ---- long inputs: prox_filter.c ---- */

/* tl_check_values, and the entries that may be above the threshold of a projection onto a simplex
 * of this radius, or onto a top-k simplex: they go to the front of work (n), and their places are
 * kept at its end; the part of length *count behind the former is free. *count is 0 if they were
 * too many to be worth it, or n is small; then work holds nothing. */
tl_status tl_filter(size_t n, const double *b, size_t k, double radius, double *work,
                    size_t *count);
/* x_j = min((b_j - t)_+, u) for all j, from what tl_filter left in work. x may be b. */
void tl_scatter(size_t n, const double *b, tl_capped c, size_t count, const double *work,
                double *x);

#endif /* TL_PROX_H */
