/* SPDX-License-Identifier: MIT */
/* The solver and the losses on whatever the bytes say: shapes, every representation and type,
 * labels, weights, starting points, right and wrong. A status comes back; on failure the caller's
 * arrays are what they were; on success the dual variables stay feasible and the objectives finite.
 */
#include "fuzz.h"

#include <limits.h>

typedef struct problem {
    tl_data data;
    tl_settings settings;
    double *dual;
    void *x;
    int64_t *row_start, *label_start;
    int32_t *column32, *label;
    int64_t *column64;
    double *weight, *center;
    size_t x_size, n, d, m; /* as allocated; data may claim more than BLAS can count */
} problem;

/* ---- problems ---- */

/* A row pattern (n + 1) of ascending indices below `limit`; now and then a wrong one. The array of
 * indices is as long as the last start says. */
static int64_t *take_starts(bytes *in, size_t n, size_t limit, size_t each) {
    int64_t *start = exact_bytes((n + 1) * sizeof *start);
    start[0] = 0;
    for (size_t i = 0; i < n; i++)
        start[i + 1] = start[i] + (int64_t)(each > 0 ? each : take_choice(in, limit + 1));
    if (take_one_in(in, 32)) start[take_choice(in, n + 1)] += (int64_t)take_choice(in, 5) - 2;
    if (take_one_in(in, 64)) start[take_choice(in, n)] = (int64_t)take_bits(in, 8);
    return start;
}

static void take_indices(bytes *in, size_t n, const int64_t *start, size_t limit, int64_t *index,
                         size_t count) {
    for (size_t p = 0; p < count; p++)
        index[p] = (int64_t)(p % limit);
    for (size_t i = 0; i < n; i++) {
        if (start[i] < 0 || start[i + 1] < start[i] || (size_t)start[i + 1] > count) continue;
        const size_t length = (size_t)(start[i + 1] - start[i]);
        size_t next = length < limit ? take_choice(in, limit - length + 1) : 0;
        for (size_t p = 0; p < length; p++)
            index[(size_t)start[i] + p] = (int64_t)next++;
    }
    if (count > 0 && take_one_in(in, 32))
        index[take_choice(in, count)] = (int64_t)take_bits(in, take_one_in(in, 2) ? 8 : 1);
}

static int32_t *narrowed(size_t count, const int64_t *index) {
    int32_t *narrow = exact_bytes(count * sizeof *narrow);
    for (size_t p = 0; p < count; p++)
        narrow[p] = (int32_t)index[p];
    return narrow;
}

static size_t stored(size_t n, const int64_t *start) {
    return start[n] > 0 && start[n] < 4096 ? (size_t)start[n] : 0;
}

static void take_labels(bytes *in, problem *p) {
    const int sets = take_one_in(in, 2);
    p->label_start = take_starts(in, p->n, p->m, sets ? 0 : 1);
    const size_t count = stored(p->n, p->label_start);
    int64_t *label = exact_bytes(count * sizeof *label);
    take_indices(in, p->n, p->label_start, p->m, label, count);
    p->label = narrowed(count, label);
    free(label);
    p->data.label_start = p->label_start;
    p->data.label = p->label;
}

static void take_columns(bytes *in, problem *p) {
    p->row_start = take_starts(in, p->n, p->d, 0);
    const size_t count = stored(p->n, p->row_start);
    p->column64 = exact_bytes(count * sizeof *p->column64);
    take_indices(in, p->n, p->row_start, p->d, p->column64, count);
    p->column32 = narrowed(count, p->column64);
    p->data.row_start = p->row_start;
    if (take_one_in(in, 2))
        p->data.column32 = p->column32;
    else
        p->data.column64 = p->column64;
    if (take_one_in(in, 64)) p->data.column32 = p->column32; /* both */
}

/* X X^T of some X, or anything. */
static void make_gram(size_t n, double *x) {
    double *rows = copy_of(x, n * n * sizeof *x);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            x[i * n + j] = rows[i * n] * rows[j * n] + rows[i * n + n - 1] * rows[j * n + n - 1];
    free(rows);
}

static void take_features(bytes *in, problem *p) {
    const tl_representation representation = p->data.representation;
    size_t count = p->n * p->d;
    if (representation == TL_GRAM) count = p->n * p->n;
    if (representation == TL_CSR) {
        take_columns(in, p);
        count = stored(p->n, p->row_start);
    }
    double *x = exact_doubles(count);
    fill_numbers(in, count, x);
    if (representation == TL_GRAM && !take_one_in(in, 8)) make_gram(p->n, x);
    p->x = x;
    p->x_size = count * sizeof *x;
    if (p->data.type == TL_FLOAT32) {
        float *narrow = exact_bytes(count * sizeof *narrow);
        for (size_t i = 0; i < count; i++)
            narrow[i] = fabs(x[i]) < 3e38 ? (float)x[i] : (x[i] > 0.0 ? HUGE_VALF : -HUGE_VALF);
        p->x = narrow;
        p->x_size = count * sizeof *narrow;
        free(x);
    }
    p->data.x = p->x;
}

