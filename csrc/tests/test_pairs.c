/* SPDX-License-Identifier: MIT */
/* Working sets of pairs: the projectors of the face, the inverses of its blocks, optima that the
 * solver's certificate confirms, and what is refused. */
#include "pairs.h"
#include "solver_problem.h"

#include <string.h>

static double norm2[N];

static tl_pairs *create(const problem *p, tl_loss_id loss, size_t k, double gamma, double C) {
    tl_pairs *pairs = NULL;
    for (size_t i = 0; i < N; i++)
        norm2[i] = p->gram[i * N + i];
    CHECK(tl_pairs_create(loss, k, gamma, C, N, M, p->start, p->label, NULL, norm2, NULL, NULL,
                          &pairs) == TL_OK);
    return pairs;
}

static void score(const problem *p, const double *dual, double *scores) {
    memset(scores, 0, N * M * sizeof *scores);
    for (size_t i = 0; i < N; i++)
        for (size_t l = 0; l < N; l++)
            for (size_t j = 0; j < M; j++)
                scores[i * M + j] += p->gram[i * N + l] * dual[l * M + j];
}

/* Rows of zeros have no pairs: their dual variables are those of an update. */
static void begin(const problem *p, tl_loss_id loss, size_t k, double gamma, double C,
                  double *dual) {
    tl_settings settings = choose(loss, k, gamma, GRAM);
    settings.C = C;
    const tl_data data = view(p, GRAM);
    tl_solver *solver = NULL;
    memset(dual, 0, N * M * sizeof *dual);
    CHECK(tl_solver_create(&data, &settings, dual, &solver) == TL_OK);
    CHECK(tl_solver_run(solver, 3) == TL_OK);
    tl_solver_free(solver);
}

static double certified_gap(const problem *p, tl_loss_id loss, size_t k, double gamma, double C,
                            double *dual) {
    tl_settings settings = choose(loss, k, gamma, GRAM);
    settings.C = C;
    const tl_data data = view(p, GRAM);
    tl_solver *solver = NULL;
    tl_objective objective = {.relative_gap = INFINITY};
    CHECK(tl_solver_create(&data, &settings, dual, &solver) == TL_OK);
    CHECK(tl_solver_evaluate(solver, &objective) == TL_OK);
    tl_solver_free(solver);
    return objective.relative_gap;
}

/* Symmetric and idempotent; a direction of a multiclass loss sums to 0 over each row. */
static void check_projector(tl_pairs *pairs) {
    uint64_t state = 5;
    const size_t count = pairs->face.count;
    double *u = exactly(count), *v = exactly(count), *Pu = exactly(count), *Pv = exactly(count);
    for (size_t i = 0; i < count; i++) {
        Pu[i] = u[i] = normal(&state);
        Pv[i] = v[i] = normal(&state);
    }
    tl_face_project(pairs, Pu);
    tl_face_project(pairs, Pv);
    CHECK_CLOSE(tl_dot(count, u, Pv), tl_dot(count, v, Pu), 1e-12 * (double)(count + 1));
    memcpy(u, Pu, count * sizeof *u);
    tl_face_project(pairs, Pu);
    for (size_t i = 0; i < count; i++)
        CHECK_CLOSE(Pu[i], u[i], 1e-12);
    for (size_t r = 0; pairs->ops->multiclass && r < pairs->rows; r++) {
        double sum = 0.0;
        for (size_t e = pairs->start[r]; e < pairs->start[r + 1]; e++) {
            const size_t at = pairs->face.number[pairs->place[e]];
            sum += at == TL_NOT_FREE ? 0.0 : u[at];
        }
        CHECK_CLOSE(sum, 0.0, 1e-12);
    }
    free(u);
    free(v);
    free(Pu);
    free(Pv);
}

/* One outer step: the gap of the restricted problem falls to a part, and the pairs stay feasible.
 */
