/* SPDX-License-Identifier: MIT */
/* Primal and dual objective: the certificate, and its estimate. */
#include "solve.h"
#include "solver.h"

#include <float.h>
#include <string.h>

/* Sums over the rows with their scores s_i. */
typedef struct scan {
    double losses;       /* of w_i L(s_i) */
    double worst_losses; /* of the largest within rounding, if asked for */
    double domain;       /* of tl_domain_error */
    double dual;         /* of <a_i, s_i> */
    double coefficients; /* with a Gram matrix: of <coefficients_i, s_i> */
} scan;

/* The sums over all rows, with the losses within rounding `with_worst`. */
static scan scan_scores(tl_solver *self, bool with_worst) {
    const size_t n = self->data.n, m = self->data.m;
    const size_t in_memory = tl_rows_in_memory(self);
    const bool has_own = self->storage->by_coefficients && self->outer.active;
    scan sums = {0};
    for (size_t first = 0; first < n; first += TL_EVALUATION_BLOCK) {
        if (first > 0 && first % in_memory == 0)
            tl_release_rows(self, first - in_memory, in_memory);
        const size_t count = tl_smaller(n - first, TL_EVALUATION_BLOCK);
        if (tl_is_over(&self->watch, (double)count * tl_row_work(self))) break;
        self->storage->scores(self, first, count);
        for (size_t i = 0; i < count; i++) {
            double *s = self->scores + i * self->stride;
            sums.dual += tl_dot(m, s, self->dual + (first + i) * m);
            if (has_own) sums.coefficients += tl_dot(m, s, self->primal + (first + i) * m);
            const tl_row row = tl_row_view(self, first + i);
            if (!(row.C > 0.0)) continue;
            const double loss = self->ops->value(&row, m, s, self->work);
            sums.losses += row.C * loss;
            sums.domain += tl_domain_error(self, &row, first + i, s);
            if (!with_worst) continue;
            sums.worst_losses += row.C * fmax(loss, tl_worst_loss(self, first + i, &row, s));
        }
    }
    if (!has_own) sums.coefficients = sums.dual;
    sums.losses /= self->settings.C;
    sums.worst_losses /= self->settings.C;
    return sums;
}

double tl_dual_sum(tl_solver *self, double scale, size_t every) {
    const size_t m = self->data.m;
    double sum = 0.0, weight = 0.0, conjugate = 0.0;
    size_t labels = SIZE_MAX;
    const double work = self->at_zero ? 0.0 : TL_WORK_OF_CLASS * (double)m;
    for (size_t i = 0; i < self->data.n && !tl_is_over(&self->watch, work); i += every) {
        const tl_row row = tl_row_view(self, i);
        if (!(row.C > 0.0)) continue;
        const double *a = self->dual + i * m;
        if (!self->at_zero || row.n_labels != labels)
            conjugate = tl_conjugate_of(self->ops, &row, m, a, -scale / row.C, self->work);
        labels = row.n_labels;
        sum -= row.C * conjugate;
        weight += row.C;
    }
    if (every == 1) return sum / self->settings.C;
    return weight > 0.0 ? sum / weight * self->total_weight : 0.0;
}

static void count(const tl_solver *self, tl_objective *objective) {
    objective->epochs = self->epochs;
    objective->visits = self->visited;
    objective->r = 1.0 / self->outer.sigma - 1.0;
}

/* With weights that the passes have changed, ||W - X^T A||^2: each of their changes is at most that
 * of a dual variable from one end of its domain to the other, about C_i. */
static double drift2(const tl_solver *self, const tl_sizes *sizes) {
    if (!tl_has_drift(self)) return 0.0;
    const double drift = tl_rounding_unit(self) * self->settings.C * sizes->rows;
    return (double)self->data.m * drift * drift;
}

typedef struct evaluation {
    scan sums;
    double conjugates; /* - sum_i w_i L*(-a_i/C_i) */
    tl_norms norm2;
    double norms_rounding;
    double primal, dual, rounding;
} evaluation;

