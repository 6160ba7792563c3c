"""Grids of C and theta: that of a problem, the coarse one, the finer one, beyond an edge.

A point is a pair of exponents, so that a coarse grid and its refinement meet in the very same
floating-point values.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from toplabel.reproduction.config.method import Method
from toplabel.reproduction.config.protocols import LINEAR, Axis, Budget, tidy
from toplabel.reproduction.data.parts import squared_norms
from toplabel.reproduction.methods import create
from toplabel.reproduction.selection.choice import best_points
from toplabel.reproduction.selection.problems import ValidationProblem
from toplabel.reproduction.selection.task import Task
from toplabel.reproduction.selection.tuned import Tuned

Points = Mapping[float, Sequence[float]]
"""Exponents of C by exponent of theta."""


def budget_for(task: Task, problem: ValidationProblem) -> Budget:
    """Return the task's budget with the grid of C of its method on some rows.

    A data set may ask that C is divided by the mean squared norm of the rows. A trainer with a
    method `axis` derives the grid from the data.
    """
    budget = task.budget
    if axis := getattr(create(task.method), "axis", None):
        C = axis(problem.X, problem.labels, problem.n_classes)
        return replace(budget, C=C, refine=None, extend=0)
    square = float(squared_norms(problem.X).mean()) if task.C_scale else 0.0
    return replace(budget, C=budget.C.over(square)) if square else budget


def coarse_points(method: Method, budget: Budget) -> Points:
    """Return the points of the protocol's grid."""
    return {theta: budget.C.exponents() for theta in budget.thetas(method.tunes_width)}


def refined_points(result: Tuned, budget: Budget) -> Points:
    """Return the finer grid around each metric's best point, without what was already visited.

    Points of a coarse grid that only screens are visited again, on all rows. There are none when
    the budget does not refine.
    """
    if budget.refine is None:
        return {}
    wanted: dict[float, set[float]] = {}
    for best in best_points(result):
        for theta in _refined_thetas(best.theta, budget):
            around = budget.C.around(_exponent(best.C, budget.C), budget.refine)
            wanted.setdefault(theta, set()).update(around)
    visited = _visited(result, budget) if budget.screen_rows is None else {}
    fresh = {theta: sorted(wanted[theta] - visited.get(theta, set())) for theta in sorted(wanted)}
    return {theta: exponents for theta, exponents in fresh.items() if exponents}


def extended_points(result: Tuned, budget: Budget, thetas: Iterable[float]) -> Points:
    """Return one more C beyond each edge on which a metric is strictly best, if there is one."""
    fresh = set()
    for best in best_points(result):
        if best.edge_C < 0:
            fresh.add(tidy(_exponent(result.C[0], budget.C) - budget.C.step))
        elif best.edge_C > 0:
            fresh.add(tidy(_exponent(result.C[-1], budget.C) + budget.C.step))
    return {theta: sorted(fresh) for theta in thetas} if fresh else {}


def _refined_thetas(theta: float, budget: Budget) -> list[float]:
    if np.isnan(theta):
        return [LINEAR]
    return budget.theta.around(_exponent(theta, budget.theta), budget.refine)


def _visited(result: Tuned, budget: Budget) -> dict[float, set[float]]:
    visited = {}
    for i, theta in enumerate(result.theta):
        exponent = LINEAR if np.isnan(theta) else _exponent(theta, budget.theta)
        seen = result.C[~np.isnan(result.epochs[i])]
        visited[exponent] = {_exponent(C, budget.C) for C in seen}
    return visited


def _exponent(value: float, axis: Axis) -> float:
    return tidy(float(np.log(value) / np.log(axis.base)))
