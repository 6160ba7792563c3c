/* SPDX-License-Identifier: MIT
 *
 * storage.h: what the storages in blocks share; not for the rest of the solver.
 */
#ifndef TL_STORAGE_H
#define TL_STORAGE_H

#include "solver.h"

/* storage_weights.c: what all storages but that of a Gram matrix share. */
double tl_weights_bound(const tl_solver *self, const double *given, double *entry);
tl_distances tl_weights_distances(tl_solver *self);
double tl_weights_overshoot(const tl_solver *self);
double tl_weights_start_norm2(tl_solver *self);
tl_norms tl_weights_norms(tl_solver *self, double dual_product, double own_product);
double tl_weights_norms_rounding(const tl_solver *self, const tl_sizes *sizes,
                                 const tl_norms *norms);

/* The part of the table of a storage with weights. */
#define TL_OF_WEIGHTS                                                                              \
    .bound = tl_weights_bound, .distances = tl_weights_distances,                                  \
    .overshoot = tl_weights_overshoot, .start_norm2 = tl_weights_start_norm2,                      \
    .norms = tl_weights_norms, .norms_rounding = tl_weights_norms_rounding

/* storage_blocks.c */
/* What is subnormal in float32 becomes 0: products with such numbers take several times as long. */
void tl_to_float32(size_t count, const double *x, float *out);
bool tl_blocks_allocate(tl_solver *self);
bool tl_float32_allocate(tl_solver *self);
/* The entry of row i of a Gram matrix that is ||x_i||^2. */
double tl_gram_norm2(tl_solver *self, size_t i);
/* Rows first .. first + count - 1 in float64: where they are, or copied. */
const double *tl_consecutive_rows(tl_solver *self, size_t first, size_t count);
/* These rows into blocks.rows. */
void tl_gather_rows(tl_solver *self, size_t count, const size_t *index);
/* Where these rows are: there if they lack something, or would be read across lines of the cache.
 */
const double *const *tl_locate_rows(tl_solver *self, size_t count, const size_t *index);
/* Gather and locate rows in float32, where they are copied into float32.rows. */
void tl_gather_rows32(tl_solver *self, size_t count, const size_t *index);
const float *const *tl_locate_rows32(tl_solver *self, size_t count, const size_t *index);

/* Scores and inner products of the rows of a block, and what their updates change, delta. */
typedef void tl_block_function(tl_solver *self, size_t count, const size_t *index);
/* Update the rows of these visits; `finish` is left out where nothing changed. */
void tl_blocks_update(tl_solver *self, size_t first, size_t count, tl_block_function *start,
                      tl_block_function *finish);
/* Free the memory of float32 passes that no others use. */
void tl_float32_free(tl_solver *self);

/* storage_dense.c: W as (m, d), for rows of any type. */
double tl_dense_norm2(tl_solver *self, size_t i);
void tl_dense_scores(tl_solver *self, size_t first, size_t count);
void tl_dense_add_duals(tl_solver *self);
void tl_dense_lay_out(const tl_solver *self, const double *given, double *primal);
void tl_dense_class_norms(tl_solver *self, double *norms);
/* Scores of these rows under primal. */
void tl_dense_sample(tl_solver *self, size_t count, const size_t *index);
/* From (m, d) to (d, m). */
void tl_dense_hand_out(const tl_solver *self, double *given);

/* The part of the table of a storage of dense rows. */
#define TL_OF_DENSE                                                                                \
    TL_OF_WEIGHTS, .norm2 = tl_dense_norm2, .scores = tl_dense_scores,                             \
        .add_duals = tl_dense_add_duals, .lay_out = tl_dense_lay_out,                              \
        .class_norms = tl_dense_class_norms

#endif /* TL_STORAGE_H */
