/* SPDX-License-Identifier: MIT */
/* Updates with exact blocking.
 *
 * One row's update needs its scores s_i = W^T x_i, and changes W by x_i delta_i^T. For a block of
 * freshly shuffled rows the scores under the W at its start come from one matrix product, the inner
 * products of the rows from another; within the block s_i is corrected by sum_j <x_i, x_j> delta_j
 * over the rows j already updated, and W is brought up to date once at the end by a third. So the
 * iterates are those of the sequential algorithm, at the speed of matrix products.
 *
 * The products at the start and at the end of a block are those of the storage. */
#include "allocate.h"
#include "blas.h"
#include "storage.h"

#include <float.h>

/* ---- rows in float64 ---- */

TL_CLONES
static void add_number(size_t count, double number, double *x) {
#pragma omp simd
    for (size_t k = 0; k < count; k++)
        x[k] += number;
}

/* Are rows copied for products, since they are float32 or lack a constant feature? */
static bool copies_rows(const tl_data *data) {
    return data->type == TL_FLOAT32 || data->constant != 0.0;
}

/* Numbers first .. first + count - 1 of row i in float64. */
static void copy_part(const tl_solver *self, size_t i, size_t first, size_t count, double *out) {
    const size_t start = i * self->stored_length + first;
    const double constant = self->data.constant;
    if (self->data.type == TL_FLOAT32)
        tl_widen(count, (const float *)self->data.x + start, out);
    else
        memcpy(out, (const double *)self->data.x + start, count * sizeof *out);
    if (constant != 0.0 && self->storage->by_coefficients)
        add_number(count, constant * constant, out);
}

/* Row i in float64, with the constant feature. */
static void copy_row(const tl_solver *self, size_t i, double *row) {
    const size_t stored = self->stored_length;
    copy_part(self, i, 0, stored, row);
    if (stored < self->row_length) row[stored] = self->data.constant;
}

double tl_gram_norm2(tl_solver *self, size_t i) {
    double square;
    copy_part(self, i, i, 1, &square);
    return square;
}

const double *tl_consecutive_rows(tl_solver *self, size_t first, size_t count) {
    const size_t length = self->row_length;
    if (!copies_rows(&self->data)) return (const double *)self->data.x + first * length;
    for (size_t i = 0; i < count; i++)
        copy_row(self, first + i, self->blocks.rows + i * length);
    return self->blocks.rows;
}

void tl_gather_rows(tl_solver *self, size_t count, const size_t *index) {
    for (size_t i = 0; i < count; i++)
        copy_row(self, index[i], self->blocks.rows + i * self->row_length);
}

const double *const *tl_locate_rows(tl_solver *self, size_t count, const size_t *index) {
    const size_t length = self->row_length;
    const double *x = self->data.x;
    const bool copies = copies_rows(&self->data) || !tl_is_aligned(x);
    if (copies) tl_gather_rows(self, count, index);
    for (size_t i = 0; i < count; i++)
        self->blocks.row[i] = copies ? self->blocks.rows + i * length : x + index[i] * length;
    return self->blocks.row;
}

/* ---- rows in float32 ---- */

TL_CLONES
static void to_float32(size_t count, const double *x, float *out) {
#pragma omp simd
    for (size_t k = 0; k < count; k++)
        out[k] = fabs(x[k]) < (double)FLT_MIN ? 0.0F : (float)x[k];
}

void tl_to_float32(size_t count, const double *x, float *out) {
    to_float32(count, x, out);
}

void tl_gather_rows32(tl_solver *self, size_t count, const size_t *index) {
    const tl_float32 *own = &self->float32;
    const double constant = self->data.constant;
    const bool is_lacking = own->length < self->row_length;
    for (size_t i = 0; i < count; i++) {
        float *row = own->rows + i * self->row_length;
        memcpy(row, own->x + index[i] * own->stride, own->length * sizeof *row);
        if (is_lacking)
            row[own->length] = (float)constant;
        else if (own->copy == NULL && constant != 0.0) /* of a Gram matrix */
            for (size_t j = 0; j < own->length; j++)
                row[j] = (float)((double)row[j] + constant * constant);
    }
}

