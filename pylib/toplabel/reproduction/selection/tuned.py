"""What tuning finds: validation values over a grid of theta and C, means of them over folds, checkpoints."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from pathlib import Path

import numpy as np

from toplabel.reproduction.files import FileError, read_records, write_records

ALL_FOLDS = "all"


@dataclass(frozen=True)
class Tuned:
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

    @property
    def columns(self) -> np.ndarray:
        """The values of C, or the indices of the candidates, (c,)."""
        return self.C if self.candidate is None else self.candidate


@dataclass(frozen=True)
class Point:
    """What was measured at one theta and C, or candidate, of one fold; `values` is (D, metrics)."""

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


def assemble(
    points: Sequence[Point],
    metrics: Sequence[str],
    thresholds: np.ndarray,
    split: str,
    fold: int,
) -> Tuned:
    """Arrange the points of one fold in a grid."""
    widths = {point.theta for point in points}
    theta = None if widths == {None} else np.unique([*widths])
    columns = np.unique([point.column for point in points])
    is_of_estimator = points[0].candidate is not None
    shape = (1 if theta is None else len(theta), len(columns))
    result = Tuned(
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
    for point in points:
        i = 0 if theta is None else int(np.searchsorted(theta, point.theta))
        j = int(np.searchsorted(columns, point.column))
        result.value[i, j] = point.values
        result.relative_gap[i, j] = point.relative_gap
        result.epochs[i, j] = point.epochs
        result.seconds[i, j] = point.seconds
    return result


def average(results: Sequence[Tuned]) -> Tuned:
    """Return the mean over folds, at the points that all of them visited; none is a ValueError."""
    theta = None
    if results[0].theta is not None:
        theta = reduce(np.intersect1d, [result.theta for result in results])
    columns = reduce(np.intersect1d, [result.columns for result in results])
    folds = [_at(result, theta, columns) for result in results]
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


def _at(result: Tuned, theta: np.ndarray | None, columns: np.ndarray) -> Tuned:
    """Return a result at some of its own values of theta and C, or candidates."""
    rows = np.zeros(1, dtype=int) if theta is None else np.searchsorted(result.theta, theta)
    at = np.ix_(rows, np.searchsorted(result.columns, columns))
    return replace(
        result,
        value=result.value[at],
        relative_gap=result.relative_gap[at],
        epochs=result.epochs[at],
        seconds=result.seconds[at],
        theta=theta,
        C=columns if result.candidate is None else None,
        candidate=None if result.candidate is None else columns,
    )


def means(results: Iterable[Tuned]) -> list[Tuned]:
    """Return the means over all folds, from which is chosen; results of one fold only screen."""
    return [result for result in results if result.fold == ALL_FOLDS]


def seconds_by_split(results: Iterable[Tuned]) -> dict[str, float]:
    """Return the seconds of the tuning of each split, over all its jobs."""
    seconds: dict[str, float] = {}
    for result in results:
        total = float(np.nansum(result.seconds))
        seconds[result.split] = seconds.get(result.split, 0.0) + total
    return seconds


def load_tuned(paths: Iterable[str | os.PathLike[str]]) -> list[Tuned]:
    """Read what several jobs found; a FileError names a file of another version."""
    return [result for path in paths for result in read_records(Tuned, path)]


WORTH_KEEPING = 10.0
"""Seconds of fits: a shorter path is computed again."""


class Checkpoints:
    """A folder with a file for each finished path, which the job removes when it ends well.

    `identity` is all that the numbers depend on (data, method, budget, code), with a `repr` that
    tells it: a path that was saved under another identity is not found.
    """

    def __init__(self, folder: str | os.PathLike[str], identity: object) -> None:
        self._folder = Path(folder)
        self._identity = repr(identity)

    def load(self, key: object) -> list[Point] | None:
        """Return the points of a path; None if it is not there, or damaged."""
        try:
            return read_records(Point, self._path(key))
        except FileError:
            return None

    def save(self, key: object, points: Sequence[Point]) -> None:
        """Save a path, if it took long enough."""
        if sum(point.seconds for point in points) >= WORTH_KEEPING:
            write_records(points, self._path(key))

    def remove(self) -> None:
        """Remove the folder: the job's own result is there."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def _path(self, key: object) -> Path:
        digest = hashlib.sha256(f"{self._identity}\n{key!r}".encode()).hexdigest()
        return self._folder / f"{digest[:24]}.npz"
