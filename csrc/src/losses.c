/* SPDX-License-Identifier: MIT */
/* The list of losses, and their values, gradients and conjugates over many rows. */
#include "allocate.h"
#include "loss.h"

const tl_loss_ops *tl_loss_get(tl_loss_id loss) {
    switch (loss) {
#define CASE(ID, name)                                                                             \
    case TL_LOSS_##ID:                                                                             \
        return &tl_ops_##name;
        TL_LOSSES(CASE)
#undef CASE
    case TL_LOSS_COUNT:
        break;
    }
    return NULL;
}

tl_status tl_loss_traits(tl_loss_id loss, tl_traits *traits) {
    if (traits == NULL) return TL_ERR_NULL;
    const tl_loss_ops *ops = tl_loss_get(loss);
    if (ops == NULL) return TL_ERR_LOSS;
    *traits = (tl_traits){ops->multiclass, ops->has_k, ops->always_smooth, ops->update != NULL,
                          ops->curvature != NULL};
    return TL_OK;
}

tl_status tl_check_labels(const tl_loss_ops *ops, size_t n, size_t m, const int64_t *label_start,
                          const int32_t *label) {
    if (!tl_starts_rise(n, label_start, m)) return TL_ERR_LABEL;
    for (size_t i = 0; i < n; i++) {
        const int64_t first = label_start[i], last = label_start[i + 1];
        if (ops->multiclass && last - first != 1) return TL_ERR_LABEL;
        for (int64_t l = first; l < last; l++) {
            if (label[l] < 0 || (size_t)label[l] >= m) return TL_ERR_LABEL;
            if (l > first && label[l] <= label[l - 1]) return TL_ERR_LABEL;
        }
    }
    return TL_OK;
}

tl_others tl_sum_others(const tl_row *row, size_t m, const double *a, double scale) {
    tl_others others = {0.0, 0.0};
    size_t first = 0;
    for (size_t l = 0; l <= row->n_labels; l++) {
        const size_t end = l < row->n_labels ? (size_t)row->labels[l] : m;
        tl_add_signed(end - first, scale, a + first, &others.sum, &others.below);
        first = end + 1;
    }
    return others;
}

typedef enum quantity { VALUES, GRADIENTS, CONJUGATES, VIOLATIONS } quantity;

/* The quantity of a row, at its scores or dual variables x, with work TL_WORK(m). */
static void compute(quantity what, const tl_loss_ops *ops, const tl_row *row, size_t m,
                    const double *x, double *out, double *work) {
    if (what == VALUES)
        *out = ops->value(row, m, x, work);
    else if (what == GRADIENTS)
        ops->gradient(row, m, x, out, work);
    else
        *out = ops->infeasibility(row, m, x, 1.0);
    if (what == CONJUGATES)
        *out = *out <= TL_DOMAIN_TOLERANCE ? ops->conjugate(row, m, x, 1.0) : INFINITY;
}

static tl_status check_and_compute(quantity what, tl_loss_id loss, size_t k, double gamma, size_t n,
                                   size_t m, const double *x, const int64_t *label_start,
                                   const int32_t *label, double *out) {
    if (x == NULL || label_start == NULL || label == NULL || out == NULL) return TL_ERR_NULL;
    const tl_loss_ops *ops = tl_loss_get(loss);
    if (ops == NULL) return TL_ERR_LOSS;
    if (!tl_is_shape(n, m) || !tl_k_fits(ops, k, m)) return TL_ERR_DIMENSION;
    if (!tl_in_range(gamma, 0.0, TL_LARGEST_PARAMETER)) return TL_ERR_PARAMETER;
    tl_status status = tl_check_labels(ops, n, m, label_start, label);
    if (status == TL_OK) status = tl_check_values(n * m, x);
    if (status != TL_OK) return status;
    const tl_params params = tl_params_of(ops, k, gamma);
    if (what == GRADIENTS && !tl_is_smooth(ops, params)) return TL_ERR_LOSS;
    if (what >= CONJUGATES && ops->conjugate == NULL) return TL_ERR_LOSS;
    double *work = tl_doubles(TL_WORK(m), 1);
    if (work == NULL) return TL_ERR_ALLOC;
    const size_t each = what == GRADIENTS ? m : 1;
    for (size_t i = 0; i < n; i++) {
        const tl_row row = tl_row_of(params, 1.0, 0.0, label_start, label, i);
        compute(what, ops, &row, m, x + i * m, out + i * each, work);
    }
    free(work);
    return TL_OK;
}

tl_status tl_loss_values(tl_loss_id loss, size_t k, double gamma, size_t n, size_t m,
                         const double *scores, const int64_t *label_start, const int32_t *label,
                         double *values) {
    return check_and_compute(VALUES, loss, k, gamma, n, m, scores, label_start, label, values);
}

tl_status tl_loss_gradients(tl_loss_id loss, size_t k, double gamma, size_t n, size_t m,
                            const double *scores, const int64_t *label_start, const int32_t *label,
                            double *gradients) {
    return check_and_compute(GRADIENTS, loss, k, gamma, n, m, scores, label_start, label,
                             gradients);
}

tl_status tl_loss_conjugates(tl_loss_id loss, size_t k, double gamma, size_t n, size_t m,
                             const double *v, const int64_t *label_start, const int32_t *label,
                             double *values) {
    return check_and_compute(CONJUGATES, loss, k, gamma, n, m, v, label_start, label, values);
}

tl_status tl_loss_violations(tl_loss_id loss, size_t k, double gamma, size_t n, size_t m,
                             const double *v, const int64_t *label_start, const int32_t *label,
                             double *values) {
    return check_and_compute(VIOLATIONS, loss, k, gamma, n, m, v, label_start, label, values);
}
