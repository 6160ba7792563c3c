"""The bootstrap over test rows: the spread of an accuracy over the rows that it is measured on.

A draw takes as many rows as there are, each as often as chance has it (B. Efron, R. Tibshirani: An
introduction to the bootstrap, 1993). All that was measured on the same rows has the same draws, so
two methods can be compared in pairs.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

import numpy as np

from toplabel.reproduction.files import FileError
from toplabel.reproduction.jobs import seed_of
from toplabel.reproduction.selection.evaluation import load_ranks

DRAWS = 1000
LEVEL = 0.95
"""The level of the intervals, which lie between quantiles of the draws."""
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
    blocks = [weights @ values for weights in _weights(n, *names)]
    return np.concatenate(blocks) / n


def _weights(n: int, *names: object) -> Iterator[np.ndarray]:
    """Yield how often each of n rows is drawn, shape (draws of a block, n)."""
    rng = np.random.default_rng(seed_of("rows", *names))
    block = max(1, _ENTRIES // n)
    for first in range(0, DRAWS, block):
        count = min(block, DRAWS - first)
        rows = rng.integers(n, size=(count, n)) + n * np.arange(count)[:, None]
        times = np.bincount(rows.ravel(), minlength=count * n)
        yield times.reshape(count, n).astype(float)


def quantile_interval(draws: np.ndarray) -> tuple[float, float]:
    """Return the ends of the percentile interval at the level `LEVEL`; NaN when a draw is."""
    tail = (1.0 - LEVEL) / 2.0
    low, high = np.quantile(draws, [tail, 1.0 - tail])
    return float(low), float(high)
