"""Online training of the simplex losses: projected stochastic subgradient steps (NIPS 2012, section
5).
"""

from __future__ import annotations

import numpy as np

from toplabel._core.arrays import MatrixLike, as_integer, pointer
from toplabel._core.lib import check, ffi, lib
from toplabel._core.run import describe
from toplabel.simplex.losses import check_loss, value
from toplabel.simplex.problem import SimplexProblem, as_C
from toplabel.simplex.solution import SimplexSolution, solution_of

__all__ = ["solve_online"]

_CODES = {
    "s_ls": lib.TL_SIMPLEX_LS,
    "sc_svm": lib.TL_SIMPLEX_SC_SVM,
    "sh_svm": lib.TL_SIMPLEX_SH_SVM,
}


def solve_online(
    X: MatrixLike,
    y: MatrixLike,
    loss: str = "sc_svm",
    C: float = 1.0,
    *,
    epochs: int = 1,
    average: bool = False,
    seed: int = 0,
    n_classes: int | None = None,
) -> SimplexSolution:
    """Train a linear classifier by steps on single rows.

    With ``eta_t = 1/(lambda t)`` and ``lambda = 1/(C n)``: ``W <- (1 - eta lambda) W - eta dV``,
    then ``W <- min(1, 1/(sqrt(lambda) ||W||_F)) W``, starting at 0. In expectation this minimises
    ``(1/n) sum_i V(y_i, f(x_i)) + lambda/2 ||W||^2``.

    Parameters
    ----------
    X : array-like or sparse matrix, (n, d)
        Rows, in float64.
    y : array-like of int, (n,)
        Class indices 0..T-1.
    loss : {"s_ls", "sc_svm", "sh_svm"}
        As of `value`.
    C : float > 0
        1/(lambda n), as for `solve`.
    epochs : int >= 1
        Passes over the rows, each in a fresh random order.
    average : bool
        Return the mean of the W after each step instead of the last one.
    seed : int
        Order of the rows.
    n_classes : int, optional
        T, if not every class occurs in `y`.

    Returns
    -------
    SimplexSolution
        Without A; ``primal`` is exact, ``dual`` and ``relative_gap`` are NaN, the status is
        ``"uncertified"``.

    Raises
    ------
    ValueError, TypeError
        For an argument that does not fit, naming it.
    ToplabelError
        When the numbers overflow.

    Notes
    -----
    The sign of the paper's subgradient of S-LS is a misprint: it is ``-2 (c_y - W x) x'``.
    """
    check_loss(loss)
    C = as_C(C)
    problem = SimplexProblem.from_arguments(X, y, "linear", None, n_classes)
    lam = 1.0 / (C * problem.labels.n)
    epochs = as_integer(epochs, "epochs", 1)
    settings = ffi.new("tl_online_settings *")
    lib.tl_online_settings_init(settings, ffi.sizeof("tl_online_settings"))
    settings.loss, settings.epochs, settings.average = _CODES[loss], epochs, bool(average)
    setattr(settings, "lambda", lam)  # a keyword of Python
    settings.radius = 1.0 / np.sqrt(lam)
    settings.seed = as_integer(seed, "seed", 0, 2**64 - 1)
    borrowed: list = []
    data = describe(problem, None, borrowed)
    W = np.empty((problem.features.shape[1], problem.labels.m - 1))
    check(lib.tl_simplex_online(data, settings, pointer(W)))
    F = np.asarray(problem.rows @ W)
    primal = float(value(loss, F, problem.y).mean() + lam / 2 * np.vdot(W, W))
    certificate = {"primal": primal, "dual": np.nan, "relative_gap": np.nan, "epochs": epochs}
    return solution_of(problem, loss, C, W, None, status="uncertified", **certificate)