static void improve(const problem *p, tl_pairs *pairs, tl_loss_id loss, size_t k, double gamma,
                    double C, double *dual) {
    double scores[N * M], gap = INFINITY, length, violations[N], v[N * M];
    size_t entries, numbers, steps;
    score(p, dual, scores);
    CHECK(tl_pairs_select(pairs, scores, dual, &entries, &numbers) == TL_OK);
    float *blocks = malloc((numbers + 1) * sizeof *blocks);
    if (blocks == NULL) abort();
    CHECK(tl_pairs_gather(pairs, TL_FLOAT32, p->gram32, blocks) == TL_OK);
    CHECK(tl_pairs_use(pairs, blocks) == TL_OK);
    for (int step = 0; step < 20 && gap > 1e-10 * C; step++) {
        CHECK(tl_pairs_run(pairs, 5) == TL_OK);
        CHECK(tl_pairs_newton(pairs, 1e-3, 0.1, 50, &steps, &length) == TL_OK);
        if (pairs->face.count > 0) check_projector(pairs);
        CHECK(tl_pairs_gap(pairs, &gap) == TL_OK);
        CHECK(gap >= -1e-9 * C);
    }
    CHECK(tl_pairs_dual(pairs, dual) == TL_OK);
    for (size_t i = 0; i < N * M; i++)
        v[i] = -dual[i] / C;
    CHECK(tl_loss_violations(loss, k, gamma, N, M, v, p->start, p->label, violations) == TL_OK);
    for (size_t i = 0; i < N; i++)
        CHECK(violations[i] <= 1e-9);
    free(blocks);
}

static void test_optimum(const problem *p, tl_loss_id loss, size_t k, double gamma, double C) {
    double dual[N * M];
    begin(p, loss, k, gamma, C, dual);
    tl_pairs *pairs = create(p, loss, k, gamma, C);
    for (int outer = 0; outer < 30; outer++)
        improve(p, pairs, loss, k, gamma, C, dual);
    tl_pairs_free(pairs);
    CHECK(certified_gap(p, loss, k, gamma, C, dual) <= 1e-6);
}

static void test_hinges(void) {
    static problem single, sets;
    make(&single, 0);
    make(&sets, 1);
    for (int loss = 0; loss < TL_LOSS_COUNT; loss++) {
        const tl_traits traits = traits_of(loss);
        if (traits.smooth || !traits.convex || tl_loss_get((tl_loss_id)loss)->centred) continue;
        const problem *p = traits.multiclass ? &single : &sets;
        for (size_t k = 1; k <= (traits.has_k ? 3 : 1); k++)
            for (int smoothed = 0; smoothed < 2; smoothed++) {
                test_optimum(p, (tl_loss_id)loss, k, 0.5 * smoothed, 0.3);
                test_optimum(p, (tl_loss_id)loss, k, 0.5 * smoothed, 20.0);
            }
    }
}

static void in_reverse(void *user, size_t parts, void (*task)(void *, size_t), void *arg) {
    (void)user;
    while (parts-- > 0)
        task(arg, parts);
}

/* More parts than classes, too. */
static void test_parts(size_t parts) {
    static problem p;
    double alone[N * M], shared[N * M];
    make(&p, 0);
    begin(&p, TL_LOSS_SVM_MULTI, 1, 0.0, 20.0, alone);
    memcpy(shared, alone, sizeof alone);
    tl_pairs *pairs = create(&p, TL_LOSS_SVM_MULTI, 1, 0.0, 20.0);
    improve(&p, pairs, TL_LOSS_SVM_MULTI, 1, 0.0, 20.0, alone);
    tl_pairs_free(pairs);
    pairs = create(&p, TL_LOSS_SVM_MULTI, 1, 0.0, 20.0);
    CHECK(tl_pairs_share(pairs, parts, in_reverse, NULL) == TL_OK);
    improve(&p, pairs, TL_LOSS_SVM_MULTI, 1, 0.0, 20.0, shared);
    CHECK(memcmp(alone, shared, sizeof alone) == 0);
    CHECK(tl_pairs_share(pairs, 0, in_reverse, NULL) == TL_ERR_PARAMETER);
    CHECK(tl_pairs_share(pairs, TL_MOST_PARTS + 1, in_reverse, NULL) == TL_ERR_PARAMETER);
    CHECK(tl_pairs_share(pairs, parts, NULL, NULL) == TL_ERR_NULL);
    tl_pairs_free(pairs);
}

/* The parts of a choice made before would share the memory of their inverses. */
static void test_parts_of_an_earlier_choice(void) {
    static problem p;
    double scores[N * M] = {0}, dual[N * M] = {0}, length;
    float blocks[M * N * N];
    size_t entries, numbers, steps;
    make(&p, 0);
    tl_pairs *pairs = create(&p, TL_LOSS_SVM_MULTI, 1, 0.5, 1.0);
    CHECK(tl_pairs_select(pairs, scores, dual, &entries, &numbers) == TL_OK && entries > 0);
    CHECK(tl_pairs_gather(pairs, TL_FLOAT32, p.gram32, blocks) == TL_OK);
    CHECK(tl_pairs_use(pairs, blocks) == TL_OK);
    CHECK(tl_pairs_share(pairs, 2, in_reverse, NULL) == TL_OK);
    CHECK(tl_pairs_newton(pairs, 1.0, 0.1, 5, &steps, &length) == TL_ERR_NULL);
    CHECK(tl_pairs_use(pairs, blocks) == TL_OK);
    CHECK(tl_pairs_newton(pairs, 1.0, 0.1, 5, &steps, &length) == TL_OK);
    CHECK(pairs->face.count == 0);
    tl_pairs_free(pairs);
}

