/* SPDX-License-Identifier: MIT */
/* A Gram matrix K, in blocks: scores are products of its rows with coefficients (n, m), which each
 * update changes in place. While passes are plain the coefficients are the dual variables.
 *
 * With K, or a copy of it, in float32 the products run in float32 with a copy of the coefficients,
 * until rounding is no longer small against the gap. */
#include "allocate.h"
#include "blas.h"
#include "sampling.h"
#include "storage.h"

/* ---- products in float64 ---- */

/* Products of at most self->block rows with a matrix (n, m), into self->scores. */
static void multiply(tl_solver *self, const double *matrix, size_t count, const size_t *index) {
    tl_gather_rows(self, count, index);
    tl_gemm_nn(count, self->data.m, self->data.n, self->blocks.rows, matrix, self->scores);
}

/* Products of rows first .. first + count - 1 with a matrix (n, m), into self->scores. */
static void multiply_consecutive(tl_solver *self, const double *matrix, size_t first,
                                 size_t count) {
    const double *x = tl_consecutive_rows(self, first, count);
    tl_gemm_nn(count, self->data.m, self->data.n, x, matrix, self->scores);
}

static void scores(tl_solver *self, size_t first, size_t count) {
    multiply_consecutive(self, self->primal, first, count);
}

static void sample(tl_solver *self, size_t count, const size_t *index) {
    multiply(self, self->primal, count, index);
}

static void start(tl_solver *self, size_t count, const size_t *index) {
    sample(self, count, index);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j <= i; j++)
            self->blocks.gram[i * count + j] = self->blocks.rows[i * self->data.n + index[j]];
}

/* Add delta to the coefficients of the i-th row of the block, where they are not A itself. */
static void add_delta(tl_solver *self, size_t i, size_t index) {
    const size_t m = self->data.m;
    if (self->primal != self->dual) tl_axpy(m, 1.0, self->delta + i * m, self->primal + index * m);
}

static void finish(tl_solver *self, size_t count, const size_t *index) {
    for (size_t i = 0; i < count; i++)
        if (self->blocks.changed[i]) add_delta(self, i, index[i]);
}

static void update(tl_solver *self, size_t first, size_t count) {
    tl_blocks_update(self, first, count, start, finish);
}

/* ---- coefficients ---- */

static void lay_out(const tl_solver *self, const double *given, double *primal) {
    memcpy(primal, given, self->primal_size * sizeof *primal);
}

static void hand_out(const tl_solver *self, double *given) {
    memcpy(given, self->primal, self->primal_size * sizeof *given);
}

static void class_norms(tl_solver *self, double *norms) {
    const size_t m = self->data.m;
    memset(norms, 0, m * sizeof *norms);
    for (size_t i = 0; i < self->data.n; i++)
        tl_add_sizes(m, sqrt(self->norm2[i]), self->primal + i * m, norms);
}

static double bound(const tl_solver *self, const double *given, double *largest) {
    const size_t m = self->data.m;
    double size = 0.0;
    *largest = 0.0;
    for (size_t i = 0; i < self->data.n; i++) {
        double entry = 0.0;
        for (size_t j = 0; j < m; j++)
            entry = fmax(entry, fabs(given[i * m + j]));
        size += sqrt((double)m * self->norm2[i]) * entry;
        *largest = fmax(*largest, entry);
    }
    return size;
}

/* From all rows: ||B||^2 for B = W - Y, and the overshoot -<B, W - W_before>; -1 where the call is
 * over. */
static double whole_distance(tl_solver *self, double *overshoot) {
    const size_t n = self->data.n, m = self->data.m;
    double distance = 0.0, along = 0.0;
    for (size_t first = 0; first < n; first += TL_EVALUATION_BLOCK) {
        const size_t count = tl_smaller(n - first, TL_EVALUATION_BLOCK), at = first * m;
        if (tl_is_over(&self->watch, (double)count * tl_row_work(self))) return -1.0;
        multiply_consecutive(self, self->blocks.difference, first, count);
        distance += tl_dot(count * m, self->scores, self->blocks.difference + at);
        for (size_t i = 0; i < count * m; i++)
            along += self->scores[i] * (self->primal[at + i] - self->outer.previous[at + i]);
    }
    *overshoot = -along;
    return fmax(0.0, distance);
}

