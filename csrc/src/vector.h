/* SPDX-License-Identifier: MIT
 *
 * vector.h: arrays of numbers: products, the largest entries.
 */
#ifndef TL_VECTOR_H
#define TL_VECTOR_H

#include "compiler.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

/* m rounded up to whole vectors of 512 bits: a loop over so many entries has no remainder. */
TL_INLINE size_t tl_padded(size_t m) {
    return (m + 7) / 8 * 8;
}

TL_INLINE double tl_max_of(size_t n, const double *x) {
    double top = x[0];
#pragma omp simd reduction(max : top)
    for (size_t j = 1; j < n; j++)
        top = x[j] > top ? x[j] : top;
    return top;
}

/* The result of a reduction(max) over numbers that may all be -inf: there OpenMP leaves it to the
 * compiler whether that is -inf (gcc) or the least finite number (clang). */
TL_INLINE double tl_reduced_max(double top) {
    return top > -DBL_MAX ? top : -INFINITY;
}

double tl_sum(size_t n, const double *x);
double tl_dot(size_t n, const double *x, const double *y);
/* ||x - y||^2 */
double tl_squared_distance(size_t n, const double *x, const double *y);
void tl_scale(size_t n, double factor, double *x);
/* y += factor x */
void tl_axpy(size_t n, double factor, const double *x, double *y);
/* Adds the sum of v = factor x, and how far its negative entries lie below 0. */
void tl_add_signed(size_t n, double factor, const double *x, double *sum, double *below);
/* How far the entries of factor x lie above the cap, in sum. */
double tl_excess(size_t n, double factor, const double *x, double cap);
/* ||x||_1 and the largest |x_j|. */
double tl_norm1(size_t n, const double *x, double *largest);
void tl_widen(size_t n, const float *x, double *out);

/* Sum of the k largest of b, which are moved to the front. */
double tl_sum_of_largest(size_t n, double *b, size_t k);
/* The k largest of v in descending order; n is a multiple of 8. work: n, untouched for small k. */
void tl_largest(size_t n, const double *v, size_t k, double *top, double *work);

#endif /* TL_VECTOR_H */
