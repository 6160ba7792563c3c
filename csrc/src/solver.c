/* SPDX-License-Identifier: MIT */
/* Stochastic dual coordinate ascent with exact blocking.
 *
 * One row's update needs its scores s_i = W^T x_i, and changes W by x_i delta_i^T. For a block of
 * freshly shuffled rows the scores under the W at its start come from one matrix product, the inner
 * products of the rows from another; within the block s_i is corrected by sum_j <x_i, x_j> delta_j
 * over the rows j already updated, and W is brought up to date once at the end by a third. So the
 * iterates are those of the sequential algorithm, at the speed of matrix products. With a Gram
 * matrix, scores are products with A, which each update changes in place. */
#include "internal.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define DOMAIN_TOLERANCE 1e-6 /* of a starting point, which may have been stored in float32 */
#define EVALUATION_BLOCK 128

struct tl_solver {
    tl_data data;
    tl_settings settings;
    const tl_loss_ops *ops;
    double *dual;    /* (n, m), the caller's */
    double *weights; /* (m, d), the caller's; NULL for a Gram matrix */
    double total_weight;
    uint64_t epochs;
    uint64_t random_state;
    size_t block;
    size_t *order;     /* (n) */
    double *norm2;     /* (n) */
    double *threshold; /* (n): what a loss keeps from one update of a row to the next */
    double *rows;      /* (block, d) or (block, n): the gathered rows */
    double *gram;      /* (block, block), lower triangle */
    double *scores;    /* (max(block, EVALUATION_BLOCK), m) */
    double *delta;     /* (block, m) */
    bool *moved;       /* (block): is delta of this row not zero? */
    double *work;      /* (4 m) */
};

/* ---- random order
 * --------------------------------------------------------------------------------- */

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

/* ---- views
 * ---------------------------------------------------------------------------------------- */

TL_INLINE bool is_gram(const tl_solver *self) {
    return self->data.representation == TL_GRAM;
}

TL_INLINE size_t row_length(const tl_solver *self) {
    return is_gram(self) ? self->data.n : self->data.d;
}

static tl_row row_view(const tl_solver *self, size_t i) {
    const tl_data *data = &self->data;
    const int64_t first = data->label_start[i];
    const tl_row row = {.C = self->settings.C * (data->weight ? data->weight[i] : 1.0),
                        .norm2 = self->norm2[i],
                        .labels = data->label + first,
                        .n_labels = (size_t)(data->label_start[i + 1] - first)};
    return row;
}

/* scores (count, m) of `count` rows that lie one behind the other at x. */
static void compute_scores(const tl_solver *self, size_t count, const double *x, double *scores) {
    const size_t m = self->data.m;
    if (is_gram(self))
        tl_gemm_nn(count, m, self->data.n, x, self->dual, scores);
    else
        tl_gemm_nt(count, m, self->data.d, x, self->weights, scores);
}

/* ---- one block
 * ------------------------------------------------------------------------------------- */

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
        double *a_new = self->work + 3 * m; /* the update itself works in the first 3 m */
        self->ops->update(&row, self->settings.gamma, m, s, a, a_new, &self->threshold[index[i]],
                          self->work);
        self->moved[i] = replace_dual(m, a_new, a, delta);
        any = any || self->moved[i];
    }
    if (any && !is_gram(self))
        tl_gemm_tn_add(count, m, self->data.d, self->delta, self->rows, self->weights);
}

tl_status tl_solver_run(tl_solver *self, size_t epochs) {
    if (self == NULL) return TL_ERR_NULL;
    for (size_t epoch = 0; epoch < epochs; epoch++) {
        shuffle(self);
        for (size_t first = 0; first < self->data.n; first += self->block) {
            const size_t left = self->data.n - first;
            update_block(self, left < self->block ? left : self->block, self->order + first);
        }
        self->epochs++;
    }
    return TL_OK;
}

/* ---- objectives
 * ------------------------------------------------------------------------------------ */

/* sum_i <a_i, s_i> = tr(A^T X W^T), and, unless `losses` is NULL, the weighted sum of the losses.
 */
