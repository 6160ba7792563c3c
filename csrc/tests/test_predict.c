/* SPDX-License-Identifier: MIT */
/* Prediction beside the sums written out, and settings of other versions of the header. */
#include "check.h"

#include <toplabel.h>

#include <math.h>
#include <string.h>

enum { N = 5, D = 4, M = 3 };

/* The same rows dense, dense in float32, and sparse; the last feature is constant. */
static const double dense[N * (D - 1)] = {1, 0, 2, 0, 0, 0, -1, 3, 0, 0.5, 0, 0, 4, -2, 1};
static const int64_t row_start[N + 1] = {0, 2, 2, 4, 5, 8};
static const int32_t column[8] = {0, 2, 0, 1, 0, 0, 1, 2};
static const double value[8] = {1, 2, -1, 3, 0.5, 4, -2, 1};
static double weights[D * M];

static tl_data rows(int form, const float *single) {
    tl_data data = {.n = N, .d = D, .m = M, .constant = 2.0, .x = dense};
    if (form == 1) {
        data.x = single;
        data.type = TL_FLOAT32;
    }
    if (form == 2) {
        data.representation = TL_CSR;
        data.x = value;
        data.row_start = row_start;
        data.column32 = column;
    }
    return data;
}

static void test_predict(void) {
    float single[N * (D - 1)];
    for (int i = 0; i < N * (D - 1); i++)
        single[i] = (float)dense[i];
    for (int form = 0; form < 3; form++) {
        const tl_data data = rows(form, single);
        double scores[N * M];
        int32_t label[N], alone[N];
        CHECK(tl_predict(&data, weights, scores, label) == TL_OK);
        CHECK(tl_predict(&data, weights, NULL, alone) == TL_OK);
        CHECK(memcmp(label, alone, sizeof label) == 0);
        for (int i = 0; i < N; i++) {
            int best = 0;
            for (int j = 0; j < M; j++) {
                double sum = 2.0 * weights[(D - 1) * M + j];
                for (int k = 0; k < D - 1; k++)
                    sum += dense[i * (D - 1) + k] * weights[k * M + j];
                CHECK(fabs(scores[i * M + j] - sum) <= 1e-14 * (1.0 + fabs(sum)));
                if (sum > scores[i * M + best]) best = j;
            }
            CHECK(label[i] == best);
        }
    }
}

static void test_bad_rows(void) {
    tl_data data = rows(0, NULL);
    double scores[N * M];
    CHECK(tl_predict(NULL, weights, scores, NULL) == TL_ERR_NULL);
    CHECK(tl_predict(&data, NULL, scores, NULL) == TL_ERR_NULL);
    double bad[D * M] = {NAN};
    CHECK(tl_predict(&data, bad, scores, NULL) == TL_ERR_NOT_FINITE);
    double x[N * (D - 1)] = {INFINITY};
    data.x = x;
    CHECK(tl_predict(&data, weights, scores, NULL) == TL_ERR_NOT_FINITE);
    x[0] = 1e300;
    bad[0] = 1e300;
    CHECK(tl_predict(&data, bad, scores, NULL) == TL_ERR_OVERFLOW);
    data.representation = TL_GRAM;
    CHECK(tl_predict(&data, weights, scores, NULL) == TL_ERR_PARAMETER);
    const int64_t falling[N + 1] = {0, 2, 1, 4, 5, 8};
    data = rows(2, NULL);
    data.row_start = falling;
    CHECK(tl_predict(&data, weights, scores, NULL) == TL_ERR_INDEX);
}

/* What a later version of the header would have: fields behind those that the library knows. */
typedef struct later {
    tl_settings known;
    double added;
} later;

static void test_other_versions(void) {
    const int64_t label_start[3] = {0, 1, 2};
    const int32_t label[2] = {0, 1};
    const double x[2] = {1, -1};
    double dual[4] = {0};
    tl_solver *solver = NULL;
    const tl_data data = {
        .n = 2, .d = 1, .m = 2, .x = x, .label_start = label_start, .label = label};
    later settings;
    memset(&settings, 0xff, sizeof settings);
    tl_settings_init(&settings.known, sizeof settings);
    CHECK(settings.added == 0.0 && settings.known.C == 1.0);
    CHECK(tl_solver_create(&data, &settings.known, dual, &solver) == TL_OK);
    tl_solver_free(solver);
    settings.added = 1.0;
    CHECK(tl_solver_create(&data, &settings.known, dual, &solver) == TL_ERR_PARAMETER);
    const tl_settings unmade = {.loss = TL_LOSS_SVM_MULTI, .k = 1, .C = 1.0};
    CHECK(tl_solver_create(&data, &unmade, dual, &solver) == TL_ERR_PARAMETER);
    tl_settings_init(NULL, 0);
    CHECK(tl_version_number() == TL_VERSION_NUMBER);
}

int main(void) {
    uint64_t state = 1;
    for (int k = 0; k < D * M; k++)
        weights[k] = normal(&state);
    test_predict();
    test_bad_rows();
    test_other_versions();
    return check_summary("predict");
}
