/* SPDX-License-Identifier: MIT */
/* Passes until the gap is small: when to evaluate, and when to stop. */
#include "solve.h"

#include "settings.h"
#include "tuning.h"

#include <float.h>
#include <math.h>

/* The best values so far, and for how many windows in a row they have not improved. */
typedef struct progress {
    uint64_t epoch;
    double dual, primal, gap;
    int windows;
} progress;

typedef struct loop {
    const tl_iterative *iterative;
    const tl_stopping *stopping;
    tl_objective *objective;
    uint64_t epoch;     /* made in this call */
    uint64_t evaluated; /* epoch of the last evaluation */
    double estimate;    /* of the gap, at the end of the last epoch */
    double factor;      /* gap over estimate, at the last evaluation that had one */
    bool is_evaluated;  /* is *objective that of the present point? */
    progress progress;
} loop;

tl_status tl_fill_objective(tl_objective *objective, double primal, double dual, double rounding) {
    if (!isfinite(primal) || !isfinite(dual)) return TL_ERR_OVERFLOW;
    const double size = fmax(fabs(primal), fabs(dual));
    objective->primal = primal;
    objective->dual = dual;
    objective->rounding = rounding < INFINITY ? rounding : INFINITY; /* or NaN, of inf times 0 */
    objective->relative_gap =
        size == 0.0 ? 0.0 : (fabs(primal - dual) + objective->rounding) / size;
    return TL_OK;
}

/* The callback's answer. */
static int call_back(const loop *self, const tl_objective *objective) {
    const tl_stopping *stopping = self->stopping;
    return stopping->callback ? stopping->callback(stopping->user, objective) : 0;
}

static tl_status evaluate(loop *self) {
    if (self->is_evaluated) return TL_OK;
    const tl_status status = self->iterative->evaluate(self->iterative->solver, self->objective);
    if (status != TL_OK) return status;
    const double gap = self->objective->relative_gap;
    if (self->estimate > 0.0 && isfinite(self->estimate) && gap > 0.0)
        self->factor = fmin(fmax(gap / self->estimate, TL_LEAST_FACTOR), TL_MOST_FACTOR);
    self->evaluated = self->epoch;
    self->is_evaluated = true;
    return TL_OK;
}

static bool is_converged(const loop *self) {
    return self->objective->relative_gap <= self->stopping->tol;
}

/* Would it have converged but for rounding, which more passes would not change? */
static bool is_imprecise(const loop *self) {
    const tl_objective *now = self->objective;
    const double allowed = self->stopping->tol * fmax(fabs(now->primal), fabs(now->dual));
    return now->primal - now->dual <= allowed && 2.0 * now->rounding > allowed && allowed > 0.0;
}

static bool is_due(const loop *self) {
    const tl_stopping *stopping = self->stopping;
    const uint64_t since = self->epoch - self->evaluated;
    if (self->epoch >= stopping->max_iter) return true;
    if (stopping->eval_every > 0) return since >= stopping->eval_every;
    const tl_iterative *iterative = self->iterative;
    if (iterative->is_worth_it && !iterative->is_worth_it(iterative->solver)) return false;
    if (self->factor * self->estimate <= stopping->tol) return true;
    const uint64_t half = self->evaluated / 2;
    return since >= (half > TL_LONGEST ? half : TL_LONGEST);
}

/* D changed by rounding only, and neither P nor the gap fell, in several windows in a row, each of
 * ever more epochs: where D is flat the gap may go on falling, slowly, for long. With acceleration
 * D may also swing below its best, and rounding does so by more; without, it never falls. */
