/* SPDX-License-Identifier: MIT */
/* The range of arrays that callers pass. */
#include "input.h"

/* Are all entries finite and at most about TL_LARGEST_INPUT in size? */
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

tl_status tl_check_values(size_t n, const double *b) {
    if (all_moderate(n, b)) return TL_OK;
    return tl_all_finite(n, b) ? TL_ERR_OVERFLOW : TL_ERR_NOT_FINITE;
}

tl_status tl_check_parameters(double gamma, double C, size_t n, const double *weight) {
    const double largest = TL_LARGEST_PARAMETER;
    bool is_right = tl_in_range(gamma, 0.0, largest) && tl_in_range(C, 1.0 / largest, largest);
    for (size_t i = 0; weight != NULL && i < n; i++)
        is_right = is_right && tl_in_range(weight[i], 0.0, largest);
    return is_right ? TL_OK : TL_ERR_PARAMETER;
}
