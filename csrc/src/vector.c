/* SPDX-License-Identifier: MIT */
/* Loops over arrays. Clones of a function with external linkage would be exported: so each that has
 * them is a static one with a name for the others. */
#include "vector.h"

#include <stdlib.h>
#include <string.h>

TL_CLONES
static double sum_of(size_t n, const double *x) {
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (size_t j = 0; j < n; j++)
        sum += x[j];
    return sum;
}

double tl_sum(size_t n, const double *x) {
    return sum_of(n, x);
}

TL_CLONES
static double dot(size_t n, const double *x, const double *y) {
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

double tl_dot(size_t n, const double *x, const double *y) {
    return dot(n, x, y);
}

TL_CLONES
static double squared_distance(size_t n, const double *x, const double *y) {
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < n; i++)
        sum += (x[i] - y[i]) * (x[i] - y[i]);
    return sum;
}

double tl_squared_distance(size_t n, const double *x, const double *y) {
    return squared_distance(n, x, y);
}

TL_CLONES
static void scale(size_t n, double factor, double *x) {
#pragma omp simd
    for (size_t j = 0; j < n; j++)
        x[j] *= factor;
}

void tl_scale(size_t n, double factor, double *x) {
    scale(n, factor, x);
}

TL_CLONES
static void axpy(size_t n, double factor, const double *restrict x, double *restrict y) {
#pragma omp simd
    for (size_t j = 0; j < n; j++)
        y[j] += factor * x[j];
}

void tl_axpy(size_t n, double factor, const double *x, double *y) {
    axpy(n, factor, x, y);
}

TL_CLONES
static void add_signed(size_t n, double factor, const double *x, double *sum, double *below) {
    double all = 0.0, negative = 0.0;
#pragma omp simd reduction(+ : all, negative)
    for (size_t j = 0; j < n; j++) {
        const double v = factor * x[j];
        all += v;
        negative += v < 0.0 ? -v : 0.0;
    }
    *sum += all;
    *below += negative;
}

void tl_add_signed(size_t n, double factor, const double *x, double *sum, double *below) {
    add_signed(n, factor, x, sum, below);
}

TL_CLONES
static double excess(size_t n, double factor, const double *x, double cap) {
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (size_t j = 0; j < n; j++) {
        const double over = factor * x[j] - cap;
        sum += over > 0.0 ? over : 0.0;
    }
    return sum;
}

double tl_excess(size_t n, double factor, const double *x, double cap) {
    return excess(n, factor, x, cap);
}

TL_CLONES
static double norm1(size_t n, const double *x, double *largest) {
    double sum = 0.0, top = 0.0;
#pragma omp simd reduction(+ : sum) reduction(max : top)
    for (size_t j = 0; j < n; j++) {
        const double size = fabs(x[j]);
        sum += size;
        top = size > top ? size : top;
    }
    *largest = top;
    return sum;
}

double tl_norm1(size_t n, const double *x, double *largest) {
    return norm1(n, x, largest);
}

TL_CLONES
static void widen(size_t n, const float *x, double *out) {
#pragma omp simd
    for (size_t k = 0; k < n; k++)
        out[k] = (double)x[k];
}

void tl_widen(size_t n, const float *x, double *out) {
    widen(n, x, out);
}

/* ---- the k largest ---- */

/* Up to this k they are found one by one. */
#define FEW 20

/* Moves the k largest of b to the front and returns their sum (Hoare's selection). */
double tl_sum_of_largest(size_t n, double *b, size_t k) {
    size_t low = 0, high = n;
    while (high - low > 1) {
        const double pivot = b[low + (high - low) / 2];
        size_t i = low, above = low;
        /* three ways: larger than the pivot, equal, smaller */
        size_t end = high;
        while (i < end) {
            const double value = b[i];
            if (value > pivot) {
                b[i++] = b[above];
                b[above++] = value;
            } else if (value < pivot) {
                b[i] = b[--end];
                b[end] = value;
            } else {
                i++;
            }
        }
        if (k <= above)
            high = above;
        else if (k >= end)
            low = end;
        else
            break; /* the k-th largest is one of the equal ones */
        if (low >= k) break;
    }
    double sum = 0.0;
    for (size_t j = 0; j < k; j++)
        sum += b[j];
    return sum;
}

/* The largest entry below `at`, and how many are not. */
TL_CLONES
static double next_below(size_t n, const double *v, double at, size_t *others) {
    double below = -INFINITY, count = 0.0;
    if (n % 8 != 0) TL_UNREACHABLE();
#pragma omp simd reduction(max : below) reduction(+ : count)
    for (size_t j = 0; j < n; j++) {
        const double value = v[j] < at ? v[j] : -INFINITY;
        below = value > below ? value : below;
        count += v[j] < at ? 0.0 : 1.0;
    }
    *others = (size_t)count;
    return tl_reduced_max(below);
}

static int descending(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a < b) - (a > b);
}

void tl_largest(size_t n, const double *v, size_t k, double *top, double *work) {
    if (k > FEW) {
        memcpy(work, v, n * sizeof *work);
        tl_sum_of_largest(n, work, k);
        qsort(work, k, sizeof *work, descending);
        memcpy(top, work, k * sizeof *top);
        return;
    }
    double at = INFINITY;
    size_t found = 0;
    for (size_t round = 0; found < k && round <= k; round++) { /* all but the first find one */
        size_t above;
        const double below = next_below(n, v, at, &above);
        while (found < above && found < k)
            top[found++] = at;
        at = below;
    }
    while (found < k) /* NaN */
        top[found++] = at;
}
