"""The intervals of numbers and of differences: over test rows by the bootstrap, and over data sets.

A draw of the bootstrap takes as many rows as there are, each as often as chance has it (B. Efron, R.
Tibshirani: An introduction to the bootstrap, 1993). All that was measured on the same rows has the
same draws, so two methods can be compared in pairs. A claim is judged by the interval of the
differences of its two sides (docs/protocols.md, "Claims"): that of one data set is the first side minus
the second in points, the mean over the metrics of the claim.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from toplabel.reproduction.files import FileError
from toplabel.reproduction.jobs import seed_of
from toplabel.reproduction.selection.evaluation import load_ranks

DRAWS = 10_000
"""Draws of the test rows; so many that Holm's correction for 100 methods leaves a p-value of 0.02."""
LEVEL = 0.95
"""The level of all intervals."""
HOLDS, FAILS, UNDECIDED = "holds", "fails", "undecided"
ENOUGH_SETS = 6
"""Data sets from which on their median has an interval of 95 %: with fewer, less than that lies
between the smallest and the largest difference."""
TIE = 0.05
"""Points below which two sides are level: half a unit of the last digit that the papers print."""
_ENTRIES = 2**22  # of the weights of a block of draws

RowDraws = Mapping[tuple[str, str, str], np.ndarray]
"""By data set, method and metric the number on the test rows of each draw, shape (DRAWS,)."""


def draw_rows(files: Mapping[tuple[str, str], str | os.PathLike[str]]) -> RowDraws:
    """Return the top-k accuracies on drawn test rows.

    `files` has ranks.npz by data set and method. A data set with several splits has no draws: its
    spread over the splits is measured.
    """
    draws: dict[tuple[str, str, str], np.ndarray] = {}
    for dataset in sorted({dataset for dataset, _ in files}):
        of_set = {method: path for (name, method), path in sorted(files.items()) if name == dataset}
        draws |= _drawn(dataset, of_set)
    return draws


def _drawn(dataset: str, files: Mapping[str, str | os.PathLike[str]]) -> RowDraws:
    """Return the draws of the methods of one data set."""
    hits: dict[tuple[str, str, str], np.ndarray] = {}
    splits: set[str] = set()
    file_of: dict[int, str | os.PathLike[str]] = {}
    for method, file in files.items():
        for ranks in load_ranks(file):
            splits.add(ranks.split)
            file_of.setdefault(len(ranks.above), file)
            hits |= {(dataset, method, str(name)): ranks.hits(name) for name in ranks.metric}
    if len(splits) != 1:
        return {}
    if len(file_of) > 1:
        first, second = [*file_of][:2]
        raise FileError(
            f"{file_of[second]}: {second} test rows, but {file_of[first]} has {first}; the data set "
            "was prepared anew between them: remove the folder of the older one, and run again"
        )
    means = 100.0 * draws_of_means(np.column_stack([*hits.values()]), dataset, *splits)
    return dict(zip(hits, means.T, strict=True))


def draws_of_means(values: np.ndarray, *names: object) -> np.ndarray:
    """Return the means of the columns of values (n, c) over the rows of each draw, (DRAWS, c).

    The draws depend on n and `names`.
    """
    n = len(values)
    rng = np.random.default_rng(seed_of("rows", *names))
    block = max(1, _ENTRIES // n)
    sums = []
    for first in range(0, DRAWS, block):
        count = min(block, DRAWS - first)
        rows = rng.integers(n, size=(count, n)) + n * np.arange(count)[:, None]
        times = np.bincount(rows.ravel(), minlength=count * n)
        sums.append(times.reshape(count, n).astype(float) @ values)
    return np.concatenate(sums) / n


def quantile_interval(draws: np.ndarray) -> tuple[float, float]:
    """Return the ends of the percentile interval at the level `LEVEL`; NaN when a draw is."""
    tail = (1.0 - LEVEL) / 2.0
    low, high = np.quantile(draws, [tail, 1.0 - tail])
    return float(low), float(high)


@dataclass(frozen=True)
class Interval:
    """The 95 % interval of a median difference, in points; NaN where there is none.

    `over` says what varies: "sets", the data sets; "rows", the test rows; "draws", the draws of the
    data or of a network; "digits", what was rounded off in print; or "" without an interval.
    """

    low: float = math.nan
    high: float = math.nan
    over: str = ""


def over_sets(differences: np.ndarray) -> Interval:
    """Return the exact interval of the median over data sets, none for fewer than `ENOUGH_SETS`.

    Its ends are the j-th smallest and the j-th largest difference, with the largest j for which n
    tosses of a coin give fewer than j heads with a probability of at most 2.5 %.
    """
    from scipy.stats import quantile_test

    if len(differences) < ENOUGH_SETS:
        return Interval()
    low, high = quantile_test(differences).confidence_interval(LEVEL)
    return Interval(float(low), float(high), "sets")


def outcome(expects: str, interval: Interval, margin: float = math.nan) -> str:
    """Return the outcome of a claim: it holds, fails, or is undecided.

    Parameters
    ----------
    expects : str
        "first": the first side is ahead. It holds where the interval lies above 0, and fails where
        it has nothing above 0. "similar": the sides differ by no more than the margin. It holds
        where the interval lies within the margin, and fails where it lies outside. "neither":
        neither side is ahead. It holds where 0 lies in the interval, and fails where it does not.
    interval : Interval
        Without one, a claim is undecided.
    margin : float
        In points.
    """
    low, high = interval.low, interval.high
    if math.isnan(low):
        return UNDECIDED
    if expects == "first":
        holds, fails = low > 0.0, high <= 0.0
    elif expects == "similar":
        holds, fails = -margin <= low and high <= margin, low > margin or high < -margin
    else:
        holds, fails = low <= 0.0 <= high, not low <= 0.0 <= high
    if holds:
        return HOLDS
    return FAILS if fails else UNDECIDED
