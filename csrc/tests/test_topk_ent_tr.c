/* SPDX-License-Identifier: MIT */
/* The truncated top-k entropy: against its definition by sorting, finite differences, ties, scores
 * as large as they get, and what it refuses. */
#include "check.h"
#include "toplabel.h"

#include <string.h>

enum { M = 7 };

static const int64_t START[2] = {0, 1};

static double value(size_t k, const double *scores, int32_t y) {
    double out = NAN;
    CHECK(tl_loss_values(TL_LOSS_TOPK_ENT_TR, k, 0.0, 1, M, scores, START, &y, &out) == TL_OK);
    return out;
}

static void gradient(size_t k, const double *scores, int32_t y, double *g) {
    CHECK(tl_loss_gradients(TL_LOSS_TOPK_ENT_TR, k, 0.0, 1, M, scores, START, &y, g) == TL_OK);
}

static double by_definition(size_t k, const double *scores, int32_t y) {
    double others[M - 1];
    size_t n = 0;
    for (int32_t j = 0; j < M; j++)
        if (j != y) others[n++] = scores[j];
    for (size_t i = 0; i < n; i++) /* sorted, the smallest first */
        for (size_t j = i + 1; j < n; j++)
            if (others[j] < others[i]) {
                const double swap = others[i];
                others[i] = others[j];
                others[j] = swap;
            }
    double sum = 0.0;
    for (size_t i = 0; i < M - k; i++)
        sum += exp(others[i] - scores[y]);
    return log1p(sum);
}

static void test_formula_and_differences(void) {
    uint64_t state = 11;
    for (int round = 0; round < 300; round++) {
        const int32_t y = (int32_t)(uniform(&state) * M);
        double s[M], g[M];
        for (size_t j = 0; j < M; j++)
            s[j] = 3.0 * normal(&state);
        if (round % 3 == 0) /* ties */
            for (size_t j = 0; j < M; j++)
                s[j] = round % 2 ? floor(s[j]) : 1.0;
        for (size_t k = 1; k < M; k++) {
            const double expected = by_definition(k, s, y);
            CHECK_CLOSE(value(k, s, y), expected, 1e-13 * (1.0 + expected));
            gradient(k, s, y, g);
            double sum = 0.0, size = 0.0;
            for (size_t j = 0; j < M; j++) {
                sum += g[j];
                CHECK(j == (size_t)y ? g[j] <= 0.0 : g[j] >= 0.0);
                size += g[j] != 0.0;
            }
            CHECK_CLOSE(sum, 0.0, 1e-15);
            CHECK(size == (double)(M - k + 1)); /* k - 1 classes dropped, however many tie */
            if (round % 3 == 0) continue;
            for (size_t j = 0; j < M; j++) {
                double up[M], down[M];
                memcpy(up, s, sizeof up);
                memcpy(down, s, sizeof down);
                up[j] += 1e-6;
                down[j] -= 1e-6;
                CHECK_CLOSE(g[j], (value(k, up, y) - value(k, down, y)) / 2e-6, 1e-7);
            }
        }
    }
}

/* The smallest index of a tie is dropped; a small step against the gradient goes down. */
static void test_ties(void) {
    const double s[M] = {2.0, 2.0, 0.0, 2.0, -1.0, 5.0, 2.0};
    double g[M], next[M];
    gradient(3, s, 2, g); /* 5 and one of the four 2 */
    CHECK(g[5] == 0.0 && g[0] == 0.0 && g[1] > 0.0 && g[3] == g[1] && g[6] == g[1]);
    for (int32_t y = 0; y < M; y++)
        for (size_t k = 1; k < M; k++) {
            double squares = 0.0;
            gradient(k, s, y, g);
            for (size_t j = 0; j < M; j++) {
                next[j] = s[j] - 1e-4 * g[j];
                squares += g[j] * g[j];
            }
            CHECK(value(k, next, y) <= value(k, s, y) - 0.9e-4 * squares);
        }
}

static void test_first_is_softmax(void) {
    uint64_t state = 5;
    for (int round = 0; round < 50; round++) {
        double s[M], g[M], softmax[M], loss = NAN;
        const int32_t y = round % M;
        for (size_t j = 0; j < M; j++)
            s[j] = 10.0 * normal(&state);
        CHECK(tl_loss_values(TL_LOSS_LR_MULTI, 1, 0.0, 1, M, s, START, &y, &loss) == TL_OK);
        CHECK_CLOSE(value(1, s, y), loss, 1e-13 * (1.0 + loss));
        CHECK(tl_loss_gradients(TL_LOSS_LR_MULTI, 1, 0.0, 1, M, s, START, &y, softmax) == TL_OK);
        gradient(1, s, y, g);
        for (size_t j = 0; j < M; j++)
            CHECK_CLOSE(g[j], softmax[j], 1e-14);
    }
}

static void test_huge_scores(void) {
    const double s[M] = {8e149, -8e149, 0.0, 1.0, 8e149, 3.0, 2.0};
    double g[M];
    CHECK(value(3, s, 2) > 3.0 && value(3, s, 2) < 4.0); /* both huge ones are dropped */
    CHECK_CLOSE(value(2, s, 2) / 8e149, 1.0, 1e-15);
    CHECK(value(2, s, 0) == 0.0);
    CHECK_CLOSE(value(1, s, 0), log(2.0), 1e-15);
    for (int32_t y = 0; y < M; y++)
        for (size_t k = 1; k < M; k++) {
            gradient(k, s, y, g);
            for (size_t j = 0; j < M; j++)
                CHECK(isfinite(g[j]) && fabs(g[j]) <= 1.0);
        }
    const double far[M] = {-600.0, -620.0, 0.0, -640.0, -610.0, -605.0, -615.0};
    CHECK_CLOSE(value(2, far, 2) / exp(-605.0), 1.0, 0.01); /* digits of small losses */
    gradient(2, far, 2, g);
    CHECK_CLOSE(-g[2] / value(2, far, 2), 1.0, 1e-12);
}

static void test_refusals(void) {
    const double s[M] = {0};
    double out[M];
    const int32_t y = 0, wrong = M;
    const tl_loss_id loss = TL_LOSS_TOPK_ENT_TR;
    CHECK(tl_loss_values(loss, 0, 0.0, 1, M, s, START, &y, out) == TL_ERR_DIMENSION);
    CHECK(tl_loss_values(loss, M, 0.0, 1, M, s, START, &y, out) == TL_ERR_DIMENSION);
    CHECK(tl_loss_gradients(loss, M, 0.0, 1, M, s, START, &y, out) == TL_ERR_DIMENSION);
    CHECK(tl_loss_values(loss, 2, 0.0, 1, M, s, START, &wrong, out) == TL_ERR_LABEL);
    CHECK(tl_loss_conjugates(loss, 2, 0.0, 1, M, s, START, &y, out) == TL_ERR_LOSS);
}

int main(void) {
    test_formula_and_differences();
    test_ties();
    test_first_is_softmax();
    test_huge_scores();
    test_refusals();
    return check_summary("topk_ent_tr");
}
