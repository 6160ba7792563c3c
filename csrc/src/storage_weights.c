/* SPDX-License-Identifier: MIT */
/* What all storages with weights share. */
#include "storage.h"

double tl_weights_norm2(const tl_solver *self) {
    const size_t size = self->primal_size;
    return self->center ? tl_squared_distance(size, self->primal, self->center)
                        : tl_dot(size, self->primal, self->primal);
}

tl_distances tl_weights_distances(tl_solver *self) {
    self->storage->read(self);
    return (tl_distances){
        .anchor = tl_squared_distance(self->primal_size, self->primal, self->outer.anchor),
        .center = tl_weights_norm2(self)};
}
