"""Models of one problem for many C, by our own solver or a baseline: seeds, the clock, scores of instances."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from scipy import sparse

from toplabel import losses
from toplabel.baselines import catalogue
from toplabel.baselines.models import Trained, Trainer
from toplabel.kernels import cross_gram
from toplabel.seeds import seed_of
from toplabel.selection.grids import Axis, Budget
from toplabel.selection.problems import Matrix, Method, Problem

logger = logging.getLogger(__name__)

Solve = Callable[..., Any]
_CHUNK = 1 << 24  # numbers in a block of a Gram matrix of test rows: 128 MiB


@dataclass(frozen=True)
class Settings:
    """What a run may set about training.

    Attributes
    ----------
    seed : int
        Another value gives other folds and another order of the rows.
    eps_tune, eps_train : float
        Relative duality gaps at which the solver stops.
    max_epochs_tune, max_epochs_train : int
        Passes over the data after which it stops all the same.
    """

    seed: int = 0
    eps_tune: float = 1e-3
    eps_train: float = 1e-3
    max_epochs_tune: int = 1000
    max_epochs_train: int = 20000


@dataclass(frozen=True)
class Fit:
    """A solution, and what it took with all steps on the way to its C."""

    solution: Any
    C: float
    epochs: int
    seconds: float


def log_fit(result: Fit, **where: Any) -> None:
    """One line of progress for a job's log: which model, how good, what it took.

    Parameters
    ----------
    result : Fit
    **where
        What else names the model: split, fold, theta, k. NaN stands for what the method does not have.
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
    """Features as an array, which the Gram matrices need."""
    return X.toarray() if sparse.issparse(X) else np.asarray(X)


class Fitter(Protocol):
    """Models of one problem for one C after the other; each call may start at what is known."""

    def fit(self, C: float) -> Fit:
        """Train for one C, or what a baseline has in place of it."""


