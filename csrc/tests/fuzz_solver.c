/* SPDX-License-Identifier: MIT */
/* The solver and the losses on whatever the bytes say: data, settings and starting points, right
 * and wrong. A status comes back; on failure the caller's arrays are what they were; on success the
 * dual variables stay feasible and the objectives finite. */
#include "fuzz_problem.h"

typedef struct training {
    problem p;
    tl_settings settings;
    double *dual, *center, *start;
} training;

/* ---- inputs ---- */

static void take_settings(bytes *in, training *t) {
    tl_settings *s = &t->settings;
    tl_settings_default(s);
    s->loss = (tl_loss_id)take_choice(in, TL_LOSS_COUNT + (take_one_in(in, 32) ? 2 : 0));
    tl_traits traits = {0};
    tl_loss_traits(s->loss, &traits); /* TL_ERR_LOSS for what is none */
    if (traits.has_k) s->k = 1 + take_choice(in, t->p.m);
    if (take_one_in(in, 64)) s->k = (size_t)take_bits(in, 8);
    if (take_one_in(in, 2)) s->gamma = take_parameter(in);
    if (take_one_in(in, 2)) s->C = take_parameter(in);
    if (take_one_in(in, 8)) s->C_start = take_parameter(in);
    s->seed = take_bits(in, 1);
    s->block = take_one_in(in, 2) ? take_choice(in, 20) : 0;
    if (take_one_in(in, 64)) s->block = SIZE_MAX;
    s->float32_passes = take_one_in(in, 2);
    s->lagrangian = s->seed % 4;
    if (take_one_in(in, 4)) s->window = take_one_in(in, 8) ? SIZE_MAX : take_choice(in, 12);
    if (take_one_in(in, 8)) {
        t->center = exact_doubles(t->p.d * t->p.m);
        fill_numbers(in, t->p.d * t->p.m, t->center);
        s->center = t->center;
    }
}

static void take_acceleration(bytes *in, training *t) {
    tl_settings *s = &t->settings;
    if (take_one_in(in, 4)) s->acceleration = 0.0;
    if (take_one_in(in, 2)) s->acceleration = take_parameter(in);
    if (take_one_in(in, 4)) s->start_r = take_parameter(in);
    if (!take_one_in(in, 4)) return;
    const size_t size = (t->p.data.representation == TL_GRAM ? t->p.n : t->p.d) * t->p.m;
    t->start = exact_doubles(size);
    fill_numbers(in, size, t->start);
    s->start = t->start;
}

static training take_training(bytes *in) {
    training t = {.p = take_shape(in)};
    problem *p = &t.p;
    take_settings(in, &t);
    take_acceleration(in, &t);
    take_labels(in, p, take_one_in(in, 2));
    take_features(in, p);
    if (take_one_in(in, 4)) take_weights(in, p);
    if (take_one_in(in, 4)) p->data.constant = take_parameter(in);
    t.dual = exact_doubles(p->n * p->m);
    memset(t.dual, 0, p->n * p->m * sizeof *t.dual);
    if (take_one_in(in, 8)) fill_numbers(in, p->n * p->m, t.dual);
    if (take_one_in(in, 16)) spoil(in, p);
    return t;
}

static void free_training(training *t) {
    free(t->dual);
    free(t->center);
    free(t->start);
    free_problem(&t->p);
}

/* ---- what must hold ---- */

static int is_objective(const problem *p, tl_status status, const tl_objective *objective) {
    if (status != TL_OK) {
        DEMAND(status == TL_ERR_OVERFLOW || (status == TL_ERR_INDEFINITE && !p->is_semidefinite));
        return 0;
    }
    DEMAND(isfinite(objective->primal) && isfinite(objective->dual));
    DEMAND(!isnan(objective->relative_gap) && isfinite(objective->norm2));
    return 1;
}