static void test_inverse(size_t n) {
    uint64_t state = 7;
    const size_t packed = n * (n + 1) / 2;
    float *a = malloc(n * n * sizeof *a), *copy = malloc(n * n * sizeof *a);
    float *inverse = malloc(packed * sizeof *a), *work = malloc(n * n * sizeof *a);
    if (!a || !copy || !inverse || !work) abort();
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            a[i * n + j] = a[j * n + i] =
                (float)(normal(&state) / (double)n) + (i == j ? 2.0F : 0.0F);
    memcpy(copy, a, n * n * sizeof *a);
    CHECK(tl_invert(n, a, inverse, work));
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = 0.0;
            for (size_t l = 0; l < n; l++) {
                const size_t row = l > j ? l : j, column = l > j ? j : l;
                sum += (double)copy[i * n + l] * (double)inverse[row * (row + 1) / 2 + column];
            }
            CHECK_CLOSE(sum, i == j ? 1.0 : 0.0, 1e-5);
        }
    copy[0] = -1.0F;
    CHECK(!tl_invert(n, copy, inverse, work));
    free(a);
    free(copy);
    free(inverse);
    free(work);
}

/* A row whose C_i has no finite inverse has no pairs. */
static void test_tiny_weight(void) {
    static problem p;
    double scores[N * M] = {0}, dual[N * M] = {0}, weight[N], square[N];
    size_t entries, numbers;
    tl_pairs *pairs = NULL;
    make(&p, 0);
    for (size_t i = 0; i < N; i++) {
        weight[i] = i == 7 ? 1e-310 : 1.0;
        square[i] = p.gram[i * N + i];
    }
    CHECK(tl_pairs_create(TL_LOSS_SVM_MULTI, 1, 0.0, 1.0, N, M, p.start, p.label, weight, square,
                          NULL, NULL, &pairs) == TL_OK);
    CHECK(tl_pairs_select(pairs, scores, dual, &entries, &numbers) == TL_OK);
    CHECK(pairs->rows == N - 2); /* nor has the row of zeros */
    for (size_t r = 0; r < pairs->rows; r++)
        CHECK(pairs->row[r] != 7);
    tl_pairs_free(pairs);
}

static int always(void *user) {
    (void)user;
    return 1;
}

/* A call that ends amid the rows leaves no pairs, at first and after others. */
static void test_choice_that_ends(void) {
    static problem p;
    double scores[N * M] = {0}, dual[N * M] = {0}, gap = NAN, length;
    float blocks[1] = {0.0F};
    size_t entries, numbers, steps;
    int64_t class_start[M + 1];
    int32_t rows[1];
    make(&p, 0);
    tl_pairs *pairs = create(&p, TL_LOSS_SVM_MULTI, 1, 0.0, 1.0);
    for (int attempt = 0; attempt < 2; attempt++) {
        pairs->watch = (tl_watch){.ask = always, .work = TL_WORK_BETWEEN - 1000.0};
        CHECK(tl_pairs_select(pairs, scores, dual, &entries, &numbers) == TL_ERR_OVER);
        pairs->watch = (tl_watch){0};
        CHECK(tl_pairs_gap(pairs, &gap) == TL_OK && gap == 0.0);
        CHECK(tl_pairs_classes(pairs, class_start, rows) == TL_OK && class_start[M] == 0);
        CHECK(tl_pairs_gather(pairs, TL_FLOAT32, p.gram32, blocks) == TL_OK);
        CHECK(tl_pairs_run(pairs, 1) == TL_ERR_NULL);
        CHECK(tl_pairs_use(pairs, blocks) == TL_OK);
        CHECK(tl_pairs_run(pairs, 1) == TL_OK);
        CHECK(tl_pairs_newton(pairs, 0.0, 0.1, 5, &steps, &length) == TL_OK && steps == 0);
        CHECK(tl_pairs_dual(pairs, dual) == TL_OK);
        CHECK(tl_pairs_select(pairs, scores, dual, &entries, &numbers) == TL_OK && entries > 0);
    }
    tl_pairs_free(pairs);
}

