/* SPDX-License-Identifier: MIT */
/* Updates with exact blocking.
 *
 * One row's update needs its scores s_i = W^T x_i, and changes W by x_i delta_i^T. For a block of
 * freshly shuffled rows the scores under the W at its start come from one matrix product, the inner
 * products of the rows from another; within the block s_i is corrected by sum_j <x_i, x_j> delta_j
 * over the rows j already updated, and W is brought up to date once at the end by a third. So the
 * iterates are those of the sequential algorithm, at the speed of matrix products. With a Gram
 * matrix, scores are products with A, which each update changes in place.
 *
 * With float32 features the three products run in float32, and so does that of a Gram matrix in
 * float32 with a copy of A; everything between them is float64. Float64 rows may have a float32
 * copy that the passes work with. Where rounding is no longer small against the gap, a Gram matrix
 * and a copy are left for float64. */
#include "allocate.h"
#include "blas.h"
#include "sampling.h"
#include "solver.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows in float64 ---- */

/* What is subnormal in float32 becomes 0: products with such numbers take several times as long. */
TL_CLONES
static void narrow(size_t count, const double *x, float *out) {
#pragma omp simd
    for (size_t k = 0; k < count; k++)
        out[k] = fabs(x[k]) < (double)FLT_MIN ? 0.0F : (float)x[k];
}

TL_CLONES
static void add_number(size_t count, double number, double *x) {
#pragma omp simd
    for (size_t k = 0; k < count; k++)
        x[k] += number;
}

/* Row i in float64, with the constant feature. */
static void copy_row(const tl_solver *self, size_t i, double *row) {
    const size_t stored = tl_stored_length(self), start = i * stored;
    const double constant = self->data.constant;
    if (self->data.type == TL_FLOAT32)
        tl_widen(stored, (const float *)self->data.x + start, row);
    else
        memcpy(row, (const double *)self->data.x + start, stored * sizeof *row);
    if (constant == 0.0) return;
    if (tl_is_gram(self))
        add_number(stored, constant * constant, row);
    else
        row[stored] = constant;
}

/* Rows first .. first + count - 1 in float64: where they are, or copied. */
static const double *consecutive_rows(tl_solver *self, size_t first, size_t count) {
    const size_t length = tl_row_length(self);
    if (!tl_copies_rows(&self->data)) return (const double *)self->data.x + first * length;
    for (size_t i = 0; i < count; i++)
        copy_row(self, first + i, self->rows + i * length);
    return self->rows;
}

static void gather_rows(tl_solver *self, size_t count, const size_t *index) {
    const size_t length = tl_row_length(self);
    for (size_t i = 0; i < count; i++)
        copy_row(self, index[i], self->rows + i * length);
}

/* Where these rows are; gathered where they lack something, or would be read across lines of the
 * cache. */
static const double *const *locate_rows(tl_solver *self, size_t count, const size_t *index) {
    const size_t length = tl_row_length(self);
    const double *x = self->data.x;
    const bool copies = tl_copies_rows(&self->data) || !tl_is_aligned(x);
    if (copies) gather_rows(self, count, index);
    for (size_t i = 0; i < count; i++)
        self->row[i] = copies ? self->rows + i * length : x + index[i] * length;
    return self->row;
}

/* ---- the products at the start and at the end of a block ---- */

static void gather_rows32(tl_solver *self, size_t count, const size_t *index) {
    const size_t length = tl_row_length(self), stored = tl_stored_length(self);
    const double constant = self->data.constant;
    for (size_t i = 0; i < count; i++) {
        float *row = self->rows32 + i * length;
        if (self->x32 != NULL) {
            memcpy(row, self->x32 + index[i] * self->stride32, length * sizeof *row);
            continue;
        }
        memcpy(row, (const float *)self->data.x + index[i] * stored, stored * sizeof *row);
        for (size_t j = 0; constant != 0.0 && tl_is_gram(self) && j < stored; j++)
            row[j] = (float)((double)row[j] + constant * constant);
        if (stored < length) row[stored] = (float)constant;
    }
}

