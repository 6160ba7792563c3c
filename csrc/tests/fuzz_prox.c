/* SPDX-License-Identifier: MIT */
/* The proximal maps on whatever the bytes say: refused as the header has it, or feasible; the same
 * in place, and by sorting; nothing else touched. */
#include "fuzz.h"
#include "prox_sorted.h"

typedef struct problem {
    tl_prox prox;
    size_t n_bar; /* 0 for maps of one array */
    double *b, *b_bar;
} problem;

typedef struct answer {
    tl_status status;
    double *x, *y;
} answer;

#define UNTOUCHED 12345.0
/* Subnormal numbers have few digits. */
#define TINY 1e-300

static int is_bipartite(tl_prox_id map) {
    return map == TL_PROX_BIPARTITE_SIMPLEX || map == TL_PROX_BIPARTITE_ENTROPIC;
}

static int is_entropic(tl_prox_id map) {
    return map == TL_PROX_TOPK_ENTROPIC || map == TL_PROX_BIPARTITE_ENTROPIC;
}

static problem take_problem(bytes *in) {
    problem p = {.prox = {.map = (tl_prox_id)take_choice(in, TL_PROX_COUNT),
                          .n = 1 + take_choice(in, take_one_in(in, 8) ? 150 : 12),
                          .n_bar = 1 + take_choice(in, 12)}};
    p.prox.k = 1 + take_choice(in, p.prox.n);
    if (take_one_in(in, 16)) p.prox.k = (size_t)take_bits(in, 8);
    if (take_one_in(in, 32)) p.prox.n_bar = 0;
    p.prox.radius = take_parameter(in);
    p.prox.bias = take_parameter(in);
    p.prox.alpha = take_parameter(in);
    p.n_bar = is_bipartite(p.prox.map) ? p.prox.n_bar : 0;
    p.b = exact_doubles(p.prox.n);
    p.b_bar = exact_doubles(p.n_bar);
    fill_numbers(in, p.prox.n, p.b);
    fill_numbers(in, p.n_bar, p.b_bar);
    return p;
}

static double largest_size(size_t n, const double *x) {
    double largest = 0.0;
    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(x[i]));
    return largest;
}

/* 1: to be solved; 0: to be refused; -1: between 1e150 and what really overflows, either. */
static int is_valid(const problem *p) {
    const tl_prox *q = &p->prox;
    if (!all_finite(q->n, p->b) || !all_finite(p->n_bar, p->b_bar)) return 0;
    const double size = fmax(largest_size(q->n, p->b), largest_size(p->n_bar, p->b_bar));
    if (size > 2e150) return 0;
    if (is_bipartite(q->map) ? q->n_bar < 1 && q->map == TL_PROX_BIPARTITE_SIMPLEX
                             : q->k < 1 || q->k > q->n)
        return 0;
    if (is_entropic(q->map)) {
        if (!(q->alpha >= 1e-100 && q->alpha <= 1e100)) return 0;
    } else {
        if (q->map != TL_PROX_TOPK_CONE && !(q->radius >= 0.0 && q->radius <= 1e150)) return 0;
        if (!is_bipartite(q->map) && !(q->bias >= 0.0 && q->bias <= 1e100)) return 0;
    }
    return size > 1e150 ? -1 : 1;
}

static answer solve(const problem *p) {
    const tl_prox prox = p->prox;
    answer a = {.x = exact_doubles(prox.n), .y = exact_doubles(p->n_bar)};
    for (size_t j = 0; j < prox.n; j++)
        a.x[j] = UNTOUCHED;
    for (size_t j = 0; j < p->n_bar; j++)
        a.y[j] = UNTOUCHED;
    double *work = exact_doubles(tl_prox_work(&prox));
    a.status = tl_prox_rows(&prox, 1, p->b, p->b_bar, a.x, a.y, work);
    free(work);
    if (a.status == TL_OK) return a;
    for (size_t j = 0; j < prox.n; j++)
        DEMAND(a.x[j] == UNTOUCHED);
    for (size_t j = 0; j < p->n_bar; j++)
        DEMAND(a.y[j] == UNTOUCHED);
    return a;
}

