"""The tune stage: warm-started paths over C, measured on validation instances.

A unit of work is a split with all its folds, or one fold of a split. Within it, one `FoldPath` a fold
runs up the grid of C, each solution the start of the next.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from toplabel.files import atomic_path
from toplabel.kernels import cross_gram, rbf_gram
from toplabel.selection import choice
from toplabel.selection.fitting import (
    Settings,
    Solve,
    dense,
    fit,
    pool,
)
from toplabel.selection.grids import Budget, tidy
from toplabel.selection.measures import all_values
from toplabel.selection.problems import Method, Problem
from toplabel.selection.results import Point, TuneResult, assemble, average

LINEAR = 0.0  # stands for the exponent of theta of a method that has no theta
Points = Mapping[float, Sequence[float]]  # exponents of C by exponent of theta


class FoldPath:
    """One fold of one method: fits along C, warm-started, and their validation values.

    Parameters
    ----------
    problem : Problem
    method : Method
    budget : Budget
    metrics : sequence of str
    settings : Settings
    names : tuple
        What seeds depend on: data set, method, split, fold.
    solve : callable
        `toplabel.solve` or one like it.
    """

    def __init__(
        self,
        problem: Problem,
        method: Method,
        budget: Budget,
        metrics: Sequence[str],
        settings: Settings,
        names: tuple[object, ...],
        solve: Solve,
    ) -> None:
        self._problem = problem
        self._method = method
        self._budget = budget
        self._metrics = metrics
        self._settings = settings
        self._names = (settings.seed, *names)
        self._solve = solve
        self._highest: dict[float, Any] = {}  # by theta, the fit with the largest C so far

    def visit(self, points: Points) -> list[Point]:
        """Fit and measure at the given exponents, C ascending for each theta."""
        found = []
        for theta_exponent in sorted(points):
            theta, train, held_out = self._matrices(theta_exponent)
            exponents = sorted(points[theta_exponent])
            for C in (self._budget.C.value(exponent) for exponent in exponents):
                found.append(self._visit_one(theta_exponent, theta, C, train, held_out))
        return found

    def _matrices(self, theta_exponent: float) -> tuple[float, Any, Any]:
        if self._method.kernel != "rbf":
            return np.nan, self._problem.X, self._problem.X_eval
        theta = self._budget.theta.value(theta_exponent)
        X = dense(self._problem.X)
        return theta, rbf_gram(X, theta), cross_gram(dense(self._problem.X_eval), X, theta)

    def _visit_one(
        self, theta_exponent: float, theta: float, C: float, train: Any, held_out: Any
    ) -> Point:
        start = self._highest.get(theta_exponent)
        result = fit(
            self._solve,
            train,
            self._problem.labels,
            self._method,
            self._problem.n_classes,
            C,
            self._settings.eps_tune,
            self._settings.max_epochs,
            (*self._names, repr(theta)),
            # From a larger C down, the start would be cut to fit and be no better than a cold one.
            warm_start=start.solution if start is not None and start.C < C else None,
        )
        if start is None or start.C < C:
            self._highest[theta_exponent] = result
        scores = np.asarray(result.solution.decision_function(held_out))
        truth = self._problem.truth
        scores = pool(scores, self._problem.groups)
        return Point(
            theta=theta,
            C=C,
            values=all_values(self._metrics, truth, scores, self._budget.deltas),
            relative_gap=float(result.solution.relative_gap),
            epochs=int(result.solution.epochs),
            seconds=result.seconds,
        )


def coarse_points(method: Method, budget: Budget, block: int | None = None) -> dict:
    """The protocol's grid: exponents of C by exponent of theta.

    Parameters
    ----------
    method : Method
    budget : Budget
    block : int, optional
        For methods with a kernel, only this block of widths.
    """
    thetas = theta_exponents(method, budget)
    if block is not None and budget.theta_block is not None and method.kernel == "rbf":
        thetas = thetas[block * budget.theta_block : (block + 1) * budget.theta_block]
    return {theta: budget.C.exponents() for theta in thetas}


def theta_exponents(method: Method, budget: Budget) -> list[float]:
    """Exponents of theta for a method; `LINEAR` alone when it has no theta.

    Raises
    ------
    ValueError
        For an RBF method in a protocol without a grid of theta.
    """
    if method.kernel != "rbf":
        return [LINEAR]
    if budget.theta is None:
        raise ValueError(f"method '{method.name}' needs a grid of theta; the protocol has none")
    return budget.theta.exponents()


def block_count(method: Method, budget: Budget) -> int:
    """Number of jobs that share the widths of a method in one fold."""
    if method.kernel != "rbf" or budget.theta_block is None:
        return 1
    return -(-len(theta_exponents(method, budget)) // budget.theta_block)


def refined_points(result: TuneResult, budget: Budget) -> dict:
    """The finer grid around each metric's best point, without the points already visited.

    Returns
    -------
    dict
        Exponents of C by exponent of theta; empty when the budget does not refine.
    """
    if budget.refine is None:
        return {}
    wanted: dict[float, set[float]] = {}
    for best in choice.best_points(result):
        for theta in _refined_thetas(best.theta, budget):
            around = budget.refine.around(_exponent(best.C, budget.C.base), budget.C)
            wanted.setdefault(theta, set()).update(around)
    visited = _visited(result, budget)
    fresh = {
        theta: sorted(exponents - visited.get(theta, set())) for theta, exponents in wanted.items()
    }
    return {theta: fresh[theta] for theta in sorted(fresh) if fresh[theta]}


def _refined_thetas(theta: float, budget: Budget) -> list[float]:
    if np.isnan(theta):
        return [LINEAR]
    return budget.refine.around(_exponent(theta, budget.theta.base), budget.theta)


def _visited(result: TuneResult, budget: Budget) -> dict[float, set[float]]:
    visited = {}
    for i, theta in enumerate(result.theta):
        exponent = LINEAR if np.isnan(theta) else _exponent(theta, budget.theta.base)
        seen = result.C[~np.isnan(result.relative_gap[i])]
        visited[exponent] = {_exponent(C, budget.C.base) for C in seen}
    return visited


def _exponent(value: float, base: float) -> float:
    return tidy(float(np.log(value) / np.log(base)))


def write_points(points: Points, path: str | os.PathLike[str]) -> None:
    """Write a grid as JSON, whole or not at all."""
    table = [{"theta": theta, "C": list(exponents)} for theta, exponents in points.items()]
    with atomic_path(path) as temporary:
        temporary.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")


def read_points(path: str | os.PathLike[str]) -> dict:
    """Read what `write_points` wrote."""
    table = json.loads(Path(path).read_text(encoding="utf-8"))
    return {entry["theta"]: entry["C"] for entry in table}


def extended_points(result: TuneResult, budget: Budget, thetas: Iterable[float]) -> dict:
    """One more C beyond each edge on which a metric is strictly best; empty when there is none."""
    fresh = set()
    for best in choice.best_points(result):
        if best.edge_C < 0:
            fresh.add(tidy(_exponent(result.C[0], budget.C.base) - budget.C.step))
        elif best.edge_C > 0:
            fresh.add(tidy(_exponent(result.C[-1], budget.C.base) + budget.C.step))
    return {theta: sorted(fresh) for theta in thetas} if fresh else {}


def tune_split(
    problems: Sequence[Problem],
    method: Method,
    budget: Budget,
    metrics: Sequence[str],
    settings: Settings,
    names: tuple[str, str, str],
    solve: Solve,
) -> TuneResult:
    """Tune a method on all folds of a split in one go: grid, extension at the edge, refinement.

    Parameters
    ----------
    problems : sequence of Problem
        One a fold, or a single one where the set has a validation part.
    method, budget, metrics, settings
    names : tuple of str
        Data set, method, split.
    solve : callable

    Returns
    -------
    TuneResult
        Means over the folds.
    """
    paths = [
        FoldPath(problem, method, budget, metrics, settings, (*names, fold), solve)
        for fold, problem in enumerate(problems)
    ]
    found: list[list[Point]] = [[] for _ in paths]

    def visit(points: Points) -> TuneResult:
        for path, points_of_fold in zip(paths, found, strict=True):
            points_of_fold.extend(path.visit(points))
        by_fold = [
            assemble(points_of_fold, metrics, budget, names[2], str(fold))
            for fold, points_of_fold in enumerate(found)
        ]
        return average(by_fold)

    result = visit(coarse_points(method, budget))
    for _ in range(budget.extend):
        beyond = extended_points(result, budget, theta_exponents(method, budget))
        if not beyond:
            break
        result = visit(beyond)
    finer = refined_points(result, budget)
    return visit(finer) if finer else result


def tune_fold(
    problem: Problem,
    method: Method,
    budget: Budget,
    metrics: Sequence[str],
    settings: Settings,
    names: tuple[str, str, str, int],
    points: Points,
    solve: Solve,
) -> TuneResult:
    """Tune a method on one fold at the given points. `names`: data set, method, split, fold."""
    path = FoldPath(problem, method, budget, metrics, settings, names, solve)
    return assemble(path.visit(points), metrics, budget, names[2], str(names[3]))
