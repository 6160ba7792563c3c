/* SPDX-License-Identifier: MIT */
/* The range of arrays that callers pass. */
#include "input.h"

TL_CLONES
static bool all_moderate(size_t n, const double *b) {
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (size_t j = 0; j < n; j++) {
        const double scaled = b[j] * TL_TO_OVERFLOW;
        sum += scaled - scaled;
    }
    return sum == 0.0;
}

bool tl_all_moderate(size_t n, const double *b) {
    return all_moderate(n, b);
}

tl_status tl_check_values(size_t n, const double *b) {
    if (all_moderate(n, b)) return TL_OK;
    return tl_all_finite(n, b) ? TL_ERR_OVERFLOW : TL_ERR_NOT_FINITE;
}
