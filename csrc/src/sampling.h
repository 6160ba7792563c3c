/* SPDX-License-Identifier: MIT
 *
 * sampling.h: random orders, and rows that stand for all.
 */
#ifndef TL_SAMPLING_H
#define TL_SAMPLING_H

#include <stddef.h>
#include <stdint.h>

/* Fisher-Yates with SplitMix64. */
void tl_shuffle(uint64_t *state, size_t count, size_t *items);

/* The i-th of the min(n, rows) rows that stand for all n. */
size_t tl_sampled_row(size_t n, size_t rows, size_t i);

#endif /* TL_SAMPLING_H */