static const float *const *locate_rows32(tl_solver *self, size_t count, const size_t *index) {
    const size_t length = tl_row_length(self);
    const float *x = self->x32 ? self->x32 : self->data.x;
    const bool lacks = self->x32 == NULL && self->data.constant != 0.0;
    const bool copies = lacks || (!tl_is_gram(self) && !tl_is_aligned(x));
    const size_t stride = self->x32 ? self->stride32 : length;
    if (copies) gather_rows32(self, count, index);
    for (size_t i = 0; i < count; i++)
        self->row32[i] = copies ? self->rows32 + i * length : x + index[i] * stride;
    return self->row32;
}

/* Scores of these rows of a Gram matrix, into self->scores32. */
static void gram_scores32(tl_solver *self, size_t count, const size_t *index) {
    const size_t n = self->data.n, m = self->data.m;
    if (self->products != NULL) {
        const float *const *x = locate_rows32(self, count, index);
        self->products->scores32(count, m, n, x, self->coefficients32, self->scores32);
        return;
    }
    gather_rows32(self, count, index);
    for (size_t i = 0; i < count; i++)
        self->row32[i] = self->rows32 + i * n;
    tl_gemm_nn32(count, m, n, self->rows32, self->coefficients32, self->scores32);
}

static void start_gram32(tl_solver *self, size_t count, const size_t *index) {
    gram_scores32(self, count, index);
    tl_widen(count * self->data.m, self->scores32, self->scores);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j <= i; j++)
            self->gram[i * count + j] = (double)self->row32[i][index[j]];
}

/* Of row i, into coefficients32: a row of them, or for the own products a column. */
static void copy_coefficients(tl_solver *self, size_t i) {
    const size_t n = self->data.n, m = self->data.m;
    const double *row = self->coefficients + i * m;
    if (self->products == NULL) {
        narrow(m, row, self->coefficients32 + i * m);
        return;
    }
    narrow(m, row, self->delta32);
    for (size_t j = 0; j < m; j++)
        self->coefficients32[j * n + i] = self->delta32[j];
}

void tl_blocks_copy_coefficients(tl_solver *self) {
    for (size_t i = 0; self->coefficients32 != NULL && i < self->data.n; i++)
        copy_coefficients(self, i);
}

/* ---- products in float32, as long as they are good enough ---- */

/* Numbers in a line of the cache: rows whose length is a power of two would share few of them. */
#define LINE32 16

bool tl_blocks_copy_rows(tl_solver *self) {
    const size_t n = self->data.n, d = self->data.d, stored = tl_stored_length(self);
    self->stride32 = (d + LINE32 - 1) / LINE32 * LINE32 + LINE32;
    self->x32 = tl_aligned(n, self->stride32, sizeof *self->x32);
    for (size_t i = 0; self->x32 != NULL && i < n; i++) {
        float *row = self->x32 + i * self->stride32;
        narrow(stored, (const double *)self->data.x + i * stored, row);
        if (stored < d) row[stored] = (float)self->data.constant;
    }
    return self->x32 != NULL;
}

bool tl_blocks_are_narrow(const tl_solver *self) {
    return self->x32 != NULL || self->coefficients32 != NULL;
}

bool tl_blocks_widen(tl_solver *self) {
    if (!tl_blocks_are_narrow(self)) return false;
    free(self->coefficients32);
    free(self->weights32);
    free(self->x32);
    self->coefficients32 = self->weights32 = self->x32 = NULL;
    if (self->is_behind) tl_compute_weights(self);
    return true;
}

/* Some rows from all over the data; how many. */
static size_t sample_rows(const tl_solver *self, size_t *index) {
    const size_t n = self->data.n;
    size_t count = 0;
    for (; count < n && count < self->block && count < TL_SAMPLE_BLOCK; count++)
        index[count] = tl_sampled_row(n, TL_SAMPLE_BLOCK, count);
    return count;
}

