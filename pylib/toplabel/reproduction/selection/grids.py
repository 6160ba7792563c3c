"""Points of the grid: the coarse one, the finer one, and those beyond an edge."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from toplabel.reproduction.config.methods import Method
from toplabel.reproduction.config.protocols import LINEAR, Budget, tidy
from toplabel.reproduction.selection.points import best_points
from toplabel.reproduction.selection.results import TuneResult


def coarse_points(method: Method, budget: Budget, block: int | None = None) -> dict:
    """Return the protocol's grid, or a block of its widths: exponents of C by exponent of theta."""
    thetas = budget.thetas(method.tunes_width)
    if block is not None and budget.theta_block is not None and method.tunes_width:
        thetas = thetas[block * budget.theta_block : (block + 1) * budget.theta_block]
    return {theta: budget.C.exponents() for theta in thetas}


def refined_points(result: TuneResult, budget: Budget) -> dict:
    """Return the finer grid around each metric's best point, without the points already visited.

    Points of a coarse grid that only screens are visited again, on all rows. The result is empty
    when the budget does not refine.
    """
    if budget.refine is None:
        return {}
    wanted: dict[float, set[float]] = {}
    for best in best_points(result):
        for theta in _refined_thetas(best.theta, budget):
            around = budget.refine.around(_exponent(best.C, budget.C.base), budget.C)
            wanted.setdefault(theta, set()).update(around)
    visited = _visited(result, budget) if budget.screen_rows is None else {}
    fresh = {theta: sorted(wanted[theta] - visited.get(theta, set())) for theta in sorted(wanted)}
    return {theta: exponents for theta, exponents in fresh.items() if exponents}


def _refined_thetas(theta: float, budget: Budget) -> list[float]:
    if np.isnan(theta):
        return [LINEAR]
    return budget.refine.around(_exponent(theta, budget.theta.base), budget.theta)


def _visited(result: TuneResult, budget: Budget) -> dict[float, set[float]]:
    visited = {}
    for i, theta in enumerate(result.theta):
        exponent = LINEAR if np.isnan(theta) else _exponent(theta, budget.theta.base)
        seen = result.C[~np.isnan(result.epochs[i])]
        visited[exponent] = {_exponent(C, budget.C.base) for C in seen}
    return visited


def _exponent(value: float, base: float) -> float:
    return tidy(float(np.log(value) / np.log(base)))


def extended_points(result: TuneResult, budget: Budget, thetas: Iterable[float]) -> dict:
    """Return one more C beyond each edge on which a metric is strictly best, if there is one."""
    fresh = set()
    for best in best_points(result):
        if best.edge_C < 0:
            fresh.add(tidy(_exponent(result.C[0], budget.C.base) - budget.C.step))
        elif best.edge_C > 0:
            fresh.add(tidy(_exponent(result.C[-1], budget.C.base) + budget.C.step))
    return {theta: sorted(fresh) for theta in thetas} if fresh else {}
