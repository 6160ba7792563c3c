/* SPDX-License-Identifier: MIT */
/* check.h: assertions of the C tests. A failed CHECK prints where and what, and counts; the
 * program's exit status is the verdict. */
#ifndef TL_CHECK_H
#define TL_CHECK_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned long checks_made, checks_failed;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        checks_made++;                                                                             \
        if (!(condition)) {                                                                        \
            checks_failed++;                                                                       \
            fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);                \
        }                                                                                          \
    } while (0)

#define CHECK_CLOSE(a, b, tolerance) CHECK(fabs((a) - (b)) <= (tolerance))

static int check_summary(const char *name) {
    printf("%s: %lu checks, %lu failed\n", name, checks_made, checks_failed);
    return checks_failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* Uniform in [0, 1), reproducible everywhere (a linear congruential generator: the tests need no
 * better). */
static double uniform(uint64_t *state) {
    *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(*state >> 11) * 0x1p-53;
}

static double normal(uint64_t *state) {
    const double u = 1.0 - uniform(state), v = uniform(state);
    return sqrt(-2.0 * log(u)) * cos(6.283185307179586 * v);
}

/* Room for n numbers and no more, so that a sanitizer sees what goes beyond. */
static inline double *exactly(size_t n) {
    double *x = malloc(n * sizeof *x);
    if (x == NULL) abort();
    return x;
}

#endif /* TL_CHECK_H */
