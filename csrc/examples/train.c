/* SPDX-License-Identifier: MIT */
/* Trains a multiclass SVM on points around three centres until the duality gap certifies it, counts
 * the errors on the training set, and uses a proximal map by itself.
 *
 *   cc train.c $(pkg-config --cflags --libs toplabel) -lm */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <toplabel.h>

enum { N = 300, D = 2, M = 3 };

/* Uniform in [-1, 1). */
static double noise(uint64_t *state) {
    *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(*state >> 11) * 0x1p-52 - 1.0;
}

static void check(tl_status status, const char *what) {
    if (status == TL_OK) return;
    fprintf(stderr, "%s: %s\n", what, tl_status_text(status));
    exit(EXIT_FAILURE);
}

/* Hears of each evaluation; 0: go on. */
static int report(void *user, const tl_objective *objective) {
    (void)user;
    if (objective != NULL)
        printf("epoch %llu: relative gap %.1e\n", (unsigned long long)objective->epochs,
               objective->relative_gap);
    return 0;
}

static int train(const tl_data *data, double *dual, double *weights) {
    tl_settings settings;
    tl_settings_default(&settings);
    settings.loss = TL_LOSS_SVM_MULTI;
    settings.C = 0.1;
    tl_stopping stopping;
    tl_stopping_default(&stopping);
    stopping.tol = 1e-4;
    stopping.max_iter = 10000;
    stopping.callback = report;

    tl_solver *solver = NULL;
    check(tl_solver_create(data, &settings, dual, &solver), "create");
    tl_objective objective;
    tl_outcome outcome;
    check(tl_solver_solve(solver, &stopping, &objective, &outcome), "solve");
    check(tl_solver_weights(solver, weights), "weights");
    tl_solver_free(solver);
    printf("P %.6f  D %.6f  relative gap %.1e after %llu epochs\n", objective.primal,
           objective.dual, objective.relative_gap, (unsigned long long)objective.epochs);
    return outcome == TL_CONVERGED;
}

int main(void) {
    static double x[N * D], dual[N * M], weights[D * M];
    static int64_t label_start[N + 1];
    static int32_t label[N];
    uint64_t state = 1;
    for (int i = 0; i < N; i++) {
        const double angle = 2.0943951023931953 * (double)(i % M);
        x[i * D] = cos(angle) + noise(&state);
        x[i * D + 1] = sin(angle) + noise(&state);
        label[i] = i % M;
        label_start[i + 1] = i + 1; /* one label per row */
    }
    const tl_data data = {.representation = TL_DENSE,
                          .n = N,
                          .d = D,
                          .m = M,
                          .x = x,
                          .label_start = label_start,
                          .label = label};
    const int converged = train(&data, dual, weights);

    int32_t predicted[N];
    check(tl_predict(&data, weights, NULL, predicted), "predict");
    int errors = 0;
    for (int i = 0; i < N; i++)
        errors += predicted[i] != label[i];
    printf("%d of %d training points are on the wrong side\n", errors, N);

    /* The projection of a vector onto the simplex; in place is fine. */
    double b[4] = {0.9, 0.7, -0.2, 0.1}, work[4];
    check(tl_prox_topk_simplex_beta(4, b, 1, 1.0, 0.0, b, work), "projection");
    printf("projection %.2f %.2f %.2f %.2f\n", b[0], b[1], b[2], b[3]);
    return converged && errors < N / 3 ? EXIT_SUCCESS : EXIT_FAILURE;
}
