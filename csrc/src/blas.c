/* SPDX-License-Identifier: MIT */
/* Row-major matrix products on top of the caller's Fortran BLAS, or portable loops without one. */
#include "blas.h"

#include "compiler.h"
#include "toplabel.h"

#include <stdbool.h>

#define TL_REAL double
#define TL_NAME(x) portable_d##x
#include "blas_portable.h"
#undef TL_REAL
#undef TL_NAME
#define TL_REAL float
#define TL_NAME(x) portable_s##x
#include "blas_portable.h"
#undef TL_REAL
#undef TL_NAME

static const tl_blas portable = {portable_dgemm, portable_dsyrk, portable_sgemm, portable_ssyrk};
static tl_blas table = {portable_dgemm, portable_dsyrk, portable_sgemm, portable_ssyrk};

tl_status tl_blas_set(const tl_blas *new_table) {
    if (new_table == NULL) {
        table = portable;
        return TL_OK;
    }
    if (new_table->dgemm == NULL || new_table->dsyrk == NULL) return TL_ERR_NULL;
    table = *new_table;
    if (table.sgemm == NULL) table.sgemm = portable.sgemm;
    if (table.ssyrk == NULL) table.ssyrk = portable.ssyrk;
    return TL_OK;
}

/* Fortran BLAS takes pointers to non-const, though it writes only to C. */
TL_INLINE double *writable(const double *x) {
    union {
        const double *in;
        double *out;
    } cast = {x};
    return cast.out;
}

TL_INLINE float *writable32(const float *x) {
    union {
        const float *in;
        float *out;
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

static void gemm32(char ta, char tb, size_t m, size_t n, size_t k, const float *a, size_t lda,
                   const float *b, size_t ldb, float beta, float *c, size_t ldc) {
    int im = (int)m, in = (int)n, ik = (int)k;
    int ilda = (int)lda, ildb = (int)ldb, ildc = (int)ldc;
    float one = 1.0F;
    table.sgemm(&ta, &tb, &im, &in, &ik, &one, writable32(a), &ilda, writable32(b), &ildb, &beta, c,
                &ildc);
}

void tl_gemm_nt(size_t b, size_t m, size_t d, const double *x, const double *w, double *s) {
    gemm('T', 'N', m, b, d, w, d, x, d, 0.0, s, m);
}

void tl_gemm_nt32(size_t b, size_t m, size_t d, const float *x, const float *w, float *s) {
    gemm32('T', 'N', m, b, d, w, d, x, d, 0.0F, s, m);
}

void tl_gemm_nn(size_t b, size_t m, size_t n, const double *k, const double *a, double *s) {
    gemm('N', 'N', m, b, n, a, m, k, n, 0.0, s, m);
}

void tl_gemm_nn32(size_t b, size_t m, size_t n, const float *k, const float *a, float *s) {
    gemm32('N', 'N', m, b, n, a, m, k, n, 0.0F, s, m);
}

void tl_gemm_nn_add(size_t b, size_t m, size_t n, const double *g, size_t stride, const double *a,
                    double *s) {
    gemm('N', 'N', m, b, n, a, m, g, stride, 1.0, s, m);
}

void tl_gemm_tn_add(size_t b, size_t m, size_t d, const double *delta, const double *x, double *w) {
    gemm('N', 'T', d, m, b, x, d, delta, m, 1.0, w, d);
}

void tl_gemm_tn_add32(size_t b, size_t m, size_t d, const float *delta, const float *x, float *w) {
    gemm32('N', 'T', d, m, b, x, d, delta, m, 1.0F, w, d);
}

/* The lower triangle of row-major G is the upper one of column-major G. */
void tl_syrk_lower(size_t b, size_t d, const double *x, double *g) {
    char uplo = 'U', trans = 'T';
    int n = (int)b, k = (int)d, lda = (int)d, ldc = (int)b;
    double one = 1.0, zero = 0.0;
    table.dsyrk(&uplo, &trans, &n, &k, &one, writable(x), &lda, &zero, g, &ldc);
}

void tl_syrk_lower32(size_t b, size_t d, const float *x, float *g) {
    char uplo = 'U', trans = 'T';
    int n = (int)b, k = (int)d, lda = (int)d, ldc = (int)b;
    float one = 1.0F, zero = 0.0F;
    table.ssyrk(&uplo, &trans, &n, &k, &one, writable32(x), &lda, &zero, g, &ldc);
}
