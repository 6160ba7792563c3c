/* SPDX-License-Identifier: MIT
 *
 * allocate.h: arrays of zeros, and of what will be written.
 */
#ifndef TL_ALLOCATE_H
#define TL_ALLOCATE_H

#include "compiler.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* NULL if there is no memory, or the size overflows; never NULL for an empty array. */
TL_INLINE void *tl_array(size_t rows, size_t columns, size_t size) {
    if (columns > 0 && rows > SIZE_MAX / columns / size) return NULL;
    return calloc(rows * columns > 0 ? rows * columns : 1, size);
}

TL_INLINE double *tl_doubles(size_t rows, size_t columns) {
    return tl_array(rows, columns, sizeof(double));
}

#define TL_ALIGNMENT TL_CACHE_LINE /* also the largest vector */

TL_INLINE bool tl_is_aligned(const void *x) {
    return (uintptr_t)x % TL_ALIGNMENT == 0;
}

/* Not initialised; aligned where the system can. Loads of whole vectors that cross lines of the
 * cache take twice as long. */
TL_INLINE void *tl_aligned(size_t rows, size_t columns, size_t size) {
    if (columns > 0 && rows > (SIZE_MAX - TL_ALIGNMENT) / columns / size) return NULL;
    const size_t bytes = rows * columns * size / TL_ALIGNMENT * TL_ALIGNMENT + TL_ALIGNMENT;
#if defined(__GLIBC__)
    return aligned_alloc(TL_ALIGNMENT, bytes);
#else
    return malloc(bytes);
#endif
}

/* Zeros, aligned. */
TL_INLINE double *tl_vectors(size_t rows, size_t columns) {
    double *array = tl_aligned(rows, columns, sizeof(double));
    return array == NULL ? NULL : memset(array, 0, rows * columns * sizeof(double));
}

#endif /* TL_ALLOCATE_H */
