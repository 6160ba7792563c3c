"""The choice: one (k, theta, C, threshold) for each metric on each split, a row of selection.csv."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from toplabel.reproduction.frames import read_rows
from toplabel.reproduction.selection.measures import needs_threshold, sign
from toplabel.reproduction.selection.tuned import Tuned

DECIMALS = 9  # means over folds that differ by rounding alone are ties


@dataclass(frozen=True)
class Choice:
    """The hyper-parameters that are best for one metric on one split: a row of selection.csv.

    `value` is the validation value, as printed in the papers. An estimator has the index of a
    `candidate` in place of C; k, theta and threshold are None where they play no role. `at_edge` says
    that the choice lies on an edge of the grid of C or theta and is better than any point inside.
    """

    split: str
    metric: str
    k: int | None
    C: float | None
    candidate: int | None
    theta: float | None
    threshold: float | None
    value: float
    at_edge: bool


@dataclass(frozen=True)
class Best:
    """The best point of one metric.

    `edge_C` is -1 (or 1) when the metric is best at the smallest (largest) C and worse at every
    other, `edge_theta` likewise; 0 inside the grid, in a tie with an inner value, or when the grid
    has one value only. The candidates of an estimator have no order, and so no edge.
    """

    metric: str
    theta: float | None
    C: float | None
    candidate: int | None
    threshold: float | None
    value: float
    edge_C: int
    edge_theta: int


def choose(results: Iterable[Tuned], by: str = "") -> list[Choice]:
    """Return the choice for each split and metric.

    `results` are means over the folds of each split, one for each k where k is selected. Each
    metric has its own best point, or all of them that of the metric `by`. Of several k that are
    level, the smallest is chosen.
    """
    of_split: dict[str, list[Tuned]] = {}
    for result in results:
        of_split.setdefault(result.split, []).append(result)
    return [
        Choice(
            split=split,
            metric=best.metric,
            k=k,
            C=best.C,
            candidate=best.candidate,
            theta=best.theta,
            threshold=best.threshold,
            value=best.value,
            at_edge=bool(best.edge_C or best.edge_theta),
        )
        for split in sorted(of_split)
        for k, best in _best_of_ks(of_split[split], by)
    ]


def _best_of_ks(results: Sequence[Tuned], by: str) -> list[tuple[int | None, Best]]:
    """Return for each metric the k, and the best point with it."""
    results = sorted(results, key=lambda result: result.k or 0)
    of_ks = [points_by(result, by) if by else best_points(result) for result in results]
    chosen = []
    for of_metric in zip(*of_ks, strict=True):
        values = [round(sign(best.metric) * best.value, DECIMALS) for best in of_metric]
        first = values.index(max(values))
        chosen.append((results[first].k, of_metric[first]))
    return chosen


def best_points(result: Tuned) -> list[Best]:
    """Return the best point of every metric; a metric without any value is a ValueError.

    Ties go to the smallest C (the strongest regularisation), then the smallest theta, then the
    threshold of smallest magnitude, then the negative one.
    """
    return [_best_point(result, i) for i in range(len(result.metric))]


def points_by(result: Tuned, metric: str) -> list[Best]:
    """Return the best point of one metric for every metric, each with its own value there.

    A metric that needs a threshold is a ValueError: thresholds are selected for each metric.
    """
    names = [str(name) for name in result.metric]
    if wrong := [name for name in names if needs_threshold(name)]:
        raise ValueError(f"'{wrong[0]}' has a threshold, so it is not selected by '{metric}'")
    best = _best_point(result, names.index(metric))
    row = 0 if best.theta is None else np.flatnonzero(result.theta == best.theta)[0]
    value = best.C if best.candidate is None else best.candidate
    column = np.flatnonzero(result.columns == value)[0]
    return [
        replace(best, metric=name, value=float(result.value[row, column, 0, i]))
        for i, name in enumerate(names)
    ]


def _best_point(result: Tuned, index: int) -> Best:
    metric = str(result.metric[index])
    cube = np.round(sign(metric) * result.value[..., index], DECIMALS)
    cube = np.where(np.isnan(cube), -np.inf, cube)
    best = cube.max()
    if best == -np.inf:
        raise ValueError(f"split '{result.split}': metric '{metric}' has no validation value")
    rows, columns, places = np.nonzero(cube == best)
    thresholds = np.zeros(1) if result.threshold is None else result.threshold
    order = np.lexsort((thresholds[places], np.abs(thresholds)[places], rows, columns))
    i, j, d = rows[order[0]], columns[order[0]], places[order[0]]
    return Best(
        metric=metric,
        theta=None if result.theta is None else float(result.theta[i]),
        C=None if result.C is None else float(result.C[j]),
        candidate=None if result.candidate is None else int(result.candidate[j]),
        threshold=float(thresholds[d]) if needs_threshold(metric) else None,
        value=float(result.value[i, j, d, index]),
        edge_C=0 if result.C is None else _edge(columns, cube.shape[1]),
        edge_theta=_edge(rows, cube.shape[0]),
    )


def _edge(indices: np.ndarray, count: int) -> int:
    """Return -1 or 1 when all best points lie on the same edge of an axis, else 0."""
    if count > 1 and (indices == 0).all():
        return -1
    return 1 if count > 1 and (indices == count - 1).all() else 0


def load_choices(path: str | os.PathLike[str]) -> list[Choice]:
    """Read selection.csv; a FileError names the line and the column of what is wrong."""
    return read_rows(Choice, path)