static double scan_scores(tl_solver *self, double *losses) {
    const size_t n = self->data.n, m = self->data.m, length = row_length(self);
    double product = 0.0, sum = 0.0;
    for (size_t first = 0; first < n; first += EVALUATION_BLOCK) {
        const size_t left = n - first, count = left < EVALUATION_BLOCK ? left : EVALUATION_BLOCK;
        compute_scores(self, count, self->data.x + first * length, self->scores);
        for (size_t i = 0; i < count; i++) {
            const double *s = self->scores + i * m, *a = self->dual + (first + i) * m;
            double dot = 0.0;
            for (size_t j = 0; j < m; j++)
                dot += s[j] * a[j];
            product += dot;
            if (losses == NULL) continue;
            const tl_row row = row_view(self, first + i);
            if (!(row.C > 0.0)) continue;
            sum += row.C * self->ops->value(&row, self->settings.gamma, m, s, self->work);
        }
    }
    if (losses != NULL) *losses = sum / self->settings.C;
    return product;
}

/* Weighted sum over the rows of -L*(-scale a_i / C_i). */
static double dual_sum(const tl_solver *self, double scale) {
    const size_t m = self->data.m;
    double sum = 0.0;
    for (size_t i = 0; i < self->data.n; i++) {
        const tl_row row = row_view(self, i);
        if (!(row.C > 0.0)) continue;
        const double *a = self->dual + i * m;
        sum -= row.C * self->ops->conjugate(&row, self->settings.gamma, m, a, -scale / row.C);
    }
    return sum / self->settings.C;
}

static double squared_norm(size_t n, const double *x) {
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sum;
}

tl_status tl_solver_evaluate(tl_solver *self, tl_objective *objective) {
    if (self == NULL || objective == NULL) return TL_ERR_NULL;
    double losses;
    const double product = scan_scores(self, &losses);
    const double norm2 =
        is_gram(self) ? product : squared_norm(self->data.m * self->data.d, self->weights);
    /* D needs the norm of A^T X, from which W has drifted by rounding, E = W - A^T X. With <W, A^T
     * X> = product,
     * ||A^T X||^2 = 2 product - ||W||^2 + ||E||^2: right to second order in E. */
    const double dual_norm2 = 2.0 * product - norm2;
    const double half_lambda = 0.5 / (self->settings.C * self->total_weight);
    const double primal = losses / self->total_weight + half_lambda * norm2;
    const double dual = dual_sum(self, 1.0) / self->total_weight - half_lambda * dual_norm2;
    const double size = fmax(fabs(primal), fabs(dual));
    objective->primal = primal;
    objective->dual = dual;
    objective->relative_gap = size > 0.0 ? (primal - dual) / size : 0.0;
    objective->norm2 = norm2;
    objective->epochs = self->epochs;
    return TL_OK;
}

/* ---- starting point
 * -------------------------------------------------------------------------------- */

static void compute_weights(tl_solver *self) {
    const size_t n = self->data.n, m = self->data.m, d = self->data.d;
    memset(self->weights, 0, m * d * sizeof *self->weights);
    for (size_t first = 0; first < n; first += EVALUATION_BLOCK) {
        const size_t left = n - first, count = left < EVALUATION_BLOCK ? left : EVALUATION_BLOCK;
        tl_gemm_tn_add(count, m, d, self->dual + first * m, self->data.x + first * d,
                       self->weights);
    }
}

