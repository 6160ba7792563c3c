/* SPDX-License-Identifier: MIT
 *
 * prox.h: proximal maps and projections, as the losses and the public functions call them.
 *
 * Which algorithm serves which caller, onto which set:
 *
 *   one problem: tl_prox_*, tl_prox_rows
 *     simplex, top-k simplex beta   variable fixing (Kiwiel); Newton's method for k = 1
 *                                   prox_simplex.c
 *     top-k simplex alpha, cone     Newton's method in the sum of x, around variable fixing
 *                                   prox_topk.c
 *     bipartite simplex             variable fixing on both sides                prox_bipartite.c
 *     bipartite, entropic           Halley's method on V = W(e^t)                prox_entropic.c
 *     top-k simplex alpha, entropic two nested Newton's methods prox_topk_entropic.c The first
 * three look at the few entries that prox_filter.c leaves of a long input.
 *
 *   the same with tl_prox.sorting   scans of the sorted input, a reference       prox_sorted.c
 *
 *   updates, values and gradients of the losses; updates start at the last solution for the row
 *     svm_multi, topk_svm_*         Newton's method for the linear piece         prox_warm.c
 *     lr_multi, lr_ml               Halley's method prox_warm_entropic.c topk_ent Newton's method
 * in two variables prox_warm_topk_entropic.c svm_ml                        tl_bipartite_thresholds,
 * without a start     prox_bipartite.c Where one of the first three finds no root, that of the set
 * above takes over.
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

/* Root t of sum_j clip(b_j - t, 0, u) = total if bias is 0, else of bias times that sum = t; 0 < u
 * <= inf; b is destroyed (it serves as work memory of the variable fixing). The root must exist:
 * total <= n u. */
tl_threshold tl_knapsack_threshold(size_t n, double *b, double u, double total, double bias);

/* x_j = min((b_j - t)_+, u). */
typedef struct tl_capped {
    tl_threshold t;
    double u;
} tl_capped;

/* The biased projection onto the top-k simplex alpha of this radius > 0; infinite: onto the top-k
 * cone. work: n. */
tl_capped tl_topk_alpha_threshold(size_t n, const double *b, size_t k, double radius, double bias,
                                  double *work);

/* The biased projection onto the top-k simplex beta of this radius > 0. work: n. */
tl_capped tl_topk_beta_threshold(size_t n, const double *b, size_t k, double radius, double bias,
                                 double *work);

/* The same projections for the losses' updates, from where the last one of the row ended: kept[0]
 * and kept[1], which may be NaN, are read as a start and written. v_j = b_j - top <= 0 for the
 * largest entry top > 0; n is a multiple of 8, and entries of -inf count as absent. Writes -x and
 * returns sum_j x_j. radius > 0, infinite bias excluded; 1 <= k < number of entries;
 * tl_warm_simplex is both for k = 1. work: 2 n. */
typedef double (*tl_warm_projection)(size_t n, const double *v, double top, size_t k, double radius,
                                     double bias, double *kept, double *minus_x, double *work);
double tl_warm_simplex(size_t n, const double *v, double top, size_t k, double radius, double bias,
                       double *kept, double *minus_x, double *work);
double tl_warm_topk_alpha(size_t n, const double *v, double top, size_t k, double radius,
                          double bias, double *kept, double *minus_x, double *work);
double tl_warm_topk_beta(size_t n, const double *v, double top, size_t k, double radius,
                         double bias, double *kept, double *minus_x, double *work);

/* Thresholds of the projection of (b, b_bar) onto the bipartite simplex; both arrays are destroyed.
 * If the projection is zero, so are both tau. radius > 0; n, n_bar >= 1. */
void tl_bipartite_thresholds(size_t n, double *b, size_t n_bar, double *b_bar, double radius,
                             tl_threshold *t, tl_threshold *t_bar);

/* p_j = V(z_j - t)/alpha with sum 1, alpha > 0; *t is the start when finite, and the root on
 * return. p and z may not overlap. */
void tl_entropic_solve(size_t m, const double *z, double alpha, double *t, double *p);

/* The same for the losses' updates, from where the last one of the row ended: *t, which may be NaN.
 * n is a multiple of 8, and entries of -inf count as absent. Writes v; p = v divided by the sum,
 * which is returned. u: n for work. */
double tl_warm_softmax(size_t n, const double *z, double alpha, double *t, double *v, double *u);

/* The x of tl_topk_entropic_project for the losses' updates, from where the last one of the row
 * ended: kept[0] and kept[1], which may be NaN, are read as a start and written. n is a multiple of
 * 8; entries of -inf count as absent, and b[y] is one. Returns s = <1, x>, or a negative number if
 * the search failed. v, u: n for work. */
double tl_warm_topk_entropic(size_t n, double *b, size_t y, size_t k, double alpha, double *kept,
                             double *x, double *v, double *u);

/* x in the top-k simplex alpha that minimises alpha/2 (<x,x> + s^2) - <b,x> + <x,log x> + (1-s)
 * log(1-s), s = <1,x>, which is returned. *t is the start of the case without a cap. x may not
 * overlap the rest; z, p: n + 1. */
double tl_topk_entropic_project(size_t n, const double *b, size_t k, double alpha, double *t,
                                double *x, double *z, double *p);

/* The reference by sorting of prox->map, one problem: the same results up to rounding, in general
 * slower (the paper, Table 2). No pointer is NULL. TL_ERR_PARAMETER for an entropic map. */
tl_status tl_prox_sorted(const tl_prox *prox, const double *b, const double *b_bar, double *x,
                         double *y, double *work);

/* Are these sizes and parameters those of a projection onto a top-k set? radius is 0 for the cone.
 */
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
