/* SPDX-License-Identifier: MIT */
/* Features that are mapped from a file: pages are given back after use, so that the memory in use
 * stays bounded whatever the size of the file. The next use reads them again, from the cache of the
 * operating system or from the disk. */
#if defined(__linux__)
#define _DEFAULT_SOURCE /* madvise */
#include <sys/mman.h>
#include <unistd.h>
#endif

#include "solver.h"

static size_t row_bytes(const tl_solver *self) {
    const size_t item = self->data.type == TL_FLOAT32 ? sizeof(float) : sizeof(double);
    return self->stored_length * item;
}

size_t tl_rows_in_memory(const tl_solver *self) {
    const size_t rows = TL_BYTES_IN_USE / row_bytes(self);
    return rows > TL_EVALUATION_BLOCK ? rows / TL_EVALUATION_BLOCK * TL_EVALUATION_BLOCK
                                      : TL_EVALUATION_BLOCK;
}

void tl_release_rows(const tl_solver *self, size_t first, size_t count) {
    if (!self->data.mapped || self->data.representation == TL_CSR) return;
#if defined(__linux__)
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t start = (uintptr_t)self->data.x + first * row_bytes(self);
    const uintptr_t end = start + count * row_bytes(self);
    const uintptr_t low = (start + page - 1) / page * page, high = end / page * page;
    /* A failure only costs memory. */
    if (low < high)
        (void)madvise((char *)self->data.x + (low - (uintptr_t)self->data.x), high - low,
                      MADV_DONTNEED);
#else
    (void)first;
    (void)count;
#endif
}
