/* SPDX-License-Identifier: MIT
 *
 * blas_typed.h: the products of one type. blas.c includes it once for each, with TL_REAL the type,
 * TL_PORTABLE(x) and TL_BLAS(x) the names of a routine without a BLAS and in the table, and
 * TL_NAME(x) that of a product. No include guard for that reason.
 */

/* ---- without a BLAS: right, but slow for large problems ---- */

/* Column-major, C (m, n); of the transpositions 'N' and 'T' alone. */
static void TL_PORTABLE(gemm)(char *transa, char *transb, int *m, int *n, int *k, TL_REAL *alpha,
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

static void TL_PORTABLE(syrk)(char *uplo, char *trans, int *n, int *k, TL_REAL *alpha, TL_REAL *a,
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

/* ---- row-major products ---- */

/* Fortran BLAS takes pointers to non-const, though it writes only to C. */
TL_INLINE TL_REAL *TL_BLAS(writable)(const TL_REAL *x) {
    union {
        const TL_REAL *in;
        TL_REAL *out;
    } cast = {x};
    return cast.out;
}

/* A row-major (r, c) matrix is a column-major (c, r) one with leading dimension c; so each product
 * below is the transposed one. A leading dimension must be at least 1. */
static void TL_BLAS(product)(char ta, char tb, size_t m, size_t n, size_t k, const TL_REAL *a,
                             size_t lda, const TL_REAL *b, size_t ldb, TL_REAL beta, TL_REAL *c,
                             size_t ldc) {
    int im = (int)m, in = (int)n, ik = (int)k;
    int ilda = (int)lda, ildb = (int)ldb, ildc = (int)ldc;
    TL_REAL one = 1;
    table.TL_BLAS(gemm)(&ta, &tb, &im, &in, &ik, &one, TL_BLAS(writable)(a), &ilda,
                        TL_BLAS(writable)(b), &ildb, &beta, c, &ildc);
}

void TL_NAME(gemm_nt)(size_t b, size_t m, size_t d, const TL_REAL *x, const TL_REAL *w,
                      TL_REAL *s) {
    TL_BLAS(product)('T', 'N', m, b, d, w, d, x, d, 0, s, m);
}

void TL_NAME(gemm_nn)(size_t b, size_t m, size_t n, const TL_REAL *k, const TL_REAL *a,
                      TL_REAL *s) {
    TL_BLAS(product)('N', 'N', m, b, n, a, m, k, n, 0, s, m);
}

void TL_NAME(gemm_tn_add)(size_t b, size_t m, size_t d, const TL_REAL *delta, const TL_REAL *x,
                          TL_REAL *w) {
    TL_BLAS(product)('N', 'T', d, m, b, x, d, delta, m, 1, w, d);
}

/* The lower triangle of row-major G is the upper one of column-major G. */
void TL_NAME(syrk_lower)(size_t b, size_t d, const TL_REAL *x, TL_REAL *g) {
    char uplo = 'U', trans = 'T';
    int n = (int)b, k = (int)d, lda = (int)d, ldc = (int)b;
    TL_REAL one = 1, zero = 0;
    table.TL_BLAS(syrk)(&uplo, &trans, &n, &k, &one, TL_BLAS(writable)(x), &lda, &zero, g, &ldc);
}
