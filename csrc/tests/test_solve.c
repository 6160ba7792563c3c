/* SPDX-License-Identifier: MIT */
/* Solving to a tolerance: when the loop evaluates, what ends it, and what it tells its caller. The
 * schedule is seen with a solver whose gaps and estimates are given. */
#include "solve.h"
#include "solver_problem.h"

/* ---- the schedule ---- */

enum { PASSES = 200 };

typedef struct script {
    double gaps[PASSES + 1], estimates[PASSES + 1], duals[PASSES + 1];
    uint64_t worth_every; /* an evaluation is of use after so many passes */
    uint64_t epoch, evaluations, evaluated[PASSES + 1];
    tl_status step_status, evaluate_status;
    bool in_float32; /* passes in float32, which the solver can leave */
} script;

static tl_status script_step(void *user, size_t rows, int *ended) {
    script *s = user;
    CHECK(rows == SIZE_MAX);
    CHECK(s->epoch < PASSES);
    s->epoch++;
    *ended = 1;
    return s->step_status;
}

static tl_status script_evaluate(void *user, tl_objective *objective) {
    script *s = user;
    if (s->evaluate_status != TL_OK) return s->evaluate_status;
    const double dual = s->duals[s->epoch], gap = s->gaps[s->epoch];
    *objective =
        (tl_objective){.primal = dual + gap, .dual = dual, .relative_gap = gap, .epochs = s->epoch};
    s->evaluated[s->evaluations++] = s->epoch;
    return TL_OK;
}

static double script_estimate(const void *user) {
    const script *s = user;
    return s->estimates[s->epoch];
}

static bool script_is_worth_it(const void *user) {
    const script *s = user;
    return s->epoch % s->worth_every == 0;
}

static bool script_has_float32(const void *user) {
    const script *s = user;
    return s->in_float32;
}

static bool script_widen(void *user) {
    script *s = user;
    const bool was_float32 = s->in_float32;
    s->in_float32 = false;
    return was_float32;
}

static script begin(void) {
    script s = {.worth_every = 1};
    for (size_t i = 0; i <= PASSES; i++) {
        s.gaps[i] = 1.0;
        s.estimates[i] = INFINITY;
        s.duals[i] = (double)i;
    }
    return s;
}

static tl_iterative iterative_of(script *s) {
    return (tl_iterative){.solver = s,
                          .step = script_step,
                          .evaluate = script_evaluate,
                          .estimate = script_estimate,
                          .is_worth_it = script_is_worth_it,
                          .has_float32 = script_has_float32,
                          .widen = script_widen};
}

static tl_outcome solve_script(script *s, const tl_stopping *stopping) {
    const tl_iterative iterative = iterative_of(s);
    tl_objective objective;
    tl_outcome outcome = TL_RUNNING;
    CHECK(tl_solve(&iterative, stopping, &objective, &outcome) == TL_OK);
    CHECK(outcome != TL_RUNNING);
    CHECK(objective.epochs == s->epoch);
    return outcome;
}

static void check_evaluated(const script *s, size_t count, const uint64_t *epochs) {
    CHECK(s->evaluations == count);
    for (size_t i = 0; i < count && i < s->evaluations; i++)
        CHECK(s->evaluated[i] == epochs[i]);
}

/* The estimate is trusted as far as it went when last it was compared with a gap. */
static void test_estimates(void) {
    tl_stopping stopping;
    tl_stopping_default(&stopping);
    CHECK(stopping.tol == 1e-3 && stopping.max_iter == 1000 && stopping.callback == NULL);
    CHECK(stopping.eval_every == 0 && stopping.eval_start == 0 && stopping.rows == 0);
    script s = begin();
    s.estimates[1] = 0.1;
    s.estimates[2] = 1e-3; /* too good: the gap is 4e-3, and the factor becomes 2 */
    s.gaps[2] = 4e-3;
    s.estimates[3] = 6e-4;
    s.estimates[4] = 4e-4;
    s.gaps[4] = 1e-3;
    CHECK(solve_script(&s, &stopping) == TL_CONVERGED);
    const uint64_t expected[] = {0, 2, 4};
    check_evaluated(&s, 3, expected);

    /* Not within an outer step. */
    s = begin();
    s.worth_every = 4;
    for (size_t i = 1; i <= PASSES; i++)
        s.estimates[i] = 1e-9;
    s.gaps[4] = 1e-4;
    CHECK(solve_script(&s, &stopping) == TL_CONVERGED);
    const uint64_t steps[] = {0, 4};
    check_evaluated(&s, 2, steps);

    /* A start that is seen to be far is not evaluated, unless someone asks. */
    s = begin();
    s.estimates[0] = 1.0;
    s.estimates[1] = 1e-9;
    s.gaps[1] = 0.0;
    CHECK(solve_script(&s, &stopping) == TL_CONVERGED);
    const uint64_t late[] = {1};
    check_evaluated(&s, 1, late);
    for (int way = 0; way < 3; way++) {
        tl_stopping asking = stopping;
        if (way == 0) asking.eval_start = 1;
        if (way == 1) asking.eval_every = 1;
        if (way == 2) asking.max_iter = 0;
        s.epoch = s.evaluations = 0;
        CHECK(solve_script(&s, &asking) == (way == 2 ? TL_MAX_ITER : TL_CONVERGED));
        const uint64_t both[] = {0, 1};
        check_evaluated(&s, way == 2 ? 1 : 2, both);
    }
}

