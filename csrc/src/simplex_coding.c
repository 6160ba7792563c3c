/* SPDX-License-Identifier: MIT */
/* The simplex coding (Mroueh, Poggio, Rosasco, Slotine, NIPS 2012): T unit vectors of R^(T-1) with
 * inner products -1/(T-1). Its recursion makes them the columns of an upper triangular matrix with
 * two different numbers per row, so that products with it take O(T) operations. */
#include "simplex.h"

#include <limits.h>
#include <math.h>

/* The two numbers of row r. */
static void row_of(size_t classes, size_t r, double *height, double *step) {
    const double T = (double)classes, i = T - 1.0 - (double)r; /* columns behind the diagonal */
    *height = sqrt(i * T / ((i + 1.0) * (T - 1.0)));
    *step = -*height / i;
}

void tl_coding_fill(tl_coding *coding) {
    for (size_t r = 0; r + 1 < coding->classes; r++)
        row_of(coding->classes, r, coding->height + r, coding->step + r);
}

void tl_coding_scores(const tl_coding *coding, const double *f, double *s) {
    const size_t last = coding->classes - 1;
    double sum = 0.0;
    for (size_t r = 0; r < last; r++) {
        s[r] = sum + coding->height[r] * f[r];
        sum += coding->step[r] * f[r];
    }
    s[last] = sum;
}

void tl_coding_combine(const tl_coding *coding, const double *b, double *f) {
    double behind = b[coding->classes - 1];
    for (size_t r = coding->classes - 1; r-- > 0;) {
        const double own = b[r];
        f[r] = coding->height[r] * own + coding->step[r] * behind;
        behind += own;
    }
}

double tl_coding_score(const tl_coding *coding, size_t y, const double *f) {
    double sum = 0.0;
    for (size_t r = 0; r < y; r++)
        sum += coding->step[r] * f[r];
    return y + 1 < coding->classes ? sum + coding->height[y] * f[y] : sum;
}

void tl_coding_add(const tl_coding *coding, size_t y, double factor, double *f) {
    for (size_t r = 0; r < y; r++)
        f[r] += factor * coding->step[r];
    if (y + 1 < coding->classes) f[y] += factor * coding->height[y];
}

tl_status tl_simplex_codes(size_t classes, double *codes) {
    if (codes == NULL) return TL_ERR_NULL;
    if (classes < 2 || classes > INT_MAX) return TL_ERR_DIMENSION;
    for (size_t r = 0; r + 1 < classes; r++) {
        double height, step;
        row_of(classes, r, &height, &step);
        for (size_t y = 0; y < classes; y++)
            codes[r * classes + y] = y < r ? 0.0 : (y == r ? height : step);
    }
    return TL_OK;
}
