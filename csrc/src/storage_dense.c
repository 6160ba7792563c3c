/* SPDX-License-Identifier: MIT */
/* Dense rows in blocks, with W as (m, d). */
#include "blas.h"
#include "storage.h"

double tl_dense_norm2(tl_solver *self, size_t i) {
    const double *x = tl_consecutive_rows(self, i, 1);
    return tl_dot(self->data.d, x, x);
}

void tl_dense_scores(tl_solver *self, size_t first, size_t count) {
    const double *x = tl_consecutive_rows(self, first, count);
    tl_gemm_nt(count, self->data.m, self->data.d, x, self->primal, self->scores);
}

void tl_dense_sample(tl_solver *self, size_t count, const size_t *index) {
    tl_gather_rows(self, count, index);
    tl_gemm_nt(count, self->data.m, self->data.d, self->blocks.rows, self->primal, self->scores);
}

void tl_dense_add_duals(tl_solver *self) {
    const size_t n = self->data.n, m = self->data.m, d = self->data.d;
    const size_t in_memory = tl_rows_in_memory(self);
    for (size_t first = 0; first < n; first += TL_EVALUATION_BLOCK) {
        if (first > 0 && first % in_memory == 0)
            tl_release_rows(self, first - in_memory, in_memory);
        const size_t count = tl_smaller(n - first, TL_EVALUATION_BLOCK);
        if (tl_is_over(&self->watch, (double)count * tl_row_work(self))) return;
        const double *x = tl_consecutive_rows(self, first, count);
        tl_gemm_tn_add(count, m, d, self->dual + first * m, x, self->primal);
    }
}

void tl_dense_lay_out(const tl_solver *self, const double *given, double *primal) {
    const size_t d = self->data.d, m = self->data.m;
    for (size_t k = 0; k < d; k++)
        for (size_t j = 0; j < m; j++)
            primal[j * d + k] = given[k * m + j];
}

void tl_dense_hand_out(const tl_solver *self, double *given) {
    const size_t d = self->data.d, m = self->data.m;
    const size_t tile = 16; /* a transposition, by pieces that fit into the cache */
    for (size_t top = 0; top < d; top += tile)
        for (size_t j = 0; j < m; j++)
            for (size_t k = top; k < d && k < top + tile; k++)
                given[k * m + j] = self->primal[j * d + k];
}

void tl_dense_class_norms(tl_solver *self, double *norms) {
    const size_t d = self->data.d;
    for (size_t c = 0; c < self->data.m; c++)
        norms[c] = sqrt(tl_dot(d, self->primal + c * d, self->primal + c * d));
}

static void start(tl_solver *self, size_t count, const size_t *index) {
    const size_t d = self->data.d, m = self->data.m;
    const tl_products *products = self->blocks.products;
    if (products != NULL) {
        const double *const *x = tl_locate_rows(self, count, index);
        products->scores(count, m, d, x, self->primal, self->scores);
        products->gram(count, d, x, self->blocks.gram);
        return;
    }
    tl_dense_sample(self, count, index);
    tl_syrk_lower(count, d, self->blocks.rows, self->blocks.gram);
}

static void finish(tl_solver *self, size_t count, const size_t *index) {
    const size_t d = self->data.d, m = self->data.m;
    const tl_products *products = self->blocks.products;
    (void)index;
    if (products != NULL)
        products->update(count, m, d, self->delta, self->blocks.row, self->primal);
    else
        tl_gemm_tn_add(count, m, d, self->delta, self->blocks.rows, self->primal);
}

static void update(tl_solver *self, size_t first, size_t count) {
    tl_blocks_update(self, first, count, start, finish);
}

static bool allocate(tl_solver *self) {
    const tl_data *data = &self->data;
    self->blocks.products = data->m <= TL_OWN_CLASSES ? tl_products_for(data->m, data->d) : NULL;
    return tl_blocks_allocate(self);
}

const tl_storage tl_storage_dense = {TL_OF_DENSE, .rounded = &tl_storage_copy32,
                                     .allocate = allocate, .update = update,
                                     .hand_out = tl_dense_hand_out};
