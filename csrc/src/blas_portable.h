/* SPDX-License-Identifier: MIT
 *
 * blas_portable.h: matrix products without a BLAS: right, but slow for large problems. blas.c
 * includes it once for each type, with TL_REAL the type and TL_NAME(x) the name of its variant. No
 * include guard for that reason.
 */

/* Only the argument combinations that blas.c uses: C (m, n) column-major, beta 0 or 1, alpha 1. */
static void TL_NAME(gemm)(char *transa, char *transb, int *m, int *n, int *k, TL_REAL *alpha,
                          TL_REAL *a, int *lda, TL_REAL *b, int *ldb, TL_REAL *beta, TL_REAL *c,
                          int *ldc) {
    const bool ta = *transa == 'T', tb = *transb == 'T';
    const size_t rows = (size_t)*m, cols = (size_t)*n, depth = (size_t)*k;
    const size_t la = (size_t)*lda, lb = (size_t)*ldb, lc = (size_t)*ldc;
    for (size_t j = 0; j < cols; j++) {
        TL_REAL *column = c + j * lc;
        for (size_t i = 0; i < rows; i++)
            column[i] = *beta == 0 ? 0 : *beta * column[i];
        for (size_t l = 0; l < depth; l++) {
            const TL_REAL factor = *alpha * (tb ? b[j + l * lb] : b[l + j * lb]);
            if (factor == 0) continue;
            if (ta)
                for (size_t i = 0; i < rows; i++)
                    column[i] += factor * a[l + i * la];
            else
                for (size_t i = 0; i < rows; i++)
                    column[i] += factor * a[i + l * la];
        }
    }
}

static void TL_NAME(syrk)(char *uplo, char *trans, int *n, int *k, TL_REAL *alpha, TL_REAL *a,
                          int *lda, TL_REAL *beta, TL_REAL *c, int *ldc) {
    const bool upper = *uplo == 'U', transposed = *trans == 'T';
    const size_t order = (size_t)*n, depth = (size_t)*k, la = (size_t)*lda, lc = (size_t)*ldc;
    for (size_t j = 0; j < order; j++) {
        const size_t first = upper ? 0 : j, last = upper ? j + 1 : order;
        for (size_t i = first; i < last; i++) {
            TL_REAL sum = 0;
            for (size_t l = 0; l < depth; l++)
                sum += transposed ? a[l + i * la] * a[l + j * la] : a[i + l * la] * a[j + l * la];
            c[i + j * lc] = *alpha * sum + (*beta == 0 ? 0 : *beta * c[i + j * lc]);
        }
    }
}
