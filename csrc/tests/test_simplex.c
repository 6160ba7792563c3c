/* SPDX-License-Identifier: MIT */
/* The simplex coding and its SVMs through the C interface: code vectors, gaps in every form of the
 * data, and bad input, which is refused before anything is touched. */
#include "simplex_problem.h"

static void test_codes(void) {
    double codes[K * T];
    CHECK(tl_simplex_codes(T, codes) == TL_OK);
    for (size_t y = 0; y < T; y++)
        for (size_t z = 0; z < T; z++) {
            double product = 0.0;
            for (size_t r = 0; r < K; r++)
                product += codes[r * T + y] * codes[r * T + z];
            CHECK_CLOSE(product, y == z ? 1.0 : -1.0 / K, 1e-15);
        }
    CHECK(tl_simplex_codes(1, codes) == TL_ERR_DIMENSION);
    CHECK(tl_simplex_codes(T, NULL) == TL_ERR_NULL);
}

/* The products in O(T) are those with the matrix. */
static void test_products(void) {
    double codes[K * T], f[K], b[T], s[T], g[K], height[K], step[K];
    tl_coding coding = {.classes = T, .height = height, .step = step};
    tl_coding_fill(&coding);
    CHECK(tl_simplex_codes(T, codes) == TL_OK);
    uint64_t state = 11;
    for (size_t r = 0; r < K; r++)
        f[r] = normal(&state);
    for (size_t y = 0; y < T; y++)
        b[y] = normal(&state);
    tl_coding_scores(&coding, f, s);
    tl_coding_combine(&coding, b, g);
    for (size_t y = 0; y < T; y++) {
        double product = 0.0, added[K] = {0};
        for (size_t r = 0; r < K; r++)
            product += codes[r * T + y] * f[r];
        CHECK_CLOSE(s[y], product, 1e-14);
        CHECK_CLOSE(tl_coding_score(&coding, y, f), product, 1e-14);
        tl_coding_add(&coding, y, 2.0, added);
        for (size_t r = 0; r < K; r++)
            CHECK_CLOSE(added[r], 2.0 * codes[r * T + y], 1e-15);
    }
    for (size_t r = 0; r < K; r++) {
        double sum = 0.0;
        for (size_t y = 0; y < T; y++)
            sum += b[y] * codes[r * T + y];
        CHECK_CLOSE(g[r], sum, 1e-14);
    }
}

/* The block is a maximiser: the gradient b - k G u points out of the box at its faces, and is zero
 * inside. */
static void test_block(void) {
    uint64_t state = 5;
    for (int round = 0; round < 20000; round++) {
        double b[T], u[T], size = 0.0;
        const double k = round % 7 == 0 ? 0.0 : pow(10.0, 6.0 * uniform(&state) - 3.0);
        const double c = pow(10.0, 6.0 * uniform(&state) - 3.0);
        const double spread = pow(10.0, 4.0 * uniform(&state) - 2.0);
        const size_t y = (size_t)(uniform(&state) * T);
        for (size_t j = 0; j < T; j++) {
            b[j] = spread * (round % 3 ? normal(&state) : floor(4.0 * uniform(&state)) - 1.0);
            size = fmax(size, fabs(b[j]));
        }
        double total = round % 2 ? uniform(&state) * c * T : NAN;
        tl_simplex_block(T, y, k, c, b, &total, u);
        double sum = 0.0;
        for (size_t j = 0; j < T; j++)
            sum += u[j];
        CHECK_CLOSE(total, sum, 1e-12 * T * c);
        CHECK(u[y] == 0.0);
        for (size_t j = 0; j < T; j++) {
            if (j == y) continue;
            const double gradient = b[j] - k * (T * u[j] - sum) / K;
            const double tolerance = 1e-12 * (size + k * c * T);
            CHECK(u[j] >= 0.0 && u[j] <= c);
            if (u[j] > 0.0) CHECK(gradient >= -tolerance);
            if (u[j] < c) CHECK(gradient <= tolerance);
        }
    }
}

static size_t variables(tl_simplex_loss loss) {
    return loss == TL_SIMPLEX_SC_SVM ? T : 1;
}

static void test_gaps(const problem *p) {
    for (size_t l = 0; l < 2; l++)
        for (int weighted = 0; weighted < 2; weighted++) {
            double first = 0.0;
            for (int form = 0; form < FORMS; form++) {
                tl_data data = view(p, form);
                data.weight = weighted ? p->weight : NULL;
                double alpha[N * T] = {0}, a[N * K], w[D * K];
                tl_simplex *solver = NULL;
                CHECK(tl_simplex_create(&data, SVMS[l], 0.7, 1, alpha, &solver) == TL_OK);
                const double primal = finish(solver, 1e-9);
                if (form == DENSE) first = primal;
                CHECK_CLOSE(primal, first, 3e-9 * first);
                for (size_t i = 0; i < N * variables(SVMS[l]); i++)
                    CHECK(alpha[i] >= 0.0 && alpha[i] <= 1.4);
                CHECK(tl_simplex_coefficients(solver, a) == TL_OK);
                const tl_status status = tl_simplex_weights(solver, w);
                CHECK(status == (form == GRAM ? TL_ERR_PARAMETER : TL_OK));
                for (size_t j = 0; form != GRAM && j < D; j++)
                    for (size_t r = 0; r < K; r++) { /* W = X^T A */
                        double sum = 0.0;
                        for (size_t i = 0; i < N; i++)
                            sum += p->x[i * D + j] * a[i * K + r];
                        CHECK_CLOSE(w[j * K + r], sum, 1e-12);
                    }
                tl_simplex_free(solver);
            }
        }
}

