/* SPDX-License-Identifier: MIT */
/* Row-major matrix products on top of the caller's Fortran BLAS, or portable loops without one. */
#include "internal.h"

#include <limits.h>

/* ---- portable loops: correct everywhere, fast nowhere ---- */

/* Only the argument combinations that this file uses: C (m, n) column-major, beta 0 or 1, alpha 1.
 */
static void portable_dgemm(char *transa, char *transb, int *m, int *n, int *k, double *alpha,
                           double *a, int *lda, double *b, int *ldb, double *beta, double *c,
                           int *ldc) {
    const bool ta = *transa == 'T', tb = *transb == 'T';
    const size_t rows = (size_t)*m, cols = (size_t)*n, depth = (size_t)*k;
    const size_t la = (size_t)*lda, lb = (size_t)*ldb, lc = (size_t)*ldc;
    for (size_t j = 0; j < cols; j++) {
        double *column = c + j * lc;
        for (size_t i = 0; i < rows; i++)
            column[i] = *beta == 0.0 ? 0.0 : *beta * column[i];
        for (size_t l = 0; l < depth; l++) {
            const double factor = *alpha * (tb ? b[j + l * lb] : b[l + j * lb]);
            if (factor == 0.0) continue;
            if (ta)
                for (size_t i = 0; i < rows; i++)
                    column[i] += factor * a[l + i * la];
            else
                for (size_t i = 0; i < rows; i++)
                    column[i] += factor * a[i + l * la];
        }
    }
}

static void portable_dsyrk(char *uplo, char *trans, int *n, int *k, double *alpha, double *a,
                           int *lda, double *beta, double *c, int *ldc) {
    const bool upper = *uplo == 'U', transposed = *trans == 'T';
    const size_t order = (size_t)*n, depth = (size_t)*k, la = (size_t)*lda, lc = (size_t)*ldc;
    for (size_t j = 0; j < order; j++) {
        const size_t first = upper ? 0 : j, last = upper ? j + 1 : order;
        for (size_t i = first; i < last; i++) {
            double sum = 0.0;
            for (size_t l = 0; l < depth; l++)
                sum += transposed ? a[l + i * la] * a[l + j * la] : a[i + l * la] * a[j + l * la];
            c[i + j * lc] = *alpha * sum + (*beta == 0.0 ? 0.0 : *beta * c[i + j * lc]);
        }
    }
}

static const tl_blas portable = {portable_dgemm, portable_dsyrk};
static tl_blas table = {portable_dgemm, portable_dsyrk};

tl_status tl_blas_set(const tl_blas *new_table) {
    if (new_table == NULL) {
        table = portable;
        return TL_OK;
    }
    if (new_table->dgemm == NULL || new_table->dsyrk == NULL) return TL_ERR_NULL;
    table = *new_table;
    return TL_OK;
}

/* ---- row-major wrappers ---- */

/* Fortran BLAS takes pointers to non-const, though it writes only to C. */
TL_INLINE double *writable(const double *x) {
    union {
        const double *in;
        double *out;
    } cast = {x};
    return cast.out;
}

/* A row-major (r, c) matrix is a column-major (c, r) one with leading dimension c; so each product
 * below is the transposed one. A leading dimension must be at least 1. */
static void gemm(char ta, char tb, size_t m, size_t n, size_t k, const double *a, size_t lda,
                 const double *b, size_t ldb, double beta, double *c, size_t ldc) {
    int im = (int)m, in = (int)n, ik = (int)k;
    int ilda = (int)lda, ildb = (int)ldb, ildc = (int)ldc;
    double one = 1.0;
    table.dgemm(&ta, &tb, &im, &in, &ik, &one, writable(a), &ilda, writable(b), &ildb, &beta, c,
                &ildc);
}

void tl_gemm_nt(size_t b, size_t m, size_t d, const double *x, const double *w, double *s) {
    gemm('T', 'N', m, b, d, w, d, x, d, 0.0, s, m);
}

void tl_gemm_nn(size_t b, size_t m, size_t n, const double *k, const double *a, double *s) {
    gemm('N', 'N', m, b, n, a, m, k, n, 0.0, s, m);
}

void tl_gemm_tn_add(size_t b, size_t m, size_t d, const double *delta, const double *x, double *w) {
    gemm('N', 'T', d, m, b, x, d, delta, m, 1.0, w, d);
}

void tl_syrk_lower(size_t b, size_t d, const double *x, double *g) {
    /* The lower triangle of row-major G is the upper one of column-major G. */
    char uplo = 'U', trans = 'T';
    int n = (int)b, k = (int)d, lda = (int)d, ldc = (int)b;
    double one = 1.0, zero = 0.0;
    table.dsyrk(&uplo, &trans, &n, &k, &one, writable(x), &lda, &zero, g, &ldc);
}