class Climb:
    """Solutions of one problem for many C, each from the nearest smaller one on the way up.

    From a smaller C a solver starts well; from a much smaller one, or from nothing, it may need a
    hundred times as long (softmax on letter from C = 10 to 1000: 3000 epochs, in steps 200). So the
    way up begins at the first station, passes all stations, and goes in steps of at most a factor
    `STRIDE`; the first station, and a C below it, are reached from nothing. Two climbs of one problem
    with equal stations and names take the same steps, so a final model is the very one that was
    validated when both stop at the same gap.

    A loss that is not convex is minimised from the softmax solution (TPAMI section 6.2). For it the
    climb is that of the softmax, and a descent leaves it at each C that is asked for.

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
    stations : sequence of float
        Ascending values of C: the grid, or the upper part of it.
    eps : float
    max_epochs, max_epochs_step : int
        At a C that is asked for, and at the steps between.
    names : tuple
        What the seeds depend on, besides C.
    climbs : int
        How many of these there are at a time, which share the memory for solutions to start from.
    """

    STRIDE = 4.0
    KEPT_BYTES = 1 << 30  # of dual variables, of all climbs; beyond that, the smallest C goes first

    def __init__(
        self,
        solve: Solve,
        X: Matrix,
        labels: np.ndarray,
        method: Method,
        n_classes: int,
        stations: Sequence[float],
        eps: float,
        max_epochs: int,
        max_epochs_step: int,
        names: tuple[object, ...],
        climbs: int = 1,
    ) -> None:
        self._solve = solve
        self._X = X
        self._labels = labels
        self._method = method
        convex = losses.get(method.loss).convex
        self._climber = method if convex else replace(method, loss="lr_multi", k=1, gamma=0.0)
        self._stations = stations
        self._names = names
        self._fixed = {"eps": eps, "n_classes": n_classes}
        self._max_epochs = max_epochs
        self._max_epochs_step = max_epochs_step
        self._kept_bytes = self.KEPT_BYTES // climbs
        self._visited: dict[float, Any] = {}  # by C, what a warm start needs

    def fit(self, C: float) -> Fit:
        """Train for one C.

        Raises
        ------
        KeyboardInterrupt
            When the solver was interrupted: a model that is not finished must not be used.
        """
        begin = time.perf_counter()
        lower = [known for known in self._visited if self._stations[0] <= known < C]
        solution = self._visited[max(lower)] if lower else None
        epochs = 0
        for step in self._way(max(lower) if lower else None, C):
            budget = self._max_epochs if step == C else self._max_epochs_step
            solution = self._once(self._climber, step, budget, solution)
            epochs += int(solution.epochs)
        self._keep(C, solution)
        if self._climber is not self._method:
            solution = self._once(self._method, C, self._max_epochs, solution)
            epochs += int(solution.epochs)
        return Fit(solution=solution, C=C, epochs=epochs, seconds=time.perf_counter() - begin)

    def _keep(self, C: float, solution: Any) -> None:
        """Remember where to start from; the way up to a small C is short, so those go first."""
        self._visited[C] = replace(solution, W=None, X=None, history=[])
        most = max(1, self._kept_bytes // max(1, solution.A.nbytes))
        for smallest in sorted(self._visited)[:-most]:
            del self._visited[smallest]

    def _way(self, below: float | None, C: float) -> list[float]:
        """The values of C to train for, the last of which is C itself."""
        way = []
        if below is None:
            below = min(self._stations[0], C)
            way.append(below)
        passed = [S for S in self._stations if below < S < C]
        for goal in [*passed, C] if below < C else []:
            count = max(1, math.ceil(math.log(goal / below, self.STRIDE) - 1e-9))
            way += [below * (goal / below) ** (i / count) for i in range(1, count)]
            way.append(goal)
            below = goal
        return way

    def _once(self, method: Method, C: float, max_epochs: int, start: Any) -> Any:
        kernel = "precomputed" if method.kernel == "rbf" else "linear"
        solution = self._solve(
            self._X,
            self._labels,
            loss=method.loss,
            k=method.k,
            gamma=method.gamma,
            C=C,
            kernel=kernel,
            max_epochs=max_epochs,
            seed=seed_of("solve", *self._names, repr(C)),
            warm_start=start,
            **self._fixed,
        )
        if solution.status == "interrupted":
            raise KeyboardInterrupt
        return solution


class Series:
    """A baseline trained for many values of its hyper-parameter.

    On the way up each starts from the one before; a value below the largest so far starts from nothing.

    Parameters
    ----------
    trainer : Trainer
    X, labels, n_classes
        As for `Climb`.
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

    def fit(self, C: float) -> Fit:
        """Train for one value; see `Fitter`."""
        begin = time.perf_counter()
        start = self._largest[1] if self._largest and self._largest[0] < C else None
        seed = seed_of("baseline", *self._names, repr(C))
        trained = self._trainer.train(*self._problem, C=C, seed=seed, start=start, **self._fixed)
        if self._largest is None or self._largest[0] < C:
            self._largest = (C, trained)
        seconds = time.perf_counter() - begin
        return Fit(solution=trained, C=C, epochs=trained.epochs, seconds=seconds)


def fitter(
    solve: Solve,
    X: Matrix,
    labels: np.ndarray,
    method: Method,
    n_classes: int,
    stations: Sequence[float],
    eps: float,
    max_epochs: int,
    max_epochs_step: int,
    names: tuple[object, ...],
    climbs: int = 1,
) -> Fitter:
    """The `Climb` of a loss, or the `Series` of a baseline; arguments as for `Climb`."""
    if not method.baseline:
        limits = (eps, max_epochs, max_epochs_step)
        return Climb(solve, X, labels, method, n_classes, stations, *limits, names, climbs)
    trainer = catalogue.create(method.baseline, method.k, method.params)
    return Series(trainer, X, labels, n_classes, eps, max_epochs, names)


def budget_for(method: Method, problem: Problem, budget: Budget) -> Budget:
    """The budget with the grid that a baseline lays by the data of a problem, if it does."""
    if not (method.baseline and catalogue.BASELINES[method.baseline].own_grid):
        return budget
    trainer = catalogue.create(method.baseline, method.k, method.params)
    start, stop, count = trainer.axis(problem.X, problem.labels, problem.n_classes)
    axis = Axis(10.0, start, stop, (stop - start) / (count - 1) or 1.0)
    return replace(budget, C=axis, refine=None, extend=0)


def pool(scores: np.ndarray, groups: np.ndarray | None) -> np.ndarray:
    """Scores of instances: the maximum over an instance's rows (TPAMI section 6.3).

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
    """Scores K(X_test, X_train) A of a kernel model, shape (rows, m), block by block."""
    X_train = dense(X_train)
    rows = max(1, _CHUNK // max(1, X_train.shape[0]))
    blocks = [
        cross_gram(dense(X_test[i : i + rows]), X_train, theta) @ A
        for i in range(0, X_test.shape[0], rows)
    ]
    return np.concatenate(blocks)