/* Another C, and a start from stored variables, lead to the same optimum. */
static void test_warm_start(const problem *p) {
    for (size_t l = 0; l < 2; l++)
        for (int form = 0; form < FORMS; form++) {
            const tl_data data = view(p, form);
            double alpha[N * T] = {0}, cold[N * T] = {0};
            tl_simplex *solver = NULL;
            CHECK(tl_simplex_create(&data, SVMS[l], 0.1, 1, alpha, &solver) == TL_OK);
            finish(solver, 1e-6);
            CHECK(tl_simplex_set_C(solver, -1.0) == TL_ERR_PARAMETER);
            CHECK(tl_simplex_set_C(solver, 2.0) == TL_OK);
            tl_objective objective;
            CHECK(tl_simplex_evaluate(solver, &objective) == TL_OK);
            CHECK(objective.dual > 0.0 && objective.relative_gap < 1.0);
            const double up = finish(solver, 1e-9);
            tl_simplex_free(solver);
            CHECK(tl_simplex_create(&data, SVMS[l], 2.0, 9, alpha, &solver) == TL_OK);
            CHECK(tl_simplex_evaluate(solver, &objective) == TL_OK);
            CHECK(objective.relative_gap <= 1e-9);
            CHECK(tl_simplex_set_C(solver, 0.3) == TL_OK);
            const double down = finish(solver, 1e-9);
            tl_simplex_free(solver);
            CHECK(tl_simplex_create(&data, SVMS[l], 2.0, 5, cold, &solver) == TL_OK);
            CHECK_CLOSE(finish(solver, 1e-9), up, 3e-9 * up);
            tl_simplex_free(solver);
            memset(cold, 0, sizeof cold);
            CHECK(tl_simplex_create(&data, SVMS[l], 0.3, 5, cold, &solver) == TL_OK);
            CHECK_CLOSE(finish(solver, 1e-9), down, 3e-9 * down);
            tl_simplex_free(solver);
        }
}

static void refused(const tl_data *data, tl_simplex_loss loss, double C, double *alpha,
                    tl_status expected) {
    double before[N * T];
    if (alpha != NULL) memcpy(before, alpha, sizeof before);
    tl_simplex *solver = NULL;
    CHECK(tl_simplex_create(data, loss, C, 0, alpha, &solver) == expected);
    CHECK(solver == NULL);
    CHECK(alpha == NULL || memcmp(before, alpha, sizeof before) == 0);
}

static void test_bad_input(const problem *p) {
    double alpha[N * T] = {0}, w[D * K];
    const tl_simplex_loss loss = TL_SIMPLEX_SC_SVM;
    const tl_data good = view(p, DENSE);
    refused(NULL, loss, 1.0, alpha, TL_ERR_NULL);
    refused(&good, loss, 1.0, NULL, TL_ERR_NULL);
    CHECK(tl_simplex_create(&good, loss, 1.0, 0, alpha, NULL) == TL_ERR_NULL);
    refused(&good, TL_SIMPLEX_LS, 1.0, alpha, TL_ERR_LOSS);
    refused(&good, TL_SIMPLEX_LOSS_COUNT, 1.0, alpha, TL_ERR_LOSS);
    refused(&good, loss, 0.0, alpha, TL_ERR_PARAMETER);
    refused(&good, loss, NAN, alpha, TL_ERR_PARAMETER);
    tl_data data = good;
    data.type = TL_FLOAT32;
    data.x = p->x32;
    refused(&data, loss, 1.0, alpha, TL_ERR_PARAMETER);
    data = good;
    data.m = 1;
    refused(&data, loss, 1.0, alpha, TL_ERR_DIMENSION);
    data = good;
    data.m = T - 1; /* a label is out of range */
    refused(&data, loss, 1.0, alpha, TL_ERR_LABEL);
    problem broken = *p;
    broken.x[5] = NAN;
    data = view(&broken, DENSE);
    refused(&data, loss, 1.0, alpha, TL_ERR_NOT_FINITE);
    broken.x[5] = 1e150;
    refused(&data, loss, 1.0, alpha, TL_ERR_OVERFLOW);
    broken.gram[1] = 1e9;
    data = view(&broken, GRAM);
    refused(&data, loss, 1.0, alpha, TL_ERR_GRAM);
    for (size_t place = 0; place < 3; place++) { /* above the box, below it, at the own label */
        double start[N * T] = {0};
        start[place == 2 ? 0 : 1] = place == 0 ? 1.5 : (place == 1 ? -0.1 : 0.5);
        refused(&good, loss, 1.0, start, TL_ERR_INFEASIBLE);
    }
    alpha[3] = INFINITY;
    refused(&good, loss, 1.0, alpha, TL_ERR_NOT_FINITE);
    CHECK(tl_simplex_run(NULL, 1) == TL_ERR_NULL);
    CHECK(tl_simplex_evaluate(NULL, NULL) == TL_ERR_NULL);
    CHECK(tl_simplex_set_C(NULL, 1.0) == TL_ERR_NULL);
    CHECK(tl_simplex_weights(NULL, w) == TL_ERR_NULL);
    CHECK(tl_simplex_coefficients(NULL, w) == TL_ERR_NULL);
    tl_simplex_free(NULL);
}

int main(void) {
    problem p;
    make(&p);
    test_codes();
    test_products();
    test_block();
    test_gaps(&p);
    test_warm_start(&p);
    test_bad_input(&p);
    return check_summary("test_simplex");
}
