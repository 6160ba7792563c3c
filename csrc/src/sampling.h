/* SPDX-License-Identifier: MIT
 *
 * sampling.h: random orders, and samples of rows.
 */
#ifndef TL_SAMPLING_H
#define TL_SAMPLING_H

#include <stddef.h>
#include <stdint.h>

/* Fisher-Yates with SplitMix64. */
void tl_shuffle(uint64_t *state, size_t count, size_t *items);

/* The i-th of a sample of min(n, rows) rows out of n. */
size_t tl_sampled_row(size_t n, size_t rows, size_t i);

#endif /* TL_SAMPLING_H */
