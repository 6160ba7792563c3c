"""Projections without sorting beside those that sort (TPAMI Table 2, Fig. 3a): the group ``projections``."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from toplabel import prox
from toplabel.bench import machine
from toplabel.bench.effort import Effort
from toplabel.bench.timing import fastest

COLUMNS = [
    "projection",
    "dimension",
    "algorithm",
    "milliseconds",
    "ratio",
    "gb_per_second",
    "memory_share",
]
DIMENSIONS = (10**3, 10**4, 10**5, 10**6, 10**7)
RADIUS = 10.0
# A call costs microseconds at the smallest dimension; so many seconds are spent on each case.
_SECONDS = 0.5

Projection = Callable[[np.ndarray, str], tuple[np.ndarray, ...]]


def _simplex(b: np.ndarray, algorithm: str):
    return (prox.topk_simplex_beta(b, 1, RADIUS, algorithm=algorithm),)


def _topk_alpha(b: np.ndarray, algorithm: str):
    return (prox.topk_simplex_alpha(b, 5, RADIUS, algorithm=algorithm),)


def _topk_beta(b: np.ndarray, algorithm: str):
    return (prox.topk_simplex_beta(b, 5, RADIUS, algorithm=algorithm),)


def _bipartite(b: np.ndarray, algorithm: str):
    half = len(b) // 2
    if algorithm == "NumPy sorting":
        return by_sorting(b[:half], b[half:], RADIUS)
    return prox.bipartite_simplex(b[:half], b[half:], RADIUS, algorithm=algorithm)


#: The projections, and what they are compared with.
PROJECTIONS: dict[str, tuple[Projection, tuple[str, ...]]] = {
    "bipartite simplex": (_bipartite, ("sorting", "NumPy sorting")),
    "simplex": (_simplex, ("sorting",)),
    "top-5 simplex alpha": (_topk_alpha, ("sorting",)),
    "top-5 simplex beta": (_topk_beta, ("sorting",)),
}


def compare_algorithms(effort: Effort) -> pd.DataFrame:
    """Time variable fixing against sorting, entries from N(0, 1), radius 10, through the public functions.

    Returns
    -------
    DataFrame
        `COLUMNS`; of the bipartite simplex the dimension is that of both sides together. `ratio` is the time of the
        row over that of variable fixing. `gb_per_second` counts one reading of the input and one writing of the
        result, `memory_share` compares it with a copy of the same size.

    Raises
    ------
    ArithmeticError
        When two algorithms disagree.
    """
    rows = []
    dimensions = DIMENSIONS[:2] if effort.quick else DIMENSIONS
    for name, (project, others) in PROJECTIONS.items():
        for d in dimensions:
            b = np.random.default_rng(0).normal(size=d)
            ours = project(b, "variable_fixing")
            seconds = {}
            for algorithm in ("variable_fixing", *others):
                _check_same(ours, project(b, algorithm), f"{name}, d = {d}, {algorithm}")
                seconds[algorithm] = _fastest(lambda p=project, b=b, a=algorithm: p(b, a), effort)
            for algorithm, time in seconds.items():
                speed = 16e-9 * d / time
                rows.append(
                    (
                        name,
                        d,
                        algorithm,
                        1e3 * time,
                        time / seconds["variable_fixing"],
                        speed,
                        speed / machine.copy_gb_per_second(d),
                    )
                )
    return pd.DataFrame(rows, columns=COLUMNS)


def _fastest(function: Callable[[], object], effort: Effort) -> float:
    """Return the seconds of a call, the fastest of as many as fit into some time."""
    once = fastest(function, 1)
    budget = 0.02 if effort.quick else _SECONDS
    return fastest(function, max(3, min(1000, int(budget / once))))


def _check_same(x: tuple[np.ndarray, ...], y: tuple[np.ndarray, ...], what: str) -> None:
    for left, right in zip(x, y, strict=True):
        if not np.allclose(left, right, rtol=1e-9, atol=1e-9):
            raise ArithmeticError(f"{what}: the algorithms disagree")


def by_sorting(b: np.ndarray, b_bar: np.ndarray, radius: float) -> tuple[np.ndarray, np.ndarray]:
    """Project onto the bipartite simplex from sorted breakpoints (after Shalev-Shwartz and Singer), in NumPy.

    NumPy's sort uses vector instructions, so that this may be faster than sorting in C.

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
