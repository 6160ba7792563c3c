"""Other solvers of objectives that the library minimises, by their iterations."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC


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


def quiet(train: Callable[..., np.ndarray], *given, **options) -> np.ndarray:
    """Return the W of a training without warnings: so few iterations are not meant to converge."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return train(*given, **options)
