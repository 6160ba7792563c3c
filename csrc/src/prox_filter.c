/* SPDX-License-Identifier: MIT */
/* Long inputs are read once. Projections onto simplices have x_j = 0 below a threshold t, which is
 * the root of a falling function less a constant, and the function grows with the set of entries:
 * so the threshold for the entries that were seen so far is a lower bound of the one for all, and
 * what is below it can be dropped. As a rule few entries are left. */
#include "prox.h"

#include <string.h>

/* Shorter inputs are in the cache anyway. */
#define LONG 512
/* Entries of a block. */
#define BLOCK 128
/* So many new entries above the bound, or as many as there were, and a better bound is computed. */
#define BATCH 32
/* Entries that give the first bound: one in so many, and at most this number. */
#define SAMPLE_STEP 16
#define LARGEST_SAMPLE 256

typedef struct filter {
    size_t n;
    const double *b;
    size_t k;
    double radius;
    double *values; /* the entries that are left */
    double *places; /* their places, as numbers, from the end of the work memory downwards */
    size_t count;
    double bound;
} filter;

/* The first block, from the one that begins at `first`, with an entry above t, or n. Adds something
 * that is not 0 to `sum` if an entry is not finite, or above 1e150 in magnitude. */
TL_CLONES
static size_t next_block(size_t n, const double *b, size_t first, double t, double *sum) {
    for (; first + BLOCK <= n; first += BLOCK) {
        const double *restrict block = b + first;
        double top = block[0], excess = 0.0;
#pragma omp simd reduction(max : top) reduction(+ : excess)
        for (size_t j = 0; j < BLOCK; j++) {
            const double scaled = block[j] * TL_TO_OVERFLOW;
            top = block[j] > top ? block[j] : top;
            excess += scaled - scaled;
        }
        *sum += excess;
        if (top > t) return first;
    }
    if (first >= n) return n;
    *sum += tl_check_values(n - first, b + first) == TL_OK ? 0.0 : 1.0;
    return first;
}

/* sum_j clip(v_j - t, 0, u), and the number of v_j > t. */
TL_CLONES
static double clipped_sum(size_t n, const double *v, double t, double u, double *above) {
    double sum = 0.0, count = 0.0;
#pragma omp simd reduction(+ : sum, count)
    for (size_t j = 0; j < n; j++) {
        const double d = v[j] - t;
        sum += d > u ? u : (d > 0.0 ? d : 0.0);
        count += d > 0.0 ? 1.0 : 0.0;
    }
    *above = count;
    return sum;
}

/* A lower bound, no lower than the last, of the root t of sum_j clip(v_j - t, 0, radius/k) =
 * radius. */
static double better_bound(const filter *f, double radius) {
    if (f->count < f->k) return f->bound;
    double top = f->values[0], least = f->values[0], above;
    for (size_t j = 1; j < f->count; j++) {
        top = f->values[j] > top ? f->values[j] : top;
        least = f->values[j] < least ? f->values[j] : least;
    }
    const double u = radius / (double)f->k;
    double low = f->k == 1 ? top - u : least - u;
    low = low > f->bound ? low : f->bound;
    if (f->k == 1) { /* Newton's method from the left */
        for (int round = 0; round < 4; round++) {
            const double excess = clipped_sum(f->count, f->values, low, INFINITY, &above) - radius;
            if (!(excess > 0.0)) break;
            low += excess / above;
        }
    } else {
        double high = top;
        for (int round = 0; round < 10; round++) {
            const double middle = 0.5 * (low + high);
            if (clipped_sum(f->count, f->values, middle, u, &above) >= radius)
                low = middle;
            else
                high = middle;
        }
    }
    low -= 1e-15 * fabs(low); /* rounding must not drop an entry */
    return low > f->bound ? low : f->bound;
}

static void tighten(filter *f) {
    f->bound = better_bound(f, f->radius);
    size_t kept = 0;
    for (size_t j = 0; j < f->count; j++) {
        const double value = f->values[j];
        f->values[kept] = value;
        *(f->places - kept) = *(f->places - j);
        kept += value > f->bound;
    }
    f->count = kept;
}

static void take(filter *f, size_t first, size_t end) {
    for (size_t j = first; j < end; j++) {
        f->values[f->count] = f->b[j];
        *(f->places - f->count) = (double)j;
        f->count += f->b[j] > f->bound;
    }
}

/* A first bound, from entries at regular places. False if so many entries are expected above the
 * threshold that filtering does not pay. */
static bool sample(filter *f) {
    const size_t wanted = f->n / SAMPLE_STEP;
    const size_t size = wanted < LARGEST_SAMPLE ? wanted : LARGEST_SAMPLE, step = f->n / size;
    for (size_t j = 0; j < size; j++)
        f->values[j] = f->b[j * step];
    f->count = size;
    const double expected = better_bound(f, f->radius / (double)step);
    size_t above = 0;
    for (size_t j = 0; j < size; j++)
        above += f->values[j] > expected;
    f->bound = better_bound(f, f->radius);
    f->count = 0;
    return 4 * above <= size || f->k > size;
}

tl_status tl_filter(size_t n, const double *b, size_t k, double radius, double *work,
                    size_t *count) {
    *count = 0;
    const size_t most = n / 3;
    filter f = {.n = n,
                .b = b,
                .k = k,
                .radius = radius,
                .values = work,
                .places = work + n - 1,
                .bound = -INFINITY};
    if (n < LONG || k > most || !sample(&f)) return tl_check_values(n, b);
    double sum = 0.0;
    size_t limit = BATCH;
    for (size_t first = 0; (first = next_block(n, b, first, f.bound, &sum)) < n;) {
        const size_t end = first + BLOCK < n ? first + BLOCK : n;
        if (f.count + BLOCK > most) return tl_check_values(n, b);
        take(&f, first, end);
        if (f.count >= limit) {
            tighten(&f);
            limit = f.count + (f.count < BATCH ? BATCH : f.count);
        }
        first = end;
    }
    if (sum != 0.0) return tl_check_values(n, b);
    tighten(&f);
    *count = f.count;
    return TL_OK;
}

TL_CLONES
static void clip_all(size_t n, const double *b, tl_capped c, double *x) {
#pragma omp simd
    for (size_t j = 0; j < n; j++) {
        const double above = (b[j] - c.t.top) - c.t.tau;
        x[j] = above > 0.0 ? (above < c.u ? above : c.u) : 0.0;
    }
}

void tl_scatter(size_t n, const double *b, tl_capped c, size_t count, const double *work,
                double *x) {
    if (count == 0 || x == b) {
        clip_all(n, b, c, x);
        return;
    }
    memset(x, 0, n * sizeof *x);
    for (size_t i = 0; i < count; i++) {
        const size_t j = (size_t)work[n - 1 - i];
        const double above = tl_above(b[j], c.t);
        x[j] = above < c.u ? above : c.u;
    }
}
