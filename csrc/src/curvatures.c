/* SPDX-License-Identifier: MIT */
/* The generalised Jacobians of all rows, for Newton's method: products, diagonals, and the matrix
 * of the whole system. */
#include "allocate.h"
#include "loss.h"

struct tl_curvatures {
    const tl_loss_ops *ops;
    tl_params params;
    size_t n, m;
    const int64_t *label_start;
    const int32_t *label;

    size_t rows;     /* with a Jacobian that is not 0 */
    int64_t *row;    /* (rows) */
    double *scale;   /* (rows): C_i, of a hinge over gamma */
    size_t *start;   /* (rows + 1): entries of each */
    size_t *middle;  /* (rows) */
    double *core;    /* (rows, 3) */
    int32_t *column; /* (start[rows]) */
    double *weight;
    double *work; /* (2 (m + 1)) */
};

void tl_curvatures_free(tl_curvatures *self) {
    if (self == NULL) return;
    free(self->row);
    free(self->scale);
    free(self->start);
    free(self->middle);
    free(self->core);
    free(self->column);
    free(self->weight);
    free(self->work);
    free(self);
}

tl_status tl_curvatures_create(tl_loss_id loss, size_t k, size_t n, size_t m,
                               const int64_t *label_start, const int32_t *label,
                               tl_curvatures **curvatures) {
    if (label_start == NULL || label == NULL || curvatures == NULL) return TL_ERR_NULL;
    const tl_loss_ops *ops = tl_loss_get(loss);
    if (ops == NULL || ops->curvature == NULL) return TL_ERR_LOSS;
    if (!tl_is_shape(n, m) || !tl_k_fits(ops, k, m)) return TL_ERR_DIMENSION;
    const tl_status status = tl_check_labels(ops, n, m, label_start, label);
    if (status != TL_OK) return status;
    tl_curvatures *self = calloc(1, sizeof *self);
    if (self == NULL) return TL_ERR_ALLOC;
    *self = (tl_curvatures){.ops = ops,
                            .params = tl_params_of(ops, k, 0.0),
                            .n = n,
                            .m = m,
                            .label_start = label_start,
                            .label = label,
                            .row = tl_array(n, 1, sizeof *self->row),
                            .scale = tl_doubles(n, 1),
                            .start = tl_array(n + 1, 1, sizeof *self->start),
                            .middle = tl_array(n, 1, sizeof *self->middle),
                            .core = tl_doubles(n, 3),
                            .column = tl_array(n, m, sizeof *self->column),
                            .weight = tl_doubles(n, m),
                            .work = tl_doubles(2, m + 1)};
    if (!self->row || !self->scale || !self->start || !self->middle || !self->core ||
        !self->column || !self->weight || !self->work) {
        tl_curvatures_free(self);
        return TL_ERR_ALLOC;
    }
    *curvatures = self;
    return TL_OK;
}

tl_status tl_curvatures_set(tl_curvatures *self, double gamma, double C, const double *weight,
                            const double *gradients, size_t *rows, size_t *entries) {
    if (self == NULL || gradients == NULL || rows == NULL || entries == NULL) return TL_ERR_NULL;
    if (!self->ops->always_smooth && !(gamma >= 1.0 / TL_LARGEST_PARAMETER))
        return TL_ERR_PARAMETER;
    const size_t m = self->m;
    tl_status status = tl_check_parameters(gamma, C, self->n, weight);
    if (status == TL_OK) status = tl_check_values(self->n * m, gradients);
    if (status != TL_OK) return status;
    self->rows = 0;
    for (size_t i = 0; i < self->n; i++) {
        const double C_i = tl_row_C(C, weight, i);
        if (!(C_i > 0.0)) continue;
        const size_t r = self->rows, first = self->start[r];
        const tl_row row = tl_row_of(self->params, C_i, 0.0, self->label_start, self->label, i);
        tl_curvature one = {.column = self->column + first, .weight = self->weight + first};
        self->ops->curvature(&row, m, gradients + i * m, &one);
        if (one.count == 0) continue;
        self->row[r] = (int64_t)i;
        self->scale[r] = self->ops->always_smooth ? C_i : C_i / gamma;
        self->middle[r] = first + one.middle;
        memcpy(self->core + 3 * r, one.core, sizeof one.core);
        self->rows = r + 1;
        self->start[r + 1] = first + one.count;
    }
    *rows = self->rows;
    *entries = self->start[self->rows];
    return TL_OK;
}

tl_status tl_curvatures_rows(const tl_curvatures *self, int64_t *rows) {
    if (self == NULL || rows == NULL) return TL_ERR_NULL;
    memcpy(rows, self->row, self->rows * sizeof *rows);
    return TL_OK;
}

/* ---- one row ---- */

static size_t label_of(const tl_curvatures *self, size_t r) {
    return (size_t)self->label[self->label_start[self->row[r]]];
}

