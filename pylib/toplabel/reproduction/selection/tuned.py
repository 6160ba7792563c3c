"""What tuning finds: validation values over a grid of theta and C, and means of them over folds."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np

from toplabel.reproduction.config.protocols import Budget
from toplabel.reproduction.selection.files import read_records, write_records

_TABLES = ("relative_gap", "epochs", "seconds")  # one number for each point of the grid
ALL_FOLDS = "all"


@dataclass(frozen=True)
class Tuned:
    """Validation values over a grid; NaN where a point was not visited. A record of a tune file.

    `fold` is the index of the fold, or "all" for the mean over them. theta (t,) and C (c,) ascend;
    theta is a single NaN for methods without a kernel parameter, and threshold (D,) where no metric
    needs one. `value` has the shape (t, c, D, metrics), as printed; a metric without threshold
    stands at index 0 of D. relative_gap, epochs and seconds have the shape (t, c): over folds the
    worst gap, NaN for a loss that is not convex, and sums. k is NaN where it is not selected.
    """

    split: str
    fold: str
    theta: np.ndarray
    C: np.ndarray
    threshold: np.ndarray
    metric: np.ndarray
    value: np.ndarray
    relative_gap: np.ndarray
    epochs: np.ndarray
    seconds: np.ndarray
    k: float = np.nan


@dataclass(frozen=True)
class Point:
    """What was found at one (theta, C) of one fold; `values` has the shape (D, metrics)."""

    theta: float
    C: float
    values: np.ndarray
    relative_gap: float
    epochs: int
    seconds: float


def assemble(
    points: Sequence[Point], metrics: Sequence[str], budget: Budget, split: str, fold: int
) -> Tuned:
    """Arrange the points of one fold in a grid."""
    theta = np.unique([point.theta for point in points])
    C = np.unique([point.C for point in points])
    threshold = budget.threshold_values()
    threshold = threshold if len(threshold) else np.array([np.nan])
    found = _empty(split, str(fold), theta, C, threshold, np.array(metrics))
    for point in points:
        i = 0 if np.isnan(point.theta) else int(np.searchsorted(theta, point.theta))
        j = int(np.searchsorted(C, point.C))
        found.value[i, j] = point.values
        for name in _TABLES:
            getattr(found, name)[i, j] = getattr(point, name)
    return found


def _empty(split, fold, theta, C, threshold, metric) -> Tuned:
    shape = (len(theta), len(C))
    value = np.full((*shape, len(threshold), len(metric)), np.nan)
    tables = {name: np.full(shape, np.nan) for name in _TABLES}
    return Tuned(split, fold, theta, C, threshold, metric, value, **tables)


def merge(results: Sequence[Tuned]) -> Tuned:
    """Join what was visited of one fold: the coarse grid, beyond its edges, the finer grid."""
    one = results[0]
    theta = np.unique(np.concatenate([result.theta for result in results]))
    C = np.unique(np.concatenate([result.C for result in results]))
    found = _empty(one.split, one.fold, theta, C, one.threshold, one.metric)
    for result in results:
        seen = ~np.isnan(result.epochs)
        at = np.nonzero(seen)
        i = np.searchsorted(theta, result.theta)[at[0]]
        j = np.searchsorted(C, result.C)[at[1]]
        for name in ("value", *_TABLES):
            getattr(found, name)[i, j] = getattr(result, name)[seen]
    return found


def average(results: Sequence[Tuned]) -> Tuned:
    """Return the mean over folds, at the points that all of them visited; none is a ValueError."""
    theta = _shared([result.theta for result in results])
    C = _shared([result.C for result in results])
    folds = [_at(result, theta, C) for result in results]
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


def _shared(axes: Sequence[np.ndarray]) -> np.ndarray:
    """Return the ascending values that stand on all axes."""
    return axes[0] if np.isnan(axes[0]).any() else reduce(np.intersect1d, axes)


def _at(result: Tuned, theta: np.ndarray, C: np.ndarray) -> Tuned:
    """Return a result at some of its own values of theta and C."""
    rows = [0] if np.isnan(theta).any() else np.searchsorted(result.theta, theta)
    at = np.ix_(rows, np.searchsorted(result.C, C))
    cut = {name: getattr(result, name)[at] for name in ("value", *_TABLES)}
    return replace(result, theta=theta, C=C, **cut)


def means(results: Iterable[Tuned]) -> list[Tuned]:
    """Return the means over all folds, from which is chosen; results of one fold only screen."""
    return [result for result in results if result.fold == ALL_FOLDS]


def seconds_by_split(results: Iterable[Tuned]) -> dict[str, float]:
    """Return what the tuning of each split took, over all its jobs."""
    seconds: dict[str, float] = {}
    for result in results:
        total = float(np.nansum(result.seconds))
        seconds[result.split] = seconds.get(result.split, 0.0) + total
    return seconds


def save_tuned(results: Iterable[Tuned], path: str | os.PathLike[str]) -> None:
    """Write what one job of tuning found: the i-th result's fields as ``<i>.<field>``."""
    write_records(results, path)


def load_tuned(paths: Iterable[str | os.PathLike[str]]) -> list[Tuned]:
    """Read what several jobs found; a FileError names a file of another version."""
    return [result for path in paths for result in read_records(Tuned, path)]