/* Without an estimate near tol: from time to time, ever more rarely; or as often as asked. */
static void test_without_estimates(void) {
    tl_stopping stopping;
    tl_stopping_default(&stopping);
    stopping.max_iter = 100;
    script s = begin();
    CHECK(solve_script(&s, &stopping) == TL_MAX_ITER);
    const uint64_t rare[] = {0, 8, 16, 24, 36, 54, 81, 100};
    check_evaluated(&s, 8, rare);

    s = begin();
    s.worth_every = 5; /* asked for, an evaluation comes even amid a step */
    stopping.eval_every = 3;
    stopping.max_iter = 10;
    CHECK(solve_script(&s, &stopping) == TL_MAX_ITER);
    const uint64_t often[] = {0, 3, 6, 9, 10};
    check_evaluated(&s, 5, often);
}

/* D rises by rounding only, P and the gap do not fall: stalled, but not with tol 0. */
static void test_stalls(void) {
    tl_stopping stopping;
    tl_stopping_default(&stopping);
    stopping.max_iter = PASSES;
    stopping.eval_every = 1;
    script s = begin();
    for (size_t i = 0; i <= PASSES; i++)
        s.duals[i] = 1.0;
    CHECK(solve_script(&s, &stopping) == TL_STALLED);
    CHECK(s.epoch >= 20 && s.epoch <= 25);
    s.epoch = s.evaluations = 0;
    s.in_float32 = true; /* as long again, in float64 */
    CHECK(solve_script(&s, &stopping) == TL_STALLED);
    CHECK(!s.in_float32 && s.epoch >= 35 && s.epoch <= 60);
    s.epoch = s.evaluations = 0;
    stopping.tol = 0.0;
    CHECK(solve_script(&s, &stopping) == TL_MAX_ITER);
    stopping.tol = 1e-3;
    for (int what = 0; what < 2; what++) {
        s = begin(); /* slow progress is none of it */
        for (size_t i = 0; i <= PASSES; i++) {
            s.duals[i] = what == 0 ? 1.0 + 1e-9 * (double)i : 1.0;
            s.gaps[i] = what == 1 ? pow(0.99, (double)i) : 1.0;
        }
        CHECK(solve_script(&s, &stopping) == TL_MAX_ITER);
    }
}

static void test_failures(void) {
    tl_stopping stopping;
    tl_stopping_default(&stopping);
    for (int which = 0; which < 2; which++) {
        script s = begin();
        *(which ? &s.step_status : &s.evaluate_status) = TL_ERR_OVERFLOW;
        const tl_iterative iterative = iterative_of(&s);
        tl_objective objective;
        tl_outcome outcome = TL_CONVERGED;
        CHECK(tl_solve(&iterative, &stopping, &objective, &outcome) == TL_ERR_OVERFLOW);
        CHECK(outcome == TL_RUNNING);
    }
}

/* ---- solvers ---- */

typedef struct listener {
    size_t between, told;       /* calls with NULL, and with an objective */
    size_t at_between, at_told; /* answer at this call of the kind; 0: never */
    int answer;
    size_t started; /* of the calls with an objective: before any with NULL */
    tl_objective last;
} listener;

