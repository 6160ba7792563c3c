"""Models of one problem for many C, by our own solver or a baseline, and scores of instances."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from toplabel.kernels import cross_gram
from toplabel.reproduction.config.methods import Method
from toplabel.reproduction.config.protocols import Axis, Budget
from toplabel.reproduction.data.rows import squared_norms
from toplabel.reproduction.methods import BASELINES, Trained, Trainer, create
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


def log_fit(result: FitResult, limit: str, **where: Any) -> None:
    """Log which model was trained (`where` has split, fold, theta, k), how good it is, what it
    took, and what ended it; `limit` is the key of the config that bounds its passes.

    NaN stands for what the method does not have.
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
        limit if solution.status == "max_epochs" else solution.status,
    )


def default_solve() -> Solve:
    """`toplabel.solve`, imported when it is first needed."""
    from toplabel.solver import solve

    return solve


def dense(X: Matrix) -> np.ndarray:
    """Return features as an array, which the Gram matrices need."""
    return X.toarray() if sparse.issparse(X) else np.asarray(X)


Train = Callable[[float], Any]
"""Of a value of C, or of what a baseline has in its place, the solution."""
Fitter = Callable[[float], FitResult]
"""The same, with what it took."""


class Limits(NamedTuple):
    """How long models are trained, and the names that their seeds depend on.

    A fold may lack an example of the last of the classes.
    """

    n_classes: int
    eps: float
    max_epochs: int
    names: tuple[object, ...]


def by_solver(solve: Solve, X: Matrix, labels: np.ndarray, method: Method, limits: Limits) -> Train:
    """Return a loss of our own for many C, each trained without a warm start.

    A warm start from another C would save a quarter of the passes, but the model would depend on
    the values of C trained before it. Without one it is a function of its rows, its
    hyper-parameters and its names: a final model on the rows of a fold is the very one that was
    validated. X has the features, or for an RBF method is the Gram matrix.
    """
    fixed = {
        "loss": method.loss,
        "k": method.k,
        "gamma": method.gamma,
        "kernel": "precomputed" if method.tunes_width else "linear",
        "n_classes": limits.n_classes,
        "check_input": False,  # Gram matrices come from `toplabel.kernels`
        "eps": limits.eps,
        "max_epochs": min(limits.max_epochs, method.passes or limits.max_epochs),
    }

    def train(C: float) -> Any:
        seed = seed_of("solve", *limits.names, repr(C))
        solution = solve(X, labels, C=C, seed=seed, **fixed)
        if solution.status == "interrupted":  # a model that is not finished must not be used
            raise KeyboardInterrupt
        return solution

    return train


def by_baseline(trainer: Trainer, X: Matrix, labels: np.ndarray, limits: Limits) -> Train:
    """Return a baseline for many values of its hyper-parameter.

    Ascending values are warm-started, each from the one before; a value below the largest so far is
    trained without a warm start.
    """
    n_classes, eps, max_epochs, names = limits
    fixed = {"n_classes": n_classes, "eps": eps, "max_epochs": max_epochs}
    largest: tuple[float, Trained | None] = (-math.inf, None)

    def train(C: float) -> Trained:
        nonlocal largest
        start = largest[1] if largest[0] < C else None
        seed = seed_of("baseline", *names, repr(C))
        trained = trainer.train(X, labels, C=C, seed=seed, start=start, **fixed)
        if largest[0] < C:
            largest = (C, trained)
        return trained

    return train


def fitter(
    task: Task,
    solve: Solve,
    X: Matrix,
    labels: np.ndarray,
    n_classes: int,
    theta: float,
    fold: int,
    final: bool = False,
) -> Fitter:
    """Return what trains the method of a task on some rows, and measures the time."""
    method, budget, settings = task.method, task.budget, task.settings
    eps = budget.eps_tune or settings.eps_tune
    max_epochs = settings.max_epochs_tune
    if final:
        eps, max_epochs = budget.eps_train or settings.eps_train, settings.max_epochs_train
    limits = Limits(n_classes, eps, max_epochs, (*task.names, fold, repr(float(theta))))
    if method.baseline:
        trainer = create(method.baseline, method.k, method.params)
        train = by_baseline(trainer, X, labels, limits)
    else:
        train = by_solver(solve, X, labels, method, limits)

    def fit(C: float) -> FitResult:
        begin = time.perf_counter()
        solution = train(C)
        return FitResult(solution, C, int(solution.epochs), time.perf_counter() - begin)

    return fit


def budget_for(task: Task, problem: ValidationProblem) -> Budget:
    """Return the budget, with the grid that a baseline derives from the data, or that the data set
    scales by them, if they do.
    """
    method = task.method
    if not (method.baseline and BASELINES[method.baseline].own_grid):
        square = float(squared_norms(problem.X).mean()) if task.C_scale else 0.0
        return replace(task.budget, C=task.budget.C.over(square)) if square else task.budget
    trainer = create(method.baseline, method.k, method.params)
    start, stop, count = trainer.axis(problem.X, problem.labels, problem.n_classes)
    axis = Axis(10.0, start, stop, (stop - start) / (count - 1) or 1.0)
    return replace(task.budget, C=axis, refine=None, extend=0)


def pool(scores: np.ndarray, groups: np.ndarray | None) -> np.ndarray:
    """Return scores of instances: the maximum over an instance's rows (TPAMI section 6.3).

    `groups` has the instance 0..n-1 of each row, of every instance one; None: row i is instance i.
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
