/* SPDX-License-Identifier: MIT */
/* Row-major matrix products on top of the caller's Fortran BLAS, or portable loops without one. */
#include "blas.h"

#include "compiler.h"
#include "toplabel.h"

#include <stdbool.h>

static tl_blas table;

#define TL_REAL double
#define TL_PORTABLE(x) portable_d##x
#define TL_BLAS(x) d##x
#define TL_NAME(x) tl_##x
#include "blas_typed.h"
#undef TL_REAL
#undef TL_PORTABLE
#undef TL_BLAS
#undef TL_NAME
#define TL_REAL float
#define TL_PORTABLE(x) portable_s##x
#define TL_BLAS(x) s##x
#define TL_NAME(x) tl_##x##32
#include "blas_typed.h"

/* The transposed product, of column-major matrices. */
void tl_gemm32(char op_a, char op_b, size_t m, size_t n, size_t k, float alpha, const float *a,
               size_t lda, const float *b, size_t ldb, float beta, float *c, size_t ldc) {
    int im = (int)m, in = (int)n, ik = (int)k;
    int ilda = (int)lda, ildb = (int)ldb, ildc = (int)ldc;
    table.sgemm(&op_b, &op_a, &in, &im, &ik, &alpha, swritable(b), &ildb, swritable(a), &ilda,
                &beta, c, &ildc);
}

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
