"""The select stage: one (k, theta, C, threshold) for each metric."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from toplabel.reproduction.selection.measures import sign
from toplabel.reproduction.selection.points import DECIMALS, Best, best_points, points_by
from toplabel.reproduction.selection.results import TuneResult
from toplabel.reproduction.tables.cells import SELECTION


def select(results: Mapping[str, TuneResult], by: str = "") -> list[Any]:
    """Return the rows of selection.csv, one per split and metric.

    `results` are the means over folds of each split, where k is selected one for each k. Each
    metric has its own best point, or all of them that of the metric `by`. k is NaN where none is
    selected, and of several that are level the smallest. `at_edge` says that the choice lies on an
    edge of the grid of C or theta, and is better than any inside.
    """
    of_split: dict[str, list[TuneResult]] = {}
    for result in results.values():
        of_split.setdefault(result.split, []).append(result)
    return [
        SELECTION.row(
            *(split, best.metric, k, best.C, best.theta, best.threshold, best.value),
            at_edge=bool(best.edge_C or best.edge_theta),
        )
        for split in sorted(of_split)
        for k, best in _best_of_ks(of_split[split], by)
    ]


def _best_of_ks(results: Sequence[TuneResult], by: str) -> list[tuple[float, Best]]:
    """For each metric the k, and the best point with it."""
    results = sorted(results, key=lambda result: result.k)
    by_k = [points_by(result, by) if by else best_points(result) for result in results]
    found = []
    for candidates in zip(*by_k, strict=True):
        values = [round(sign(best.metric) * best.value, DECIMALS) for best in candidates]
        first = values.index(max(values))
        found.append((results[first].k, candidates[first]))
    return found


def edge_notes(selection: Iterable[Any]) -> list[str]:
    """Return a line for each choice of `select` that lies on an edge of the grid."""
    return [
        f"split {row.split}, {row.metric}: best on the edge of what was tried (C {row.C:g}, theta {row.theta:g})"
        for row in selection
        if row.at_edge
    ]