/* From B = W - Y itself: in a sum of products of both sides <B, K B> would cancel. */
static tl_distances distances(tl_solver *self) {
    const size_t n = self->data.n, m = self->data.m;
    const size_t rows = tl_smaller(n, tl_smaller(self->block, TL_SAMPLE_BLOCK));
    double *difference = self->blocks.difference;
    const double *sides[] = {difference, self->primal};
    size_t index[TL_SAMPLE_BLOCK] = {0};
    double products[2] = {0.0, 0.0};
    for (size_t i = 0; i < n * m; i++)
        difference[i] = self->primal[i] - self->outer.anchor[i];
    for (size_t i = 0; i < rows; i++)
        index[i] = tl_sampled_row(n, rows, i);
    for (int side = 0; side < 2; side++) {
        multiply(self, sides[side], rows, index);
        for (size_t i = 0; i < rows; i++)
            products[side] += tl_dot(m, self->scores + i * m, sides[side] + index[i] * m);
    }
    const double whole = (double)n / (double)rows;
    tl_distances sampled = {.anchor = fmax(0.0, whole * products[0]),
                            .center = fmax(0.0, whole * products[1])};
    if (!(self->lagrangian.gamma > 0.0)) return sampled;
    const double exact = whole_distance(self, &sampled.overshoot);
    if (exact >= 0.0) sampled.anchor = exact;
    return sampled;
}

static double overshoot(const tl_solver *self) {
    return self->outer.overshoot;
}

/* ---- ||X^T A||^2 = sum_i <a_i, s_i>, and the gap of a start ---- */

/* Products of sampled rows first, first + 1, .. with a matrix: so many as one product takes. */
static size_t multiply_sample(tl_solver *self, const double *matrix, size_t rows, size_t first,
                              size_t *index) {
    const size_t total = tl_smaller(rows, self->data.n);
    const size_t count = tl_smaller(tl_smaller(self->block, TL_SAMPLE_BLOCK), total - first);
    for (size_t i = 0; i < count; i++)
        index[i] = tl_sampled_row(self->data.n, rows, first + i);
    multiply(self, matrix, count, index);
    return count;
}

static double start_norm2(tl_solver *self) {
    const size_t n = self->data.n, m = self->data.m, total = tl_smaller(TL_PRODUCT_ROWS, n);
    size_t index[TL_SAMPLE_BLOCK];
    double product = 0.0;
    const double work = TL_SAMPLE_BLOCK * tl_row_work(self);
    for (size_t first = 0, count; first < total; first += count) {
        if (tl_is_over(&self->watch, work)) break;
        count = multiply_sample(self, self->dual, TL_PRODUCT_ROWS, first, index);
        for (size_t i = 0; i < count; i++)
            product += tl_dot(m, self->scores + i * m, self->dual + index[i] * m);
    }
    return fmax(0.0, product / (double)total * (double)n);
}

static double dual_norm2(tl_solver *self) {
    const size_t n = self->data.n, m = self->data.m;
    double sum = 0.0;
    for (size_t first = 0; first < n; first += TL_EVALUATION_BLOCK) {
        const size_t count = tl_smaller(n - first, TL_EVALUATION_BLOCK);
        if (tl_is_over(&self->watch, (double)count * tl_row_work(self))) break;
        multiply_consecutive(self, self->dual, first, count);
        sum += tl_dot(count * m, self->scores, self->dual + first * m);
    }
    return sum;
}

/* A matrix that rounding has left a little indefinite may have a negative ||W - X^T A||^2, with
 * which D would no longer be below P: that counts as 0. */
static tl_norms norms(tl_solver *self, double dual_product, double own_product) {
    if (!self->outer.active) return (tl_norms){own_product, own_product};
    return (tl_norms){own_product, fmax(dual_norm2(self), 2.0 * dual_product - own_product)};
}

static double norms_rounding(const tl_solver *self, const tl_sizes *sizes, const tl_norms *of) {
    (void)of;
    return tl_rounding_unit(self) * (sizes->primal2 + sizes->dual2);
}

