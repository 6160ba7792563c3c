"""How far an accuracy depends on which rows were there to test on: the bootstrap over test rows.

A draw takes as many rows as there are, each as often as chance has it (B. Efron, R. Tibshirani: An
introduction to the bootstrap, 1993). All that was measured on the same rows has the same draws, so
two methods can be compared in pairs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from toplabel.reproduction.seeds import seed_of

DRAWS = 1000
LEVEL = 0.95
"""Of the intervals, between the quantiles of the draws."""

RowDraws = Mapping[tuple[str, str, str], np.ndarray]
"""Of (data set, method, metric): a number on the test rows of each draw, shape (DRAWS,)."""

_ENTRIES = 2**22  # of the weights of a block of draws


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


def interval(draws: np.ndarray) -> tuple[float, float]:
    """Return the ends of the percentile interval at the level `LEVEL`; NaN when a draw is."""
    tail = (1.0 - LEVEL) / 2.0
    low, high = np.quantile(draws, [tail, 1.0 - tail])
    return float(low), float(high)
