"""Training in batch: the simplex cone SVM and the simplex half space SVM as losses of scores
(`toplabel.solve`), simplex least squares by a linear system.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from toplabel import solver
from toplabel._core import tuning
from toplabel._core.arrays import MatrixLike, as_features, as_labels, as_weights
from toplabel._core.clock import Clock
from toplabel._core.problem import as_C
from toplabel._core.solution import Record, Solution
from toplabel.simplex.least_squares import solve_once
from toplabel.simplex.losses import check_loss
from toplabel.simplex.problem import theta_or_width
from toplabel.simplex.solution import SimplexSolution, from_scores, to_scores

__all__ = ["solve"]


def solve(
    X: MatrixLike,
    y: MatrixLike,
    loss: str = "sc_svm",
    C: float = 1.0,
    *,
    kernel: str | Callable[..., Any] = "linear",
    theta: float | str | None = None,
    tol: float = 1e-3,
    max_iter: int = 1000,
    seed: int = 0,
    warm_start: SimplexSolution | None = None,
    sample_weight: ArrayLike | None = None,
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
        Simplex cone SVM: the box-constrained dual of Eq. (4), (n, T) variables. Simplex half space
        SVM without the hull constraint: a dual of n variables; it is not Fisher consistent. Both are
        trained by `toplabel.solve`, as losses of the same keys. Simplex least squares: a linear
        system; `LeastSquaresPath` is for many values of C.
    C : float > 0
        The paper's ``C_0 = 1/(2 n lambda)``, whose regulariser is ``lambda ||f||^2``.
    kernel : {"linear", "rbf", "precomputed"} or callable
        A callable gets two matrices of p and q rows and returns their kernel, (p, q).
    theta : float > 0, "scale" or None
        ``kernel="rbf"`` is ``exp(-theta ||x - z||^2)``; "scale" as of `toplabel.solve`,
        None: 1/(2 width^2) with the width of `gaussian_width`. Both are of the rows whose weight is
        not 0, and do not depend on the other weights.
    tol : float >= 0
        Stop when ``|P - D| + e <= tol max(|P|, |D|)``, e a bound of the rounding error.
    max_iter : int >= 0
        The most passes over the rows.
    seed : int
        Order of the rows.
    warm_start : SimplexSolution, optional
        Dual variables to start from, of the same loss, rows and labels; those for another C are
        rescaled.
    sample_weight : array-like, (n,)
        A weight w is the same as w copies of the row.
    eval_every : int, optional
        As of `toplabel.solve`.
    callback : callable
        As of `toplabel.solve`.
    time_limit : float, optional
        As of `toplabel.solve`; the conversion of the dual variables of a linear model may take as long
        as the evaluation, or they are None. The linear system of "s_ls" is solved without a limit.
    n_classes : int, optional
        T, if not every class occurs in `y`.

    Returns
    -------
    SimplexSolution
        Whatever ended the run; its `status` tells.

    Raises
    ------
    ValueError, TypeError
        For an argument that does not fit, naming it.
    ToplabelError
        For what the C library refuses: numbers that overflow.
    """
    check_loss(loss)
    C, clock = as_C(C), Clock(time_limit)
    if loss == "s_ls":
        if warm_start is not None:
            raise ValueError("warm_start has no meaning for loss='s_ls'")
        return solve_once(
            X,
            y,
            C,
            kernel=kernel,
            theta=theta,
            n_classes=n_classes,
            sample_weight=sample_weight,
        )
    start = None if warm_start is None else _start(warm_start, loss, y)
    rows = as_features(X, "X", np.float64)
    weight = as_weights(sample_weight, rows.shape[0])
    theta = theta_or_width(rows, theta, weight) if kernel == "rbf" else theta
    left = None
    if time_limit is not None:
        left = (1 - tuning.CODING_PART) * max(0.0, time_limit - clock.seconds)
    solution = solver.solve(
        rows,
        y,
        loss,
        C=C,
        kernel=kernel,
        theta=theta,
        tol=tol,
        max_iter=max_iter,
        seed=seed,
        warm_start=start,
        sample_weight=sample_weight,
        eval_every=eval_every,
        callback=callback,
        time_limit=left,
        n_classes=n_classes,
        dtype=None if kernel == "linear" else np.float64,
    )
    labels = as_labels(y, len(solution.A), multilabel=False, n_classes=solution.A.shape[1])
    return from_scores(solution, labels.label, weight, clock)


def _start(solution: SimplexSolution, loss: str, y) -> Solution:
    """Return another solution as one of scores."""
    if solution.status == "time_limit" and solution.dual_variables is None:
        raise ValueError(
            "warm_start has no dual variables: its time was over before they were converted"
        )
    if solution.loss != loss or solution.dual_variables is None:
        raise ValueError(f"warm_start must be a solution for loss={loss!r}, got {solution.loss!r}")
    n, T = len(y), solution.n_classes
    shape = (n, T) if loss == "sc_svm" else (n,)
    if solution.dual_variables.shape != shape:
        raise ValueError(
            f"warm_start must have dual variables of shape {shape}, got {solution.dual_variables.shape}"
        )
    return to_scores(solution, as_labels(y, n, multilabel=False, n_classes=T).label)