/* argmax over s in [0, limit] of D(sA), a concave function. */
static double best_scale(tl_solver *self, double limit) {
    const double quadratic = scan_scores(self, NULL) / (2.0 * self->settings.C);
    if (self->ops->quadratic_conjugate) {
        /* dual_sum(s) = l s + q s^2; both from two points */
        const double at_limit = dual_sum(self, limit), at_half = dual_sum(self, 0.5 * limit);
        const double q = 2.0 * (at_limit - 2.0 * at_half) / (limit * limit);
        const double l = (4.0 * at_half - at_limit) / limit;
        const double curvature = 2.0 * (quadratic - q);
        if (!(curvature > 0.0)) return limit;
        const double s = l / curvature;
        return s < 0.0 ? 0.0 : (s < limit ? s : limit);
    }
    /* Golden section search; a hundredth of the interval is enough for a start. */
    const double golden = 0.6180339887498949;
    double low = 0.0, high = limit;
    double left = high - golden * (high - low), right = low + golden * (high - low);
    double value_left = dual_sum(self, left) - quadratic * left * left;
    double value_right = dual_sum(self, right) - quadratic * right * right;
    while (high - low > 0.01 * limit) {
        if (value_left < value_right) {
            low = left;
            left = right;
            value_left = value_right;
            right = low + golden * (high - low);
            value_right = dual_sum(self, right) - quadratic * right * right;
        } else {
            high = right;
            right = left;
            value_right = value_left;
            left = high - golden * (high - low);
            value_left = dual_sum(self, left) - quadratic * left * left;
        }
    }
    return 0.5 * (low + high);
}

static void scale_start(tl_solver *self, double s) {
    for (size_t i = 0; i < self->data.n * self->data.m; i++)
        self->dual[i] *= s;
    if (is_gram(self)) return;
    for (size_t i = 0; i < self->data.m * self->data.d; i++)
        self->weights[i] *= s;
}

static tl_status check_start(const tl_solver *self, double C_start) {
    const size_t n = self->data.n, m = self->data.m;
    if (!tl_all_finite(n * m, self->dual)) return TL_ERR_NOT_FINITE;
    for (size_t i = 0; i < n; i++) {
        const tl_row row = row_view(self, i);
        const double *a = self->dual + i * m;
        if (!(row.C > 0.0)) {
            if (squared_norm(m, a) > 0.0) return TL_ERR_INFEASIBLE;
            continue;
        }
        const double scale = -self->settings.C / (row.C * C_start);
        if (!(self->ops->infeasibility(&row, m, a, scale) <= DOMAIN_TOLERANCE))
            return TL_ERR_INFEASIBLE;
    }
    return TL_OK;
}

/* ---- life
 * ------------------------------------------------------------------------------------------ */

void tl_settings_default(tl_settings *settings) {
    if (settings == NULL) return;
    *settings = (tl_settings){.loss = TL_LOSS_SVM_MULTI, .gamma = 0.0, .C = 1.0};
}

static tl_status check_shape(const tl_data *data) {
    const size_t limit = INT_MAX; /* of BLAS */
    if (data->n < 1 || data->n > limit || data->m < 2 || data->m > limit) return TL_ERR_DIMENSION;
    if (data->representation == TL_GRAM) return TL_OK;
    if (data->representation != TL_DENSE) return TL_ERR_PARAMETER;
    return data->d < 1 || data->d > limit ? TL_ERR_DIMENSION : TL_OK;
}