static void check_in_place(const problem *p, const answer *a) {
    double *b = copy_of(p->b, p->prox.n * sizeof *b);
    double *b_bar = copy_of(p->b_bar, p->n_bar * sizeof *b_bar);
    double *work = exact_doubles(tl_prox_work(&p->prox));
    DEMAND(tl_prox_rows(&p->prox, 1, b, b_bar, b, b_bar, work) == TL_OK);
    DEMAND(memcmp(b, a->x, p->prox.n * sizeof *b) == 0);
    DEMAND(memcmp(b_bar, a->y, p->n_bar * sizeof *b_bar) == 0);
    free(b);
    free(b_bar);
    free(work);
}

static double sum_of(size_t n, const double *x) {
    double sum = 0.0;
    for (size_t j = 0; j < n; j++) {
        DEMAND(x[j] >= 0.0); /* and no NaN */
        sum += x[j];
    }
    return sum;
}

static double largest_of(size_t n, const double *x) {
    double largest = x[0];
    for (size_t j = 1; j < n; j++)
        largest = fmax(largest, x[j]);
    return largest;
}

static void check_feasible(const problem *p, const answer *a) {
    const tl_prox *q = &p->prox;
    const double count = (double)(q->n + p->n_bar), k = (double)q->k;
    const double sum = sum_of(q->n, a->x), largest = largest_of(q->n, a->x);
    const double sum_bar = sum_of(p->n_bar, a->y);
    const double size = fmax(largest_size(q->n, p->b), largest_size(p->n_bar, p->b_bar));
    const double rounding = 1e-15 * count;
    switch (q->map) {
    case TL_PROX_TOPK_SIMPLEX_ALPHA:
        DEMAND(largest <= q->radius / k);
        DEMAND(sum <= q->radius * (1.0 + rounding) + TINY);
        DEMAND(largest - sum / k <= rounding * size + TINY);
        break;
    case TL_PROX_TOPK_CONE:
        DEMAND(largest - sum / k <= rounding * size + TINY);
        break;
    case TL_PROX_TOPK_SIMPLEX_BETA:
        DEMAND(largest <= q->radius / k);
        DEMAND(sum <= q->radius * (1.0 + rounding) + TINY);
        break;
    case TL_PROX_BIPARTITE_SIMPLEX:
        DEMAND(fmax(sum, sum_bar) <= q->radius * (1.0 + rounding) + TINY);
        DEMAND(fabs(sum - sum_bar) <= rounding * fmin(size * count, q->radius) + TINY);
        break;
    case TL_PROX_TOPK_ENTROPIC:
        DEMAND(sum <= 1.0 + rounding);
        DEMAND(largest - sum / k <= rounding);
        break;
    case TL_PROX_BIPARTITE_ENTROPIC:
        DEMAND(fabs(sum + sum_bar - 1.0) <= rounding);
        break;
    case TL_PROX_COUNT:
        break;
    }
}

static void check_against_sorting(const problem *p, const answer *a) {
    if (is_entropic(p->prox.map)) return;
    const answer other = {.x = exact_doubles(p->prox.n), .y = exact_doubles(p->n_bar)};
    sorted_rows(&p->prox, 1, p->b, p->b_bar, other.x, other.y);
    check_feasible(p, &other);
    const double size = fmax(largest_size(p->prox.n, p->b), largest_size(p->n_bar, p->b_bar));
    const double tolerance = 1e-14 * (double)(p->prox.n + p->n_bar) * size + TINY;
    for (size_t j = 0; j < p->prox.n; j++)
        DEMAND(fabs(a->x[j] - other.x[j]) <= tolerance);
    for (size_t j = 0; j < p->n_bar; j++)
        DEMAND(fabs(a->y[j] - other.y[j]) <= tolerance);
    free(other.x);
    free(other.y);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    bytes in = {data, size};
    const problem p = take_problem(&in);
    double *b = copy_of(p.b, p.prox.n * sizeof *b);
    double *b_bar = copy_of(p.b_bar, p.n_bar * sizeof *b_bar);
    const int valid = is_valid(&p);
    const answer a = solve(&p);
    if (valid >= 0) DEMAND((a.status == TL_OK) == (valid == 1));
    if (a.status == TL_OK) {
        check_feasible(&p, &a);
        check_in_place(&p, &a);
        check_against_sorting(&p, &a);
    }
    DEMAND(memcmp(b, p.b, p.prox.n * sizeof *b) == 0);
    DEMAND(memcmp(b_bar, p.b_bar, p.n_bar * sizeof *b_bar) == 0);
    free(b);
    free(b_bar);
    free(a.x);
    free(a.y);
    free(p.b);
    free(p.b_bar);
    return 0;
}
