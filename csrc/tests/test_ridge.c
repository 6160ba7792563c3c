/* SPDX-License-Identifier: MIT */
/* A ridge, factors of the regulariser: objectives by their definitions; the problem of scaled
 * features with the ridge that goes with them is that of the features as they were. */
#include "solver_problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double RIDGE[D] = {1.0, 0.3, 1e-3, 0.04};
static const int LINEAR[] = {DENSE, CSR32, CSR64, DENSE_SINGLE, CSR_SINGLE};
enum { LINEAR_FORMS = sizeof LINEAR / sizeof *LINEAR };

/* Features times sqrt(RIDGE), in every form; float32 rounds them. */
static void scale(problem *p) {
    size_t stored = 0;
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < D; j++) {
            const double value = p->x[i * D + j] * sqrt(RIDGE[j]);
            if (value != 0.0) {
                p->values[stored] = value;
                p->values32[stored++] = (float)value;
            }
            p->x[i * D + j] = value;
            p->x32[i * D + j] = (float)value;
        }
}

typedef struct training {
    const problem *p;
    tl_data data;
    tl_settings settings;
    double dual[N * M];
    tl_solver *solver;
} training;

static void create(training *t, const problem *p, int form, tl_loss_id loss, size_t k,
                   double gamma) {
    *t = (training){.p = p, .data = view(p, form)};
    t->settings = choose(loss, k, gamma, form);
    t->settings.C = 3.0;
    t->settings.ridge = RIDGE;
    CHECK(tl_solver_create(&t->data, &t->settings, t->dual, &t->solver) == TL_OK);
}

static double mean(const double *values) {
    double sum = 0.0;
    for (size_t i = 0; i < N; i++)
        sum += values[i];
    return sum / N;
}

/* Evaluates, and compares with what the definitions give. */
static tl_objective certify(const training *t, const double *x, double tolerance) {
    const tl_settings *s = &t->settings;
    tl_objective objective = {0};
    double w[D * M], scores[N * M], v[N * M], values[N], norm2 = 0.0, dual2 = 0.0;
    CHECK(tl_solver_evaluate(t->solver, &objective) == TL_OK);
    CHECK(tl_solver_weights(t->solver, w) == TL_OK);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < M; j++) {
            scores[i * M + j] = 0.0;
            for (size_t l = 0; l < D; l++)
                scores[i * M + j] += x[i * D + l] * w[l * M + j];
            v[i * M + j] = -t->dual[i * M + j] / s->C;
        }
    for (size_t l = 0; l < D; l++)
        for (size_t j = 0; j < M; j++) {
            double sum = 0.0;
            for (size_t i = 0; i < N; i++)
                sum += x[i * D + l] * t->dual[i * M + j];
            norm2 += RIDGE[l] * w[l * M + j] * w[l * M + j];
            dual2 += sum * sum / RIDGE[l];
        }
    const int64_t *start = t->data.label_start;
    const int32_t *label = t->data.label;
    CHECK(tl_loss_values(s->loss, s->k, s->gamma, N, M, scores, start, label, values) == TL_OK);
    const double primal = mean(values) + 0.5 * norm2 / (s->C * N);
    CHECK(tl_loss_conjugates(s->loss, s->k, s->gamma, N, M, v, start, label, values) == TL_OK);
    const double dual = -mean(values) - 0.5 * dual2 / (s->C * N);
    const double size = fmax(fabs(primal), fabs(dual));
    CHECK_CLOSE(objective.primal, primal, tolerance * size);
    CHECK_CLOSE(objective.dual, dual, tolerance * size);
    CHECK(objective.relative_gap >= (primal - dual) / size - tolerance);
    CHECK_CLOSE(objective.norm2, norm2, tolerance * norm2);
    CHECK(objective.r > 0.0);
    return objective;
}

static void test_certificates(void) {
    for (int loss = 0; loss < TL_LOSS_COUNT; loss++) {
        const tl_traits traits = traits_of(loss);
        if (!traits.convex) continue;
        problem p;
        make(&p, !traits.multiclass);
        for (int f = 0; f < LINEAR_FORMS; f++)
            for (int smooth = 0; smooth < 2; smooth++) {
                training t;
                create(&t, &p, LINEAR[f], (tl_loss_id)loss, 1, 0.5 * smooth * !traits.smooth);
                for (size_t epochs = 0; epochs < 9; epochs += 2) {
                    CHECK(tl_solver_run(t.solver, epochs) == TL_OK);
                    certify(&t, p.x, 1e-11);
                }
                CHECK(tl_solver_set_C(t.solver, 0.5) == TL_OK);
                t.settings.C = 0.5;
                certify(&t, p.x, 1e-11);
                CHECK(tl_solver_run(t.solver, 3) == TL_OK);
                certify(&t, p.x, 1e-11);
                tl_solver_free(t.solver);
            }
    }
}

