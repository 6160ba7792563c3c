"""Grids of C and theta: that of a problem, the coarse one, the finer one, beyond an edge.

A point is a pair of exponents, so that a coarse grid and its refinement meet in the very same
floating-point values. Of an estimator a point is the index of a candidate.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from toplabel.reproduction.config.protocols import Axis, Grid, tidy
from toplabel.reproduction.data.parts import squared_norms
from toplabel.reproduction.methods import create
from toplabel.reproduction.methods.recipe import Recipe
from toplabel.reproduction.selection.choice import best_points
from toplabel.reproduction.selection.problems import ValidationProblem
from toplabel.reproduction.selection.task import TuneTask
from toplabel.reproduction.selection.tuned import Tuned

Points = Mapping[float | None, Sequence[float]]
"""Exponents of C, or indices of candidates, by the exponent of theta, which is None without a width."""


def grid_for(task: TuneTask, problem: ValidationProblem) -> Grid:
    """Return the task's grid with the axis C of its method on some rows.

    A data set may ask that C is divided by the mean squared norm of the rows. A trainer with a
    method `axis` derives the axis from the data.
    """
    grid = task.grid
    if task.recipe.estimator:
        return grid
    if axis := getattr(create(task.recipe), "axis", None):
        C = axis(problem.X, problem.labels, problem.n_classes)
        return replace(grid, C=C, refine=None, extend=0)
    square = float(squared_norms(problem.X).mean()) if task.C_scale else 0.0
    return replace(grid, C=grid.C.over(square)) if square else grid


def thetas(recipe: Recipe, grid: Grid) -> list[float | None]:
    """Return the exponents of theta, or None alone if the method does not tune the width."""
    return [*grid.theta.exponents()] if recipe.tunes_width else [None]


def coarse_points(recipe: Recipe, grid: Grid) -> Points:
    """Return the points of the protocol's grid, or all candidates of an estimator."""
    indices = [*range(len(recipe.candidates))]
    along = indices if recipe.estimator else grid.C.exponents()
    return {theta: along for theta in thetas(recipe, grid)}


def refined_points(result: Tuned, grid: Grid) -> Points:
    """Return the finer grid around each metric's best point, without what was already visited.

    Points of a coarse grid that only screens are visited again, on all rows. There are none when
    the grid is not refined.
    """
    if grid.refine is None:
        return {}
    wanted: dict[float | None, set[float]] = {}
    for best in best_points(result):
        for theta in _refined_thetas(best.theta, grid):
            around = grid.C.around(_exponent(best.C, grid.C), grid.refine)
            wanted.setdefault(theta, set()).update(around)
    visited = _visited(result, grid) if grid.screen_rows is None else {}
    fresh = {theta: sorted(wanted[theta] - visited.get(theta, set())) for theta in sorted(wanted)}
    return {theta: exponents for theta, exponents in fresh.items() if exponents}


def extended_points(result: Tuned, grid: Grid, thetas: Iterable[float | None]) -> Points:
    """Return one more C beyond each edge on which a metric is strictly best, if there is one."""
    fresh = set()
    for best in best_points(result):
        if best.edge_C < 0:
            fresh.add(tidy(_exponent(result.C[0], grid.C) - grid.C.step))
        elif best.edge_C > 0:
            fresh.add(tidy(_exponent(result.C[-1], grid.C) + grid.C.step))
    return {theta: sorted(fresh) for theta in thetas} if fresh else {}


def _refined_thetas(theta: float | None, grid: Grid) -> list[float | None]:
    if theta is None:
        return [None]
    return [*grid.theta.around(_exponent(theta, grid.theta), grid.refine)]


def _visited(result: Tuned, grid: Grid) -> dict[float | None, set[float]]:
    visited: dict[float | None, set[float]] = {}
    for i, theta in enumerate([None] if result.theta is None else result.theta):
        exponent = None if theta is None else _exponent(theta, grid.theta)
        seen = result.C[~np.isnan(result.epochs[i])]
        visited[exponent] = {_exponent(C, grid.C) for C in seen}
    return visited


def _exponent(value: float, axis: Axis) -> float:
    return tidy(float(np.log(value) / np.log(axis.base)))
