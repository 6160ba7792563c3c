/* SPDX-License-Identifier: MIT */
/* Gives the library a BLAS and shows what that is worth: the same training twice, with the portable
 * loops and with the BLAS that the program is linked with.
 *
 *   cc blas.c $(pkg-config --cflags --libs toplabel) -lopenblas -lm
 *
 * Any Fortran BLAS with 32-bit integers will do (OpenBLAS, BLIS, MKL, Accelerate, the reference).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <toplabel.h>

/* The routines as any Fortran BLAS exports them. */
void dgemm_(char *transa, char *transb, int *m, int *n, int *k, double *alpha, double *a, int *lda,
            double *b, int *ldb, double *beta, double *c, int *ldc);
void dsyrk_(char *uplo, char *trans, int *n, int *k, double *alpha, double *a, int *lda,
            double *beta, double *c, int *ldc);

enum { N = 400, D = 300, M = 40, EPOCHS = 10 };

static double x[N * D], dual[N * M];
static int64_t label_start[N + 1];
static int32_t label[N];

static void check(tl_status status, const char *what) {
    if (status == TL_OK) return;
    fprintf(stderr, "%s: %s\n", what, tl_status_text(status));
    exit(EXIT_FAILURE);
}

static double train(const char *name) {
    const tl_data data = {.representation = TL_DENSE,
                          .n = N,
                          .d = D,
                          .m = M,
                          .x = x,
                          .label_start = label_start,
                          .label = label};
    tl_settings settings;
    tl_settings_default(&settings);
    settings.loss = TL_LOSS_LR_MULTI;
    settings.C = 1.0;
    for (int i = 0; i < N * M; i++)
        dual[i] = 0.0;

    tl_solver *solver = NULL;
    tl_objective objective;
    const clock_t start = clock();
    check(tl_solver_create(&data, &settings, dual, &solver), "create");
    check(tl_solver_run(solver, EPOCHS), "run");
    check(tl_solver_evaluate(solver, &objective), "evaluate");
    tl_solver_free(solver);
    printf("%-8s P %.12f  relative gap %.1e  %.3f s\n", name, objective.primal,
           objective.relative_gap, (double)(clock() - start) / CLOCKS_PER_SEC);
    return objective.primal;
}

int main(void) {
    uint64_t state = 1;
    for (int i = 0; i < N * D; i++) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        x[i] = (double)(state >> 11) * 0x1p-52 - 1.0;
    }
    for (int i = 0; i < N; i++) {
        label[i] = i % M;
        label_start[i + 1] = i + 1;
    }
    const double portable = train("portable");

    const tl_blas blas = {.dgemm = dgemm_, .dsyrk = dsyrk_};
    check(tl_blas_set(&blas), "set BLAS"); /* before the first solver runs, or between two runs */
    const double with_blas = train("BLAS");

    /* Other rounding, the same optimum. */
    return fabs(portable - with_blas) <= 1e-9 * fabs(portable) ? EXIT_SUCCESS : EXIT_FAILURE;
}
