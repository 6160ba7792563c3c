/* SPDX-License-Identifier: MIT */
/* A stand-in for a BLAS where none is installed, slow and strict: it stops the program at arguments
 * that a real BLAS would refuse. */
#include <stdio.h>
#include <stdlib.h>

void dgemm_(char *transa, char *transb, int *m, int *n, int *k, double *alpha, double *a, int *lda,
            double *b, int *ldb, double *beta, double *c, int *ldc);
void dsyrk_(char *uplo, char *trans, int *n, int *k, double *alpha, double *a, int *lda,
            double *beta, double *c, int *ldc);

static void demand(int condition, const char *what) {
    if (condition) return;
    fprintf(stderr, "BLAS called with a wrong %s\n", what);
    abort();
}

static int at_least_1(int size) {
    return size > 1 ? size : 1;
}

/* Element (i, j) of op(A), A column-major. */
static double element(const double *a, int lda, int transposed, int i, int j) {
    const size_t row = (size_t)(transposed ? j : i), column = (size_t)(transposed ? i : j);
    return a[row + column * (size_t)lda];
}

static void accumulate(double *c, double sum, double beta) {
    *c = beta == 0.0 ? sum : sum + beta * *c;
}

void dgemm_(char *transa, char *transb, int *m, int *n, int *k, double *alpha, double *a, int *lda,
            double *b, int *ldb, double *beta, double *c, int *ldc) {
    demand(*transa == 'N' || *transa == 'T', "transa");
    demand(*transb == 'N' || *transb == 'T', "transb");
    const int ta = *transa == 'T', tb = *transb == 'T';
    demand(*m >= 0 && *n >= 0 && *k >= 0, "size");
    demand(*lda >= at_least_1(ta ? *k : *m), "lda");
    demand(*ldb >= at_least_1(tb ? *n : *k), "ldb");
    demand(*ldc >= at_least_1(*m), "ldc");
    for (int j = 0; j < *n; j++)
        for (int i = 0; i < *m; i++) {
            double sum = 0.0;
            for (int l = 0; l < *k; l++)
                sum += element(a, *lda, ta, i, l) * element(b, *ldb, tb, l, j);
            accumulate(c + (size_t)i + (size_t)j * (size_t)*ldc, *alpha * sum, *beta);
        }
}

void dsyrk_(char *uplo, char *trans, int *n, int *k, double *alpha, double *a, int *lda,
            double *beta, double *c, int *ldc) {
    demand(*uplo == 'U' || *uplo == 'L', "uplo");
    demand(*trans == 'N' || *trans == 'T', "trans");
    const int ta = *trans == 'T';
    demand(*n >= 0 && *k >= 0, "size");
    demand(*lda >= at_least_1(ta ? *k : *n), "lda");
    demand(*ldc >= at_least_1(*n), "ldc");
    for (int j = 0; j < *n; j++)
        for (int i = *uplo == 'U' ? 0 : j; i < (*uplo == 'U' ? j + 1 : *n); i++) {
            double sum = 0.0;
            for (int l = 0; l < *k; l++)
                sum += element(a, *lda, ta, i, l) * element(a, *lda, ta, j, l);
            accumulate(c + (size_t)i + (size_t)j * (size_t)*ldc, *alpha * sum, *beta);
        }
}