static double optimum(const problem *p, int form, const double *ridge, tl_loss_id loss,
                      double gamma, double *dual) {
    const tl_data data = view(p, form);
    tl_settings settings = choose(loss, 1, gamma, form);
    settings.ridge = ridge;
    tl_solver *solver = NULL;
    tl_objective objective = {0};
    tl_outcome outcome;
    tl_stopping stopping;
    tl_stopping_default(&stopping);
    stopping.eps = 10.0 * reachable(form);
    stopping.max_epochs = 40000;
    memset(dual, 0, N * M * sizeof *dual);
    CHECK(tl_solver_create(&data, &settings, dual, &solver) == TL_OK);
    CHECK(tl_solver_solve(solver, &stopping, &objective, &outcome) == TL_OK);
    CHECK(outcome == TL_CONVERGED);
    tl_solver_free(solver);
    return objective.primal;
}

/* Of smooth losses, whose dual variables are unique. */
static void test_the_same_problem(void) {
    for (int loss = 0; loss < TL_LOSS_COUNT; loss++) {
        const tl_traits traits = traits_of(loss);
        if (!traits.convex) continue;
        problem p, scaled;
        make(&p, !traits.multiclass);
        scaled = p;
        scale(&scaled);
        for (int f = 0; f < 3; f++) { /* scaled features are not exact in float32 */
            double given[N * M], other[N * M];
            const double gamma = 0.5 * !traits.smooth;
            const double expected = optimum(&p, LINEAR[f], NULL, (tl_loss_id)loss, gamma, given);
            const double found = optimum(&scaled, LINEAR[f], RIDGE, (tl_loss_id)loss, gamma, other);
            CHECK_CLOSE(found, expected, 1e-7 * expected);
            for (size_t i = 0; i < N * M; i++)
                CHECK_CLOSE(other[i], given[i], 1e-3);
        }
    }
}

/* Where one run ended another begins, with its gap. */
static void test_start(void) {
    problem p;
    make(&p, 0);
    for (int f = 0; f < 3; f++) {
        training t;
        create(&t, &p, LINEAR[f], TL_LOSS_LR_MULTI, 1, 0.0);
        CHECK(tl_solver_run(t.solver, 20) == TL_OK);
        const tl_objective end = certify(&t, p.x, 1e-11);
        double w[D * M];
        CHECK(tl_solver_weights(t.solver, w) == TL_OK);
        training again = t;
        again.settings.start = w;
        again.settings.start_r = 3.0;
        CHECK(tl_solver_create(&again.data, &again.settings, again.dual, &again.solver) == TL_OK);
        const tl_objective begun = certify(&again, p.x, 1e-11);
        CHECK_CLOSE(begun.primal, end.primal, 1e-11 * end.primal);
        CHECK_CLOSE(begun.dual, end.dual, 1e-11 * end.primal);
        CHECK_CLOSE(begun.r, 3.0, 1e-12);
        tl_solver_free(again.solver);
        tl_solver_free(t.solver);
    }
}

static tl_status attempt(int form, const double *ridge, const double *center, double r) {
    problem p;
    make(&p, 0);
    const tl_data data = view(&p, form);
    tl_settings settings = choose(TL_LOSS_LR_MULTI, 1, 0.0, form);
    settings.ridge = ridge;
    settings.center = center;
    settings.acceleration = r;
    double dual[N * M] = {0};
    tl_solver *solver = NULL;
    const tl_status status = tl_solver_create(&data, &settings, dual, &solver);
    CHECK((status == TL_OK) == (solver != NULL));
    tl_solver_free(solver);
    return status;
}

static void test_refusals(void) {
    const double bad[] = {0.0, -1.0, 1.5, NAN, INFINITY, 1e-200}, center[D * M] = {0};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        double ridge[D];
        memcpy(ridge, RIDGE, sizeof ridge);
        ridge[D - 1] = bad[i];
        CHECK(attempt(DENSE, ridge, NULL, -1.0) == TL_ERR_PARAMETER);
    }
    CHECK(attempt(DENSE, RIDGE, NULL, -1.0) == TL_OK);
    CHECK(attempt(DENSE, RIDGE, NULL, 2.0) == TL_OK);
    CHECK(attempt(DENSE, RIDGE, NULL, 0.0) == TL_ERR_PARAMETER);
    CHECK(attempt(DENSE, RIDGE, center, -1.0) == TL_ERR_PARAMETER);
    CHECK(attempt(GRAM, RIDGE, NULL, -1.0) == TL_ERR_PARAMETER);
}

int main(void) {
    test_certificates();
    test_the_same_problem();
    test_start();
    test_refusals();
    return check_summary("ridge");
}
