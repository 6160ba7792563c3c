/* SPDX-License-Identifier: MIT */
/* The multiclass SVM of Weston and Watkins, sum_{j != y} max{0, (a + c)_j}, and its smoothing: the
 * top-k SVM beta with k = m - 1 times k. The domain of the conjugate is the box [0, 1] for each
 * class but y, and minus their sum for y. */
#include "loss.h"

#include <float.h>

/* The box of this side: the top-k simplex beta of k sides, which has as many entries. */
static double project(size_t n, const double *v, double top, size_t k, double side, double bias,
                      double *warm, double *minus_x, double *work) {
    return tl_warm_topk_beta(n, v, top, k, (double)k * side, bias, warm, minus_x, work);
}

static tl_row with_all(const tl_row *row, size_t m) {
    tl_row all = *row;
    all.params.k = m - 1;
    return all;
}

static void update(const tl_row *row, size_t m, const double *s, const double *a, double *a_new,
                   double *warm, double *work) {
    if (row->norm2 + row->params.gamma / row->C > DBL_MIN) {
        const tl_row all = with_all(row, m);
        tl_update_hinge(&all, m, s, a, a_new, warm, work);
        return;
    }
    /* x_i = 0 and no smoothing: the dual is linear in a_i, and rises in every class but y. */
    for (size_t j = 0; j < m; j++)
        a_new[j] = -row->C;
    a_new[row->labels[0]] = row->C * (double)(m - 1);
}

static double value(const tl_row *row, size_t m, const double *s, double *work) {
    const tl_row all = with_all(row, m);
    if (row->params.gamma > 0.0) return tl_value_smooth_hinge(&all, m, s, work);
    const size_t y = (size_t)row->labels[0];
    double sum = 0.0;
    for (size_t j = 0; j < m; j++)
        sum += j == y ? 0.0 : fmax(0.0, 1.0 + s[j] - s[y]);
    return sum;
}

static void gradient(const tl_row *row, size_t m, const double *s, double *g, double *work) {
    const tl_row all = with_all(row, m);
    tl_gradient_hinge(&all, m, s, g, work);
}

static double infeasibility(const tl_row *row, size_t m, const double *a, double scale) {
    const size_t y = (size_t)row->labels[0];
    double sum = 0.0, wrong = 0.0;
    for (size_t j = 0; j < m; j++) {
        if (j == y) continue;
        const double v = scale * a[j];
        sum += v;
        wrong += fmax(0.0, fmax(-v, v - 1.0));
    }
    return wrong + fabs(sum + scale * a[y]);
}

static void curvature(const tl_row *row, size_t m, const double *g, tl_curvature *out) {
    tl_curvature_box(m, (size_t)row->labels[0], g, 1.0, false, out);
}

const tl_loss_ops tl_ops_svm_ww = {
    .multiclass = true,
    .differences = true,
    .curvature = curvature,
    .quadratic_conjugate = true,
    .project = project,
    .update = update,
    .value = value,
    .gradient = gradient,
    .conjugate = tl_conjugate_svm_multi,
    .infeasibility = infeasibility,
};
