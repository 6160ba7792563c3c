/* SPDX-License-Identifier: MIT */
/* The library for R's .C interface, which passes plain pointers to int and double:
 *
 *   PKG_CFLAGS="$(pkg-config --cflags toplabel)" PKG_LIBS="$(pkg-config --libs toplabel)" \
 *     R CMD SHLIB toplabel.c
 *   Rscript toplabel.R
 */
#include <stdlib.h>
#include <toplabel.h>

static tl_status solve(const tl_data *data, double C, double tolerance, double *weights,
                       double *gap) {
    tl_settings settings;
    tl_settings_default(&settings);
    settings.loss = TL_LOSS_LR_MULTI;
    settings.C = C;
    tl_stopping stopping;
    tl_stopping_default(&stopping);
    stopping.tol = tolerance;
    double *dual = calloc(data->n * data->m, sizeof *dual);
    if (dual == NULL) return TL_ERR_ALLOC;
    tl_solver *solver = NULL;
    tl_objective objective = {0};
    tl_outcome outcome = TL_RUNNING;
    tl_status status = tl_solver_create(data, &settings, dual, &solver);
    if (status == TL_OK) status = tl_solver_solve(solver, &stopping, &objective, &outcome);
    if (status == TL_OK) status = tl_solver_weights(solver, weights);
    *gap = objective.relative_gap;
    tl_solver_free(solver);
    free(dual);
    return status;
}

/* Softmax regression of classes 0 .. m - 1; x holds n rows of d features one after the other, as
 * t(X) of R has them, and weights d rows of m. */
void r_train(int *n, int *d, int *m, double *x, int *class, double *C, double *tolerance,
             double *weights, double *gap, int *status) {
    const size_t rows = (size_t)*n;
    int64_t *label_start = calloc(rows + 1, sizeof *label_start);
    if (label_start == NULL) {
        *status = TL_ERR_ALLOC;
        return;
    }
    for (size_t i = 0; i <= rows; i++)
        label_start[i] = (int64_t)i; /* one label per row */
    const tl_data data = {.n = rows,
                          .d = (size_t)*d,
                          .m = (size_t)*m,
                          .x = x,
                          .label_start = label_start,
                          .label = class};
    *status = (int)solve(&data, *C, *tolerance, weights, gap);
    free(label_start);
}

void r_predict(int *n, int *d, int *m, double *x, double *weights, int *class, int *status) {
    const tl_data data = {.n = (size_t)*n, .d = (size_t)*d, .m = (size_t)*m, .x = x};
    *status = (int)tl_predict(&data, weights, NULL, class);
}