/* `worst`: the losses within rounding of each row, in place of a bound for any loss. */
static evaluation evaluate_once(tl_solver *self, bool worst) {
    const double total = self->total_weight, lambda = 1.0 / (self->settings.C * total);
    const tl_sizes sizes = tl_find_sizes(self);
    evaluation at = {.sums = scan_scores(self, worst), .conjugates = tl_dual_sum(self, 1.0, 1)};
    at.norm2 = self->storage->norms(self, at.sums.dual, at.sums.coefficients);
    at.primal = at.sums.losses / total + 0.5 * lambda * at.norm2.primal;
    at.dual = at.conjugates / total - lambda * (0.5 * at.norm2.dual + self->sums.center_product);
    at.norms_rounding = self->storage->norms_rounding(self, &sizes, &at.norm2);
    const double unit = tl_rounding_unit(self);
    const double margins = self->ops->always_smooth ? 0.0 : total; /* of size 1 */
    const double of_scores = 2.0 * (double)self->data.m * sizes.largest * sizes.rows;
    const double losses =
        worst ? at.sums.worst_losses - at.sums.losses : unit * (of_scores + margins);
    const double rest = worst ? 0.0 : drift2(self, &sizes);
    at.rounding = losses / total + unit * (fabs(at.sums.losses) + fabs(at.conjugates)) / total +
                  lambda * (at.norms_rounding + at.sums.domain + rest);
    return at;
}

/* A Gram matrix with a negative <B, K B> or with D above P, beyond the rounding of its entries:
 * to their type; for the second to float32 in any case, since few kernels are computed to the last
 * digit of float64. The errors of the sums count as the largest possible: where all scores are
 * nearly 0 so are the losses of all classes nearly the same, and their errors have one sign. */
static bool is_indefinite(const tl_solver *self, const evaluation *at) {
    if (!self->storage->by_coefficients) return false;
    const double error32 = (double)FLT_EPSILON / DBL_EPSILON * at->norms_rounding;
    const double error = self->data.type == TL_FLOAT32 ? error32 : at->norms_rounding;
    const double lambda = 1.0 / (self->settings.C * self->total_weight);
    return fmin(at->norm2.primal, at->norm2.dual) < -error ||
           at->primal - at->dual < -(tl_rounding_strict(self) * at->rounding + lambda * error32);
}

static void set_unknown(const tl_solver *self, tl_objective *objective) {
    count(self, objective);
    objective->primal = INFINITY;
    objective->dual = -INFINITY;
    objective->relative_gap = INFINITY;
    objective->rounding = 0.0;
    objective->norm2 = NAN;
}

tl_status tl_solver_evaluate(tl_solver *self, tl_objective *objective) {
    if (self == NULL || objective == NULL) return TL_ERR_NULL;
    self->watch.is_over = false;
    tl_sample_float32(self);
    if (tl_is_computed(self)) tl_compute_weights(self);
    evaluation at = evaluate_once(self, false);
    if (!(at.rounding <= TL_NEGLIGIBLE_ROUNDING * (at.primal - at.dual))) {
        if (tl_has_drift(self) && !self->at_zero) tl_compute_weights(self);
        at = evaluate_once(self, true);
    }
    if (self->watch.is_over) {
        set_unknown(self, objective);
        return TL_ERR_OVER;
    }
    tl_objective now = {.norm2 = at.norm2.primal};
    const tl_status status = tl_fill_objective(&now, at.primal, at.dual, at.rounding);
    if (status != TL_OK) return status;
    if (is_indefinite(self, &at)) return TL_ERR_INDEFINITE;
    tl_check_float32(self, at.primal - at.dual);
    count(self, &now);
    *objective = now;
    return TL_OK;
}

tl_status tl_solver_estimate(const tl_solver *self, tl_objective *objective) {
    if (self == NULL || objective == NULL) return TL_ERR_NULL;
    const tl_sample *sample = &self->sampled;
    if (!(sample->C > 0.0)) {
        set_unknown(self, objective);
        return TL_OK;
    }
    const tl_gap_parts gap = tl_estimate_parts(self, sample);
    const double half_lambda = 0.5 / (self->settings.C * self->total_weight);
    const double norms =
        self->outer.active ? half_lambda * self->outer.norm2 : 0.5 * sample->products / sample->C;
    const double primal = sample->losses / sample->C + norms;
    const tl_status status =
        tl_fill_objective(objective, primal, primal - gap.inner - gap.residual, 0.0);
    if (status != TL_OK) return status;
    count(self, objective);
    objective->norm2 = norms / half_lambda;
    return TL_OK;
}
