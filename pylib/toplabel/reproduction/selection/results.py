"""What tuning finds: validation values over a grid, of one fold or the mean over folds."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import reduce

import numpy as np

from toplabel._core.files import FileError, read_npz, write_npz
from toplabel.reproduction.config.protocols import Budget


@dataclass(frozen=True)
class TuneResult:
    """Validation values over a grid; NaN where a point was not visited.

    `fold` is the index of the fold, or "all" for the mean over them. theta (t,) and C (c,) ascend;
    theta is a single NaN for methods without a kernel parameter, and so is threshold (D,) when no
    metric needs one. `value` has the shape (t, c, D, metrics), as printed; a metric without
    threshold stands at its index 0. relative_gap, epochs and seconds, (t, c), are of several folds
    the worst gap, NaN for a loss that is not convex, and sums. k is NaN where it is not selected.
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

    @property
    def name(self) -> str:
        """The split, and the k where it is selected."""
        return self.split if np.isnan(self.k) else f"{self.split}, k = {self.k:g}"


def save_unit(results: Sequence[TuneResult], path: str | os.PathLike[str]) -> None:
    """Write what one job of tuning found, whole or not at all.

    The arrays of the first result have the names of its fields, those of the i-th `<i>.<name>`.
    """
    arrays = {
        _key(i, field.name): np.asarray(getattr(result, field.name))
        for i, result in enumerate(results)
        for field in fields(TuneResult)
    }
    write_npz(path, arrays)


def load_units(paths: Iterable[str | os.PathLike[str]]) -> Iterator[TuneResult]:
    """Read what `save_unit` wrote, of several jobs one after the other.

    A file that is damaged, or of another version with other arrays, is a FileError.
    """
    names = [field.name for field in fields(TuneResult)]
    for path in paths:
        arrays = read_npz(path)
        count = sum(key.rpartition(".")[2] == "split" for key in arrays)
        expected = {_key(i, name) for i in range(count) for name in names}
        if not count or expected != set(arrays):
            differ = ", ".join(sorted(expected ^ set(arrays))[:3]) or "no array"
            raise FileError(
                f"{path}: written by another version ({differ}); delete it to tune again"
            )
        for i in range(count):
            values = {name: arrays[_key(i, name)] for name in names}
            texts = {name: str(values[name]) for name in ("split", "fold")}
            yield TuneResult(**{**values, **texts, "k": float(values["k"])})


def _key(i: int, name: str) -> str:
    return f"{i}.{name}" if i else name


@dataclass(frozen=True)
class Point:
    """What was found at one (theta, C) of one fold; `values` has shape (D, k)."""

    theta: float
    C: float
    values: np.ndarray
    relative_gap: float
    epochs: int
    seconds: float


def assemble(
    points: Sequence[Point], metrics: Sequence[str], budget: Budget, split: str, fold: str
) -> TuneResult:
    """Arrange the points of one fold in a cube. A later point replaces an earlier one."""
    theta = np.unique(np.array([point.theta for point in points]))
    C = np.unique(np.array([point.C for point in points]))
    threshold = budget.thresholds.values()
    threshold = threshold if len(threshold) else np.array([np.nan])
    shape = (len(theta), len(C))
    value = np.full((*shape, len(threshold), len(metrics)), np.nan)
    gap, epochs, seconds = (np.full(shape, np.nan) for _ in range(3))
    for point in points:
        i = 0 if np.isnan(point.theta) else int(np.searchsorted(theta, point.theta))
        j = int(np.searchsorted(C, point.C))
        value[i, j] = point.values
        gap[i, j], epochs[i, j], seconds[i, j] = point.relative_gap, point.epochs, point.seconds
    return TuneResult(
        split, fold, theta, C, threshold, np.array(metrics), value, gap, epochs, seconds
    )


def merge(results: Sequence[TuneResult]) -> TuneResult:
    """Join what was visited of one fold by several jobs: blocks of widths, coarse and fine grid."""
    first = results[0]
    theta = np.unique(np.concatenate([result.theta for result in results]))
    C = np.unique(np.concatenate([result.C for result in results]))
    shape = (len(theta), len(C))
    value = np.full((*shape, *first.value.shape[2:]), np.nan)
    tables = {name: np.full(shape, np.nan) for name in ("relative_gap", "epochs", "seconds")}
    for result in results:
        rows = np.searchsorted(theta, result.theta)
        columns = np.searchsorted(C, result.C)
        seen = ~np.isnan(result.epochs)
        i, j = rows[np.nonzero(seen)[0]], columns[np.nonzero(seen)[1]]
        value[i, j] = result.value[seen]
        for name, table in tables.items():
            table[i, j] = getattr(result, name)[seen]
    return replace(first, theta=theta, C=C, value=value, **tables)


def average(results: Sequence[TuneResult]) -> TuneResult:
    """Return the mean over folds, at the points that all of them visited; none is a ValueError."""
    first = results[0]
    theta = _shared([result.theta for result in results])
    C = _shared([result.C for result in results])
    folds = [_part(result, theta, C) for result in results]
    epochs = np.sum([fold.epochs for fold in folds], axis=0)
    if np.isnan(epochs).all():
        raise ValueError(f"split '{first.split}': the folds have no point in common")
    return replace(
        first,
        fold="all",
        theta=theta,
        C=C,
        value=np.mean([fold.value for fold in folds], axis=0),
        relative_gap=np.max([fold.relative_gap for fold in folds], axis=0),
        epochs=epochs,
        seconds=np.sum([fold.seconds for fold in folds], axis=0),
    )


def _shared(axes: Sequence[np.ndarray]) -> np.ndarray:
    """Return ascending values that stand on all axes."""
    if np.isnan(axes[0]).any():
        return axes[0]
    return reduce(np.intersect1d, axes)


def _part(result: TuneResult, theta: np.ndarray, C: np.ndarray) -> TuneResult:
    """Return a result at some of its own values of theta and C."""
    rows = np.searchsorted(result.theta, theta) if not np.isnan(theta).any() else np.arange(1)
    at = np.ix_(rows, np.searchsorted(result.C, C))
    tables = {
        name: getattr(result, name)[at] for name in ("value", "relative_gap", "epochs", "seconds")
    }
    return replace(result, theta=theta, C=C, **tables)


def candidates(results: Iterable[TuneResult]) -> dict[str, TuneResult]:
    """Return what may be chosen, by name: means over all folds. Single folds only screen."""
    return {result.name: result for result in results if result.fold == "all"}


def seconds_by_split(results: Iterable[TuneResult]) -> dict[str, float]:
    """Return what the tuning of each split took, over all its jobs."""
    seconds: dict[str, float] = {}
    for result in results:
        total = float(np.nansum(result.seconds))
        seconds[result.split] = seconds.get(result.split, 0.0) + total
    return seconds
