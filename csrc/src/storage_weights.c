/* SPDX-License-Identifier: MIT */
/* What all storages with weights share. */
#include "storage.h"

static double distance_to_center(const tl_solver *self) {
    const size_t size = self->primal_size;
    return self->center ? tl_squared_distance(size, self->primal, self->center)
                        : tl_dot(size, self->primal, self->primal);
}

double tl_weights_bound(const tl_solver *self, const double *given, double *entry) {
    *entry = 0.0;
    return sqrt(tl_dot(self->data.d * self->data.m, given, given));
}

tl_distances tl_weights_distances(tl_solver *self) {
    if (self->storage->read != NULL) self->storage->read(self);
    return (tl_distances){
        .anchor = tl_squared_distance(self->primal_size, self->primal, self->outer.anchor),
        .center = distance_to_center(self)};
}

TL_CLONES
static double overshoot(size_t n, const double *anchor, const double *w, const double *previous) {
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < n; i++)
        sum += (anchor[i] - w[i]) * (w[i] - previous[i]);
    return sum;
}

double tl_weights_overshoot(const tl_solver *self) {
    const tl_outer *outer = &self->outer;
    return overshoot(self->primal_size, outer->anchor, self->primal, outer->previous);
}

double tl_weights_start_norm2(tl_solver *self) {
    return tl_dot(self->primal_size, self->primal, self->primal);
}

/* With float64 data and no center, W stays near enough to X^T A: with E = W - X^T A and <W, X^T A>
 * = dual_product, ||X^T A||^2 = 2 dual_product - ||W||^2 + ||E||^2, right to second order in E. */
tl_norms tl_weights_norms(tl_solver *self, double dual_product, double own_product) {
    (void)own_product;
    const double primal = distance_to_center(self);
    return (tl_norms){primal,
                      tl_is_computed(self) ? self->sums.norm2 : 2.0 * dual_product - primal};
}

double tl_weights_norms_rounding(const tl_solver *self, const tl_sizes *sizes,
                                 const tl_norms *norms) {
    const double unit = tl_rounding_unit(self);
    const double dual = sqrt(sizes->dual2), primal = sqrt(sizes->primal2);
    const double center =
        self->center ? tl_dot(self->primal_size, self->center, self->center) : 0.0;
    const double others = sqrt(fmax(norms->dual, 0.0)) + primal + sqrt(center);
    return unit * (sizes->primal2 + center + 2.0 * dual * others + unit * sizes->dual2);
}
