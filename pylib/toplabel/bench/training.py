"""Time to a given accuracy of the primal objective: ours and other solvers, scored alike.

Every solver gets the same X, y and C and no bias; every W that comes back is scored by one function,
`primal`, in NumPy. A solver's time is that of the loosest setting of its own stopping rule that reaches
(P - P*)/P* <= accuracy, P* being a lower bound that our dual proves. So no solver pays for checks that only the
benchmark needs.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

import toplabel
from toplabel import losses
from toplabel.bench.shapes import Shape


@dataclass(frozen=True)
class Timing:
    """One row of the benchmark.

    Attributes
    ----------
    shape, loss, solver, setting : str
    seconds : float
        Wall time of the fit; NaN if no setting reached the accuracy.
    excess : float
        (P - P*)/P* of the fit.
    """

    shape: str
    loss: str
    solver: str
    setting: str
    seconds: float
    excess: float


def primal(shape: Shape, loss: str, W: np.ndarray) -> float:
    """P(W) of TPAMI Eq. (9).

    Parameters
    ----------
    shape : Shape
    loss : str
    W : ndarray, (d, m)

    Returns
    -------
    float
    """
    scores = np.asarray(shape.X @ W)
    n = len(scores)
    penalty = (W**2).sum() / (2 * shape.C * n)
    return float(losses.value(loss, scores, shape.y).mean() + penalty)


def lower_bound(shape: Shape, loss: str, eps: float = 1e-6) -> float:
    """D(A) at a small gap, which no primal value can be below."""
    return toplabel.solve(shape.X, shape.y, loss=loss, C=shape.C, eps=eps, max_epochs=5000).dual


def time_to_accuracy(
    shape: Shape,
    loss: str,
    solver: str,
    settings: Iterable[tuple[str, Callable[[], np.ndarray]]],
    bound: float,
    accuracy: float = 1e-3,
    repeats: int = 3,
) -> Timing:
    """Time the first of ever tighter settings that is accurate enough.

    Parameters
    ----------
    shape : Shape
    loss, solver : str
    settings : iterable of (name, fit)
        From loose to tight; `fit` returns W, (d, m).
    bound : float
        P*, or a lower bound of it.
    accuracy : float
    repeats : int
        The fastest of so many runs counts.

    Returns
    -------
    Timing
    """
    excess = float("nan")
    for name, fit in settings:
        seconds, W = _timed(fit)
        excess = primal(shape, loss, W) / bound - 1.0
        if excess <= accuracy:
            seconds = min([seconds, *(_timed(fit)[0] for _ in range(repeats - 1))])
            return Timing(shape.name, loss, solver, name, seconds, excess)
    return Timing(shape.name, loss, solver, "none", float("nan"), excess)


def _timed(fit: Callable[[], np.ndarray]) -> tuple[float, np.ndarray]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a loose setting is meant not to converge
        start = time.perf_counter()
        W = fit()
        return time.perf_counter() - start, W


# ---- solvers ----------------------------------------------------------------------------------------


def ours(shape: Shape, loss: str):
    """Settings of `toplabel.solve`: a number of epochs, without evaluations in between."""
    for epochs in (1, 2, 3, 4, 5, 6, 8, 10, 13, 17, 22, 30, 40, 60, 100, 200, 400, 800):
        yield (
            f"{epochs} epochs",
            lambda epochs=epochs: (
                toplabel.solve(
                    shape.X,
                    shape.y,
                    loss=loss,
                    C=shape.C,
                    eps=0.0,
                    max_epochs=epochs,
                    eval_every=epochs,
                ).W
            ),
        )


def liblinear(shape: Shape, loss: str):
    """LIBLINEAR through scikit-learn: Crammer-Singer, or one-vs-all with the hinge."""
    from sklearn.svm import LinearSVC

    multi = {"svm_multi": "crammer_singer", "svm_ova": "ovr"}[loss]
    for tol in (1.0, 0.3, 0.1, 0.03, 0.01, 0.003, 1e-3, 1e-4):
        yield (
            f"tol {tol:g}",
            lambda tol=tol: (
                LinearSVC(
                    C=shape.C,
                    loss="hinge",
                    multi_class=multi,
                    fit_intercept=False,
                    tol=tol,
                    max_iter=300,
                    random_state=0,
                )
                .fit(shape.X, shape.y)
                .coef_.T
            ),
        )


def sklearn_logistic(shape: Shape, solver: str):
    """LogisticRegression with one of its solvers."""
    from sklearn.linear_model import LogisticRegression

    for iterations in (2, 4, 7, 10, 15, 20, 30, 45, 70, 100, 200):
        yield (
            f"{iterations} iterations",
            lambda iterations=iterations: (
                LogisticRegression(
                    C=shape.C,
                    solver=solver,
                    fit_intercept=False,
                    tol=1e-12,
                    max_iter=iterations,
                    random_state=0,
                )
                .fit(shape.X, shape.y)
                .coef_.T
            ),
        )
