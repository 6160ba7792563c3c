/* SPDX-License-Identifier: MIT
 *
 * allocate.h: arrays of zeros.
 */
#ifndef TL_ALLOCATE_H
#define TL_ALLOCATE_H

#include "compiler.h"

#include <stdlib.h>

/* NULL if there is no memory, or the size overflows; never NULL for an empty array. */
TL_INLINE void *tl_array(size_t rows, size_t columns, size_t size) {
    if (columns > 0 && rows > SIZE_MAX / columns / size) return NULL;
    return calloc(rows * columns > 0 ? rows * columns : 1, size);
}

TL_INLINE double *tl_doubles(size_t rows, size_t columns) {
    return tl_array(rows, columns, sizeof(double));
}

#endif /* TL_ALLOCATE_H */
