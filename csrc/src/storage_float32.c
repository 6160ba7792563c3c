/* SPDX-License-Identifier: MIT */
/* Dense rows in blocks, with the passes in float32: the three products run in float32, and all
 * between them in float64. W is kept twice, for the passes in float32.primal.
 *
 * Of float32 rows, evaluations take the W of the passes, too. Float64 rows have a float32 copy, and
 * evaluations compute W anew; where rounding is no longer small against the gap, the copy is left
 * for float64. */
#include "allocate.h"
#include "blas.h"
#include "storage.h"

static void start(tl_solver *self, size_t count, const size_t *index) {
    tl_float32 *own = &self->float32;
    const size_t d = self->data.d, m = self->data.m;
    const tl_products *products = self->blocks.products;
    if (products != NULL) {
        const float *const *x = tl_locate_rows32(self, count, index);
        products->scores32(count, m, d, x, own->primal, own->scores);
        products->gram32(count, d, x, own->gram);
    } else {
        tl_gather_rows32(self, count, index);
        tl_gemm_nt32(count, m, d, own->rows, own->primal, own->scores);
        tl_syrk_lower32(count, d, own->rows, own->gram);
    }
    tl_widen(count * m, own->scores, self->scores);
    for (size_t i = 0; i < count; i++)
        tl_widen(i + 1, own->gram + i * count, self->blocks.gram + i * count);
}

static void finish(tl_solver *self, size_t count, const size_t *index) {
    tl_float32 *own = &self->float32;
    const size_t d = self->data.d, m = self->data.m;
    const tl_products *products = self->blocks.products;
    (void)index;
    tl_to_float32(count * m, self->delta, own->delta);
    own->is_ahead = true;
    if (products != NULL)
        products->update32(count, m, d, own->delta, own->row, own->primal);
    else
        tl_gemm_tn_add32(count, m, d, own->delta, own->rows, own->primal);
}

static void update(tl_solver *self, size_t first, size_t count) {
    tl_blocks_update(self, first, count, start, finish);
}

/* ---- W ---- */

static void read(tl_solver *self) {
    for (size_t i = 0; self->float32.is_ahead && i < self->primal_size; i++)
        self->primal[i] = (double)self->float32.primal[i];
}

static void write(tl_solver *self) {
    for (size_t i = 0; i < self->primal_size; i++)
        self->float32.primal[i] = (float)self->primal[i];
}

static void settle(tl_solver *self) {
    write(self);
    self->float32.is_ahead = false;
}

static void settle_rounded(tl_solver *self) {
    write(self);
    self->float32.is_ahead = true;
    read(self);
    self->float32.is_ahead = false;
}

static void hand_out(const tl_solver *self, double *given) {
    const size_t d = self->data.d, m = self->data.m;
    if (!self->float32.is_ahead) {
        tl_dense_hand_out(self, given);
        return;
    }
    for (size_t k = 0; k < d; k++)
        for (size_t j = 0; j < m; j++)
            given[k * m + j] = (double)self->float32.primal[j * d + k];
}

static bool allocate(tl_solver *self) {
    return tl_storage_dense.allocate(self) && tl_float32_allocate(self);
}

const tl_storage tl_storage_dense32 = {
    TL_OF_DENSE,          .in_float32 = true, .allocate = allocate, .update = update,
    .hand_out = hand_out, .read = read,       .write = write,       .settle = settle_rounded};

/* ---- the copy ---- */

/* Numbers in a line of the cache: rows whose length is a power of two would share few of them. */
#define LINE32 16

bool tl_copy_to_float32(tl_solver *self) {
    tl_float32 *own = &self->float32;
    const size_t n = self->data.n, length = self->row_length;
    const size_t stride = (length + LINE32 - 1) / LINE32 * LINE32 + LINE32;
    if (!tl_float32_allocate(self)) return false;
    own->copy = tl_aligned(n, stride, sizeof *own->copy);
    if (own->copy == NULL) return false;
    for (size_t i = 0; i < n; i++) {
        if (tl_is_over(&self->watch, TL_WORK_OF_COPY * (double)length)) return false;
        tl_to_float32(length, tl_consecutive_rows(self, i, 1), own->copy + i * stride);
    }
    own->x = own->copy;
    own->length = length;
    own->stride = stride;
    self->storage = self->storage->rounded;
    return true;
}

static void sample32(tl_solver *self, size_t count, const size_t *index) {
    tl_float32 *own = &self->float32;
    tl_gather_rows32(self, count, index);
    tl_gemm_nt32(count, self->data.m, self->data.d, own->rows, own->primal, own->scores);
}

static bool widen(tl_solver *self) {
    const bool is_ahead = self->float32.is_ahead;
    tl_float32_free(self);
    self->float32.is_ahead = false;
    self->storage = &tl_storage_dense;
    return is_ahead;
}

const tl_storage tl_storage_copy32 = {TL_OF_DENSE,
                                      .in_float32 = true,
                                      .copies_rows = true,
                                      .allocate = allocate,
                                      .update = update,
                                      .hand_out = hand_out,
                                      .read = read,
                                      .write = write,
                                      .settle = settle,
                                      .sample32 = sample32,
                                      .sample = tl_dense_sample,
                                      .widen = widen};
