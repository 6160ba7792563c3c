/* SPDX-License-Identifier: MIT */
/* The update of a row and its effects: the dual variables, shrinking, and the sample that the
 * objectives are estimated from. */
#include "solver.h"

/* ---- dual variables ---- */

TL_CLONES
static double replace_dual(size_t m, double sigma, const double *a_new, double *a, double *delta,
                           double *squares, double *size2) {
    double change = 0.0, sum = 0.0, total = 0.0;
#pragma omp simd reduction(max : change) reduction(+ : sum, total)
    for (size_t j = 0; j < m; j++) {
        const double difference = a_new[j] - a[j];
        const double size = fabs(difference);
        delta[j] = sigma * difference;
        a[j] = a_new[j];
        sum += difference * difference;
        total += a_new[j] * a_new[j];
        change = size > change ? size : change;
    }
    *squares = sum;
    *size2 = total;
    return change;
}

/* Shrinking. Most rows of a hinge loss end at a vertex of the feasible set, where updates no longer
 * change them. */
static void shrink(tl_solver *self, size_t i, bool changed) {
    tl_shrinking *row = &self->shrinking[i];
    if (changed) {
        *row = (tl_shrinking){0, 0};
        return;
    }
    const bool smooth = self->lagrangian.gamma > 0.0 || tl_is_smooth(self->ops, self->params);
    const unsigned most = smooth ? TL_MOST_UNCHANGED_SMOOTH : TL_MOST_UNCHANGED;
    if (row->unchanged < most) row->unchanged++;
    row->skips = (uint8_t)((1U << row->unchanged) - 1U);
}

bool tl_replace_dual(tl_solver *self, size_t i, const double *a_new, double *a, double *delta) {
    const double sigma = self->outer.sigma;
    double squares, size2;
    const bool changed = replace_dual(self->data.m, sigma, a_new, a, delta, &squares, &size2) > 0.0;
    self->outer.change += sigma * self->norm2[i] * squares;
    self->outer.size += sigma * self->norm2[i] * size2;
    shrink(self, i, changed);
    return changed;
}

/* ---- the rows of a pass ---- */

void tl_choose_visits(tl_solver *self) {
    const size_t n = self->data.n;
    size_t every = n / TL_SAMPLE_ROWS;
    if (every < TL_SAMPLE_EVERY) every = TL_SAMPLE_EVERY;
    every = tl_smaller(every, n / TL_LEAST_SAMPLE + 1);
    self->n_visits = 0;
    for (size_t p = 0; p < n; p++) {
        const size_t i = self->order[p];
        const bool sampled = p % every == 0;
        if (self->shrinking[i].skips > 0) {
            self->shrinking[i].skips--;
            if (!sampled) continue;
        }
        self->sampled_here[self->n_visits] = sampled;
        self->visits[self->n_visits++] = i;
    }
}

/* ---- the sample ---- */

void tl_add_to_sample(tl_solver *self, tl_sample *sample, const tl_row *row, const double *s,
                      const double *a) {
    const size_t m = self->data.m;
    sample->C += row->C;
    sample->losses += row->C * self->ops->value(row, m, s, self->work);
    sample->conjugates += row->C * tl_conjugate_of(self->ops, row, m, a, -1.0 / row->C, self->work);
    sample->products += tl_dot(m, a, s);
}

void tl_sample_row(tl_solver *self, size_t visit, const tl_row *row, const double *s,
                   const double *a) {
    if (self->sampled_here[visit]) tl_add_to_sample(self, &self->sample, row, s, a);
}

/* ---- the update ---- */

/* In the augmented Lagrangian it is that of the smoothed loss, at shifted scores. */
void tl_update_row(tl_solver *self, size_t visit, const tl_row *row, double *s, const double *a,
                   double *a_new) {
    tl_lagrangian *lagrangian = &self->lagrangian;
    const size_t m = self->data.m, i = self->visits[visit];
    double *warm = self->warm + i * TL_WARM;
    if (!(lagrangian->gamma > 0.0)) {
        self->ops->update(row, m, s, a, a_new, warm, self->work);
        return;
    }
    tl_row smoothed = *row;
    smoothed.params.gamma += lagrangian->gamma;
    const bool is_of_margins = self->ops->multiclass && !self->ops->centred;
    const double at_label = is_of_margins ? s[row->labels[0]] : 0.0;
    tl_axpy(m, -lagrangian->gamma / row->C, lagrangian->center + i * m, s);
    if (is_of_margins) s[row->labels[0]] = at_label;
    if (self->sampled_here[visit]) tl_add_to_sample(self, &lagrangian->sample, &smoothed, s, a);
    self->ops->update(&smoothed, m, s, a, a_new, warm, self->work);
}