/* A bound on ||W||, roughly. */
static double largest_weights(const training *t, double norm2) {
    const size_t count = t->p.d * t->p.m;
    double largest = 0.0;
    for (size_t i = 0; t->center != NULL && i < count; i++)
        largest = fmax(largest, fabs(t->center[i]));
    return sqrt(fabs(norm2)) + largest * (double)count;
}

/* The dual variables and weights of a run are a starting point of another, unless subnormal. */
static void check_restart(const training *t, const tl_settings *settings) {
    const problem *p = &t->p;
    for (size_t i = 0; p->weight != NULL && i < p->n; i++)
        if (p->weight[i] > 0.0 && settings->C * p->weight[i] < 1e-290) return;
    tl_solver *again = NULL;
    const tl_status status = tl_solver_create(&p->data, settings, t->dual, &again);
    if (status != TL_OK) fprintf(stderr, "refused: %s\n", tl_status_text(status));
    DEMAND(status == TL_OK);
    tl_solver_free(again);
}

typedef struct listener {
    bytes *in;
    const training *t;
    size_t told;
    int last; /* answer */
} listener;

static int hear(void *user, const tl_objective *objective) {
    listener *l = user;
    DEMAND(l->last >= 0);
    DEMAND(all_finite(l->t->p.n * l->t->p.m, l->t->dual));
    if (objective != NULL) {
        DEMAND(is_objective(&l->t->p, TL_OK, objective));
        l->told++;
    }
    if (l->last == 0 && take_one_in(l->in, 16)) l->last = (int)take_choice(l->in, 4) - 1;
    return l->last;
}

/* To a tolerance, whatever the rules are. */
static void solve(bytes *in, const training *t, tl_solver *solver) {
    listener l = {.in = in, .t = t};
    const tl_stopping stopping = take_stopping(in, hear, &l);
    tl_objective objective, now;
    tl_outcome outcome = TL_RUNNING;
    const tl_status status = tl_solver_solve(solver, &stopping, &objective, &outcome);
    DEMAND((status == TL_ERR_PARAMETER) == !(stopping.tol >= 0.0));
    if (status == TL_ERR_PARAMETER) return;
    if (l.last < 0) {
        DEMAND(status == TL_OK && outcome != TL_RUNNING && outcome != TL_MAX_ITER);
        return;
    }
    if (!is_objective(&t->p, status, &objective)) return;
    DEMAND(outcome > TL_RUNNING && outcome <= TL_STOPPED);
    DEMAND((outcome == TL_CONVERGED) == (objective.relative_gap <= stopping.tol));
    if (outcome == TL_STOPPED) DEMAND(l.last > 0);
    if (stopping.callback != NULL) DEMAND(l.told > 0);
    if (tl_solver_evaluate(solver, &now) == TL_OK) DEMAND(now.epochs == objective.epochs);
}

static void run(bytes *in, const training *t, tl_solver *solver) {
    const problem *p = &t->p;
    tl_objective objective = {.norm2 = INFINITY};
    tl_settings settings = t->settings;
    settings.C_start = settings.start_r = 0.0;
    settings.start = NULL;
    tl_status status = tl_solver_evaluate(solver, &objective);
    const double start = is_objective(p, status, &objective) ? objective.primal : 0.0;
    DEMAND(tl_solver_run(solver, 1 + take_choice(in, 4)) == TL_OK);
    DEMAND(all_finite(p->n * p->m, t->dual));
    int ended = 0;
    DEMAND(tl_solver_step(solver, take_choice(in, 10), &ended) == TL_OK);
    DEMAND(ended == 0 || ended == 1);
    status = tl_solver_estimate(solver, &objective);
    if (status == TL_OK) DEMAND(!isnan(objective.primal));
    if (take_one_in(in, 4)) {
        const double C = take_parameter(in);
        status = tl_solver_set_C(solver, C);
        if (status == TL_OK) settings.C = C;
        DEMAND(tl_solver_run(solver, 1) == TL_OK);
    }
    if (take_one_in(in, 2)) solve(in, t, solver);
    DEMAND(all_finite(p->n * p->m, t->dual));
    if (is_objective(p, tl_solver_evaluate(solver, &objective), &objective)) {
        /* Losses are rounded relative to the scores, of which a tiny loss is a difference. */
        const double scores = largest_norm(p) * largest_weights(t, objective.norm2);
        const double size = fmax(fmax(1.0, fabs(start)), fmax(objective.primal, -objective.dual));
        DEMAND(objective.primal - objective.dual >= -1e-9 * fmax(scores, size));
    }
    const int is_gram = p->data.representation == TL_GRAM;
    const size_t size = (is_gram ? p->n : p->d) * p->m;
    double *weights = exact_doubles(size);
    DEMAND(tl_solver_weights(solver, weights) == (is_gram ? TL_ERR_PARAMETER : TL_OK));
    DEMAND(tl_solver_coefficients(solver, weights) == (is_gram ? TL_OK : TL_ERR_PARAMETER));
    DEMAND(all_finite(size, weights));
    /* Their square, which may overflow in an evaluation, must not in a start. */
    if (fabs(objective.norm2) < 1e280) settings.start = weights;
    check_restart(t, &settings);
    free(weights);
}

