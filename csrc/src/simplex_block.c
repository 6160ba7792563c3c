/* SPDX-License-Identifier: MIT */
/* One example of the dual of SC-SVM, solved exactly.
 *
 * With G = (T I - 1 1^T) / (T - 1) the maximiser is u_j = clip(((T - 1) b_j / k + S) / T, 0, c) for
 * j != y, S = sum_j u_j. S minus the sum of these rises with a slope in [1/T, 1]: a root of one
 * variable, piecewise linear, found by Newton's method within a shrinking bracket. */
#include "simplex.h"

#include <math.h>

#define NEWTON_STEPS 40 /* then bisection, at most about 60 steps */
#define MOST_STEPS 120
#define TINY_NORM2 1e-200

TL_INLINE double entry(double scaled, double T, double c, double S) {
    const double u = (scaled + S) / T;
    return u <= 0.0 ? 0.0 : (u >= c ? c : u);
}

/* S - sum_j u_j(S), and its slope. */
static double excess(size_t n, double T, double c, const double *scaled, double S, double *slope) {
    double sum = 0.0, inside = 0.0;
    for (size_t j = 0; j < n; j++) {
        const double u = entry(scaled[j], T, c, S);
        sum += u;
        inside += u > 0.0 && u < c ? 1.0 : 0.0;
    }
    *slope = 1.0 - inside / T;
    return S - sum;
}

static double find_total(size_t n, double T, double c, const double *scaled, double start) {
    double low = 0.0, high = (T - 1.0) * c;
    double S = start >= low && start <= high ? start : low;
    for (int step = 0; step < MOST_STEPS; step++) {
        double slope;
        const double g = excess(n, T, c, scaled, S, &slope);
        if (g == 0.0) return S;
        if (g < 0.0)
            low = S;
        else
            high = S;
        const double newton = S - g / slope;
        const bool usable = step < NEWTON_STEPS && newton > low && newton < high;
        /* A root that coincides with an end, up to rounding, is that end. */
        const double next = usable ? newton : 0.5 * (low + high);
        if (fabs(next - S) <= 4e-16 * fabs(S) || next == low || next == high) return next;
        S = next;
    }
    return S;
}

void tl_simplex_block(size_t T, size_t y, double k, double c, const double *b, double *total,
                      double *u) {
    const double classes = (double)T;
    if (!(k > TINY_NORM2)) { /* a row of zeros: the objective is linear */
        *total = 0.0;
        for (size_t j = 0; j < T; j++) {
            u[j] = j != y && b[j] > 0.0 ? c : 0.0;
            *total += u[j];
        }
        return;
    }
    const double factor = (classes - 1.0) / k;
    for (size_t j = 0; j < T; j++)
        u[j] = b[j] * factor;
    u[y] = -INFINITY;
    const double S = find_total(T, classes, c, u, *total);
    for (size_t j = 0; j < T; j++)
        u[j] = entry(u[j], classes, c, S);
    *total = S;
}
