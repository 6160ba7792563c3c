/* SPDX-License-Identifier: MIT */
/* The solvers of the simplex coding on whatever the bytes say. A status comes back; on failure the
 * caller's arrays are what they were; on success the dual variables are in their box, the dual
 * objective has not fallen, it is below the primal one, and a projected step stays in the ball. */
#include "fuzz_problem.h"

/* ---- the two SVMs ---- */

typedef struct svm {
    const problem *p;
    tl_simplex_loss loss;
    double C;
    double *alpha;
    size_t each; /* variables of an example */
} svm;

static size_t label_of(const problem *p, size_t i) {
    return (size_t)p->label[p->label_start[i]];
}

static void check_box(const svm *s) {
    const problem *p = s->p;
    for (size_t i = 0; i < p->n; i++) {
        const double box = s->C * (p->data.weight != NULL ? p->data.weight[i] : 1.0);
        for (size_t j = 0; j < s->each; j++) {
            const double alpha = s->alpha[i * s->each + j];
            DEMAND(alpha >= 0.0 && alpha <= box);
            if (s->each > 1 && j == label_of(p, i)) DEMAND(alpha == 0.0);
        }
    }
}

/* (sum_i alpha_i ||x_i||)^2, roughly: what rounding of the products <x_i, x_j>, and of a Gram
 * matrix that was semidefinite before it was rounded, is relative to. */
static double largest_norm2(const svm *s) {
    double sum = 0.0;
    for (size_t i = 0; i < s->p->n * s->each; i++)
        sum += s->alpha[i];
    sum *= largest_norm(s->p);
    return sum * sum;
}

static double total_weight(const problem *p) {
    double sum = 0.0;
    for (size_t i = 0; i < p->n; i++)
        sum += p->data.weight != NULL ? p->data.weight[i] : 1.0;
    return sum;
}

/* Whether the objectives are numbers; the dual one must not be below what it was before. */
static int check_objective(const svm *s, tl_simplex *solver, double dual_before) {
    tl_objective now;
    const tl_status status = tl_simplex_evaluate(solver, &now);
    if (status != TL_OK) {
        DEMAND(status == TL_ERR_OVERFLOW ||
               (status == TL_ERR_INDEFINITE && !s->p->is_semidefinite));
        return 0;
    }
    DEMAND(isfinite(now.primal) && isfinite(now.dual) && isfinite(now.norm2));
    DEMAND(!isnan(now.relative_gap));
    if (!s->p->is_semidefinite) return 1;
    const double norm2 = largest_norm2(s);
    const double scores = largest_norm(s->p) * sqrt(norm2) * (double)s->p->m;
    const double size = fmax(scores, norm2 / (s->C * total_weight(s->p)));
    const double rounding = 1e-13 * size + 1e-9 * fmax(fabs(now.primal), fabs(now.dual)) + 1e-300;
    DEMAND(now.norm2 >= -1e-13 * norm2);
    DEMAND(now.primal - now.dual >= -rounding);
    DEMAND(now.dual >= dual_before - rounding);
    return 1;
}

static void check_results(const svm *s, tl_simplex *solver) {
    const problem *p = s->p;
    const size_t k = p->m - 1;
    double *a = exact_doubles(p->n * k), *weights = exact_doubles(p->d * k);
    DEMAND(tl_simplex_coefficients(solver, a) == TL_OK);
    DEMAND(all_finite(p->n * k, a));
    const tl_status status = tl_simplex_weights(solver, weights);
    DEMAND((status == TL_OK) == (p->data.representation != TL_GRAM));
    if (status == TL_OK) DEMAND(all_finite(p->d * k, weights));
    free(a);
    free(weights);
}

typedef struct listener {
    bytes *in;
    const svm *s;
    int last; /* answer */
} listener;

static int hear(void *user, const tl_objective *objective) {
    listener *l = user;
    DEMAND(l->last >= 0);
    check_box(l->s);
    if (objective != NULL) DEMAND(isfinite(objective->primal) && isfinite(objective->dual));
    if (l->last == 0 && take_one_in(l->in, 16)) l->last = (int)take_choice(l->in, 4) - 1;
    return l->last;
}

/* To a tolerance, whatever the rules are. */
static void solve(bytes *in, const svm *s, tl_simplex *solver) {
    listener l = {.in = in, .s = s};
    const tl_stopping stopping = take_stopping(in, hear, &l);
    tl_objective objective;
    tl_outcome outcome = TL_RUNNING;
    const tl_status status = tl_simplex_solve(solver, &stopping, &objective, &outcome);
    DEMAND((status == TL_ERR_PARAMETER) == !(stopping.tol >= 0.0));
    if (status != TL_OK) {
        DEMAND(status == TL_ERR_PARAMETER || status == TL_ERR_OVERFLOW ||
               (status == TL_ERR_INDEFINITE && !s->p->is_semidefinite));
        return;
    }
    DEMAND(outcome > TL_RUNNING && outcome <= TL_STOPPED);
    if (l.last < 0) DEMAND(outcome != TL_RUNNING && outcome != TL_MAX_ITER);
    if (l.last >= 0) DEMAND((outcome == TL_CONVERGED) == (objective.relative_gap <= stopping.tol));
}