static void take_weights(bytes *in, problem *p) {
    p->weight = exact_doubles(p->n);
    fill_numbers(in, p->n, p->weight);
    for (size_t i = 0; i < p->n; i++)
        if (!take_one_in(in, 64)) p->weight[i] = fabs(p->weight[i]);
    p->data.weight = p->weight;
}

static void take_settings(bytes *in, problem *p) {
    tl_settings *s = &p->settings;
    tl_settings_default(s);
    s->loss = (tl_loss_id)take_choice(in, TL_LOSS_COUNT + (take_one_in(in, 32) ? 2 : 0));
    const int has_k = s->loss == TL_LOSS_TOPK_SVM_ALPHA || s->loss == TL_LOSS_TOPK_SVM_BETA ||
                      s->loss == TL_LOSS_TOPK_ENT || s->loss == TL_LOSS_TOPK_ENT_TR;
    if (has_k) s->k = 1 + take_choice(in, p->m);
    if (take_one_in(in, 64)) s->k = (size_t)take_bits(in, 8);
    if (take_one_in(in, 2)) s->gamma = take_parameter(in);
    if (take_one_in(in, 2)) s->C = take_parameter(in);
    if (take_one_in(in, 8)) s->C_start = take_parameter(in);
    s->seed = take_bits(in, 1);
    s->block = take_one_in(in, 2) ? take_choice(in, 20) : 0;
    if (take_one_in(in, 64)) s->block = SIZE_MAX;
    if (take_one_in(in, 4)) s->window = take_one_in(in, 8) ? SIZE_MAX : take_choice(in, 12);
    if (take_one_in(in, 8)) {
        p->center = exact_doubles(p->d * p->m);
        fill_numbers(in, p->d * p->m, p->center);
        s->center = p->center;
    }
}

/* One claim that must be refused, before anything is read. */
static void spoil(bytes *in, problem *p) {
    tl_data *data = &p->data;
    const size_t sizes[] = {0, 1, (size_t)INT_MAX + 1, SIZE_MAX};
    const size_t size = sizes[take_choice(in, 4)];
    switch (take_choice(in, 10)) {
    case 0:
        data->x = NULL;
        break;
    case 1:
        data->label = NULL;
        break;
    case 2:
        data->label_start = NULL;
        break;
    case 3:
        data->row_start = NULL;
        break;
    case 4:
        if (size != 1) data->n = size;
        break;
    case 5:
        data->m = size;
        break;
    case 6:
        if (data->representation == TL_DENSE && size != 1) data->d = size;
        break;
    case 7:
        data->representation = (tl_representation)7;
        break;
    case 8:
        data->type = (tl_type)7;
        break;
    default:
        break;
    }
}

static problem take_problem(bytes *in) {
    problem p = {.n = 1 + take_choice(in, 9),
                 .d = 1 + take_choice(in, take_one_in(in, 8) ? 80 : 6),
                 .m = 2 + take_choice(in, take_one_in(in, 8) ? 150 : 5)};
    p.data = (tl_data){.representation = (tl_representation)take_choice(in, 3),
                       .type = (tl_type)take_choice(in, 2),
                       .n = p.n,
                       .d = p.d,
                       .m = p.m};
    take_settings(in, &p);
    take_labels(in, &p);
    take_features(in, &p);
    if (take_one_in(in, 4)) take_weights(in, &p);
    p.dual = exact_doubles(p.n * p.m);
    memset(p.dual, 0, p.n * p.m * sizeof *p.dual);
    if (take_one_in(in, 8)) fill_numbers(in, p.n * p.m, p.dual);
    if (take_one_in(in, 16)) spoil(in, &p);
    return p;
}

static void free_problem(problem *p) {
    free(p->dual);
    free(p->x);
    free(p->row_start);
    free(p->label_start);
    free(p->column32);
    free(p->column64);
    free(p->label);
    free(p->weight);
    free(p->center);
}

/* ---- what must hold ---- */

static int is_objective(tl_status status, const tl_objective *objective) {
    if (status != TL_OK) {
        DEMAND(status == TL_ERR_OVERFLOW);
        return 0;
    }
    DEMAND(isfinite(objective->primal) && isfinite(objective->dual));
    DEMAND(!isnan(objective->relative_gap) && isfinite(objective->norm2));
    return 1;
}

