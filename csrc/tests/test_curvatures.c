/* SPDX-License-Identifier: MIT */
/* The generalised Jacobians of the losses' gradients: against differences of the gradient where it
 * is differentiable, by what holds for every generalised Jacobian at kinks; and the products, the
 * diagonal and the matrix of a system against one another. */
#include "check.h"
#include "loss.h"

#include <string.h>

#define MOST 12 /* classes */

typedef struct problem {
    tl_loss_id loss;
    const tl_loss_ops *ops;
    size_t k, m;
    double gamma;
    int64_t start[2];
    int32_t label[MOST];
    tl_curvatures *curvatures;
} problem;

static problem draw(tl_loss_id loss, uint64_t *state) {
    problem p = {.loss = loss, .ops = tl_loss_get(loss), .m = 2, .k = 1};
    p.m += (size_t)(uniform(state) * (MOST - 2));
    if (p.ops->has_k) p.k = 1 + (size_t)(uniform(state) * (double)(p.m - 1));
    p.gamma = p.ops->always_smooth ? 0.0 : pow(10.0, 2.0 * uniform(state) - 1.0);
    if (p.ops->multiclass) {
        p.label[0] = (int32_t)(uniform(state) * (double)p.m);
        p.start[1] = 1;
    }
    for (size_t j = 0; !p.ops->multiclass && j < p.m; j++)
        if (uniform(state) < 0.4) p.label[p.start[1]++] = (int32_t)j;
    return p;
}

static void gradient(const problem *p, const double *s, double *g) {
    CHECK(tl_loss_gradients(p->loss, p->k, p->gamma, 1, p->m, s, p->start, p->label, g) == TL_OK);
}

/* out = J v with the J at s. */
static void product(const problem *p, const double *s, const double *v, double *out) {
    double g[MOST];
    size_t rows, entries;
    gradient(p, s, g);
    CHECK(tl_curvatures_set(p->curvatures, p->gamma, 1.0, NULL, g, &rows, &entries) == TL_OK);
    memset(out, 0, p->m * sizeof *out);
    if (rows == 0) return;
    memcpy(out, v, p->m * sizeof *out);
    CHECK(tl_curvatures_multiply(p->curvatures, out) == TL_OK);
}

/* Scores at random, or on a grid on which margins and classes tie. */
static void draw_scores(const problem *p, bool ties, double *s, uint64_t *state) {
    for (size_t j = 0; j < p->m; j++)
        s[j] = ties ? floor(4.0 * uniform(state)) - 2.0 : 2.0 * normal(state);
}

static void draw_direction(const problem *p, double *v, uint64_t *state) {
    for (size_t j = 0; j < p->m; j++)
        v[j] = normal(state);
}

static double size_of(const problem *p) {
    return p->ops->always_smooth ? 1.0 : 1.0 / p->gamma;
}

/* Central differences, where both ends have the same Jacobian. Returns if they were compared. */
static bool compare_differences(const problem *p, uint64_t *state) {
    const double h = 1e-5;
    double s[MOST], v[MOST], ends[2][MOST], g[2][MOST], J[2][MOST], here[MOST];
    draw_scores(p, false, s, state);
    draw_direction(p, v, state);
    for (int end = 0; end < 2; end++) {
        for (size_t j = 0; j < p->m; j++)
            ends[end][j] = s[j] + (end ? h : -h) * v[j];
        gradient(p, ends[end], g[end]);
        product(p, ends[end], v, J[end]);
    }
    product(p, s, v, here);
    for (size_t j = 0; j < p->m; j++)
        if (fabs(J[0][j] - J[1][j]) > 1e-3 * size_of(p)) return false;
    for (size_t j = 0; j < p->m; j++)
        CHECK_CLOSE((g[1][j] - g[0][j]) / (2.0 * h), here[j], 1e-6 * (1.0 + size_of(p)));
    return true;
}

/* From a kink a step of length h moves the gradient by J h v, with the J where the step ends: for
 * small h exactly where the gradient is piecewise linear, else up to terms of h^2. */