static double largest_score(size_t m, const double *scores) {
    double largest = 1.0;
    for (size_t j = 0; j < m; j++)
        largest = fmax(largest, fabs(scores[j]));
    return largest;
}

static void check_losses(bytes *in, const training *t) {
    const problem *p = &t->p;
    const size_t count = p->n * p->m;
    const tl_settings *s = &t->settings;
    double *scores = exact_doubles(count), *values = exact_doubles(p->n);
    double *gradients = exact_doubles(count);
    fill_numbers(in, count, scores);
    const size_t n = p->data.n, m = p->data.m;
    if (tl_loss_values(s->loss, s->k, s->gamma, n, m, scores, p->data.label_start, p->data.label,
                       values) == TL_OK)
        for (size_t i = 0; i < p->n; i++)
            DEMAND(values[i] >= -1e-14 * largest_score(p->m, scores + i * p->m));
    const tl_status status = tl_loss_gradients(s->loss, s->k, s->gamma, n, m, scores,
                                               p->data.label_start, p->data.label, gradients);
    if (status == TL_OK) DEMAND(all_finite(count, gradients));
    /* A gradient lies in the domain of the conjugate, where that is finite; that of
     * larger scores loses its digits. */
    if (status == TL_OK && largest_score(count, scores) <= 1e5 &&
        tl_loss_conjugates(s->loss, s->k, s->gamma, n, m, gradients, p->data.label_start,
                           p->data.label, values) == TL_OK)
        DEMAND(all_finite(n, values));
    if (tl_loss_conjugates(s->loss, s->k, s->gamma, n, m, scores, p->data.label_start,
                           p->data.label, values) == TL_OK)
        for (size_t i = 0; i < p->n; i++)
            DEMAND(!isnan(values[i]));
    free(scores);
    free(values);
    free(gradients);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    bytes in = {data, size};
    training t = take_training(&in);
    const problem *p = &t.p;
    const size_t dual_size = p->n * p->m * sizeof *t.dual;
    double *dual = copy_of(t.dual, dual_size);
    void *x = copy_of(p->x, p->x_size);

    tl_solver *solver = NULL;
    const tl_status status = tl_solver_create(&p->data, &t.settings, t.dual, &solver);
    DEMAND(status >= TL_OK && status < TL_STATUS_COUNT);
    if (status == TL_OK) {
        DEMAND(solver != NULL);
        run(&in, &t, solver);
        tl_solver_free(solver);
    } else {
        DEMAND(solver == NULL);
        DEMAND(memcmp(dual, t.dual, dual_size) == 0);
    }
    DEMAND(memcmp(x, p->x, p->x_size) == 0);
    if (p->data.n == p->n && p->data.m == p->m) check_losses(&in, &t);
    free(dual);
    free(x);
    free_training(&t);
    return 0;
}
