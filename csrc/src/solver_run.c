/* SPDX-License-Identifier: MIT */
/* Stochastic dual coordinate ascent with exact blocking.
 *
 * One row's update needs its scores s_i = W^T x_i, and changes W by x_i delta_i^T. For a block of
 * freshly shuffled rows the scores under the W at its start come from one matrix product, the inner
 * products of the rows from another; within the block s_i is corrected by sum_j <x_i, x_j> delta_j
 * over the rows j already updated, and W is brought up to date once at the end by a third. So the
 * iterates are those of the sequential algorithm, at the speed of matrix products. With a Gram
 * matrix, scores are products with A, which each update changes in place. */
#include "solver.h"

#include <string.h>

/* ---- random order ---- */

/* SplitMix64 (Steele, Lea, Flood 2014). */
static uint64_t next_random(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

/* Uniform in [0, bound), bound < 2^32: the bias of the product is below 2^-32 and is removed by
 * rejection. */
static size_t random_below(uint64_t *state, size_t bound) {
    const uint64_t b = (uint64_t)bound, limit = 0x100000000ULL - 0x100000000ULL % b;
    uint64_t r;
    do
        r = next_random(state) >> 32;
    while (r >= limit);
    return (size_t)(r % b);
}

static void shuffle(tl_solver *self) {
    size_t *order = self->order;
    for (size_t i = self->data.n; i > 1; i--) {
        const size_t j = random_below(&self->random_state, i);
        const size_t last = order[i - 1];
        order[i - 1] = order[j];
        order[j] = last;
    }
}

/* ---- one block ---- */

static void gather_rows(tl_solver *self, size_t count, const size_t *index) {
    const size_t length = row_length(self);
    for (size_t i = 0; i < count; i++)
        memcpy(self->rows + i * length, self->data.x + index[i] * length, length * sizeof(double));
}

/* Lower triangle of the block's inner products into self->gram. */
static void block_gram(tl_solver *self, size_t count, const size_t *index) {
    if (!is_gram(self)) {
        tl_syrk_lower(count, self->data.d, self->rows, self->gram);
        return;
    }
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j <= i; j++)
            self->gram[i * count + j] = self->rows[i * self->data.n + index[j]];
}

TL_CLONES
static void add_scaled(size_t m, double factor, const double *x, double *y) {
#pragma omp simd
    for (size_t j = 0; j < m; j++)
        y[j] += factor * x[j];
}

/* delta = a_new - a, a = a_new; is there a change? */
TL_CLONES
static bool replace_dual(size_t m, const double *a_new, double *a, double *delta) {
    double change = 0.0;
#pragma omp simd reduction(max : change)
    for (size_t j = 0; j < m; j++) {
        const double difference = a_new[j] - a[j];
        const double size = fabs(difference);
        delta[j] = difference;
        a[j] = a_new[j];
        change = size > change ? size : change;
    }
    return change > 0.0;
}

static void update_block(tl_solver *self, size_t count, const size_t *index) {
    const size_t m = self->data.m;
    gather_rows(self, count, index);
    compute_scores(self, count, self->rows, self->scores);
    block_gram(self, count, index);

    bool any = false;
    for (size_t i = 0; i < count; i++) {
        double *s = self->scores + i * m, *delta = self->delta + i * m;
        double *a = self->dual + index[i] * m;
        const tl_row row = row_view(self, index[i]);
        self->moved[i] = false;
        if (!(row.C > 0.0)) { /* weight 0: the row is not there */
            memset(delta, 0, m * sizeof *delta);
            continue;
        }
        for (size_t j = 0; j < i; j++)
            if (self->moved[j] && self->gram[i * count + j] != 0.0)
                add_scaled(m, self->gram[i * count + j], self->delta + j * m, s);
        double *a_new = self->work + TL_UPDATE_WORK(m);
        self->ops->update(&row, self->params, m, s, a, a_new, self->kept + index[i] * TL_KEPT,
                          self->work);
        self->moved[i] = replace_dual(m, a_new, a, delta);
        any = any || self->moved[i];
    }
    if (any && !is_gram(self))
        tl_gemm_tn_add(count, m, self->data.d, self->delta, self->rows, self->weights);
}

