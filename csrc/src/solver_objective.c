/* SPDX-License-Identifier: MIT */
/* Primal and dual objective: the certificate. Scores come from matrix products over blocks of rows.
 */
#include "solver.h"

/* sum_i <a_i, s_i> = tr(A^T X W^T), and, unless `losses` is NULL, the weighted sum of the losses.
 */
double tl_scan_scores(tl_solver *self, double *losses) {
    const size_t n = self->data.n, m = self->data.m, length = row_length(self);
    double product = 0.0, sum = 0.0;
    for (size_t first = 0; first < n; first += TL_EVALUATION_BLOCK) {
        const size_t left = n - first,
                     count = left < TL_EVALUATION_BLOCK ? left : TL_EVALUATION_BLOCK;
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
            sum += row.C * self->ops->value(&row, self->params, m, s, self->work);
        }
    }
    if (losses != NULL) *losses = sum / self->settings.C;
    return product;
}

/* Weighted sum over the rows of -L*(-scale a_i / C_i). */
double tl_dual_sum(const tl_solver *self, double scale) {
    const size_t m = self->data.m;
    double sum = 0.0;
    for (size_t i = 0; i < self->data.n; i++) {
        const tl_row row = row_view(self, i);
        if (!(row.C > 0.0)) continue;
        const double *a = self->dual + i * m;
        sum -= row.C * self->ops->conjugate(&row, self->params, m, a, -scale / row.C);
    }
    return sum / self->settings.C;
}

tl_status tl_solver_evaluate(tl_solver *self, tl_objective *objective) {
    if (self == NULL || objective == NULL) return TL_ERR_NULL;
    double losses;
    const double product = tl_scan_scores(self, &losses);
    const double norm2 =
        is_gram(self) ? product : squared_norm(self->data.m * self->data.d, self->weights);
    /* D needs the norm of A^T X, from which W has drifted by rounding, E = W - A^T X. With <W, A^T
     * X> = product,
     * ||A^T X||^2 = 2 product - ||W||^2 + ||E||^2: right to second order in E. */
    const double dual_norm2 = 2.0 * product - norm2;
    const double half_lambda = 0.5 / (self->settings.C * self->total_weight);
    const double primal = losses / self->total_weight + half_lambda * norm2;
    const double dual = tl_dual_sum(self, 1.0) / self->total_weight - half_lambda * dual_norm2;
    const double size = fmax(fabs(primal), fabs(dual));
    if (!isfinite(primal) || !isfinite(dual)) return TL_ERR_OVERFLOW;
    objective->primal = primal;
    objective->dual = dual;
    objective->relative_gap = size == 0.0 ? 0.0 : (primal - dual) / size;
    objective->norm2 = norm2;
    objective->epochs = self->epochs;
    return TL_OK;
}