void tl_blocks_sample32(tl_solver *self) {
    if (!tl_blocks_are_narrow(self)) return;
    const size_t m = self->data.m, length = tl_row_length(self);
    size_t index[TL_SAMPLE_BLOCK] = {0};
    const size_t count = sample_rows(self, index);
    if (self->coefficients32 != NULL) {
        gram_scores32(self, count, index);
        return;
    }
    gather_rows32(self, count, index);
    tl_gemm_nt32(count, m, length, self->rows32, self->weights32, self->scores32);
}

void tl_blocks_check_rounding(tl_solver *self, double gap) {
    if (!tl_blocks_are_narrow(self)) return;
    const size_t m = self->data.m;
    size_t index[TL_SAMPLE_BLOCK] = {0};
    const size_t count = sample_rows(self, index);
    if (tl_is_gram(self)) {
        tl_blocks_products(self, self->coefficients, count, index);
    } else {
        gather_rows(self, count, index);
        tl_gemm_nt(count, m, self->data.d, self->rows, self->weights, self->scores);
    }
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        double largest = 0.0;
        for (size_t j = i * m; j < (i + 1) * m; j++)
            largest = fmax(largest, fabs(self->scores[j] - (double)self->scores32[j]));
        sum += largest;
    }
    if (!(gap > TL_ROUNDING_MARGIN * sum / (double)count)) tl_blocks_widen(self);
}

/* ---- the start of a block ---- */

void tl_blocks_products(tl_solver *self, const double *matrix, size_t count, const size_t *index) {
    gather_rows(self, count, index);
    tl_gemm_nn(count, self->data.m, self->data.n, self->rows, matrix, self->scores);
}

static void start_gram64(tl_solver *self, size_t count, const size_t *index) {
    tl_blocks_products(self, self->coefficients, count, index);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j <= i; j++)
            self->gram[i * count + j] = self->rows[i * self->data.n + index[j]];
}

static void start_float64(tl_solver *self, size_t count, const size_t *index) {
    const size_t d = self->data.d, m = self->data.m;
    if (self->products != NULL) {
        const double *const *x = locate_rows(self, count, index);
        self->products->scores(count, m, d, x, self->weights, self->scores);
        self->products->inner(count, d, x, self->gram);
        return;
    }
    gather_rows(self, count, index);
    tl_gemm_nt(count, m, d, self->rows, self->weights, self->scores);
    tl_syrk_lower(count, d, self->rows, self->gram);
}

static void start_float32(tl_solver *self, size_t count, const size_t *index) {
    const size_t d = self->data.d, m = self->data.m;
    if (self->products != NULL) {
        const float *const *x = locate_rows32(self, count, index);
        self->products->scores32(count, m, d, x, self->weights32, self->scores32);
        self->products->inner32(count, d, x, self->gram32);
    } else {
        gather_rows32(self, count, index);
        tl_gemm_nt32(count, m, d, self->rows32, self->weights32, self->scores32);
        tl_syrk_lower32(count, d, self->rows32, self->gram32);
    }
    tl_widen(count * m, self->scores32, self->scores);
    for (size_t i = 0; i < count; i++)
        tl_widen(i + 1, self->gram32 + i * count, self->gram + i * count);
}

static void start_block(tl_solver *self, size_t count, const size_t *index) {
    if (self->coefficients32 != NULL)
        start_gram32(self, count, index);
    else if (tl_is_gram(self))
        start_gram64(self, count, index);
    else if (self->weights32 != NULL)
        start_float32(self, count, index);
    else
        start_float64(self, count, index);
}

static void finish_block(tl_solver *self, size_t count, const size_t *index) {
    const size_t d = self->data.d, m = self->data.m;
    for (size_t i = 0; tl_is_gram(self) && i < count; i++) {
        if (!self->moved[i]) continue;
        double *row = self->coefficients + index[i] * m;
        if (row != self->dual + index[i] * m) tl_axpy(m, 1.0, self->delta + i * m, row);
        if (self->coefficients32 != NULL) copy_coefficients(self, index[i]);
    }
    if (tl_is_gram(self)) return;
    if (self->weights32 != NULL) {
        narrow(count * m, self->delta, self->delta32);
        self->is_behind = true;
    }
    if (self->products != NULL && self->weights32 != NULL)
        self->products->update32(count, m, d, self->delta32, self->row32, self->weights32);
    else if (self->products != NULL)
        self->products->update(count, m, d, self->delta, self->row, self->weights);
    else if (self->weights32 != NULL)
        tl_gemm_tn_add32(count, m, d, self->delta32, self->rows32, self->weights32);
    else
        tl_gemm_tn_add(count, m, d, self->delta, self->rows, self->weights);
}