static double entry_of(const problem *p, size_t i) {
    return p->data.type == TL_FLOAT32 ? (double)((const float *)p->x)[i]
                                      : ((const double *)p->x)[i];
}

/* A bound on ||x_i||, roughly. */
static double largest_norm(const problem *p) {
    const size_t count = p->x_size / (p->data.type == TL_FLOAT32 ? sizeof(float) : sizeof(double));
    double largest = 0.0;
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, fabs(entry_of(p, i)));
    return p->data.representation == TL_GRAM ? sqrt(largest) : largest * (double)p->d;
}

/* A bound on ||W||, roughly. */
static double largest_weights(const problem *p, double norm2) {
    double largest = 0.0;
    for (size_t i = 0; p->center != NULL && i < p->d * p->m; i++)
        largest = fmax(largest, fabs(p->center[i]));
    return sqrt(fabs(norm2)) + largest * (double)(p->d * p->m);
}

/* The dual variables of a run are a starting point of another, unless they are subnormal. */
static void check_restart(const problem *p, const tl_settings *settings) {
    for (size_t i = 0; p->weight != NULL && i < p->n; i++)
        if (p->weight[i] > 0.0 && settings->C * p->weight[i] < 1e-290) return;
    tl_solver *again = NULL;
    const tl_status status = tl_solver_create(&p->data, settings, p->dual, &again);
    if (status != TL_OK) fprintf(stderr, "refused: %s\n", tl_status_text(status));
    DEMAND(status == TL_OK);
    tl_solver_free(again);
}

static void run(bytes *in, problem *p, tl_solver *solver) {
    tl_objective objective;
    tl_settings settings = p->settings;
    settings.C_start = 0.0;
    tl_status status = tl_solver_evaluate(solver, &objective);
    const double start = is_objective(status, &objective) ? objective.primal : 0.0;
    DEMAND(tl_solver_run(solver, 1 + take_choice(in, 4)) == TL_OK);
    DEMAND(all_finite(p->n * p->m, p->dual));
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
    if (is_objective(tl_solver_evaluate(solver, &objective), &objective)) {
        /* Losses are rounded relative to the scores, of which a tiny loss is a difference. */
        const double scores = largest_norm(p) * largest_weights(p, objective.norm2);
        const double size = fmax(fmax(1.0, fabs(start)), fmax(objective.primal, -objective.dual));
        DEMAND(objective.primal - objective.dual >= -1e-9 * fmax(scores, size));
    }
    double *weights = exact_doubles(p->d * p->m);
    status = tl_solver_weights(solver, weights);
    DEMAND((status == TL_OK) == (p->data.representation != TL_GRAM));
    free(weights);
    check_restart(p, &settings);
}

static double largest_score(size_t m, const double *scores) {
    double largest = 1.0;
    for (size_t j = 0; j < m; j++)
        largest = fmax(largest, fabs(scores[j]));
    return largest;
}

static void check_losses(bytes *in, const problem *p) {
    const size_t count = p->n * p->m;
    const tl_settings *s = &p->settings;
    double *scores = exact_doubles(count), *values = exact_doubles(p->n);
    double *gradients = exact_doubles(count);
    fill_numbers(in, count, scores);
    const size_t n = p->data.n, m = p->data.m;
    if (tl_loss_values(s->loss, s->k, s->gamma, n, m, scores, p->data.label_start, p->data.label,
                       values) == TL_OK)
        for (size_t i = 0; i < p->n; i++)
            DEMAND(values[i] >= -1e-14 * largest_score(p->m, scores + i * p->m));
    if (tl_loss_gradients(s->loss, s->k, s->gamma, n, m, scores, p->data.label_start, p->data.label,
                          gradients) == TL_OK)
        for (size_t i = 0; i < count; i++)
            DEMAND(fabs(gradients[i]) <= 1.0 + 1e-9);
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
    problem p = take_problem(&in);
    const size_t dual_size = p.n * p.m * sizeof *p.dual;
    double *dual = copy_of(p.dual, dual_size);
    void *x = copy_of(p.x, p.x_size);

    tl_solver *solver = NULL;
    const tl_status status = tl_solver_create(&p.data, &p.settings, p.dual, &solver);
    DEMAND(status >= TL_OK && status < TL_STATUS_COUNT);
    if (status == TL_OK) {
        DEMAND(solver != NULL);
        run(&in, &p, solver);
        tl_solver_free(solver);
    } else {
        DEMAND(solver == NULL);
        DEMAND(memcmp(dual, p.dual, dual_size) == 0);
    }
    DEMAND(memcmp(x, p.x, p.x_size) == 0);
    if (p.data.n == p.n && p.data.m == p.m) check_losses(&in, &p);
    free(dual);
    free(x);
    free_problem(&p);
    return 0;
}
