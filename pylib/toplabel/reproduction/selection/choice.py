"""Validation of a grid: values and their means over folds, the best point for each metric, a row of
selection.csv, and which points to try next.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np

from toplabel.reproduction.config.protocols import Axis, Grid, tidy
from toplabel.reproduction.files import PathLike, read_records
from toplabel.reproduction.frames import read_rows
from toplabel.reproduction.selection.measures import needs_threshold, sign

DECIMALS = 9  # means over folds that differ by rounding alone are ties
ALL_FOLDS = "all"


@dataclass(frozen=True)
class Point:
    """Values measured at one theta and C, or candidate, of one fold; `values` is (D, metrics)."""

    values: np.ndarray
    relative_gap: float
    epochs: int
    seconds: float
    theta: float | None = None
    C: float | None = None
    candidate: int | None = None

    @property
    def column(self) -> float:
        """The value of C, or the index of the candidate."""
        return self.C if self.candidate is None else self.candidate


@dataclass(frozen=True)
class GridValues:
    """Validation values over a grid; NaN where a point was not visited. A record of a tune file.

    `fold` is the index of the fold, or "all" for the mean over them. theta (t,), C (c,) and the
    indices of candidates (c,) ascend: an estimator has candidates, any other method C. theta is None
    for methods without a kernel parameter (t is 1 then), threshold (D,) where no metric needs one (D
    is 1 then), and k where it is not selected. `value` has the shape (t, c, D, metrics), as printed; a
    metric without threshold stands at index 0 of D. relative_gap, epochs and seconds have the shape
    (t, c): over folds the worst gap, NaN for a loss that is not convex, and sums.
    """

    split: str
    fold: str
    metric: np.ndarray
    value: np.ndarray
    relative_gap: np.ndarray
    epochs: np.ndarray
    seconds: np.ndarray
    theta: np.ndarray | None = None
    C: np.ndarray | None = None
    candidate: np.ndarray | None = None
    threshold: np.ndarray | None = None
    k: int | None = None

    @classmethod
    def of(
        cls,
        points: Sequence[Point],
        metrics: Sequence[str],
        thresholds: np.ndarray,
        split: str,
        fold: int,
    ) -> GridValues:
        """Return the points of one fold, arranged in a grid."""
        theta, rows = None, np.zeros(len(points), dtype=int)
        if points[0].theta is not None:
            theta, rows = np.unique([point.theta for point in points], return_inverse=True)
        columns, places = np.unique([point.column for point in points], return_inverse=True)
        is_of_estimator = points[0].candidate is not None
        shape = (1 if theta is None else len(theta), len(columns))
        result = cls(
            split=split,
            fold=str(fold),
            metric=np.array(metrics),
            value=np.full((*shape, max(1, len(thresholds)), len(metrics)), np.nan),
            relative_gap=np.full(shape, np.nan),
            epochs=np.full(shape, np.nan),
            seconds=np.full(shape, np.nan),
            theta=theta,
            C=None if is_of_estimator else columns,
            candidate=columns if is_of_estimator else None,
            threshold=thresholds if len(thresholds) else None,
        )
        for i, j, point in zip(rows, places, points, strict=True):
            result.value[i, j] = point.values
            result.relative_gap[i, j] = point.relative_gap
            result.epochs[i, j] = point.epochs
            result.seconds[i, j] = point.seconds
        return result

    @property
    def columns(self) -> np.ndarray:
        """The values of C, or the indices of the candidates, (c,)."""
        return self.C if self.candidate is None else self.candidate

    def at(self, theta: np.ndarray | None, columns: np.ndarray) -> GridValues:
        """Return the values at some of the values of theta and C, or candidates."""
        rows = np.zeros(1, dtype=int) if theta is None else np.searchsorted(self.theta, theta)
        places = np.ix_(rows, np.searchsorted(self.columns, columns))
        return replace(
            self,
            value=self.value[places],
            relative_gap=self.relative_gap[places],
            epochs=self.epochs[places],
            seconds=self.seconds[places],
            theta=theta,
            C=columns if self.candidate is None else None,
            candidate=None if self.candidate is None else columns,
        )


def average(results: Sequence[GridValues]) -> GridValues:
    """Return the mean over folds, at the points that all of them visited; none is a ValueError."""
    theta = None
    if results[0].theta is not None:
        theta = reduce(np.intersect1d, [result.theta for result in results])
    columns = reduce(np.intersect1d, [result.columns for result in results])
    folds = [result.at(theta, columns) for result in results]
    epochs = np.sum([fold.epochs for fold in folds], axis=0)
    if np.isnan(epochs).all():
        raise ValueError(f"split '{results[0].split}': the folds have no point in common")
    return replace(
        folds[0],
        fold=ALL_FOLDS,
        value=np.mean([fold.value for fold in folds], axis=0),
        relative_gap=np.max([fold.relative_gap for fold in folds], axis=0),
        epochs=epochs,
        seconds=np.sum([fold.seconds for fold in folds], axis=0),
    )


def load_grids(paths: Iterable[PathLike]) -> list[GridValues]:
    """Read what several jobs of tuning found; a FileError names a file of another version."""
    return [result for path in paths for result in read_records(GridValues, path)]


def means(results: Iterable[GridValues]) -> list[GridValues]:
    """Return the means over all folds, from which is chosen; results of one fold only screen."""
    return [result for result in results if result.fold == ALL_FOLDS]


def seconds_by_split(results: Iterable[GridValues]) -> dict[str, float]:
    """Return the seconds of the tuning of each split, over all its jobs."""
    seconds: dict[str, float] = defaultdict(float)
    for result in results:
        seconds[result.split] += float(np.nansum(result.seconds))
    return dict(seconds)


# ---- the choice ------------------------------------------------------------------------------------


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


def choose(results: Iterable[GridValues], by: str = "") -> list[Choice]:
    """Return the choice for each split and metric.

    `results` are means over the folds of each split, one for each k where k is selected. Each
    metric has its own best point, or all of them that of the metric `by`. Of several k that are
    level, the smallest is chosen.
    """
    of_split: dict[str, list[GridValues]] = {}
    for result in sorted(results, key=lambda result: (result.split, result.k or 0)):
        of_split.setdefault(result.split, []).append(result)
    choices = []
    for of_ks in of_split.values():
        if by:
            points = [points_by(result, by) for result in of_ks]
            place = [choice.metric for choice in points[0]].index(by)
            best = max(points, key=lambda of_k: _signed(of_k[place]))
            choices += best
            continue
        of_metrics = zip(*map(best_points, of_ks), strict=True)
        choices += [max(of_metric, key=_signed) for of_metric in of_metrics]
    return choices


def _signed(choice: Choice) -> float:
    """Return the value of a choice, more of which is better; `max` takes the first of equal ones."""
    return round(sign(choice.metric) * choice.value, DECIMALS)


def best_points(result: GridValues) -> list[Choice]:
    """Return the best point of every metric; a metric without any value is a ValueError.

    Ties go to the smallest C (the strongest regularisation), then the smallest theta, then the
    threshold of smallest magnitude, then the negative one.
    """
    return [_point(result, i, i) for i in range(len(result.metric))]


def points_by(result: GridValues, metric: str) -> list[Choice]:
    """Return the best point of one metric for every metric, each with its own value there.

    A metric that needs a threshold is a ValueError: thresholds are selected for each metric.
    """
    names = [str(name) for name in result.metric]
    if wrong := [name for name in names if needs_threshold(name)]:
        raise ValueError(f"'{wrong[0]}' has a threshold, so it is not selected by '{metric}'")
    return [_point(result, i, names.index(metric)) for i in range(len(names))]


def _point(result: GridValues, index: int, by: int) -> Choice:
    """Return the point at which the metric of index `by` is best, with the value of another one."""
    metric = str(result.metric[index])
    rows, columns, places = _best_places(result, by)
    thresholds = np.zeros(1) if result.threshold is None else result.threshold
    order = np.lexsort((thresholds[places], np.abs(thresholds)[places], rows, columns))
    i, j, d = rows[order[0]], columns[order[0]], places[order[0]]
    return Choice(
        split=result.split,
        metric=metric,
        k=result.k,
        C=None if result.C is None else float(result.C[j]),
        candidate=None if result.candidate is None else int(result.candidate[j]),
        theta=None if result.theta is None else float(result.theta[i]),
        threshold=float(thresholds[d]) if needs_threshold(metric) else None,
        value=float(result.value[i, j, d, index]),
        at_edge=bool(edge_of_C(result, by) or _edge(rows, result.value.shape[0])),
    )


def _best_places(result: GridValues, index: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the indices of theta, C and threshold of all points at which a metric is best."""
    metric = str(result.metric[index])
    cube = np.round(sign(metric) * result.value[..., index], DECIMALS)
    cube = np.where(np.isnan(cube), -np.inf, cube)
    if cube.max() == -np.inf:
        raise ValueError(f"split '{result.split}': metric '{metric}' has no validation value")
    rows, columns, places = np.nonzero(cube == cube.max())
    return rows, columns, places


