/* SPDX-License-Identifier: MIT
 *
 * solve.h: solving to a tolerance, for every solver that makes passes and evaluates; not installed.
 */
#ifndef TL_SOLVE_H
#define TL_SOLVE_H

#include "toplabel.h"

#include <stdbool.h>

/* A solver as the loop sees it. */
typedef struct tl_iterative {
    void *solver;
    /* What tl_solver_step and tl_solver_evaluate do. */
    tl_status (*step)(void *solver, size_t rows, int *ended);
    tl_status (*evaluate)(void *solver, tl_objective *objective);
    /* An estimate of the relative gap; infinite where there is none. */
    double (*estimate)(const void *solver);
    /* Is an evaluation of use at the end of this pass? NULL: at the end of each. */
    bool (*is_worth_it)(const void *solver);
    /* Do the passes, or their data, have float32 numbers? NULL: no. */
    bool (*has_float32)(const void *solver);
    /* Go on in float64, if that is possible and was not so; NULL: it is not. */
    bool (*widen)(void *solver);
} tl_iterative;

/* Fill in both objectives, the bound of their rounding errors, and the relative gap;
 * TL_ERR_OVERFLOW unless they are finite. */
tl_status tl_fill_objective(tl_objective *objective, double primal, double dual, double rounding);

tl_status tl_solve(const tl_iterative *iterative, const tl_stopping *stopping,
                   tl_objective *objective, tl_outcome *outcome);

#endif /* TL_SOLVE_H */