static void compare_kinks(const problem *p, uint64_t *state) {
    const double h = 1e-6;
    double s[MOST], v[MOST], end[MOST], g[2][MOST], moved[MOST];
    draw_scores(p, true, s, state);
    draw_direction(p, v, state);
    for (size_t j = 0; j < p->m; j++)
        end[j] = s[j] + h * v[j];
    gradient(p, s, g[0]);
    gradient(p, end, g[1]);
    product(p, end, v, moved);
    for (size_t j = 0; j < p->m; j++)
        CHECK_CLOSE((g[1][j] - g[0][j]) / h, moved[j], 1e-4 * (1.0 + size_of(p)));
}

/* Every generalised Jacobian of a gradient with Lipschitz constant 1/c is symmetric, and
 * <v, J v> >= c |J v|^2. Of differences that is in t_j - t_y. */
static void check_inequality(const problem *p, bool ties, uint64_t *state) {
    double s[MOST], v[MOST], w[MOST], Jv[MOST], Jw[MOST];
    const size_t y = p->ops->differences ? (size_t)p->label[0] : p->m;
    draw_scores(p, ties, s, state);
    draw_direction(p, v, state);
    draw_direction(p, w, state);
    if (y < p->m) v[y] = w[y] = 0.0;
    product(p, s, v, Jv);
    product(p, s, w, Jw);
    double both = 0.0, squares = 0.0, skew = 0.0, sum = 0.0;
    for (size_t j = 0; j < p->m; j++) {
        both += v[j] * Jv[j];
        squares += j == y ? 0.0 : Jv[j] * Jv[j];
        skew += v[j] * Jw[j] - w[j] * Jv[j];
        sum += Jv[j];
    }
    CHECK(both >= squares / size_of(p) - 1e-9 * size_of(p));
    CHECK_CLOSE(skew, 0.0, 1e-9 * size_of(p));
    if (y < p->m) CHECK_CLOSE(sum, 0.0, 1e-9 * size_of(p));
}

static void test_loss(tl_loss_id loss, uint64_t *state) {
    const int rounds = 3000;
    int compared = 0;
    for (int round = 0; round < rounds; round++) {
        problem p = draw(loss, state);
        CHECK(tl_curvatures_create(loss, p.k, 1, p.m, p.start, p.label, &p.curvatures) == TL_OK);
        compared += compare_differences(&p, state);
        compare_kinks(&p, state);
        check_inequality(&p, false, state);
        check_inequality(&p, true, state);
        tl_curvatures_free(p.curvatures);
    }
    CHECK(compared > rounds * 9 / 10);
}

/* Of several rows with weights, one of them 0: the matrix, and its product by that of rows. */
static void test_system(tl_loss_id loss, uint64_t *state) {
    enum { N = 9, M = 5, D = 3 };
    const tl_loss_ops *ops = tl_loss_get(loss);
    const size_t k = ops->has_k ? 2 : 1;
    const double gamma = ops->always_smooth ? 0.0 : 0.7, C = 1.7;
    double s[N * M], g[N * M], x[N * D], weight[N], packed[N * D], t[N * M], diagonal[N * M];
    double B[M * D * M * D] = {0.0}, v[M * D], Bv[M * D] = {0.0};
    int64_t start[N + 1], index[N];
    int32_t label[N];
    for (size_t i = 0; i < N; i++) {
        start[i] = (int64_t)i;
        label[i] = (int32_t)(i % M);
        weight[i] = i == 4 ? 0.0 : 0.5 + uniform(state);
    }
    start[N] = N;
    for (size_t i = 0; i < N * M; i++)
        s[i] = normal(state);
    for (size_t i = 0; i < N * D; i++)
        x[i] = normal(state);
    for (size_t i = 0; i < M * D; i++)
        v[i] = normal(state);
    tl_curvatures *self;
    size_t rows, entries;
    CHECK(tl_curvatures_create(loss, k, N, M, start, label, &self) == TL_OK);
    CHECK(tl_loss_gradients(loss, k, gamma, N, M, s, start, label, g) == TL_OK);
    CHECK(tl_curvatures_set(self, gamma, C, weight, g, &rows, &entries) == TL_OK);
    CHECK(tl_curvatures_rows(self, index) == TL_OK);
    CHECK(rows > 0 && rows < N && entries >= rows && entries <= rows * M);
    for (size_t r = 0; r < rows; r++) {
        CHECK(index[r] != 4);
        memcpy(packed + r * D, x + index[r] * D, D * sizeof *x);
        for (size_t j = 0; j < M; j++) {
            t[r * M + j] = 0.0;
            for (size_t f = 0; f < D; f++)
                t[r * M + j] += packed[r * D + f] * v[j * D + f];
        }
    }
    CHECK(tl_curvatures_multiply(self, t) == TL_OK);
    CHECK(tl_curvatures_diagonal(self, diagonal) == TL_OK);
    CHECK(tl_curvatures_assemble(self, D, packed, B) == TL_OK);
    for (size_t a = 0; a < M * D; a++)
        for (size_t b = 0; b < M * D; b++)
            Bv[a] += (a / D <= b / D ? B[a * M * D + b] : B[b * M * D + a]) * v[b];
    for (size_t j = 0; j < M; j++)
        for (size_t f = 0; f < D; f++) {
            double sum = 0.0, square = 0.0;
            for (size_t r = 0; r < rows; r++) {
                sum += t[r * M + j] * packed[r * D + f];
                square += diagonal[r * M + j] * packed[r * D + f] * packed[r * D + f];
            }
            CHECK_CLOSE(Bv[j * D + f], sum, 1e-9);
            CHECK_CLOSE(B[(j * D + f) * M * D + j * D + f], square, 1e-9);
        }
    tl_curvatures_free(self);
}