static bool is_stalled(loop *self) {
    progress *best = &self->progress;
    const tl_objective *now = self->objective;
    const tl_iterative *iterative = self->iterative;
    const bool has_float32 = iterative->has_float32 && iterative->has_float32(iterative->solver);
    const uint64_t part = self->epoch / TL_STALLED_PART;
    if (self->epoch - best->epoch < (part > TL_STALLED_EPOCHS ? part : TL_STALLED_EPOCHS))
        return false;
    const double rise = now->dual - best->dual,
                 rounding = (has_float32 ? FLT_EPSILON : DBL_EPSILON) * fabs(now->dual);
    const bool still = rise <= rounding && -rise <= TL_LARGEST_SWING * rounding &&
                       now->primal >= TL_STILL * best->primal &&
                       now->relative_gap >= TL_STILL * best->gap;
    best->windows = still ? best->windows + 1 : 0;
    best->epoch = self->epoch;
    best->dual = fmax(best->dual, now->dual);
    best->primal = fmin(best->primal, now->primal);
    best->gap = fmin(best->gap, now->relative_gap);
    if (best->windows < TL_STALLED_WINDOWS) return false;
    best->windows = 0;
    return !(iterative->widen && iterative->widen(iterative->solver));
}

/* Passes until an evaluation is due, or the callback says stop: *answer. */
static tl_status make_passes(loop *self, int *answer) {
    const tl_iterative *iterative = self->iterative;
    for (;;) {
        *answer = call_back(self, NULL);
        if (*answer != 0) return TL_OK;
        int ended = 0;
        self->is_evaluated = false;
        const size_t rows = self->stopping->rows > 0 ? self->stopping->rows : SIZE_MAX;
        const tl_status status = iterative->step(iterative->solver, rows, &ended);
        if (status != TL_OK) return status;
        if (!ended) continue;
        self->epoch++;
        self->estimate = iterative->estimate(iterative->solver);
        if (!is_due(self)) continue;
        *answer = call_back(self, NULL); /* for the caller's clock: the passes end here */
        return TL_OK;
    }
}

/* Is the start seen to be far from tol without an evaluation? */
static bool is_far(const loop *self) {
    const tl_stopping *stopping = self->stopping;
    if (stopping->eval_every > 0 || stopping->eval_start || stopping->max_iter == 0) return false;
    const double estimate = self->iterative->estimate(self->iterative->solver);
    return TL_FAR * stopping->tol < estimate && isfinite(estimate);
}

/* What ends the run at the evaluated point; TL_RUNNING if nothing does. */
static tl_outcome judge(loop *self, int answer) {
    if (is_converged(self)) return TL_CONVERGED;
    if (is_imprecise(self)) return TL_IMPRECISE;
    if (answer != 0) return TL_STOPPED;
    if (self->epoch >= self->stopping->max_iter) return TL_MAX_ITER;
    return self->stopping->tol > 0.0 && is_stalled(self) ? TL_STALLED : TL_RUNNING;
}

static tl_status run(loop *self, tl_outcome *outcome) {
    bool skip = is_far(self);
    *outcome = TL_RUNNING;
    for (;;) {
        tl_status status = skip ? TL_OK : evaluate(self);
        if (status != TL_OK) return status;
        if (!skip) *outcome = judge(self, call_back(self, self->objective));
        if (*outcome != TL_RUNNING) return TL_OK;
        skip = false;
        int answer = 0;
        status = make_passes(self, &answer);
        if (status != TL_OK) return status;
        if (answer == 0) continue;
        *outcome = TL_STOPPED;
        if (answer < 0 || self->is_evaluated) return TL_OK;
        status = evaluate(self);
        if (status != TL_OK) return status;
        call_back(self, self->objective);
        const bool at_end = self->epoch >= self->stopping->max_iter;
        *outcome = judge(self, at_end ? 0 : answer);
        return TL_OK;
    }
}

tl_status tl_solve(const tl_iterative *iterative, const tl_stopping *stopping,
                   tl_objective *objective, tl_outcome *outcome) {
    tl_stopping known;
    tl_status status = tl_stopping_copy(stopping, &known);
    if (status == TL_OK && !(known.tol >= 0.0)) status = TL_ERR_PARAMETER;
    if (status != TL_OK) return status;
    loop self = {.iterative = iterative,
                 .stopping = &known,
                 .objective = objective,
                 .factor = TL_FIRST_FACTOR,
                 .estimate = INFINITY,
                 .progress = {.dual = -INFINITY, .primal = INFINITY, .gap = INFINITY}};
    status = run(&self, outcome);
    if (status != TL_ERR_OVER) return status;
    *outcome = TL_STOPPED;
    return TL_OK;
}