/* ---- few features: row by row ---- */

/* s (stride) = sum_k x_k W_k, W (d, stride). */
TL_CLONES
static void narrow_scores(size_t d, size_t stride, const double *restrict x,
                          const double *restrict w, double *restrict s) {
    if (stride % TL_NARROW_LANES != 0) TL_UNREACHABLE();
#pragma omp simd
    for (size_t j = 0; j < stride; j++)
        s[j] = x[0] * w[j];
    for (size_t k = 1; k < d; k++) {
        const double factor = x[k];
        const double *restrict row = w + k * stride;
#pragma omp simd
        for (size_t j = 0; j < stride; j++)
            s[j] += factor * row[j];
    }
}

TL_CLONES
static void narrow_add(size_t d, size_t stride, const double *restrict x,
                       const double *restrict delta, double *restrict w) {
    if (stride % TL_NARROW_LANES != 0) TL_UNREACHABLE();
    for (size_t k = 0; k < d; k++) {
        const double factor = x[k];
        double *restrict row = w + k * stride;
#pragma omp simd
        for (size_t j = 0; j < stride; j++)
            row[j] += factor * delta[j];
    }
}

/* One epoch without blocks: for few features, a product a row inside the cache is faster than the
 * calls and the corrections of a blocked one. W is kept transposed and padded. */
static void narrow_epoch(tl_solver *self) {
    const size_t d = self->data.d, m = self->data.m, stride = self->narrow_stride;
    double *w = self->narrow, *s = self->scores, *delta = self->delta;
    double *a_new = self->work + TL_UPDATE_WORK(m);
    for (size_t i = 0; i < self->data.n; i++) {
        const size_t index = self->order[i];
        const tl_row row = row_view(self, index);
        if (!(row.C > 0.0)) continue;
        const double *x = self->data.x + index * d;
        double *a = self->dual + index * m;
        narrow_scores(d, stride, x, w, s);
        self->ops->update(&row, self->params, m, s, a, a_new, self->kept + index * TL_KEPT,
                          self->work);
        if (replace_dual(m, a_new, a, delta)) narrow_add(d, stride, x, delta, w);
    }
}

static void narrow_load(tl_solver *self) {
    const size_t d = self->data.d, m = self->data.m, stride = self->narrow_stride;
    memset(self->narrow, 0, d * stride * sizeof *self->narrow);
    memset(self->delta, 0, stride * sizeof *self->delta); /* the padding stays 0 */
    for (size_t j = 0; j < m; j++)
        for (size_t k = 0; k < d; k++)
            self->narrow[k * stride + j] = self->weights[j * d + k];
}

static void narrow_store(tl_solver *self) {
    const size_t d = self->data.d, m = self->data.m, stride = self->narrow_stride;
    for (size_t j = 0; j < m; j++)
        for (size_t k = 0; k < d; k++)
            self->weights[j * d + k] = self->narrow[k * stride + j];
}

/* ---- epochs ---- */

static void blocked_epoch(tl_solver *self) {
    for (size_t first = 0; first < self->data.n; first += self->block) {
        const size_t left = self->data.n - first;
        update_block(self, left < self->block ? left : self->block, self->order + first);
    }
}

tl_status tl_solver_run(tl_solver *self, size_t epochs) {
    if (self == NULL) return TL_ERR_NULL;
    const bool narrow = self->narrow != NULL;
    if (narrow) narrow_load(self);
    for (size_t epoch = 0; epoch < epochs; epoch++) {
        shuffle(self);
        if (narrow)
            narrow_epoch(self);
        else
            blocked_epoch(self);
        self->epochs++;
    }
    if (narrow) narrow_store(self);
    return TL_OK;
}
