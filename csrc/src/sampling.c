/* SPDX-License-Identifier: MIT */
/* Random orders, and samples of rows. */
#include "sampling.h"

#include <math.h>

/* SplitMix64 (Steele, Lea, Flood 2014). */
static uint64_t next_random(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

/* Uniform in [0, bound), bound < 2^32; the bias of the remainder is removed by rejection. */
static size_t random_below(uint64_t *state, size_t bound) {
    const uint64_t b = (uint64_t)bound, limit = 0x100000000ULL - 0x100000000ULL % b;
    uint64_t r;
    do
        r = next_random(state) >> 32;
    while (r >= limit);
    return (size_t)(r % b);
}

void tl_shuffle(uint64_t *state, size_t count, size_t *items) {
    for (size_t i = count; i > 1; i--) {
        const size_t j = random_below(state, i);
        const size_t last = items[i - 1];
        items[i - 1] = items[j];
        items[j] = last;
    }
}

/* Multiples of the golden ratio modulo 1 are evenly spread, and follow no period of the rows. */
size_t tl_sampled_row(size_t n, size_t rows, size_t i) {
    if (n <= rows) return i;
    const double turns = 0.6180339887498949 * (double)i;
    return (size_t)((turns - floor(turns)) * (double)n);
}