def edge_of_C(result: GridValues, index: int) -> int:
    """Return -1 (or 1) where a metric, by its index, is best at the smallest (largest) C and worse at
    every other, else 0. The candidates of an estimator have no order, and so no edge.
    """
    _, columns, _ = _best_places(result, index)
    return 0 if result.C is None else _edge(columns, len(result.C))


def _edge(indices: np.ndarray, count: int) -> int:
    """Return -1 or 1 when all best points lie on the same edge of an axis, else 0."""
    if count > 1 and (indices == 0).all():
        return -1
    return 1 if count > 1 and (indices == count - 1).all() else 0


def load_choices(path: PathLike) -> list[Choice]:
    """Read selection.csv; a FileError names the line and the column of what is wrong."""
    return read_rows(Choice, path)


# ---- which points to try next ----------------------------------------------------------------------

Points = Mapping[float | None, Sequence[float]]
"""Exponents of C, or indices of candidates, by the exponent of theta, which is None without a width."""


def refined_points(result: GridValues, grid: Grid) -> Points:
    """Return the finer grid around each metric's best point, without what was already visited.

    Points of a coarse grid that only screens are visited again, on all rows. There are none when
    the grid is not refined.
    """
    if grid.refine is None:
        return {}
    wanted: dict[float | None, set[float]] = {}
    for best in best_points(result):
        thetas: list[float | None] = [None]
        if best.theta is not None:
            thetas = [*grid.theta.around(_exponent(best.theta, grid.theta), grid.refine)]
        for theta in thetas:
            around = grid.C.around(_exponent(best.C, grid.C), grid.refine)
            wanted.setdefault(theta, set()).update(around)
    visited = _visited(result, grid) if grid.screen_rows is None else {}
    fresh = {theta: sorted(wanted[theta] - visited.get(theta, set())) for theta in sorted(wanted)}
    return {theta: exponents for theta, exponents in fresh.items() if exponents}


def extended_points(result: GridValues, grid: Grid, thetas: Iterable[float | None]) -> Points:
    """Return one more C beyond each edge on which a metric is strictly best, if there is one."""
    edges = {edge_of_C(result, index) for index in range(len(result.metric))}
    ends = {-1: result.columns[0], 1: result.columns[-1]}
    beyond = [
        tidy(_exponent(end, grid.C) + side * grid.C.step)
        for side, end in ends.items()
        if side in edges
    ]
    return {theta: beyond for theta in thetas} if beyond else {}


def _visited(result: GridValues, grid: Grid) -> dict[float | None, set[float]]:
    visited: dict[float | None, set[float]] = {}
    for i, theta in enumerate([None] if result.theta is None else result.theta):
        exponent = None if theta is None else _exponent(theta, grid.theta)
        seen = result.C[~np.isnan(result.epochs[i])]
        visited[exponent] = {_exponent(C, grid.C) for C in seen}
    return visited


def _exponent(value: float, axis: Axis) -> float:
    return tidy(float(np.log(value) / np.log(axis.base)))
