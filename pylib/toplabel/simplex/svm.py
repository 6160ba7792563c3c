"""Simplex cone SVM and simplex half space SVM by dual coordinate ascent (NIPS 2012, section 5)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from toplabel._core.arrays import as_weights, check_finite
from toplabel._core.clock import Clock
from toplabel._core.solution import Record
from toplabel._core.training import Options, train
from toplabel.simplex.least_squares import solve_once
from toplabel.simplex.losses import check_loss
from toplabel.simplex.native import SvmRun
from toplabel.simplex.problem import SimplexProblem, as_C
from toplabel.simplex.solution import SimplexSolution

__all__ = ["solve"]


def solve(
    X,
    y,
    loss: str = "sc_svm",
    C: float = 1.0,
    *,
    kernel: str | Callable = "linear",
    theta: float | None = None,
    tol: float = 1e-3,
    max_iter: int = 1000,
    seed: int = 0,
    warm_start: SimplexSolution | None = None,
    sample_weight=None,
    eval_every: int | None = None,
    callback: Callable[[Record], object] | None = None,
    time_limit: float | None = None,
    n_classes: int | None = None,
) -> SimplexSolution:
    """Train a linear or kernel classifier with the simplex coding.

    Minimises ``(1/n) sum_i V(y_i, f(x_i)) + lambda/2 ||f||^2`` with ``C = 1/(lambda n)``. There is
    no bias term.

    Parameters
    ----------
    X : array-like or sparse matrix, (n, d), or (n, n) with ``kernel="precomputed"``
        Rows, in float64; or the symmetric positive semidefinite Gram matrix.
    y : array-like of int, (n,)
        Class indices 0..T-1.
    loss : {"sc_svm", "sh_svm", "s_ls"}
        Simplex cone SVM: the box-constrained dual of Eq. (4), (n, T) variables, maximised exactly
        for one example at a time. Simplex half space SVM without the hull constraint: a dual of n
        variables; it is not Fisher consistent. Simplex least squares: a linear system;
        `LeastSquaresPath` is for many values of C.
    C : float > 0
        The paper's ``C_0 = 1/(2 n lambda)``, whose regulariser is ``lambda ||f||^2``.
    kernel : {"linear", "rbf", "precomputed"} or callable
        A callable gets two matrices of p and q rows and returns their kernel, (p, q).
    theta : float > 0, "scale" or None
        ``kernel="rbf"`` is ``exp(-theta ||x - z||^2)``; "scale" as of `toplabel.solve`,
        None: 1/(2 width^2) with the width of `gaussian_width`.
    tol : float >= 0
        Stop when ``|P - D| + e <= tol max(|P|, |D|)``, e a bound of the rounding error.
    max_iter : int >= 0
    seed : int
        Order of the rows.
    warm_start : SimplexSolution, optional
        Dual variables to start from, of the same loss, rows and labels; those for another C are
        rescaled.
    sample_weight : array-like, (n,)
        A weight w is the same as w copies of the row.
    eval_every, callback, time_limit
        As of `toplabel.solve`.
    n_classes : int, optional
        T, if not every class occurs in `y`.

    Returns
    -------
    SimplexSolution

    Raises
    ------
    ValueError, TypeError
        For an argument that does not fit, naming it.
    ToplabelError
        For what the C library refuses: numbers that overflow.
    """
    check_loss(loss)
    C = as_C(C)
    if loss == "s_ls":
        if warm_start is not None:
            raise ValueError("warm_start has no meaning for loss='s_ls'")
        fixed = {"kernel": kernel, "theta": theta, "n_classes": n_classes}
        return solve_once(X, y, C, **fixed, sample_weight=sample_weight)
    problem = SimplexProblem.from_arguments(X, y, kernel, theta, n_classes)
    options = Options(
        tol=tol,
        max_iter=max_iter,
        seed=seed,
        eval_every=eval_every,
        callback=callback,
        clock=Clock(time_limit),
    )
    run = SvmRun(
        problem,
        loss,
        C=C if warm_start is None else warm_start.C,
        seed=options.seed,
        weight=as_weights(sample_weight, problem.labels.n),
        start=None if warm_start is None else _start(warm_start, loss, problem),
    )
    if warm_start is not None and warm_start.C != C:
        run.set_C(C)
    status, history = train(run, options)
    last = history[-1]
    return SimplexSolution.of(
        problem,
        loss,
        C,
        run.weights(),
        run.coefficients(),
        primal=last.primal,
        dual=last.dual,
        relative_gap=last.relative_gap,
        epochs=last.epoch,
        status=status,
        history=history,
        dual_variables=run.alpha,
    )


def _start(solution: SimplexSolution, loss: str, problem: SimplexProblem) -> np.ndarray:
    """Return a copy of the dual variables of another solution."""
    shape = (problem.labels.n, problem.labels.m) if loss == "sc_svm" else (problem.labels.n,)
    if solution.loss != loss or solution.dual_variables is None:
        raise ValueError(f"warm_start must be a solution for loss={loss!r}, got {solution.loss!r}")
    if solution.dual_variables.shape != shape:
        raise ValueError(
            f"warm_start must have dual variables of shape {shape}, got {solution.dual_variables.shape}"
        )
    alpha = np.array(solution.dual_variables, dtype=float, order="C")
    check_finite(alpha, "warm_start")
    return alpha