/* t = scale J t, of m numbers. */
static void multiply_row(const tl_curvatures *self, size_t r, double *t) {
    const size_t first = self->start[r], middle = self->middle[r], end = self->start[r + 1];
    const double *core = self->core + 3 * r, scale = self->scale[r];
    const bool differences = self->ops->differences;
    const size_t y = differences ? label_of(self, r) : 0;
    const double at_label = differences ? t[y] : 0.0;
    double *values = self->work, sums[2] = {0.0, 0.0}, total = 0.0;
    for (size_t e = first; e < end; e++) {
        const double value = t[self->column[e]] - at_label;
        values[e - first] = value;
        sums[e >= middle] += tl_factor_of(self->weight[e]) * value;
    }
    const double moves[] = {core[0] * sums[0] + core[1] * sums[1],
                            core[1] * sums[0] + core[2] * sums[1]};
    memset(t, 0, self->m * sizeof *t);
    for (size_t e = first; e < end; e++) {
        const double value = scale * (self->weight[e] * values[e - first] +
                                      tl_factor_of(self->weight[e]) * moves[e >= middle]);
        t[self->column[e]] = value;
        total += value;
    }
    if (differences) t[y] = -total;
}

/* ---- all rows ---- */

tl_status tl_curvatures_multiply(const tl_curvatures *self, double *t) {
    if (self == NULL || t == NULL) return TL_ERR_NULL;
    for (size_t r = 0; r < self->rows; r++)
        multiply_row(self, r, t + r * self->m);
    return TL_OK;
}

tl_status tl_curvatures_diagonal(const tl_curvatures *self, double *diagonal) {
    if (self == NULL || diagonal == NULL) return TL_ERR_NULL;
    memset(diagonal, 0, self->rows * self->m * sizeof *diagonal);
    for (size_t r = 0; r < self->rows; r++) {
        const double *core = self->core + 3 * r, scale = self->scale[r];
        double *out = diagonal + r * self->m, sums[2] = {0.0, 0.0}, total = 0.0;
        for (size_t e = self->start[r]; e < self->start[r + 1]; e++) {
            const int side = e >= self->middle[r];
            const double factor = tl_factor_of(self->weight[e]);
            const double value = self->weight[e] + core[2 * side] * factor * factor;
            out[self->column[e]] = scale * fmax(value, 0.0);
            sums[side] += factor;
            total += self->weight[e];
        }
        total += core[0] * sums[0] * sums[0] + 2.0 * core[1] * sums[0] * sums[1] +
                 core[2] * sums[1] * sums[1];
        if (self->ops->differences) out[label_of(self, r)] = scale * fmax(total, 0.0);
    }
    return TL_OK;
}

/* B += value x x^T, rows of B `stride` apart. */
TL_CLONES
static void add_outer(size_t d, double value, const double *x, size_t stride, double *B) {
    for (size_t f = 0; f < d; f++) {
        const double factor = value * x[f];
        double *restrict out = B + f * stride;
#pragma omp simd
        for (size_t g = 0; g < d; g++)
            out[g] += factor * x[g];
    }
}

/* Entry (e, f) of J, of row r. */
static double entry_of(const tl_curvatures *self, size_t r, size_t e, size_t f) {
    const double *core = self->core + 3 * r;
    const size_t middle = self->middle[r];
    const double product = core[(e >= middle) + (f >= middle)] * tl_factor_of(self->weight[e]);
    return (e == f ? self->weight[e] : 0.0) + product * tl_factor_of(self->weight[f]);
}

tl_status tl_curvatures_assemble(const tl_curvatures *self, size_t d, const double *x,
                                 double *matrix) {
    if (self == NULL || x == NULL || matrix == NULL) return TL_ERR_NULL;
    const size_t m = self->m, size = m * d;
    for (size_t r = 0; r < self->rows; r++) {
        const double *x_r = x + r * d, scale = self->scale[r];
        const size_t first = self->start[r], end = self->start[r + 1];
        const size_t y = self->ops->differences ? label_of(self, r) : 0;
        double total = 0.0;
        for (size_t e = first; e < end; e++) {
            const size_t a = (size_t)self->column[e];
            double sum = 0.0;
            for (size_t f = first; f < end; f++) {
                const size_t b = (size_t)self->column[f];
                const double value = scale * entry_of(self, r, e, f);
                sum += value;
                if (a <= b && value != 0.0)
                    add_outer(d, value, x_r, size, matrix + a * d * size + b * d);
            }
            total += sum;
            if (!self->ops->differences) continue;
            const size_t low = a < y ? a : y, high = a < y ? y : a;
            add_outer(d, -sum, x_r, size, matrix + low * d * size + high * d);
        }
        if (self->ops->differences) add_outer(d, total, x_r, size, matrix + y * d * size + y * d);
    }
    return TL_OK;
}
