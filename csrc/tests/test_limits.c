/* SPDX-License-Identifier: MIT */
/* A caller that ends a call: in set-up, evaluations and with another C. */
#include "check.h"
#include "toplabel.h"

#include <stdlib.h>
#include <string.h>

/* So much that an evaluation asks twice. */
enum { N = 2000, D = 2, M = 2000 };

typedef struct caller {
    int asked, over_after; /* questions; below 0: never over */
} caller;

static int is_over(void *user) {
    caller *self = user;
    self->asked++;
    return self->over_after >= 0 && self->asked > self->over_after;
}

typedef struct arrays {
    double x[N * D], dual[N * M], weights[D * M], again[D * M];
    int64_t start[N + 1];
    int32_t label[N];
} arrays;

static tl_data make(arrays *a) {
    uint64_t state = 1;
    for (size_t i = 0; i < N * D; i++)
        a->x[i] = normal(&state);
    for (size_t i = 0; i <= N; i++)
        a->start[i] = (int64_t)i;
    for (size_t i = 0; i < N; i++)
        a->label[i] = (int32_t)(i % M);
    memset(a->dual, 0, sizeof a->dual);
    return (tl_data){.representation = TL_DENSE,
                     .type = TL_FLOAT64,
                     .n = N,
                     .d = D,
                     .m = M,
                     .x = a->x,
                     .label_start = a->start,
                     .label = a->label};
}

static void test_evaluation(arrays *a, double acceleration) {
    const tl_data data = make(a);
    caller self = {.over_after = -1};
    tl_settings settings;
    tl_settings_default(&settings);
    settings.acceleration = acceleration;
    settings.is_over = is_over;
    settings.user = &self;
    tl_solver *solver = NULL;
    CHECK(tl_solver_create(&data, &settings, a->dual, &solver) == TL_OK);
    CHECK(tl_solver_run(solver, 3) == TL_OK);
    tl_objective objective;
    CHECK(tl_solver_weights(solver, a->weights) == TL_OK);
    self = (caller){.over_after = 0};
    CHECK(tl_solver_evaluate(solver, &objective) == TL_ERR_OVER);
    CHECK(self.asked == 1);
    CHECK(objective.primal == INFINITY && objective.dual == -INFINITY);
    CHECK(objective.epochs == 3);
    CHECK(tl_solver_weights(solver, a->again) == TL_OK);
    if (acceleration == 0.0) CHECK(memcmp(a->weights, a->again, sizeof a->again) == 0);
    self = (caller){.over_after = -1};
    CHECK(tl_solver_evaluate(solver, &objective) == TL_OK);
    CHECK(self.asked > 1);
    CHECK(objective.dual > 0.0 && objective.dual < objective.primal);

    tl_stopping stopping;
    tl_stopping_default(&stopping);
    stopping.max_iter = 1;
    self = (caller){.over_after = 0};
    tl_outcome outcome = TL_RUNNING;
    CHECK(tl_solver_solve(solver, &stopping, &objective, &outcome) == TL_OK);
    CHECK(outcome == TL_STOPPED && objective.relative_gap == INFINITY);
    self = (caller){.over_after = 0};
    CHECK(tl_solver_set_C(solver, 2.0) == TL_ERR_OVER);
    tl_solver_free(solver);
}

static void test_set_up(arrays *a) {
    const tl_data data = make(a);
    caller self = {.over_after = 0};
    tl_settings settings;
    tl_settings_default(&settings);
    settings.is_over = is_over;
    settings.user = &self;
    tl_solver *solver = NULL;
    a->dual[N * M - M] = 1e-3; /* row N - 1, of class N - 1: so that the start is checked */
    a->dual[N * M - 1] = -1e-3;
    CHECK(tl_solver_create(&data, &settings, a->dual, &solver) == TL_ERR_OVER);
    CHECK(solver == NULL && self.asked == 1);
}

int main(void) {
    arrays *a = malloc(sizeof *a);
    if (a == NULL) return 1;
    test_evaluation(a, 0.0);
    test_evaluation(a, 2.0);
    test_set_up(a);
    free(a);
    return check_summary("limits");
}
