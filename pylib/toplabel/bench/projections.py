"""Projections without sorting beside those that sort (TPAMI Table 2, Fig. 3a): the group ``projections``."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from toplabel import prox
from toplabel._arrays import pointer
from toplabel._lib import check, ffi, lib
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

OURS = "variable_fixing"

#: The projections: the map of the C library, its k, and the public function on both halves of the input.
PROJECTIONS = {
    "bipartite simplex": (lib.TL_PROX_BIPARTITE_SIMPLEX, 1, prox.bipartite_simplex),
    "simplex": (lib.TL_PROX_TOPK_SIMPLEX_BETA, 1, prox.topk_simplex_beta),
    "top-5 simplex alpha": (lib.TL_PROX_TOPK_SIMPLEX_ALPHA, 5, prox.topk_simplex_alpha),
    "top-5 simplex beta": (lib.TL_PROX_TOPK_SIMPLEX_BETA, 5, prox.topk_simplex_beta),
}


class InPlace:
    """A projection of the C library with memory that is there, as a C program or a solver calls it.

    Parameters
    ----------
    map_id : int
        ``tl_prox_id``.
    k : int
    b : ndarray
        Of the bipartite simplex both sides, one behind the other.
    sorting : bool
    """

    def __init__(self, map_id: int, k: int, b: np.ndarray, sorting: bool):
        halves = map_id == lib.TL_PROX_BIPARTITE_SIMPLEX
        n = len(b) // 2 if halves else len(b)
        problem = {"map": map_id, "n": n, "k": k, "radius": RADIUS, "sorting": int(sorting)}
        self._problem = ffi.new("tl_prox *", problem | ({"n_bar": len(b) - n} if halves else {}))
        self.x = np.zeros_like(b)
        work = np.zeros(lib.tl_prox_work(self._problem))
        second = [pointer(b[n:]), pointer(self.x[n:])] if halves else [ffi.NULL, ffi.NULL]
        self._arguments = (pointer(b), second[0], pointer(self.x), second[1], pointer(work))
        self._kept = (b, work)

    def __call__(self) -> np.ndarray:
        check(lib.tl_prox_rows(self._problem, 1, *self._arguments))
        return self.x


def _algorithms(name: str, b: np.ndarray) -> dict[str, Callable[[], np.ndarray]]:
    """Return the ways to compute a projection, ours first."""
    map_id, k, public = PROJECTIONS[name]
    half = len(b) // 2
    found: dict[str, Callable[[], np.ndarray]] = {
        OURS: InPlace(map_id, k, b, sorting=False),
        "sorting": InPlace(map_id, k, b, sorting=True),
    }
    if name == "bipartite simplex":
        found["sorting in NumPy"] = lambda: np.concatenate(by_sorting(b[:half], b[half:], RADIUS))
        found["toplabel.prox"] = lambda: np.concatenate(public(b[:half], b[half:], RADIUS))
    else:
        found["toplabel.prox"] = lambda: public(b, k, RADIUS)
    return found


def compare_algorithms(effort: Effort) -> pd.DataFrame:
    """Time variable fixing against sorting, entries from N(0, 1), radius 10.

    Returns
    -------
    DataFrame
        `COLUMNS`; of the bipartite simplex the dimension is that of both sides together. ``variable_fixing`` and
        ``sorting`` are the C functions with memory that is there, ``toplabel.prox`` is the public function, which
        checks its input and makes its result. `ratio` is the time of the row over that of variable fixing.
        `gb_per_second` counts one reading of the input and one writing of the result, `memory_share` compares it with
        a copy of the same size.

    Raises
    ------
    ArithmeticError
        When two algorithms disagree.
    """
    rows = []
    for name in PROJECTIONS:
        for d in DIMENSIONS[:2] if effort.quick else DIMENSIONS:
            b = np.random.default_rng(0).normal(size=d)
            ways = _algorithms(name, b)
            ours = ways[OURS]().copy()
            seconds = {}
            for algorithm, compute in ways.items():
                if not np.allclose(ours, compute(), rtol=1e-9, atol=1e-9):
                    raise ArithmeticError(f"{name}, d = {d}: {algorithm} disagrees")
                seconds[algorithm] = _fastest(compute, effort)
            for algorithm, time in seconds.items():
                speed = 16e-9 * d / time
                share = speed / machine.copy_gb_per_second(d)
                ratio = time / seconds[OURS]
                rows.append((name, d, algorithm, 1e3 * time, ratio, speed, share))
    return pd.DataFrame(rows, columns=COLUMNS)


def _fastest(function: Callable[[], object], effort: Effort) -> float:
    """Return the seconds of a call, the fastest of as many as fit into some time."""
    once = fastest(function, 1)
    budget = 0.02 if effort.quick else _SECONDS
    return fastest(function, max(3, min(1000, int(budget / once))))


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
