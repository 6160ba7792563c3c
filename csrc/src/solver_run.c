/* SPDX-License-Identifier: MIT */
/* Stochastic dual coordinate ascent: epochs in random order. */
#include "sampling.h"
#include "solver.h"

/* Runs of neighbouring rows in a random order, and the rows shuffled within windows of it. */
static void shuffle_windows(tl_solver *self) {
    const size_t n = self->data.n, window = self->settings.window;
    const size_t count = (n + TL_RUN - 1) / TL_RUN;
    tl_shuffle(&self->random_state, count, self->runs);
    size_t next = 0;
    for (size_t r = 0; r < count; r++) {
        const size_t first = self->runs[r] * TL_RUN;
        for (size_t i = first; i < n && i < first + TL_RUN; i++)
            self->order[next++] = i;
    }
    for (size_t first = 0; first < n; first += window)
        tl_shuffle(&self->random_state, n - first < window ? n - first : window,
                   self->order + first);
}

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

/* ---- which rows an epoch visits ---- */

/* At least every SAMPLE_EVERY-th row, and about SAMPLE_ROWS of many. */
#define SAMPLE_EVERY 8
#define SAMPLE_ROWS 512
/* After so many visits in vain the rests get no longer: 1, 3, .., 2^LONGEST_REST - 1 epochs. */
#define LONGEST_REST 4

void tl_add_to_sample(tl_solver *self, tl_sample *sample, const tl_row *row, const double *s,
                      const double *a) {
    const size_t m = self->data.m;
    sample->C += row->C;
    sample->losses += row->C * self->ops->value(row, self->params, m, s, self->work);
    sample->conjugates += row->C * self->ops->conjugate(row, self->params, m, a, -1.0 / row->C);
    sample->products += tl_dot(m, a, s);
}

void tl_sample_row(tl_solver *self, size_t position, const tl_row *row, const double *s,
                   const double *a) {
    if (self->sampled_here[position]) tl_add_to_sample(self, &self->sample, row, s, a);
}

/* A row whose update changed nothing rests for a while: most rows of a hinge loss end at a vertex
 * of the feasible set. */
static void note_update(tl_solver *self, size_t i, bool moved) {
    tl_rest *rest = &self->rest[i];
    if (moved) {
        *rest = (tl_rest){0, 0};
        return;
    }
    if (rest->vain < LONGEST_REST) rest->vain++;
    rest->left = (uint8_t)((1U << rest->vain) - 1U);
}

bool tl_replace_dual(tl_solver *self, size_t i, const double *a_new, double *a, double *delta) {
    const double sigma = self->outer.sigma;
    double squares, size2;
    const bool moved = replace_dual(self->data.m, sigma, a_new, a, delta, &squares, &size2) > 0.0;
    self->outer.moved += sigma * self->norm2[i] * squares;
    self->outer.size += sigma * self->norm2[i] * size2;
    note_update(self, i, moved);
    return moved;
}

/* The rows of the order that do not rest; sampled rows never do. */
static void choose_visits(tl_solver *self) {
    const size_t n = self->data.n;
    size_t every = n / SAMPLE_ROWS;
    if (every < SAMPLE_EVERY) every = SAMPLE_EVERY;
    self->n_visits = 0;
    for (size_t p = 0; p < n; p++) {
        const size_t i = self->order[p];
        const bool sampled = p % every == 0;
        if (self->rest[i].left > 0) {
            self->rest[i].left--;
            if (!sampled) continue;
        }
        self->sampled_here[self->n_visits] = sampled;
        self->visits[self->n_visits++] = i;
    }
}

static void begin_epoch(tl_solver *self) {
    tl_accelerate_begin_pass(self);
    if (self->runs != NULL)
        shuffle_windows(self);
    else
        tl_shuffle(&self->random_state, self->data.n, self->order);
    choose_visits(self);
    self->position = 0;
    self->sample = (tl_sample){0};
    self->at_zero = false;
}

static void end_epoch(tl_solver *self) {
    self->epochs++;
    self->sampled = self->sample;
    tl_accelerate_end_pass(self);
}

/* Visits after which the memory of a window is given back: whole blocks, and fewer where rows rest,
 * since the operating system maps the neighbours of a row as well. */
static size_t visits_of_window(const tl_solver *self) {
    const double share = (double)self->n_visits / (double)self->data.n;
    const size_t visits = (size_t)((double)self->settings.window * share);
    return visits > self->block ? visits / self->block * self->block : self->block;
}

tl_status tl_solver_step(tl_solver *self, size_t rows, int *ended) {
    if (self == NULL || ended == NULL) return TL_ERR_NULL;
    if (self->position == self->n_visits) begin_epoch(self);
    const size_t left = self->n_visits - self->position;
    size_t count = rows < left ? rows / self->block * self->block : left;
    if (count == 0) count = self->block < left ? self->block : left;
    const size_t window = self->runs != NULL ? visits_of_window(self) : 0;
    if (window > 0) { /* not beyond the window, whose rows are then given back */
        const size_t of_window = window - self->position % window;
        count = count < of_window ? count : of_window;
    }
    const size_t *index = self->visits + self->position;
    if (self->by_rows)
        tl_rows_epoch(self, count, index);
    else
        tl_blocks_epoch(self, count, index);
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