static int hear(void *user, const tl_objective *objective) {
    listener *l = user;
    if (objective == NULL) return ++l->between == l->at_between ? l->answer : 0;
    l->started += l->between == 0;
    l->last = *objective;
    return ++l->told == l->at_told ? l->answer : 0;
}

typedef struct trained {
    tl_solver *solver;
    double dual[N * M];
} trained;

static void create(trained *t, const tl_data *data) {
    *t = (trained){0};
    tl_settings settings;
    tl_settings_default(&settings);
    settings.loss = TL_LOSS_SVM_MULTI;
    settings.C = 5.0;
    CHECK(tl_solver_create(data, &settings, t->dual, &t->solver) == TL_OK);
}

static void check_present(trained *t, const tl_objective *objective) {
    tl_objective now;
    CHECK(tl_solver_evaluate(t->solver, &now) == TL_OK);
    CHECK(now.primal == objective->primal && now.dual == objective->dual);
    CHECK(now.epochs == objective->epochs);
}

static void test_outcomes(const tl_data *data) {
    trained t;
    tl_stopping stopping;
    tl_stopping_default(&stopping);
    listener l = {0};
    stopping.callback = hear;
    stopping.user = &l;
    stopping.max_iter = 100000;
    tl_objective objective, first;
    tl_outcome outcome;
    create(&t, data);
    CHECK(tl_solver_solve(t.solver, &stopping, &objective, &outcome) == TL_OK);
    CHECK(outcome == TL_CONVERGED && objective.relative_gap <= 1e-3 && objective.epochs > 2);
    CHECK(l.told >= 2 &&
          l.between == objective.epochs + l.told - l.started); /* rows 0: between epochs */
    CHECK(l.last.primal == objective.primal && l.last.dual == objective.dual);
    check_present(&t, &objective);
    first = objective;

    /* A second call goes on: at once done, or so many epochs more. */
    CHECK(tl_solver_solve(t.solver, &stopping, &objective, &outcome) == TL_OK);
    CHECK(outcome == TL_CONVERGED && objective.epochs == first.epochs);
    stopping.tol = 1e-6;
    CHECK(tl_solver_solve(t.solver, &stopping, &objective, &outcome) == TL_OK);
    CHECK(outcome == TL_CONVERGED && objective.epochs > first.epochs);
    first = objective;
    stopping.tol = 0.0;
    stopping.max_iter = 3;
    CHECK(tl_solver_solve(t.solver, &stopping, &objective, &outcome) == TL_OK);
    CHECK(outcome == TL_CONVERGED || objective.epochs == first.epochs + 3);
    tl_solver_free(t.solver);

    create(&t, data);
    stopping.max_iter = 0;
    stopping.callback = NULL;
    CHECK(tl_solver_solve(t.solver, &stopping, &objective, &outcome) == TL_OK);
    CHECK(outcome == TL_MAX_ITER && objective.epochs == 0);
    check_present(&t, &objective);
    stopping.tol = 10.0; /* of the start, the gap is 1 */
    CHECK(tl_solver_solve(t.solver, &stopping, &objective, &outcome) == TL_OK);
    CHECK(outcome == TL_CONVERGED && objective.epochs == 0);
    tl_solver_free(t.solver);
}

/* Above 0 ends with an evaluation of the present point, below 0 at once. */
static void test_answers(const tl_data *data) {
    for (int answer = -1; answer <= 2; answer += 3)
        for (int kind = 0; kind < 2; kind++)
            for (size_t call = 1; call <= 4; call++) {
                trained t;
                listener l = {.answer = answer};
                if (kind == 0)
                    l.at_between = call;
                else
                    l.at_told = call;
                tl_stopping stopping;
                tl_stopping_default(&stopping);
                stopping.tol = 1e-12;
                stopping.eval_every = 2;
                stopping.callback = hear;
                stopping.user = &l;
                create(&t, data);
                tl_objective objective;
                tl_outcome outcome;
                CHECK(tl_solver_solve(t.solver, &stopping, &objective, &outcome) == TL_OK);
                CHECK(outcome == TL_STOPPED);
                if (kind == 1) CHECK(l.told == call && objective.epochs == 2 * (call - 1));
                if (kind == 0) CHECK(l.between == call);
                if (kind == 1 || answer > 0) {
                    CHECK(l.last.primal == objective.primal);
                    check_present(&t, &objective);
                } else {
                    CHECK(objective.epochs == (call - 1) / 3 * 2); /* the last that was asked for */
                }
                tl_solver_free(t.solver);
            }
}

