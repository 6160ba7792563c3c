"""V(t) = W(e^t) and the projections against SciPy and sorting."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.special import wrightomega

from toplabel import prox
from toplabel.bench.machine import fastest


def lambert() -> pd.DataFrame:
    """V(t) on [-40, 40]: millions of values a second, and the ratio to SciPy's ``wrightomega``.

    Returns
    -------
    DataFrame
        Columns ``solver, mvalues_per_second, ratio``.
    """
    t = np.random.default_rng(0).uniform(-40, 40, 100_000)
    ours = len(t) / fastest(lambda: prox.lambert_w_exp(t)) / 1e6
    scipy = len(t) / fastest(lambda: wrightomega(t)) / 1e6
    rows = [("toplabel", ours, 1.0), ("scipy wrightomega", scipy, ours / scipy)]
    return pd.DataFrame(rows, columns=["solver", "mvalues_per_second", "ratio"])


def bipartite(dimensions=(10**3, 10**4, 10**5, 10**6)) -> pd.DataFrame:
    """Projection onto the bipartite simplex (TPAMI Table 2): variable fixing against sorting.

    Sorting is the faster of two: the library's own in C, and one vectorised in NumPy.

    Parameters
    ----------
    dimensions : sequence of int
        Both sides together; m = n = d/2, radius 10, entries from N(0, 1).

    Returns
    -------
    DataFrame
        Columns ``dimension, ours_ms, sorting_ms, ratio, gb_per_second``; the last counts one pass over the input.
    """
    rows = []
    rng = np.random.default_rng(0)
    for d in dimensions:
        b, b_bar = rng.normal(size=(2, d // 2))
        x, _ = prox.bipartite_simplex(b, b_bar, 10.0)
        y, _ = by_sorting(b, b_bar, 10.0)
        if not np.allclose(x, y, atol=1e-9):
            raise ArithmeticError("the two algorithms disagree")
        ours = fastest(lambda b=b, b_bar=b_bar: prox.bipartite_simplex(b, b_bar, 10.0))
        sorting = min(
            fastest(lambda b=b, b_bar=b_bar: by_sorting(b, b_bar, 10.0), repeats=3),
            fastest(
                lambda b=b, b_bar=b_bar: prox.bipartite_simplex(b, b_bar, 10.0, "sorting"),
                repeats=3,
            ),
        )
        rows.append((d, 1e3 * ours, 1e3 * sorting, sorting / ours, 8 * d / ours / 1e9))
    return pd.DataFrame(
        rows, columns=["dimension", "ours_ms", "sorting_ms", "ratio", "gb_per_second"]
    )


def by_sorting(b: np.ndarray, b_bar: np.ndarray, radius: float):
    """The same projection from sorted breakpoints, vectorised in NumPy (after Shalev-Shwartz and Singer).

    Parameters
    ----------
    b, b_bar : ndarray
    radius : float

    Returns
    -------
    x, y : ndarray
    """
    u, v = np.sort(b)[::-1], np.sort(b_bar)[::-1]
    t, s = _simplex_threshold(u, radius), _simplex_threshold(v, radius)
    if t + s < 0:
        # sum (b - t)_+ - sum (b_bar + t)_+ falls in t: find its root among the breakpoints
        points = np.sort(np.concatenate([u, -v]))
        sums_u, sums_v = np.concatenate([[0], np.cumsum(u)]), np.concatenate([[0], np.cumsum(v)])
        count_u = len(u) - np.searchsorted(u[::-1], points, side="right")
        count_v = len(v) - np.searchsorted(v[::-1], -points, side="right")
        value = sums_u[count_u] - count_u * points - (sums_v[count_v] + count_v * points)
        place = max(int(np.argmax(value <= 0)), 1)
        middle = 0.5 * (points[place - 1] + points[place])
        free_u, free_v = int((u > middle).sum()), int((v > -middle).sum())
        t = (sums_u[free_u] - sums_v[free_v]) / max(free_u + free_v, 1)
        s = -t
    return np.maximum(b - t, 0), np.maximum(b_bar - s, 0)


def _simplex_threshold(descending: np.ndarray, radius: float) -> float:
    sums = np.cumsum(descending)
    count = np.arange(1, len(descending) + 1)
    last = int(np.flatnonzero(descending * count > sums - radius)[-1])
    return float((sums[last] - radius) / (last + 1))