static void test_refusals(void) {
    const int64_t start[] = {0, 1};
    const int32_t label[] = {1};
    const double g[] = {0.5, -0.5, 0.0};
    size_t rows, entries;
    tl_curvatures *self = NULL;
    CHECK(tl_curvatures_create(TL_LOSS_TOPK_ENT_TR, 1, 1, 3, start, label, &self) == TL_ERR_LOSS);
    CHECK(tl_curvatures_create(TL_LOSS_SVM_MULTI, 2, 1, 3, start, label, &self) ==
          TL_ERR_DIMENSION);
    CHECK(tl_curvatures_create(TL_LOSS_SVM_MULTI, 1, 1, 3, start, NULL, &self) == TL_ERR_NULL);
    CHECK(tl_curvatures_create(TL_LOSS_SVM_MULTI, 1, 1, 1, start, label, &self) ==
          TL_ERR_DIMENSION);
    CHECK(self == NULL);
    CHECK(tl_curvatures_create(TL_LOSS_SVM_MULTI, 1, 1, 3, start, label, &self) == TL_OK);
    CHECK(tl_curvatures_set(self, 0.0, 1.0, NULL, g, &rows, &entries) == TL_ERR_PARAMETER);
    CHECK(tl_curvatures_set(self, 1.0, 0.0, NULL, g, &rows, &entries) == TL_ERR_PARAMETER);
    CHECK(tl_curvatures_set(self, 1.0, 1.0, NULL, NULL, &rows, &entries) == TL_ERR_NULL);
    const double wrong[] = {0.5, NAN, 0.0}, negative[] = {-1.0}, infinite[] = {INFINITY};
    CHECK(tl_curvatures_set(self, 1.0, 1.0, NULL, wrong, &rows, &entries) == TL_ERR_NOT_FINITE);
    CHECK(tl_curvatures_set(self, 1.0, 1.0, negative, g, &rows, &entries) == TL_ERR_PARAMETER);
    CHECK(tl_curvatures_set(self, 1.0, 1.0, infinite, g, &rows, &entries) == TL_ERR_PARAMETER);
    CHECK(tl_curvatures_set(self, 1.0, 1.0, NULL, g, &rows, &entries) == TL_OK && rows == 1);
    tl_curvatures_free(self);
    tl_curvatures_free(NULL);
    for (tl_loss_id loss = 0; loss < TL_LOSS_COUNT; loss++) {
        tl_traits traits;
        CHECK(tl_loss_traits(loss, &traits) == TL_OK);
        CHECK((traits.curvature != 0) == (loss != TL_LOSS_TOPK_ENT_TR));
    }
}

int main(void) {
    uint64_t state = 5;
    for (tl_loss_id loss = 0; loss < TL_LOSS_COUNT; loss++) {
        if (tl_loss_get(loss)->curvature == NULL) continue;
        test_loss(loss, &state);
        test_system(loss, &state);
    }
    test_refusals();
    return check_summary("curvatures");
}
