/* SPDX-License-Identifier: MIT */
/* Warm starts: is the starting point feasible, and how is it carried from one C to another? */
#include "solver.h"

#include <string.h>

#define DOMAIN_TOLERANCE 1e-6 /* of a starting point, which may have been stored in float32 */

static void compute_weights(tl_solver *self) {
    const size_t n = self->data.n, m = self->data.m, d = self->data.d;
    memset(self->weights, 0, m * d * sizeof *self->weights);
    for (size_t first = 0; first < n; first += TL_EVALUATION_BLOCK) {
        const size_t left = n - first,
                     count = left < TL_EVALUATION_BLOCK ? left : TL_EVALUATION_BLOCK;
        tl_gemm_tn_add(count, m, d, self->dual + first * m, self->data.x + first * d,
                       self->weights);
    }
}

/* argmax over s in [0, limit] of D(sA), a concave function. */
static double best_scale(tl_solver *self, double limit) {
    const double quadratic = tl_scan_scores(self, NULL) / (2.0 * self->settings.C);
    if (self->ops->quadratic_conjugate) {
        /* tl_dual_sum(s) = l s + q s^2; both from two points */
        const double at_limit = tl_dual_sum(self, limit), at_half = tl_dual_sum(self, 0.5 * limit);
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
    double value_left = tl_dual_sum(self, left) - quadratic * left * left;
    double value_right = tl_dual_sum(self, right) - quadratic * right * right;
    while (high - low > 0.01 * limit) {
        if (value_left < value_right) {
            low = left;
            left = right;
            value_left = value_right;
            right = low + golden * (high - low);
            value_right = tl_dual_sum(self, right) - quadratic * right * right;
        } else {
            high = right;
            right = left;
            value_right = value_left;
            left = high - golden * (high - low);
            value_left = tl_dual_sum(self, left) - quadratic * left * left;
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
        if (!(self->ops->infeasibility(&row, self->params, m, a, scale) <= DOMAIN_TOLERANCE))
            return TL_ERR_INFEASIBLE;
    }
    return TL_OK;
}

tl_status tl_prepare_start(tl_solver *self, double C_start) {
    const tl_status status = check_start(self, C_start);
    if (status != TL_OK) return status;
    if (self->weights != NULL) compute_weights(self);
    if (C_start != self->settings.C)
        scale_start(self, best_scale(self, self->settings.C / C_start));
    return TL_OK;
}
