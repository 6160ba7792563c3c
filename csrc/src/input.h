/* SPDX-License-Identifier: MIT
 *
 * input.h: ranges of the input, and checks that all parts of the library share.
 */
#ifndef TL_INPUT_H
#define TL_INPUT_H

#include "compiler.h"
#include "toplabel.h"

#include <stdbool.h>

/* Largest scores, projected vectors and radii; and largest C, 1/C, gamma, bias, alpha, 1/alpha.
 * Within these bounds no square or product overflows. */
#define TL_LARGEST_INPUT 1e150
#define TL_LARGEST_PARAMETER 1e100

TL_INLINE bool tl_in_range(double value, double low, double high) {
    return value >= low && value <= high; /* false for NaN */
}

/* x - x is 0 for finite x and NaN otherwise; a sum, unlike a chain of isfinite. */
TL_INLINE bool tl_all_finite(size_t n, const double *x) {
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < n; i++)
        sum += x[i] - x[i];
    return sum == 0.0;
}

TL_INLINE bool tl_all_finite32(size_t n, const float *x) {
    float sum = 0.0F;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < n; i++)
        sum += x[i] - x[i];
    return sum == 0.0F;
}

/* b_j times this is infinite beyond about TL_LARGEST_INPUT. */
#define TL_TO_OVERFLOW 0x1p525

/* TL_OK, TL_ERR_NOT_FINITE, or TL_ERR_OVERFLOW beyond TL_LARGEST_INPUT. */
tl_status tl_check_values(size_t n, const double *b);
/* TL_OK, or TL_ERR_PARAMETER; weight: (n), or NULL for ones. */
tl_status tl_check_parameters(double gamma, double C, size_t n, const double *weight);

/* Do the row starts (n + 1) begin at 0 and rise by at most `longest` per row? Check this before
 * reading through them: the array has start[n] items. */
TL_INLINE bool tl_starts_rise(size_t n, const int64_t *start, size_t longest) {
    if (start[0] != 0) return false;
    for (size_t i = 0; i < n; i++)
        if (start[i + 1] < start[i] || (uint64_t)(start[i + 1] - start[i]) > longest) return false;
    return true;
}

#endif /* TL_INPUT_H */
