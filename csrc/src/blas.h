/* SPDX-License-Identifier: MIT
 *
 * blas.h: row-major matrix products on top of the caller's BLAS; ...32 in float32.
 */
#ifndef TL_BLAS_H
#define TL_BLAS_H

#include <stddef.h>

/* S (b, m) = X (b, d) W^T, W (m, d). */
void tl_gemm_nt(size_t b, size_t m, size_t d, const double *x, const double *w, double *s);
void tl_gemm_nt32(size_t b, size_t m, size_t d, const float *x, const float *w, float *s);
/* S (b, m) = K (b, n) A, A (n, m). */
void tl_gemm_nn(size_t b, size_t m, size_t n, const double *k, const double *a, double *s);
void tl_gemm_nn32(size_t b, size_t m, size_t n, const float *k, const float *a, float *s);
/* W (m, d) += D^T X, D (b, m), X (b, d). */
void tl_gemm_tn_add(size_t b, size_t m, size_t d, const double *delta, const double *x, double *w);
void tl_gemm_tn_add32(size_t b, size_t m, size_t d, const float *delta, const float *x, float *w);
/* Lower triangle (with diagonal) of G (b, b) = X X^T, X (b, d). */
void tl_syrk_lower(size_t b, size_t d, const double *x, double *g);
void tl_syrk_lower32(size_t b, size_t d, const float *x, float *g);
/* C (m, n) = alpha op(A) op(B) + beta C, op the transposition for 'T', none for 'N'; rows are
 * lda, ldb, ldc numbers apart. */
void tl_gemm32(char op_a, char op_b, size_t m, size_t n, size_t k, float alpha, const float *a,
               size_t lda, const float *b, size_t ldb, float beta, float *c, size_t ldc);

#endif /* TL_BLAS_H */
