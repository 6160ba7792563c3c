"""Models of one problem for many C, by our own solver or a baseline, with seeds and times; scores
of instances.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from scipy import sparse

from toplabel.kernels import cross_gram
from toplabel.reproduction.baselines.models import Trained, Trainer
from toplabel.reproduction.baselines.trainers import create
from toplabel.reproduction.config.baselines import BASELINES
from toplabel.reproduction.config.methods import Method
from toplabel.reproduction.config.protocols import Axis, Budget
from toplabel.reproduction.seeds import seed_of
from toplabel.reproduction.selection.problems import Matrix, ValidationProblem
from toplabel.reproduction.selection.task import Task

logger = logging.getLogger(__name__)

Solve = Callable[..., Any]
_CHUNK = 1 << 24  # numbers in a block of a Gram matrix of test rows: 128 MiB


@dataclass(frozen=True)
class FitResult:
    """A solution, and what it took."""

    solution: Any
    C: float
    epochs: int
    seconds: float


def log_fit(result: FitResult, **where: Any) -> None:
    """Log one line of progress of a job: which model, how good, what it took.

    Parameters
    ----------
    result : FitResult
    **where
        What else names the model: split, fold, theta, k. NaN stands for what the method does not
        have.
    """
    solution = result.solution
    facts = where | {
        "C": result.C,
        "gap": solution.relative_gap,
        "gradient norm": solution.gradient_norm,
    }
    known = [
        f"{name} {value:.4g}" if isinstance(value, float) else f"{name} {value}"
        for name, value in facts.items()
        if not (value is None or (isinstance(value, float) and not math.isfinite(value)))
    ]
    logger.info(
        "%s, %d epochs, %.3g s, %s",
        ", ".join(known),
        result.epochs,
        result.seconds,
        solution.status,
    )


def default_solve() -> Solve:
    """`toplabel.solve`, imported when it is first needed."""
    from toplabel.solver import solve

    return solve


def dense(X: Matrix) -> np.ndarray:
    """Return features as an array, which the Gram matrices need."""
    return X.toarray() if sparse.issparse(X) else np.asarray(X)


class Fitter(Protocol):
    """Models of one problem for one C after the other; a call may use the models of earlier ones as
    warm starts.
    """

    def fit(self, C: float) -> FitResult:
        """Train for one C, or what a baseline has in place of it."""


class Direct:
    """A loss of our own for many C, each trained without a warm start.

    A warm start from another C would save a quarter of the passes, but the model would depend on
    the values of C trained before it. Without one it is a function of its rows, its
    hyper-parameters and its names: a final model on the rows of a fold is the very one that was
    validated.

    Parameters
    ----------
    solve : callable
        `toplabel.solve` or one like it.
    X : ndarray or csr_matrix
        Features of shape (rows, d), or for an RBF method the Gram matrix of shape (rows, rows).
    labels : ndarray
    method : Method
    n_classes : int
        m; a fold may lack an example of the last class.
    eps : float
    max_epochs : int
    names : tuple
        What the seeds depend on, besides C.
    """

    def __init__(
        self,
        solve: Solve,
        X: Matrix,
        labels: np.ndarray,
        method: Method,
        n_classes: int,
        eps: float,
        max_epochs: int,
        names: tuple[object, ...],
    ) -> None:
        self._solve = solve
        self._problem = (X, labels)
        self._names = names
        self._fixed = {
            "loss": method.loss,
            "k": method.k,
            "gamma": method.gamma,
            "kernel": "precomputed" if method.tunes_width else "linear",
            "n_classes": n_classes,
            "acceleration": "unscaled",  # as when the kept numbers were made
            "eps": eps,
            "max_epochs": min(max_epochs, method.passes or max_epochs),
        }

    def fit(self, C: float) -> FitResult:
        """Train for one C.

        Raises
        ------
        KeyboardInterrupt
            When the solver was interrupted: a model that is not finished must not be used.
        """
        begin = time.perf_counter()
        seed = seed_of("solve", *self._names, repr(C))
        solution = self._solve(*self._problem, C=C, seed=seed, **self._fixed)
        if solution.status == "interrupted":
            raise KeyboardInterrupt
        seconds = time.perf_counter() - begin
        return FitResult(solution=solution, C=C, epochs=int(solution.epochs), seconds=seconds)


class Series:
    """A baseline trained for many values of its hyper-parameter.

    Ascending values are warm-started, each from the one before; a value below the largest so far is
    trained without a warm start.

    Parameters
    ----------
    trainer : Trainer
    X, labels, n_classes
        As for `Direct`.
    eps : float
    max_epochs : int
    names : tuple
        What the seeds depend on, besides the value.
    """

    def __init__(
        self,
        trainer: Trainer,
        X: Matrix,
        labels: np.ndarray,
        n_classes: int,
        eps: float,
        max_epochs: int,
        names: tuple[object, ...],
    ) -> None:
        self._trainer = trainer
        self._problem = (X, labels)
        self._names = names
        self._fixed = {"n_classes": n_classes, "eps": eps, "max_epochs": max_epochs}
        self._largest: tuple[float, Trained] | None = None

    def fit(self, C: float) -> FitResult:
        """Train for one value; see `Fitter`."""
        begin = time.perf_counter()
        start = self._largest[1] if self._largest and self._largest[0] < C else None
        seed = seed_of("baseline", *self._names, repr(C))
        trained = self._trainer.train(*self._problem, C=C, seed=seed, start=start, **self._fixed)
        if self._largest is None or self._largest[0] < C:
            self._largest = (C, trained)
        seconds = time.perf_counter() - begin
        return FitResult(solution=trained, C=C, epochs=trained.epochs, seconds=seconds)


def fitter(
    solve: Solve,
    X: Matrix,
    labels: np.ndarray,
    method: Method,
    n_classes: int,
    eps: float,
    max_epochs: int,
    names: tuple[object, ...],
) -> Fitter:
    """`Direct` for a loss, `Series` for a baseline; arguments as for `Direct`."""
    if not method.baseline:
        return Direct(solve, X, labels, method, n_classes, eps, max_epochs, names)
    trainer = create(method.baseline, method.k, method.params)
    return Series(trainer, X, labels, n_classes, eps, max_epochs, names)


def budget_for(task: Task, problem: ValidationProblem) -> Budget:
    """Return the budget, with the grid that a baseline derives from the data of a problem, if it
    does.
    """
    method = task.method
    if not (method.baseline and BASELINES[method.baseline].own_grid):
        return task.budget
    trainer = create(method.baseline, method.k, method.params)
    start, stop, count = trainer.axis(problem.X, problem.labels, problem.n_classes)
    axis = Axis(10.0, start, stop, (stop - start) / (count - 1) or 1.0)
    return replace(task.budget, C=axis, refine=None, extend=0)


def pool(scores: np.ndarray, groups: np.ndarray | None) -> np.ndarray:
    """Return scores of instances: the maximum over an instance's rows (TPAMI section 6.3).

    Parameters
    ----------
    scores : ndarray of shape (rows, m)
    groups : ndarray of shape (rows,) or None
        Instance 0..n-1 of each row; every instance has one.
    """
    if groups is None:
        return scores
    order = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    return np.maximum.reduceat(scores[order], starts, axis=0)


def rbf_scores(X_test: Matrix, X_train: Matrix, A: np.ndarray, theta: float) -> np.ndarray:
    """Return scores K(X_test, X_train) A of a kernel model, shape (rows, m), block by block."""
    X_train = dense(X_train)
    rows = max(1, _CHUNK // max(1, X_train.shape[0]))
    blocks = [
        cross_gram(dense(X_test[i : i + rows]), X_train, theta) @ A
        for i in range(0, X_test.shape[0], rows)
    ]
    return np.concatenate(blocks)