static void run_svm(bytes *in, svm *s, tl_simplex *solver) {
    tl_objective start;
    check_box(s);
    const int started = check_objective(s, solver, -INFINITY);
    if (started) DEMAND(tl_simplex_evaluate(solver, &start) == TL_OK);
    DEMAND(tl_simplex_run(solver, 1 + take_choice(in, 4)) == TL_OK);
    check_box(s);
    if (started) check_objective(s, solver, start.dual);
    check_results(s, solver);
    const double C = take_parameter(in);
    double *alpha = copy_of(s->alpha, s->p->n * s->each * sizeof *alpha);
    if (tl_simplex_set_C(solver, C) == TL_OK)
        s->C = C;
    else
        DEMAND(memcmp(alpha, s->alpha, s->p->n * s->each * sizeof *alpha) == 0);
    free(alpha);
    check_box(s);
    DEMAND(tl_simplex_run(solver, 1) == TL_OK);
    if (take_one_in(in, 2)) solve(in, s, solver);
    check_box(s);
    check_objective(s, solver, -INFINITY);
    /* Where one run ends another may begin. */
    tl_simplex *again = NULL;
    DEMAND(tl_simplex_create(&s->p->data, s->loss, s->C, 0, s->alpha, &again) == TL_OK);
    tl_simplex_free(again);
}

static void try_svm(bytes *in, const problem *p) {
    svm s = {.p = p, .loss = TL_SIMPLEX_SC_SVM, .C = 1.0};
    if (take_one_in(in, 2)) s.loss = TL_SIMPLEX_SH_SVM;
    if (take_one_in(in, 64)) s.loss = (tl_simplex_loss)take_bits(in, 1);
    if (take_one_in(in, 2)) s.C = take_parameter(in);
    s.each = s.loss == TL_SIMPLEX_SH_SVM ? 1 : p->m;
    const size_t count = p->n * s.each;
    s.alpha = exact_doubles(count);
    memset(s.alpha, 0, count * sizeof *s.alpha);
    if (take_one_in(in, 8)) fill_numbers(in, count, s.alpha);
    double *alpha = copy_of(s.alpha, count * sizeof *alpha);
    tl_simplex *solver = NULL;
    const uint64_t seed = take_bits(in, 1);
    const tl_status status = tl_simplex_create(&p->data, s.loss, s.C, seed, s.alpha, &solver);
    DEMAND(status >= TL_OK && status < TL_STATUS_COUNT);
    if (status == TL_OK) {
        DEMAND(solver != NULL && p->data.type == TL_FLOAT64);
        run_svm(in, &s, solver);
        tl_simplex_free(solver);
    } else {
        DEMAND(solver == NULL);
        DEMAND(memcmp(alpha, s.alpha, count * sizeof *alpha) == 0);
    }
    free(alpha);
    free(s.alpha);
}

/* ---- online ---- */

static double norm_of(size_t n, const double *x) {
    double largest = 0.0, sum = 0.0;
    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(x[i]));
    for (size_t i = 0; i < n && largest > 0.0; i++)
        sum += (x[i] / largest) * (x[i] / largest);
    return largest * sqrt(sum);
}

static void try_online(bytes *in, const problem *p) {
    tl_online_settings settings = {.size = sizeof(tl_online_settings),
                                   .loss = (tl_simplex_loss)take_choice(in, TL_SIMPLEX_LOSS_COUNT),
                                   .lambda = take_one_in(in, 2) ? take_parameter(in) : 0.1,
                                   .radius = INFINITY,
                                   .t0 = take_one_in(in, 4) ? take_parameter(in) : 0.0,
                                   .epochs = take_choice(in, 5),
                                   .seed = take_bits(in, 1),
                                   .average = (int)take_choice(in, 2)};
    if (take_one_in(in, 64)) settings.loss = (tl_simplex_loss)take_bits(in, 1);
    if (take_one_in(in, 2)) settings.radius = take_parameter(in);
    const size_t count = p->d * (p->m - 1);
    double *weights = exact_doubles(count);
    fill_numbers(in, count, weights);
    double *before = copy_of(weights, count * sizeof *weights);
    const tl_status status = tl_simplex_online(&p->data, &settings, weights);
    DEMAND(status >= TL_OK && status < TL_STATUS_COUNT);
    if (status == TL_OK) {
        DEMAND(settings.epochs > 0 && p->data.weight == NULL);
        DEMAND(all_finite(count, weights));
        DEMAND(norm_of(count, weights) <= settings.radius * (1.0 + 1e-6));
    } else {
        DEMAND(memcmp(before, weights, count * sizeof *weights) == 0);
    }
    free(before);
    free(weights);
}

static void try_codes(bytes *in) {
    const size_t classes = take_choice(in, 12);
    double *codes = exact_doubles(classes > 0 ? (classes - 1) * classes : 0);
    DEMAND((tl_simplex_codes(classes, codes) == TL_OK) == (classes >= 2));
    for (size_t y = 0; y < classes && classes >= 2; y++) {
        double norm2 = 0.0;
        for (size_t r = 0; r + 1 < classes; r++)
            norm2 += codes[r * classes + y] * codes[r * classes + y];
        DEMAND(fabs(norm2 - 1.0) <= 1e-15 * (double)classes);
    }
    free(codes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    bytes in = {data, size};
    problem p = take_shape(&in);
    if (!take_one_in(&in, 16)) p.data.type = TL_FLOAT64;
    take_labels(&in, &p, take_one_in(&in, 32));
    take_features(&in, &p);
    if (take_one_in(&in, 4)) take_weights(&in, &p);
    if (take_one_in(&in, 16)) spoil(&in, &p);
    void *x = copy_of(p.x, p.x_size);
    try_svm(&in, &p);
    try_online(&in, &p);
    try_codes(&in);
    DEMAND(memcmp(x, p.x, p.x_size) == 0);
    free(x);
    free_problem(&p);
    return 0;
}
