"""Other solvers of objectives that the library minimises, and how long they take."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from toplabel import losses
from toplabel.reproduction.timing.clock import fastest, timed
from toplabel.solver import solve

ACCURACY = 1e-3
"""The relative accuracy (P - P*)/P* that every solver has to reach."""
REPEATS = 3
"""The number of runs of a solver, of which the fastest counts."""
COLUMNS = {"loss": str, "ours": float, "peer": str, "seconds": float, "reached": bool}
_ROUNDING = 1e-14
_SECONDS = 5.0  # after which a run is the last one of its solver


def logistic(X, y: np.ndarray, C: float, iterations: int, **options) -> np.ndarray:
    """Return W, (d, m), of scikit-learn's logistic regression after a number of iterations.

    There is no intercept. Of two classes W has one column.
    """
    options |= {"tol": 1e-12, "max_iter": iterations, "fit_intercept": False, "random_state": 0}
    return LogisticRegression(C=C, **options).fit(X, y).coef_.T


def hinge(X, y: np.ndarray, C: float, step: int, loss: str) -> np.ndarray:
    """Return W of LIBLINEAR's SVM after a number of iterations.

    For the problem of Crammer and Singer LIBLINEAR ignores the iterations: it is trained to a
    tolerance that falls with them.
    """
    options = {"C": C, "loss": "hinge", "fit_intercept": False, "random_state": 0}
    if loss == "svm_multi":
        options |= {"multi_class": "crammer_singer", "tol": 10.0 / step, "max_iter": 100_000}
    else:
        options |= {"multi_class": "ovr", "tol": 1e-12, "max_iter": step}
    return LinearSVC(**options).fit(X, y).coef_.T


def logistic_ova(X, y: np.ndarray, C: float, iterations: int, dual: bool) -> np.ndarray:
    """Return W of LIBLINEAR's logistic regression, trained a class at a time."""
    columns = [
        logistic(X, y == label, C, iterations, solver="liblinear", dual=dual)
        for label in np.unique(y)
    ]
    return np.hstack(columns)


def fista(X: np.ndarray, y: np.ndarray, C: float) -> Iterator[np.ndarray]:
    """Yield the iterates W, (d, m), of accelerated gradient descent (Beck and Teboulle 2009).

    They minimise ``(1/n) sum_i log sum_j exp(f_j(x_i) - f_{y_i}(x_i)) + ||W||_F^2 / (2 C n)``,
    without a bias. The step 1/L is found by backtracking, and the momentum restarted
    where it is no descent direction (O'Donoghue and Candes 2015).
    """
    n, m = X.shape[0], int(y.max()) + 1
    penalty = 1.0 / (C * n)
    largest = np.linalg.norm(X, 2) ** 2 / (2 * n) + penalty  # 1/largest is short enough
    L = largest / 64.0
    W = point = np.zeros((X.shape[1], m))
    scores = scores_point = np.zeros((n, m))  # X W and X point
    momentum = 1.0
    while True:
        value = _objective(scores_point, y, point, penalty)
        slopes = losses.gradient("lr_multi", scores_point, y)
        gradient = X.T @ slopes / n + penalty * point
        squared = float((gradient * gradient).sum())
        while True:
            new = point - gradient / L
            scores_new = X @ new
            reached = _objective(scores_new, y, new, penalty)
            if reached <= value - squared / (2 * L) + _ROUNDING * value or largest <= L:
                break
            L = min(1.5 * L, largest)
        if (gradient * (new - W)).sum() > 0:  # no descent direction: restart the momentum
            momentum = 1.0
        following = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum**2))
        ahead = (momentum - 1.0) / following
        point = new + ahead * (new - W)
        scores_point = scores_new + ahead * (scores_new - scores)
        W, scores, momentum = new, scores_new, following
        yield W


def primal(loss: str, X: np.ndarray, y: np.ndarray, W: np.ndarray, C: float) -> float:
    """Return the objective P of W."""
    return _objective(X @ W, y, W, 1.0 / (C * len(y)), loss)


def _objective(
    scores: np.ndarray, y: np.ndarray, W: np.ndarray, penalty: float, loss: str = "lr_multi"
) -> float:
    """Return the objective P of W with the scores X W."""
    return float(losses.value(loss, scores, y).mean()) + 0.5 * penalty * float((W * W).sum())


PEERS: dict[str, dict[str, Callable[..., np.ndarray]]] = {
    "svm_multi": {"LIBLINEAR": partial(hinge, loss="svm_multi")},
    "svm_ova": {"LIBLINEAR": partial(hinge, loss="svm_ova")},
    "lr_ova": {"LIBLINEAR": partial(logistic_ova, dual=False)},
    "lr_multi": {
        "scikit-learn, sag": partial(logistic, solver="sag"),
        "scikit-learn, lbfgs": partial(logistic, solver="lbfgs"),
        "scikit-learn, newton-cholesky": partial(logistic, solver="newton-cholesky"),
    },
}
"""Other solvers of each loss by their names: functions of X, y, C and the iterations that return W."""


def race(
    X: np.ndarray, y: np.ndarray, C: float, accuracy: float = ACCURACY, peers=PEERS
) -> pd.DataFrame:
    """Return the CPU seconds of `toplabel.solve` and of each peer to an accuracy: `COLUMNS`.

    The library stops at its own certificate, a relative duality gap of `accuracy`. A peer is
    trained anew for ever more iterations until its W is as accurate; the seconds are those of the
    last run, and `reached` says whether it was accurate.
    """
    rows = []
    for loss, solvers in peers.items():
        bound = solve(X, y, loss, C=C, tol=0.1 * accuracy, max_iter=100_000).dual
        train_ours = partial(solve, X, y, loss, C=C, tol=accuracy, max_iter=100_000)
        ours = fastest(train_ours, REPEATS, time.process_time)
        for name, train in solvers.items():
            step, excess, seconds = 1, np.inf, 0.0
            while excess > accuracy and seconds < _SECONDS:
                train_peer = partial(quiet, train, X, y, C, step)
                seconds, W = timed(train_peer, time.process_time)
                excess = primal(loss, X, y, W, C) / bound - 1
                step = max(step + 1, int(1.5 * step))
            if reached := excess <= accuracy:
                seconds = min(seconds, fastest(train_peer, REPEATS, time.process_time))
            rows.append((loss, ours, name, seconds, reached))
    return pd.DataFrame(rows, columns=[*COLUMNS])


def quiet(train: Callable[..., np.ndarray], *given) -> np.ndarray:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # so few iterations are not meant to converge
        return train(*given)
