/* SPDX-License-Identifier: MIT */
/* Stochastic dual coordinate ascent: a part of an epoch, whole ones, or as many as it takes. */
#include "sampling.h"
#include "solve.h"
#include "solver.h"

/* Strips of neighbouring rows in a random order, and the rows shuffled within windows of it. */
static void shuffle_windows(tl_solver *self) {
    const size_t n = self->data.n, window = self->settings.window;
    const size_t count = (n + TL_STRIP - 1) / TL_STRIP;
    tl_shuffle(&self->random_state, count, self->strips);
    size_t next = 0;
    for (size_t r = 0; r < count; r++) {
        const size_t first = self->strips[r] * TL_STRIP;
        for (size_t i = first; i < n && i < first + TL_STRIP; i++)
            self->order[next++] = i;
    }
    for (size_t first = 0; first < n; first += window)
        tl_shuffle(&self->random_state, tl_smaller(n - first, window), self->order + first);
}

static void begin_epoch(tl_solver *self) {
    tl_accelerate_begin_pass(self);
    if (self->settings.window > 0)
        shuffle_windows(self);
    else
        tl_shuffle(&self->random_state, self->data.n, self->order);
    tl_choose_visits(self);
    self->position = 0;
    self->sample = self->lagrangian.sample = (tl_sample){0};
    self->at_zero = false;
}

static void end_epoch(tl_solver *self) {
    self->epochs++;
    self->sampled = self->sample;
    self->lagrangian.sampled = self->lagrangian.sample;
    tl_accelerate_end_pass(self);
    tl_lagrangian_end_pass(self);
}

/* Visits after which the memory of a window is given back: whole blocks, and fewer after shrinking,
 * since the operating system maps the neighbours of a row as well. */
static size_t visits_of_window(const tl_solver *self) {
    const double share = (double)self->n_visits / (double)self->data.n;
    const size_t visits = (size_t)((double)self->settings.window * share);
    return visits > self->block ? visits / self->block * self->block : self->block;
}

tl_status tl_solver_step(tl_solver *self, size_t rows, int *ended) {
    if (self == NULL || ended == NULL) return TL_ERR_NULL;
    self->watch.is_over = false;
    if (self->position == self->n_visits) begin_epoch(self);
    const size_t left = self->n_visits - self->position;
    size_t count = rows < left ? rows / self->block * self->block : left;
    if (count == 0) count = tl_smaller(self->block, left);
    const size_t window = self->settings.window > 0 ? visits_of_window(self) : 0;
    if (window > 0) count = tl_smaller(count, window - self->position % window);
    self->storage->update(self, self->position, count);
    self->position += count;
    self->visited += count;
    *ended = self->position == self->n_visits;
    if (window > 0 && (self->position % window == 0 || *ended))
        tl_release_rows(self, 0, self->data.n);
    if (*ended) end_epoch(self);
    return TL_OK;
}

tl_status tl_solver_run(tl_solver *self, size_t epochs) {
    if (self == NULL) return TL_ERR_NULL;
    for (size_t epoch = 0; epoch < epochs; epoch++) {
        int ended = 0;
        while (!ended) {
            const tl_status status = tl_solver_step(self, self->data.n, &ended);
            if (status != TL_OK) return status;
        }
    }
    return TL_OK;
}

/* ---- to a tolerance ---- */

static tl_status step(void *solver, size_t rows, int *ended) {
    return tl_solver_step(solver, rows, ended);
}

static tl_status evaluate(void *solver, tl_objective *objective) {
    return tl_solver_evaluate(solver, objective);
}

static double estimate(const void *solver) {
    tl_objective objective;
    return tl_solver_estimate(solver, &objective) == TL_OK ? objective.relative_gap : INFINITY;
}

static bool is_worth_it(const void *solver) {
    return tl_is_step_over(solver);
}

static bool has_float32(const void *solver) {
    const tl_solver *self = solver;
    return self->data.type == TL_FLOAT32 || self->storage->in_float32;
}

static bool widen(void *solver) {
    return tl_widen_passes(solver);
}

tl_status tl_solver_solve(tl_solver *self, const tl_stopping *stopping, tl_objective *objective,
                          tl_outcome *outcome) {
    if (self == NULL || stopping == NULL || objective == NULL || outcome == NULL)
        return TL_ERR_NULL;
    const tl_iterative iterative = {.solver = self,
                                    .step = step,
                                    .evaluate = evaluate,
                                    .estimate = estimate,
                                    .is_worth_it = is_worth_it,
                                    .has_float32 = has_float32,
                                    .widen = widen};
    return tl_solve(&iterative, stopping, objective, outcome);
}
