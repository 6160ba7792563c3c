/* SPDX-License-Identifier: MIT */
/* Products of rows that lie apart with the weights of few classes, or of rows of a Gram matrix with
 * coefficients.
 *
 * A BLAS is made for large matrices: with 64 rows, 67 classes and 4096 features a fifth of its time
 * goes into packing the factors, and its symmetric product computes far more than a triangle. Here
 * the sums of a tile stay in registers, and rows and weights are read as they are: along the
 * features for inner products, whose vectors are summed up at the end of a chunk, and across them
 * for updates. */
#include "products.h"

#include "compiler.h"

#include <stdbool.h>
#include <string.h>

#define MOST_CLASSES 512
#define LEAST_FEATURES 16 /* a vector */

#define PRAGMA(x) _Pragma(#x)
#define UNROLL PRAGMA(GCC unroll 8)
#define TABLE(name)                                                                                \
    static const tl_products name = {name##_scores, name##_scores32, name##_gram,                  \
                                     name##_gram32, name##_update,   name##_update32}

#if defined(TL_HAS_CLONES)

#define TL_TARGET __attribute__((target("arch=x86-64-v4")))
#define TL_BYTES 64
#define ROWS 4
#define COLUMNS 6
#define CLASSES 8
#define VECTORS 3
#define TL_REAL double
#define TL_KERNEL(x) v4_##x
#include "products_typed.h"
#define TL_REAL float
#define TL_KERNEL(x) v4_##x##32
#include "products_typed.h"
#undef TL_TARGET
#undef TL_BYTES
#undef ROWS
#undef COLUMNS
#undef CLASSES
#undef VECTORS
TABLE(v4);

#define TL_TARGET __attribute__((target("arch=x86-64-v3")))
#define TL_BYTES 32

#elif defined(TL_NO_CLONES) && defined(__GNUC__) /* the same, for the sanitizers */

#define TL_TARGET
#define TL_BYTES 16

#endif

#if defined(TL_TARGET)
#define ROWS 3
#define COLUMNS 4
#define CLASSES 4
#define VECTORS 3
#define TL_REAL double
#define TL_KERNEL(x) v3_##x
#include "products_typed.h"
#define TL_REAL float
#define TL_KERNEL(x) v3_##x##32
#include "products_typed.h"
TABLE(v3);
#endif

const tl_products *tl_products_for(size_t m, size_t d) {
    if (m > MOST_CLASSES || d < LEAST_FEATURES) return NULL;
#if defined(TL_HAS_CLONES)
    if (__builtin_cpu_supports("x86-64-v4")) return &v4;
    if (__builtin_cpu_supports("x86-64-v3")) return &v3;
#elif defined(TL_TARGET)
    return &v3;
#endif
    return NULL;
}