/* ---- within a block ---- */

/* Carry the updates of rows first .. last-1 to the scores of the rows from `last` on. */
static void carry(tl_solver *self, size_t count, size_t first, size_t last) {
    const size_t m = self->data.m;
    bool any = false;
    for (size_t j = first; j < last; j++)
        any = any || self->moved[j];
    if (any)
        tl_gemm_nn_add(count - last, m, last - first, self->gram + last * count + first, count,
                       self->delta + first * m, self->scores + last * m);
}

/* Update the i-th row of the block of `count` visits that begins with visit `start`; its scores
 * lack the updates of the rows first .. i-1 of the block. */
static bool update_row(tl_solver *self, size_t start, size_t count, size_t first, size_t i) {
    const size_t m = self->data.m, index = self->visits[start + i];
    double *s = self->scores + i * m, *delta = self->delta + i * m, *a = self->dual + index * m;
    const tl_row row = tl_row_view(self, index);
    if (!(row.C > 0.0)) { /* weight 0: the row is not there */
        memset(delta, 0, m * sizeof *delta);
        return false;
    }
    for (size_t j = first; j < i; j++)
        if (self->moved[j] && self->gram[i * count + j] != 0.0)
            tl_axpy(m, self->gram[i * count + j], self->delta + j * m, s);
    tl_sample_row(self, start + i, &row, s, a);
    double *a_new = self->work + TL_UPDATE_WORK(m);
    tl_update_row(self, start + i, &row, s, a, a_new);
    return tl_replace_dual(self, index, a_new, a, delta);
}

static void update_block(tl_solver *self, size_t start, size_t count) {
    const size_t *index = self->visits + start;
    start_block(self, count, index);
    bool any = false;
    for (size_t i = 0, first = 0; i < count; i++) {
        if (i - first == self->inner) {
            carry(self, count, first, i);
            first = i;
        }
        self->moved[i] = update_row(self, start, count, first, i);
        any = any || self->moved[i];
    }
    if (any) finish_block(self, count, index);
}

/* ---- for the rest of the solver ---- */

void tl_blocks_update(tl_solver *self, size_t first, size_t count) {
    const size_t end = first + count;
    for (; first < end; first += self->block)
        update_block(self, first, tl_smaller(self->block, end - first));
}

void tl_blocks_consecutive(tl_solver *self, const double *matrix, size_t first, size_t count) {
    const double *x = consecutive_rows(self, first, count);
    tl_gemm_nn(count, self->data.m, self->data.n, x, matrix, self->scores);
}

void tl_blocks_scores(tl_solver *self, size_t first, size_t count) {
    if (tl_is_gram(self)) {
        tl_blocks_consecutive(self, self->coefficients, first, count);
        return;
    }
    const double *x = consecutive_rows(self, first, count);
    tl_gemm_nt(count, self->data.m, self->data.d, x, self->weights, self->scores);
}

void tl_blocks_add_duals(tl_solver *self) {
    const size_t n = self->data.n, m = self->data.m, d = self->data.d;
    const size_t in_memory = tl_rows_in_memory(self);
    for (size_t first = 0; first < n; first += TL_EVALUATION_BLOCK) {
        if (first > 0 && first % in_memory == 0)
            tl_release_rows(self, first - in_memory, in_memory);
        const size_t count = tl_smaller(n - first, TL_EVALUATION_BLOCK);
        const double *x = consecutive_rows(self, first, count);
        tl_gemm_tn_add(count, m, d, self->dual + first * m, x, self->weights);
    }
}

double tl_blocks_norm2(tl_solver *self, size_t i) {
    const double *x = consecutive_rows(self, i, 1);
    return tl_is_gram(self) ? x[i] : tl_dot(self->data.d, x, x);
}
