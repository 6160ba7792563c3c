/* SPDX-License-Identifier: MIT */
/* fuzz.h: what the fuzz drivers share: bytes read as numbers of awkward kinds, arrays whose ends
 * the address sanitizer watches, and, where there is no libFuzzer, a main() that makes the inputs.
 *
 *   fuzz_x -runs=100000 -seed=1 [-max_len=512]      as libFuzzer takes them
 *   fuzz_x FILE...                                  the contents of files
 *
 * Input number i of a run with the seed s is the first one of a run with the seed s + i; a failure
 * prints that seed. */
#ifndef TL_FUZZ_H
#define TL_FUZZ_H

#include "toplabel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The property that is tested; unlike assert() it is never compiled away. */
#define DEMAND(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: violated: %s\n", __FILE__, __LINE__, #condition);              \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* ---- bytes to numbers; zeros after the end ---- */

typedef struct bytes {
    const uint8_t *next;
    size_t left;
} bytes;

static uint64_t take_bits(bytes *in, size_t count) {
    uint64_t bits = 0;
    for (size_t i = 0; i < count; i++) {
        const uint8_t byte = in->left > 0 ? *in->next : 0;
        if (in->left > 0) {
            in->next++;
            in->left--;
        }
        bits = bits << 8 | byte;
    }
    return bits;
}

/* 0 .. count - 1. */
static size_t take_choice(bytes *in, size_t count) {
    return (size_t)(take_bits(in, 1) % count);
}

static int take_one_in(bytes *in, size_t count) {
    return take_choice(in, count) == count - 1;
}

/* Any double at all: NaN, infinities, subnormal numbers. */
static double take_any(bytes *in) {
    const uint64_t bits = take_bits(in, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* A short decimal, an integer (ties), a power of ten, or, of kind 3 now and then, anything. */
static double take_number(bytes *in, size_t kind) {
    const double small = (double)(int64_t)take_bits(in, 2) - 32768.0;
    switch (kind) {
    case 0:
        return small / 1024.0;
    case 1:
        return floor(small / 8192.0);
    case 2:
        return copysign(pow(10.0, fmod(small, 150.0)), small);
    default:
        return take_one_in(in, 16) ? take_any(in) : small;
    }
}

/* 10^-150 .. 10^150 usually; else anything. */
static double take_parameter(bytes *in) {
    const double exponent = (double)take_bits(in, 1);
    if (exponent < 8.0) return take_any(in);
    if (exponent < 24.0) return 0.0;
    return exponent < 200.0 ? pow(10.0, (exponent - 112.0) / 20.0)
                            : pow(10.0, (exponent - 228.0) * 5.0);
}

/* ---- arrays of exactly so many items ---- */

static void *exact_bytes(size_t size) {
    void *array = malloc(size > 0 ? size : 1);
    if (array == NULL) abort();
    return array;
}

static double *exact_doubles(size_t n) {
    return exact_bytes(n * sizeof(double));
}

static void fill_numbers(bytes *in, size_t n, double *x) {
    const size_t kind = take_choice(in, 4);
    for (size_t i = 0; i < n; i++)
        x[i] = take_number(in, kind);
}

static int all_finite(size_t n, const double *x) {
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i])) return 0;
    return 1;
}

/* A copy, to see later that the original is what it was, bit by bit. */
static void *copy_of(const void *array, size_t size) {
    void *copy = exact_bytes(size);
    memcpy(copy, array, size);
    return copy;
}

/* An impossible allocation returns NULL, as it does without the sanitizer. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
    return "allocator_may_return_null=1";
}

#ifndef TL_LIBFUZZER

#include <signal.h>

static uint64_t fuzz_seed;

static void tell_seed(void) {
    fprintf(stderr, "again with: -runs=1 -seed=%llu\n", (unsigned long long)fuzz_seed);
}

static void on_abort(int signal_number) {
    (void)signal_number;
    tell_seed();
}

void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

static uint64_t mix(uint64_t *state) { /* splitmix64 */
    uint64_t z = *state += 0x9e3779b97f4a7c15ULL;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
    return z ^ z >> 31;
}

/* Random bytes; stretches of one byte, which make ties and zeros; any length up to the maximum. */
static size_t make_input(uint64_t seed, size_t max_length, uint8_t *data) {
    uint64_t state = seed;
    const size_t size = (size_t)(mix(&state) % (max_length + 1));
    const uint64_t style = mix(&state) % 4;
    for (size_t i = 0; i < size; i++) {
        data[i] = (uint8_t)mix(&state);
        if (style == 1 && i > 0 && mix(&state) % 4 > 0) data[i] = data[i - 1];
        if (style == 2 && mix(&state) % 2) data[i] = (uint8_t)(mix(&state) % 4 * 85);
    }
    return size;
}

static uint64_t option(int argc, char **argv, const char *name, uint64_t otherwise) {
    for (int i = 1; i < argc; i++)
        if (strncmp(argv[i], name, strlen(name)) == 0)
            otherwise = strtoull(argv[i] + strlen(name), NULL, 10);
    return otherwise;
}

/* Replays files, as libFuzzer writes them; returns their number. */
static int replay(int argc, char **argv) {
    int files = 0;
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] == '-') continue;
        FILE *file = fopen(argv[i], "rb");
        DEMAND(file != NULL);
        uint8_t *data = exact_bytes(1 << 16);
        const size_t size = fread(data, 1, 1 << 16, file);
        fclose(file);
        uint8_t *input = copy_of(data, size); /* exactly so long */
        LLVMFuzzerTestOneInput(input, size);
        free(input);
        free(data);
        files++;
    }
    return files;
}

int main(int argc, char **argv) {
    if (replay(argc, argv) > 0) return EXIT_SUCCESS;
    const uint64_t runs = option(argc, argv, "-runs=", 10000);
    const uint64_t seed = option(argc, argv, "-seed=", 1);
    const size_t max_length = (size_t)option(argc, argv, "-max_len=", 512);
    if (__sanitizer_set_death_callback != NULL) __sanitizer_set_death_callback(tell_seed);
    signal(SIGABRT, on_abort);
    for (uint64_t i = 0; i < runs; i++) {
        fuzz_seed = seed + i;
        uint8_t *data = exact_bytes(max_length);
        const size_t size = make_input(fuzz_seed, max_length, data);
        uint8_t *input = copy_of(data, size); /* exactly so long */
        LLVMFuzzerTestOneInput(input, size);
        free(input);
        free(data);
    }
    printf("%llu inputs, seeds from %llu\n", (unsigned long long)runs, (unsigned long long)seed);
    return EXIT_SUCCESS;
}
#endif

#endif /* TL_FUZZ_H */
