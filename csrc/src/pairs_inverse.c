/* SPDX-License-Identifier: MIT */
/* The inverse of a positive definite block, by a Cholesky factor: recursive, so that nearly all of
 * it are matrix products. */
#include "blas.h"
#include "pairs.h"

/* Up to this order without products. */
#define LEAF 24

/* L, of A = L L^T, in place of the lower triangle of A; the rest becomes 0. */
static bool factorise_leaf(size_t n, float *a, size_t stride) {
    for (size_t i = 0; i < n; i++) {
        float *row = a + i * stride;
        for (size_t j = 0; j <= i; j++) {
            const float *other = a + j * stride;
            float sum = row[j];
            for (size_t l = 0; l < j; l++)
                sum -= row[l] * other[l];
            if (j < i)
                row[j] = sum / other[j];
            else if (sum > 0.0F)
                row[j] = sqrtf(sum);
            else
                return false;
        }
        for (size_t j = i + 1; j < n; j++)
            row[j] = 0.0F;
    }
    return true;
}

/* L^-1 in place of L, row by row: row i of it is -1/L_ii times that of L by the rows above. */
static void invert_leaf(size_t n, float *a, size_t stride) {
    for (size_t i = 0; i < n; i++) {
        float *row = a + i * stride;
        const float inverse = 1.0F / row[i];
        for (size_t j = 0; j < i; j++) {
            float sum = 0.0F;
            for (size_t l = j; l < i; l++)
                sum += row[l] * a[l * stride + j];
            row[j] = -inverse * sum;
        }
        row[i] = inverse;
    }
}

/* L^-1 in place of A: with L21 = A21 L11^-T and L22 of A22 - L21 L21^T, its lower left part is
 * -L22^-1 L21 L11^-1. work: n^2/4. */
static bool invert_factor(size_t n, float *a, size_t stride, float *work) {
    if (n <= LEAF) {
        if (!factorise_leaf(n, a, stride)) return false;
        invert_leaf(n, a, stride);
        return true;
    }
    const size_t n1 = n / 2, n2 = n - n1;
    float *a21 = a + n1 * stride, *a22 = a21 + n1;
    if (!invert_factor(n1, a, stride, work)) return false;
    tl_gemm32('N', 'T', n2, n1, n1, 1.0F, a21, stride, a, stride, 0.0F, work, n1);
    for (size_t i = 0; i < n2; i++)
        memcpy(a21 + i * stride, work + i * n1, n1 * sizeof *work);
    tl_gemm32('N', 'T', n2, n2, n1, -1.0F, a21, stride, a21, stride, 1.0F, a22, stride);
    if (!invert_factor(n2, a22, stride, work)) return false;
    tl_gemm32('N', 'N', n2, n1, n1, 1.0F, a21, stride, a, stride, 0.0F, work, n1);
    tl_gemm32('N', 'N', n2, n1, n2, -1.0F, a22, stride, work, n1, 0.0F, a21, stride);
    for (size_t i = 0; i < n1; i++)
        memset(a + i * stride + n1, 0, n2 * sizeof *a);
    return true;
}

bool tl_invert(size_t n, float *a, float *inverse, float *work) {
    if (!invert_factor(n, a, n, work)) return false;
    tl_gemm32('T', 'N', n, n, n, 1.0F, a, n, a, n, 0.0F, work, n);
    for (size_t i = 0; i < n; i++)
        memcpy(inverse + i * (i + 1) / 2, work + i * n, (i + 1) * sizeof *inverse);
    return true;
}