static void sample_start(tl_solver *self) {
    const size_t m = self->data.m, total = tl_smaller(TL_SEARCH_ROWS, self->data.n);
    size_t index[TL_SAMPLE_BLOCK];
    const double work = TL_SAMPLE_BLOCK * tl_row_work(self);
    for (size_t first = 0, count; first < total; first += count) {
        if (tl_is_over(&self->watch, work)) break;
        count = multiply_sample(self, self->primal, TL_SEARCH_ROWS, first, index);
        for (size_t i = 0; i < count; i++) {
            const tl_row row = tl_row_view(self, index[i]);
            if (row.C > 0.0)
                tl_add_to_sample(self, &self->sampled, &row, self->scores + i * m,
                                 self->dual + index[i] * m);
        }
    }
}

/* ---- in float64 ---- */

static bool allocate(tl_solver *self) {
    const tl_data *data = &self->data; /* the own products are for passes in float32 */
    if (data->m < TL_GRAM_CLASSES) self->blocks.products = tl_products_for(data->m, data->n);
    if (self->settings.acceleration != 0.0) {
        self->blocks.difference = tl_doubles(self->primal_size, 1);
        if (self->blocks.difference == NULL) return false;
    }
    return tl_blocks_allocate(self);
}

#define OF_GRAM                                                                                    \
    .by_coefficients = true, .norm2 = tl_gram_norm2, .scores = scores, .lay_out = lay_out,         \
    .hand_out = hand_out, .class_norms = class_norms, .bound = bound, .distances = distances,      \
    .overshoot = overshoot, .norms = norms, .norms_rounding = norms_rounding,                      \
    .start_norm2 = start_norm2, .sample_start = sample_start

const tl_storage tl_storage_gram = {OF_GRAM, .rounded = &tl_storage_gram32, .allocate = allocate,
                                    .update = update};

/* ---- in float32 ---- */

/* Coefficients of row i: a row of the copy, or for the own products a column. */
static void copy_coefficients(tl_solver *self, size_t i) {
    const size_t n = self->data.n, m = self->data.m;
    tl_float32 *own = &self->float32;
    const double *row = self->primal + i * m;
    if (self->blocks.products == NULL) {
        tl_to_float32(m, row, own->primal + i * m);
        return;
    }
    tl_to_float32(m, row, own->delta);
    for (size_t j = 0; j < m; j++)
        own->primal[j * n + i] = own->delta[j];
}

static void write32(tl_solver *self) {
    for (size_t i = 0; i < self->data.n; i++)
        copy_coefficients(self, i);
}

static void sample32(tl_solver *self, size_t count, const size_t *index) {
    const size_t n = self->data.n, m = self->data.m;
    tl_float32 *own = &self->float32;
    if (self->blocks.products != NULL) {
        const float *const *x = tl_locate_rows32(self, count, index);
        self->blocks.products->scores32(count, m, n, x, own->primal, own->scores);
        return;
    }
    tl_gather_rows32(self, count, index);
    for (size_t i = 0; i < count; i++)
        own->row[i] = own->rows + i * n;
    tl_gemm_nn32(count, m, n, own->rows, own->primal, own->scores);
}

static void start32(tl_solver *self, size_t count, const size_t *index) {
    sample32(self, count, index);
    tl_widen(count * self->data.m, self->float32.scores, self->scores);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j <= i; j++)
            self->blocks.gram[i * count + j] = (double)self->float32.row[i][index[j]];
}

static void finish32(tl_solver *self, size_t count, const size_t *index) {
    for (size_t i = 0; i < count; i++) {
        if (!self->blocks.changed[i]) continue;
        add_delta(self, i, index[i]);
        copy_coefficients(self, index[i]);
    }
}

static void update32(tl_solver *self, size_t first, size_t count) {
    tl_blocks_update(self, first, count, start32, finish32);
}

static bool allocate32(tl_solver *self) {
    return allocate(self) && tl_float32_allocate(self);
}

/* The coefficients in float64 are always those of the last update. */
static bool widen(tl_solver *self) {
    tl_float32_free(self);
    self->storage = &tl_storage_gram;
    return false;
}

const tl_storage tl_storage_gram32 = {
    OF_GRAM,          .in_float32 = true,   .allocate = allocate32, .update = update32,
    .write = write32, .sample32 = sample32, .sample = sample,       .widen = widen};