static void test_arguments(const tl_data *data) {
    trained t;
    create(&t, data);
    tl_stopping stopping;
    tl_stopping_init(NULL, 0);
    tl_stopping_default(&stopping);
    tl_objective objective = {.epochs = 77};
    tl_outcome outcome = TL_STALLED;
    const double bad[] = {-1e-300, -INFINITY, NAN};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        stopping.tol = bad[i];
        CHECK(tl_solver_solve(t.solver, &stopping, &objective, &outcome) == TL_ERR_PARAMETER);
    }
    CHECK(objective.epochs == 77 && outcome == TL_STALLED);
    tl_stopping_default(&stopping);
    CHECK(tl_solver_solve(t.solver, NULL, &objective, &outcome) == TL_ERR_NULL);
    CHECK(tl_solver_solve(t.solver, &stopping, NULL, &outcome) == TL_ERR_NULL);
    CHECK(tl_solver_solve(t.solver, &stopping, &objective, NULL) == TL_ERR_NULL);
    CHECK(tl_solver_solve(NULL, &stopping, &objective, &outcome) == TL_ERR_NULL);
    stopping.tol = INFINITY;
    CHECK(tl_solver_solve(t.solver, &stopping, &objective, &outcome) == TL_OK &&
          outcome == TL_CONVERGED);
    tl_solver_free(t.solver);
}

/* Parts of an epoch are as many calls, and change nothing. */
static void test_rows(const problem *p) {
    for (int form = 0; form < FORMS; form++) {
        const tl_data data = view(p, form);
        double expected[N * M];
        for (int parts = 0; parts < 2; parts++) {
            double dual[N * M] = {0};
            tl_settings settings = choose(TL_LOSS_LR_MULTI, 1, 0.0, form);
            tl_solver *solver = NULL;
            CHECK(tl_solver_create(&data, &settings, dual, &solver) == TL_OK);
            listener l = {0};
            tl_stopping stopping;
            tl_stopping_default(&stopping);
            stopping.tol = 0.0;
            stopping.max_iter = 6;
            stopping.rows = parts ? 5 : 0;
            stopping.callback = hear;
            stopping.user = &l;
            tl_objective objective;
            tl_outcome outcome;
            CHECK(tl_solver_solve(solver, &stopping, &objective, &outcome) == TL_OK);
            CHECK(outcome == TL_MAX_ITER && objective.epochs == 6);
            CHECK(objective.visits > 5 * N && objective.visits <= 6 * N); /* row 0 is zero */
            /* before each part, and before each evaluation but that of the start */
            CHECK(l.between == (parts ? 6 * ((N + 4) / 5) : 6) + l.told - l.started);
            for (size_t i = 0; i < N * M; i++) {
                if (!parts) expected[i] = dual[i];
                CHECK(dual[i] == expected[i]);
            }
            tl_solver_free(solver);
        }
    }
}

/* Rounding ends the progress. */
static void test_stalled_solver(const problem *p) {
    const tl_data data = view(p, DENSE_SINGLE);
    tl_settings settings = choose(TL_LOSS_SVM_MULTI, 1, 0.5, DENSE_SINGLE);
    settings.C = 10.0;
    settings.block = 5;
    settings.acceleration = 0.0;
    double dual[N * M] = {0};
    tl_solver *solver = NULL;
    CHECK(tl_solver_create(&data, &settings, dual, &solver) == TL_OK);
    tl_stopping stopping;
    tl_stopping_default(&stopping);
    stopping.tol = 1e-300;
    stopping.max_iter = 1000000;
    tl_objective objective;
    tl_outcome outcome;
    CHECK(tl_solver_solve(solver, &stopping, &objective, &outcome) == TL_OK);
    CHECK(outcome == TL_STALLED || outcome == TL_IMPRECISE); /* P - D may be 0, or below */
    CHECK(objective.relative_gap < 1e-11 && objective.epochs < 100000);
    tl_solver_free(solver);
}

int main(void) {
    test_estimates();
    test_without_estimates();
    test_stalls();
    test_failures();
    problem p;
    make(&p, 0);
    for (int form = 0; form < FORMS; form++) {
        const tl_data data = view(&p, form);
        test_outcomes(&data);
        test_answers(&data);
        test_arguments(&data);
    }
    test_rows(&p);
    test_stalled_solver(&p);
    return check_summary("solve");
}
