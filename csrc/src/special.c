/* SPDX-License-Identifier: MIT */
/* V(t) = W(e^t) over arrays. */
#include "compiler.h"
#include "toplabel.h"
#include "vmath.h"

TL_CLONES
static void v_array(size_t n, const double *t, double *y) {
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        y[i] = tl_v(t[i]);
}

tl_status tl_lambert_w_exp(size_t n, const double *t, double *y) {
    if (n > 0 && (t == NULL || y == NULL)) return TL_ERR_NULL;
    v_array(n, t, y);
    return TL_OK;
}