static tl_status check_gram(size_t n, const double *k) {
    double largest = 0.0;
    for (size_t i = 0; i < n; i++) {
        if (k[i * n + i] < 0.0) return TL_ERR_GRAM;
        largest = fmax(largest, k[i * n + i]);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            if (fabs(k[i * n + j] - k[j * n + i]) > 1e-8 * largest) return TL_ERR_GRAM;
    return TL_OK;
}

static tl_status check_input(const tl_data *data, const tl_settings *settings, const double *dual,
                             const double *weights) {
    if (data->x == NULL || data->label_start == NULL || data->label == NULL || dual == NULL)
        return TL_ERR_NULL;
    tl_status status = check_shape(data);
    if (status != TL_OK) return status;
    const bool gram = data->representation == TL_GRAM;
    if (!gram && weights == NULL) return TL_ERR_NULL;

    const tl_loss_ops *ops = tl_loss_get(settings->loss);
    if (ops == NULL) return TL_ERR_LOSS;
    if (!(settings->C > 0.0) || !isfinite(settings->C)) return TL_ERR_PARAMETER;
    if (!(settings->C_start >= 0.0) || !isfinite(settings->C_start)) return TL_ERR_PARAMETER;
    if (!(settings->gamma >= 0.0) || !isfinite(settings->gamma)) return TL_ERR_PARAMETER;
    status = tl_check_labels(ops, data->n, data->m, data->label_start, data->label);
    if (status != TL_OK) return status;

    if (!tl_all_finite(data->n * (gram ? data->n : data->d), data->x)) return TL_ERR_NOT_FINITE;
    if (data->weight != NULL) {
        double sum = 0.0;
        for (size_t i = 0; i < data->n; i++) {
            if (!(data->weight[i] >= 0.0) || !isfinite(data->weight[i])) return TL_ERR_PARAMETER;
            sum += data->weight[i];
        }
        if (!(sum > 0.0) || !isfinite(sum)) return TL_ERR_PARAMETER;
    }
    return gram ? check_gram(data->n, data->x) : TL_OK;
}

static size_t choose_block(const tl_data *data) {
    /* For few features a product per row is as fast as a blocked one; a small block keeps the calls
     * rare. */
    const size_t block = data->representation == TL_DENSE && data->d <= 64 ? 32 : 64;
    return block < data->n ? block : data->n;
}

static bool allocate(tl_solver *self) {
    const size_t n = self->data.n, m = self->data.m, b = self->block;
    const size_t score_rows = b > EVALUATION_BLOCK ? b : EVALUATION_BLOCK;
    self->order = malloc(n * sizeof *self->order);
    self->norm2 = malloc(n * sizeof *self->norm2);
    self->threshold = malloc(n * sizeof *self->threshold);
    self->rows = malloc(b * row_length(self) * sizeof *self->rows);
    self->gram = malloc(b * b * sizeof *self->gram);
    self->scores = malloc(score_rows * m * sizeof *self->scores);
    self->delta = malloc(b * m * sizeof *self->delta);
    self->moved = malloc(b * sizeof *self->moved);
    self->work = malloc(4 * m * sizeof *self->work);
    return self->order && self->norm2 && self->threshold && self->rows && self->gram &&
           self->scores && self->delta && self->moved && self->work;
}

static void initialise(tl_solver *self) {
    const tl_data *data = &self->data;
    self->total_weight = data->weight ? 0.0 : (double)data->n;
    for (size_t i = 0; i < data->n; i++) {
        if (data->weight) self->total_weight += data->weight[i];
        self->order[i] = i;
        self->threshold[i] = NAN;
        self->norm2[i] =
            is_gram(self) ? data->x[i * data->n + i] : squared_norm(data->d, data->x + i * data->d);
    }
}

tl_status tl_solver_create(const tl_data *data, const tl_settings *settings, double *dual,
                           double *weights, tl_solver **solver) {
    if (data == NULL || settings == NULL || solver == NULL) return TL_ERR_NULL;
    tl_status status = check_input(data, settings, dual, weights);
    if (status != TL_OK) return status;

    tl_solver *self = calloc(1, sizeof *self);
    if (self == NULL) return TL_ERR_ALLOC;
    self->data = *data;
    self->settings = *settings;
    self->ops = tl_loss_get(settings->loss);
    self->dual = dual;
    self->weights = data->representation == TL_GRAM ? NULL : weights;
    self->random_state = settings->seed;
    self->block = settings->block > 0 ? settings->block : choose_block(data);
    if (self->block > data->n) self->block = data->n;
    if (!allocate(self)) {
        tl_solver_free(self);
        return TL_ERR_ALLOC;
    }
    initialise(self);

    const double C_start = settings->C_start > 0.0 ? settings->C_start : settings->C;
    status = check_start(self, C_start);
    if (status != TL_OK) {
        tl_solver_free(self);
        return status;
    }
    if (self->weights != NULL) compute_weights(self);
    if (C_start != settings->C) scale_start(self, best_scale(self, settings->C / C_start));
    *solver = self;
    return TL_OK;
}

void tl_solver_free(tl_solver *self) {
    if (self == NULL) return;
    free(self->order);
    free(self->norm2);
    free(self->threshold);
    free(self->rows);
    free(self->gram);
    free(self->scores);
    free(self->delta);
    free(self->moved);
    free(self->work);
    free(self);
}