static int is_one(void *user) {
    return *(const size_t *)user == 1;
}

/* A limit within the gathering of blocks, and within the search of a step. */
static void test_limits(void) {
    static problem p;
    double scores[N * M] = {0}, dual[N * M] = {0}, length;
    float blocks[M * N * N];
    size_t entries, numbers, steps;
    make(&p, 0);
    tl_pairs *pairs = create(&p, TL_LOSS_SVM_MULTI, 1, 0.5, 1.0);
    CHECK(tl_pairs_select(pairs, scores, dual, &entries, &numbers) == TL_OK && entries > 0);
    const double gathering = TL_WORK_OF_COPY * (double)numbers;
    pairs->watch = (tl_watch){.ask = always, .work = TL_WORK_BETWEEN - gathering - 1.0};
    CHECK(tl_pairs_gather(pairs, TL_FLOAT32, p.gram32, blocks) == TL_ERR_OVER);

    pairs->watch = (tl_watch){0};
    CHECK(tl_pairs_gather(pairs, TL_FLOAT32, p.gram32, blocks) == TL_OK);
    CHECK(tl_pairs_use(pairs, blocks) == TL_OK);
    double work = 0.0;
    for (int is_limited = 0; is_limited < 2; is_limited++) {
        pairs->random = 0;
        CHECK(tl_pairs_select(pairs, scores, dual, &entries, &numbers) == TL_OK);
        CHECK(tl_pairs_use(pairs, blocks) == TL_OK);
        CHECK(tl_pairs_run(pairs, 1) == TL_OK);
        pairs->watch = (tl_watch){.ask = is_one, .user = &steps};
        if (is_limited) pairs->watch.work = TL_WORK_BETWEEN - work;
        const tl_status status = tl_pairs_newton(pairs, 1.0, 0.1, 1, &steps, &length);
        CHECK(status == (is_limited ? TL_ERR_OVER : TL_OK));
        CHECK(is_limited ? length == 0.0 : length > 0.0);
        work = pairs->watch.work;
    }
    tl_pairs_free(pairs);
}

static void test_refusals(void) {
    static problem p;
    make(&p, 0);
    tl_pairs *pairs = NULL;
    size_t count;
    double scores[N * M] = {0}, dual[N * M] = {0};
#define CREATE(loss, k, gamma, C)                                                                  \
    tl_pairs_create(loss, k, gamma, C, N, M, p.start, p.label, NULL, norm2, always, NULL, &pairs)
    CHECK(CREATE(TL_LOSS_LR_MULTI, 1, 0.0, 1.0) == TL_ERR_LOSS);
    CHECK(CREATE(TL_LOSS_SC_SVM, 1, 0.0, 1.0) == TL_ERR_LOSS);
    CHECK(CREATE(TL_LOSS_COUNT, 1, 0.0, 1.0) == TL_ERR_LOSS);
    CHECK(CREATE(TL_LOSS_SVM_MULTI, 2, 0.0, 1.0) == TL_ERR_DIMENSION);
    CHECK(CREATE(TL_LOSS_SVM_MULTI, 1, -1.0, 1.0) == TL_ERR_PARAMETER);
    CHECK(CREATE(TL_LOSS_SVM_MULTI, 1, 0.0, 0.0) == TL_ERR_PARAMETER);
    CHECK(CREATE(TL_LOSS_SVM_MULTI, 1, 0.0, 1.0) == TL_OK);
    CHECK(tl_pairs_run(pairs, 1) == TL_ERR_NULL); /* no blocks yet */
    pairs->watch.work = TL_WORK_BETWEEN;
    CHECK(tl_pairs_select(pairs, scores, dual, &count, &count) == TL_ERR_OVER);
    CHECK(tl_pairs_select(pairs, NULL, dual, &count, &count) == TL_ERR_NULL);
    tl_pairs_free(pairs);
    tl_pairs_free(NULL);
}

int main(void) {
    test_hinges();
    for (size_t n = 1; n < 130; n += 16)
        test_inverse(n);
    test_parts(2);
    test_parts(TL_MOST_PARTS);
    test_parts_of_an_earlier_choice();
    test_tiny_weight();
    test_choice_that_ends();
    test_limits();
    test_refusals();
    return check_summary("test_pairs");
}