const float *const *tl_locate_rows32(tl_solver *self, size_t count, const size_t *index) {
    const tl_float32 *own = &self->float32;
    const bool is_lacking = own->copy == NULL && self->data.constant != 0.0;
    const bool copies = is_lacking || (!self->storage->by_coefficients && !tl_is_aligned(own->x));
    if (copies) tl_gather_rows32(self, count, index);
    for (size_t i = 0; i < count; i++)
        own->row[i] = copies ? own->rows + i * self->row_length : own->x + index[i] * own->stride;
    return own->row;
}

/* ---- memory ---- */

bool tl_blocks_allocate(tl_solver *self) {
    tl_blocks *blocks = &self->blocks;
    const size_t b = self->block;
    const size_t count = copies_rows(&self->data) ? tl_larger(b, TL_EVALUATION_BLOCK) : b;
    blocks->row = tl_array(b, 1, sizeof *blocks->row);
    blocks->rows = tl_aligned(count, self->row_length, sizeof *blocks->rows);
    blocks->gram = tl_doubles(b, b);
    blocks->changed = tl_array(b, 1, sizeof *blocks->changed);
    return blocks->row && blocks->rows && blocks->gram && blocks->changed;
}

static float *floats(size_t rows, size_t columns) {
    return tl_aligned(rows, columns, sizeof(float));
}

bool tl_float32_allocate(tl_solver *self) {
    tl_float32 *own = &self->float32;
    const size_t b = self->block, m = self->data.m;
    own->x = self->data.x;
    own->length = own->stride = self->stored_length;
    own->row = tl_array(b, 1, sizeof *own->row);
    own->primal = floats(self->primal_size, 1);
    own->rows = floats(b, self->row_length);
    own->gram = floats(b, b);
    own->scores = floats(b, m);
    own->delta = floats(b, m);
    return own->row && own->primal && own->rows && own->gram && own->scores && own->delta;
}

void tl_float32_free(tl_solver *self) {
    free(self->float32.primal);
    free(self->float32.copy);
    self->float32.primal = self->float32.copy = NULL;
}

/* ---- within a block ---- */

/* Update the i-th row of the block of `count` visits that begins with visit `start`; its scores
 * lack the updates of the rows before it. */
static bool update_row(tl_solver *self, size_t start, size_t count, size_t i) {
    const size_t m = self->data.m, index = self->visits[start + i];
    const double *gram = self->blocks.gram + i * count;
    double *s = self->scores + i * m, *delta = self->delta + i * m, *a = self->dual + index * m;
    const tl_row row = tl_row_view(self, index);
    if (!(row.C > 0.0)) { /* weight 0: the row is not there */
        memset(delta, 0, m * sizeof *delta);
        return false;
    }
    for (size_t j = 0; j < i; j++)
        if (self->blocks.changed[j] && gram[j] != 0.0) tl_axpy(m, gram[j], self->delta + j * m, s);
    tl_sample_row(self, start + i, &row, s, a);
    double *a_new = self->work + TL_UPDATE_WORK(m);
    tl_update_row(self, start + i, &row, s, a, a_new);
    return tl_replace_dual(self, index, a_new, a, delta);
}

/* Whether any row of the block has changed. */
static bool update_rows(tl_solver *self, size_t start, size_t count) {
    tl_blocks *blocks = &self->blocks;
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        blocks->changed[i] = update_row(self, start, count, i);
        any = any || blocks->changed[i];
    }
    return any;
}

void tl_blocks_update(tl_solver *self, size_t first, size_t count, tl_block_function *start,
                      tl_block_function *finish) {
    const size_t end = first + count;
    for (; first < end; first += self->block) {
        const size_t rows = tl_smaller(self->block, end - first);
        const size_t *index = self->visits + first;
        start(self, rows, index);
        if (update_rows(self, first, rows)) finish(self, rows, index);
    }
}
