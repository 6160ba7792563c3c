"""Projections without sorting beside those that sort (TPAMI Table 2, Fig. 3a)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from toplabel._core.arrays import pointer
from toplabel._core.lib import check, ffi, lib
from toplabel.reproduction.timings.clock import fastest, timed

DIMENSIONS = (10**3, 10**4, 10**5, 10**6, 10**7)
RADIUS = 10.0
BIPARTITE, BETA, OURS = "bipartite simplex", "top-5 simplex beta", "variable fixing"
#: Name, map of the C library and k of each projection.
PROJECTIONS = {
    "simplex": (lib.TL_PROX_TOPK_SIMPLEX_BETA, 1),
    **{f"top-{k} simplex": (lib.TL_PROX_TOPK_SIMPLEX_ALPHA, k) for k in (1, 5, 10)},
    BIPARTITE: (lib.TL_PROX_BIPARTITE_SIMPLEX, 1),
    BETA: (lib.TL_PROX_TOPK_SIMPLEX_BETA, 5),
}
COLUMNS = ["projection", "algorithm", "dimension", "problems", "seconds"]
_PROBLEMS = 1000  # of each dimension, as in the paper
_LARGEST = 10**7  # numbers in memory at a time
_LONG = 0.5  # seconds; such a measurement is not repeated


class Projection:
    """A projection (of `PROJECTIONS`) of the rows of b, with preallocated memory, as in a solver.

    Of the bipartite simplex a row has both sides, one half each.
    """

    def __init__(self, name: str, b: np.ndarray, sorting: bool):
        map_id, k = PROJECTIONS[name]
        self._rows, d = b.shape
        n = d // 2 if name == BIPARTITE else d
        problem = {"map": map_id, "n": n, "k": k, "radius": RADIUS, "sorting": int(sorting)}
        problem |= {"n_bar": d - n} if name == BIPARTITE else {}
        self._problem = ffi.new("tl_prox *", problem)
        sides = np.split(b, [n], axis=1) if name == BIPARTITE else [b]
        self._sides = [np.ascontiguousarray(side) for side in sides]
        self._results = [np.zeros_like(side) for side in self._sides]
        self._work = np.zeros(lib.tl_prox_work(self._problem))

    def __call__(self) -> None:
        b, x = ([*map(pointer, arrays), ffi.NULL][:2] for arrays in (self._sides, self._results))
        check(lib.tl_prox_rows(self._problem, self._rows, *b, *x, pointer(self._work)))

    @property
    def result(self) -> np.ndarray:
        """The projections, (rows, dimension)."""
        return np.hstack(self._results)


def by_sorting(b: np.ndarray, b_bar: np.ndarray, radius: float) -> tuple[np.ndarray, np.ndarray]:
    """Project onto the bipartite simplex from sorted breakpoints, in NumPy.

    After Shalev-Shwartz and Singer. NumPy's sort uses vector instructions, so that this may be
    faster than sorting in C.
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


def algorithms(name: str, b: np.ndarray, sorting: bool = True) -> dict[str, Callable[[], object]]:
    """Return the ways to project the rows of b: variable fixing, and by `sorting` in C and NumPy.

    NumPy's is of the bipartite simplex alone. ArithmeticError when the two of the C library
    disagree.
    """
    ours = Projection(name, b, sorting=False)
    found: dict[str, Callable[[], object]] = {OURS: ours}
    if not sorting:
        return found
    found["sorting"] = other = Projection(name, b, sorting=True)
    ours()
    other()
    if not np.allclose(ours.result, other.result, rtol=1e-9, atol=1e-9):
        raise ArithmeticError(f"{name}, d = {b.shape[1]}: the algorithms disagree")
    if name == BIPARTITE:
        half = b.shape[1] // 2
        found["sorting in NumPy"] = lambda: [by_sorting(r[:half], r[half:], RADIUS) for r in b]
    return found


def scaling(quick: bool = False) -> pd.DataFrame:
    """Time the projections of TPAMI Fig. 3a, problems drawn from N(0, 1), radius 10: `COLUMNS`.

    `seconds` is the time of 1000 problems, of which `problems` were solved (fewer where they are
    large), the best of three rounds. The bipartite simplex has the dimension of both sides
    together, and is also projected by sorting. `quick` are the two smallest dimensions only.
    """
    rows = []
    for d in DIMENSIONS[:2] if quick else DIMENSIONS:
        count = 20 if quick else min(_PROBLEMS, _LARGEST // d)
        b = np.random.default_rng(d).normal(size=(count, d))
        for name in PROJECTIONS:
            if name == BETA:
                continue
            for algorithm, way in algorithms(name, b, sorting=name == BIPARTITE).items():
                once = timed(way)[0]
                seconds = once if once > _LONG else min(once, fastest(way, 2))
                rows.append((name, algorithm, d, count, seconds * _PROBLEMS / count))
    return pd.DataFrame(rows, columns=COLUMNS)
