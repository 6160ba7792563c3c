/* SPDX-License-Identifier: MIT */
/* The accelerated loop through the C interface: the certificate is that of the weights and of the
 * dual variables, whatever r is, at any pass, after another C and from given weights. */
#include "solver_problem.h"

#include <string.h>

static double feature(const problem *p, int form, size_t i, size_t j) {
    if (form == GRAM) return p->gram[i * N + j];
    return form == GRAM_SINGLE ? (double)p->gram32[i * N + j] : p->x[i * D + j];
}

/* X W, or K M: (N, M). */
static void products(const problem *p, int form, const double *w, double *scores) {
    const size_t columns = form == GRAM || form == GRAM_SINGLE ? N : D;
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < M; j++) {
            double sum = 0.0;
            for (size_t l = 0; l < columns; l++)
                sum += feature(p, form, i, l) * w[l * M + j];
            scores[i * M + j] = sum;
        }
}

static double inner(size_t n, const double *x, const double *y) {
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

typedef struct training {
    const problem *p;
    tl_data data;
    tl_settings settings;
    int form;
    double dual[N * M];
    tl_solver *solver;
} training;

static int is_gram(int form) {
    return form == GRAM || form == GRAM_SINGLE;
}

/* W, or the coefficients. */
static size_t read_primal(const training *t, double *w) {
    CHECK(tl_solver_weights(t->solver, w) == (is_gram(t->form) ? TL_ERR_PARAMETER : TL_OK));
    CHECK(tl_solver_coefficients(t->solver, w) == (is_gram(t->form) ? TL_OK : TL_ERR_PARAMETER));
    return (is_gram(t->form) ? N : D) * M;
}

static double recomputed_primal(const training *t, const double *w) {
    const tl_settings *s = &t->settings;
    double scores[N * M], values[N], sum = 0.0, total = 0.0, norm2;
    products(t->p, t->form, w, scores);
    CHECK(tl_loss_values(s->loss, s->k, s->gamma, N, M, scores, t->data.label_start, t->data.label,
                         values) == TL_OK);
    for (size_t i = 0; i < N; i++) {
        const double weight = t->data.weight ? t->data.weight[i] : 1.0;
        sum += weight * values[i];
        total += weight;
    }
    norm2 = is_gram(t->form) ? inner(N * M, w, scores) : inner(D * M, w, w);
    return (sum + 0.5 / s->C * norm2) / total;
}

static double recomputed_dual(const training *t) {
    const tl_settings *s = &t->settings;
    double v[N * M], scores[N * M], values[N], sum = 0.0, total = 0.0, norm2 = 0.0;
    for (size_t i = 0; i < N; i++) {
        const double weight = t->data.weight ? t->data.weight[i] : 1.0;
        for (size_t j = 0; j < M; j++) {
            CHECK(weight > 0.0 || t->dual[i * M + j] == 0.0);
            v[i * M + j] = weight > 0.0 ? -t->dual[i * M + j] / (s->C * weight) : 0.0;
        }
        total += weight;
    }
    CHECK(tl_loss_conjugates(s->loss, s->k, s->gamma, N, M, v, t->data.label_start, t->data.label,
                             values) == TL_OK);
    for (size_t i = 0; i < N; i++) {
        const double weight = t->data.weight ? t->data.weight[i] : 1.0;
        if (weight > 0.0) sum -= weight * values[i]; /* infinite where a_i is not feasible */
    }
    if (is_gram(t->form)) {
        products(t->p, t->form, t->dual, scores);
        norm2 = inner(N * M, t->dual, scores);
    }
    for (size_t l = 0; l < D && !is_gram(t->form); l++)
        for (size_t j = 0; j < M; j++) {
            double w = 0.0;
            for (size_t i = 0; i < N; i++)
                w += t->p->x[i * D + l] * t->dual[i * M + j];
            norm2 += w * w;
        }
    return (sum - 0.5 / s->C * norm2) / total;
}

/* Evaluates, and compares with what the definitions give. */
static tl_objective certify(const training *t) {
    tl_objective objective = {0};
    double w[N * M];
    CHECK(tl_solver_evaluate(t->solver, &objective) == TL_OK);
    read_primal(t, w);
    const double primal = recomputed_primal(t, w), dual = recomputed_dual(t);
    const double size = fmax(fabs(primal), fabs(dual));
    CHECK_CLOSE(objective.primal, primal, 1e-11 * size);
    CHECK_CLOSE(objective.dual, dual, 1e-11 * size);
    CHECK_CLOSE(objective.relative_gap, (primal - dual) / size, 1e-10);
    CHECK(objective.r >= 0.0 && objective.norm2 >= 0.0);
    return objective;
}

static void begin(training *t, const problem *p, int form, tl_loss_id loss, size_t k,
                  double gamma) {
    *t = (training){.p = p, .form = form, .data = view(p, form)};
    t->settings = choose(loss, k, gamma, form);
    t->settings.C = 3.0;
}

static void create(training *t) {
    CHECK(tl_solver_create(&t->data, &t->settings, t->dual, &t->solver) == TL_OK);
    t->settings.C_start = 0.0;
}

static void change_C(training *t, double C) {
    CHECK(tl_solver_set_C(t->solver, C) == TL_OK);
    t->settings.C = C;
}

static const double RS[] = {-1.0, 0.5, 20.0, 1e100};

static void test_certificates(void) {
    double weight[N];
    for (size_t i = 0; i < N; i++)
        weight[i] = (double)(i % 3) / 2.0;
    for (int loss = 0; loss < TL_LOSS_COUNT; loss++) {
        const tl_traits traits = traits_of(loss);
        if (!traits.convex) continue; /* it has no dual */
        problem p;
        make(&p, !traits.multiclass);
        for (size_t k = 1; k <= (traits.has_k ? 2U : 1U); k++)
            for (int form = 0; form < FORMS; form++)
                for (size_t r = 0; r < sizeof RS / sizeof *RS; r++) {
                    training t;
                    begin(&t, &p, form, (tl_loss_id)loss, k,
                          0.5 * (double)(r % 2) * !traits.smooth);
                    t.settings.acceleration = RS[r];
                    if (r % 2 == 0) t.data.weight = weight;
                    create(&t);
                    for (size_t epochs = 0; epochs < 9; epochs += 2) {
                        int ended = 0;
                        certify(&t);
                        CHECK(tl_solver_run(t.solver, epochs) == TL_OK);
                        certify(&t);
                        CHECK(tl_solver_step(t.solver, 7, &ended) == TL_OK); /* amid a pass */
                    }
                    const double Cs[] = {0.2, 30.0, 30.0, 1.0};
                    for (size_t c = 0; c < sizeof Cs / sizeof *Cs; c++) {
                        change_C(&t, Cs[c]);
                        certify(&t);
                        CHECK(tl_solver_run(t.solver, 3) == TL_OK);
                        certify(&t);
                    }
                    tl_solver_free(t.solver);
                }
    }
}

static double finish(const training *t, double tol) {
    tl_objective objective = {0};
    for (int round = 0; round < 4000; round++) {
        CHECK(tl_solver_run(t->solver, 10) == TL_OK);
        CHECK(tl_solver_evaluate(t->solver, &objective) == TL_OK);
        if (objective.relative_gap <= tol) break;
    }
    CHECK(objective.relative_gap <= tol);
    return objective.primal;
}

/* The optimum is that of plain passes, at once and after other values of C. */
static void test_optimum(void) {
    for (int loss = 0; loss < TL_LOSS_COUNT; loss++) {
        const tl_traits traits = traits_of(loss);
        if (!traits.convex) continue;
        problem p;
        make(&p, !traits.multiclass);
        for (int form = 0; form < FORMS; form++) {
            const double tol = 10.0 * reachable(form);
            double expected = 0.0;
            for (int way = 0; way < 4; way++) {
                training t;
                begin(&t, &p, form, (tl_loss_id)loss, 1, 0.5 * !traits.smooth);
                t.settings.C = 0.7;
                t.settings.acceleration = way == 0 ? 0.0 : 1.0;
                if (way == 3) t.settings.acceleration = -1.0;
                create(&t);
                if (way >= 2) {
                    change_C(&t, 5.0);
                    CHECK(tl_solver_run(t.solver, 9) == TL_OK);
                    change_C(&t, 0.7);
                }
                const double primal = finish(&t, tol);
                if (way == 0) expected = primal;
                CHECK_CLOSE(primal, expected, 3.0 * tol * fabs(expected));
                certify(&t);
                tl_solver_free(t.solver);
            }
        }
    }
}

static uint64_t passes_to(training *t, double tol) {
    tl_stopping stopping;
    tl_objective objective;
    tl_outcome outcome;
    tl_stopping_default(&stopping);
    stopping.tol = tol;
    stopping.max_iter = 100000;
    CHECK(tl_solver_solve(t->solver, &stopping, &objective, &outcome) == TL_OK);
    CHECK(outcome == TL_CONVERGED || (outcome == TL_STALLED && t->form >= DENSE_SINGLE));
    return objective.epochs;
}

/* The augmented Lagrangian: certificates amid its passes, the same optimum, sooner; and nothing but
 * that of hinges that are not smooth. */
static void test_lagrangian(void) {
    uint64_t total[2] = {0, 0};
    for (int loss = 0; loss < TL_LOSS_COUNT; loss++) {
        const tl_traits traits = traits_of(loss);
        if (!traits.convex) continue;
        problem p;
        make(&p, !traits.multiclass);
        for (int form = 0; form < FORMS; form++) {
            const double tol = 10.0 * reachable(form);
            double primal[2];
            uint64_t passes[2];
            for (int with = 0; with < 2; with++) {
                training t;
                begin(&t, &p, form, (tl_loss_id)loss, traits.has_k ? 2 : 1, 0.0);
                t.settings.C = 300.0;
                t.settings.lagrangian = with ? 100 : 0;
                t.settings.block = 0;
                create(&t);
                for (int round = 0; with && round < 12; round++) {
                    int ended = 0;
                    CHECK(tl_solver_run(t.solver, 15) == TL_OK);
                    CHECK(tl_solver_step(t.solver, 7, &ended) == TL_OK);
                    if (form != GRAM_SINGLE) certify(&t); /* D is kept below P */
                }
                change_C(&t, 30.0);
                passes[with] = passes_to(&t, tol);
                primal[with] = finish(&t, tol);
                tl_solver_free(t.solver);
            }
            CHECK_CLOSE(primal[0], primal[1], 3.0 * tol * fabs(primal[0]));
            for (int with = 0; with < 2 && !traits.smooth; with++)
                total[with] += passes[with];
        }
    }
    CHECK(3 * total[1] < 2 * total[0]);
}

/* Where one run ended another begins, with its gap; for another C with its weights, too. */
static void test_start(void) {
    problem p;
    make(&p, 0);
    for (int form = 0; form < FORMS; form++)
        for (int fixed = 0; fixed < 2; fixed++) {
            training t, again;
            begin(&t, &p, form, TL_LOSS_LR_MULTI, 1, 0.0);
            t.settings.acceleration = fixed ? 2.0 : -1.0;
            create(&t);
            CHECK(tl_solver_run(t.solver, 20) == TL_OK);
            const tl_objective end = certify(&t);
            double w[N * M], started[N * M];
            const size_t size = read_primal(&t, w);
            again = t;
            again.settings.start = w;
            again.settings.start_r = 3.0;
            create(&again);
            const tl_objective begun = certify(&again);
            const double narrow = form == DENSE_SINGLE ? 1e-6 : 1e-12;
            CHECK_CLOSE(begun.primal, end.primal, narrow * end.primal);
            CHECK_CLOSE(begun.dual, end.dual, 1e-12 * end.primal);
            CHECK_CLOSE(begun.r, fixed ? 2.0 : 3.0, 1e-12);
            tl_solver_free(again.solver);

            memcpy(again.dual, t.dual, sizeof t.dual);
            again.settings.C_start = 3.0;
            again.settings.C = 4.0;
            again.settings.start = w;
            create(&again);
            CHECK(read_primal(&again, started) == size);
            for (size_t i = 0; i < size; i++)
                CHECK_CLOSE(started[i], w[i], form == DENSE_SINGLE ? 1e-6 : 1e-12);
            certify(&again);
            memset(w, 0, sizeof w); /* they have been copied */
            finish(&again, 10.0 * reachable(form));
            certify(&again);
            tl_solver_free(again.solver);

            memcpy(again.dual, t.dual, sizeof t.dual); /* plain passes have no use for them */
            again.settings.C = 3.0;
            again.settings.start = started;
            again.settings.acceleration = 0.0;
            create(&again);
            CHECK(certify(&again).r == 0.0);
            if (is_gram(form)) {
                read_primal(&again, w);
                CHECK(memcmp(w, again.dual, sizeof w) == 0);
            }
            tl_solver_free(again.solver);
            tl_solver_free(t.solver);
        }
}

/* A tiny r is none, from given weights too. */
static void test_tiny_r(void) {
    problem p;
    make(&p, 0);
    const double rs[] = {0.0, 1e-320, 1e-100, 1e-17, 1e-11};
    double start[N * M];
    for (size_t i = 0; i < N * M; i++)
        start[i] = 1.0;
    for (int form = 0; form < FORMS; form++) {
        double plain[N * M];
        for (size_t r = 0; r < sizeof rs / sizeof *rs; r++) {
            training t;
            begin(&t, &p, form, TL_LOSS_LR_MULTI, 1, 0.0);
            t.settings.acceleration = rs[r];
            t.settings.start = start;
            create(&t);
            CHECK(tl_solver_run(t.solver, 9) == TL_OK);
            CHECK(certify(&t).r == 0.0);
            if (r == 0) memcpy(plain, t.dual, sizeof plain);
            CHECK(memcmp(plain, t.dual, sizeof plain) == 0);
            tl_solver_free(t.solver);
        }
    }
}

static tl_status attempt(const tl_settings *settings, int form) {
    problem p;
    make(&p, 0);
    const tl_data data = view(&p, form);
    double dual[N * M] = {0};
    tl_solver *solver = NULL;
    const tl_status status = tl_solver_create(&data, settings, dual, &solver);
    CHECK((status == TL_OK) == (solver != NULL));
    tl_solver_free(solver);
    return status;
}

static void test_refusals(void) {
    for (int form = 0; form < FORMS; form++) {
        const tl_settings good = choose(TL_LOSS_SVM_MULTI, 1, 0.0, form);
        CHECK(good.acceleration < 0.0 && good.start_r == 0.0 && good.start == NULL);
        CHECK(attempt(&good, form) == TL_OK);
        const double bad[] = {NAN, INFINITY, 1e101};
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
            tl_settings s = good;
            s.acceleration = bad[i];
            CHECK(attempt(&s, form) == TL_ERR_PARAMETER);
            s = good;
            s.start_r = bad[i];
            CHECK(attempt(&s, form) == TL_ERR_PARAMETER);
        }
        tl_settings s = good;
        s.start_r = -1.0;
        CHECK(attempt(&s, form) == TL_ERR_PARAMETER);
        s = good;
        s.acceleration = -INFINITY; /* negative: chosen */
        CHECK(attempt(&s, form) == TL_OK);
        double start[N * M] = {0};
        s = good;
        s.start = start;
        CHECK(attempt(&s, form) == TL_OK);
        start[M] = 1e300; /* its square overflows; row 0 is zero */
        CHECK(attempt(&s, form) == TL_ERR_OVERFLOW);
        start[M] = 1e40;
        CHECK(attempt(&s, form) == (form == DENSE_SINGLE ? TL_ERR_OVERFLOW : TL_OK));
        start[D * M - 1] = NAN;
        CHECK(attempt(&s, form) == TL_ERR_NOT_FINITE);
    }
    problem p;
    make(&p, 0);
    training t;
    begin(&t, &p, GRAM, TL_LOSS_LR_MULTI, 1, 0.0);
    create(&t);
    CHECK(tl_solver_coefficients(t.solver, NULL) == TL_ERR_NULL);
    tl_solver_free(t.solver);
}

int main(void) {
    test_certificates();
    test_optimum();
    test_lagrangian();
    test_start();
    test_tiny_r();
    test_refusals();
    return check_summary("accelerate");
}
