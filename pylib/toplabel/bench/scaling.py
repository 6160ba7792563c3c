"""How the projections scale with the dimension (TPAMI Fig. 3a and Table 2)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from toplabel._arrays import pointer
from toplabel._lib import check, ffi, lib
from toplabel.bench.projections import by_sorting
from toplabel.bench.timing import fastest

COLUMNS = ["projection", "algorithm", "dimension", "problems", "seconds"]
DIMENSIONS = (10**3, 10**4, 10**5, 10**6, 10**7)
QUICK_DIMENSIONS = DIMENSIONS[:2]
#: The papers solve so many problems of each dimension, with this radius.
PROBLEMS = 1000
RADIUS = 10.0
_LARGEST = 10**7  # numbers in memory at a time
_LONG = 0.5  # seconds; such a measurement is not repeated
_REPEATS = 3

BIPARTITE = "bipartite simplex"
OURS, SORTING, NUMPY = "variable fixing", "sorting", "sorting in NumPy"

#: Name, map of the C library and k of each projection.
PROJECTIONS = {
    "simplex": (lib.TL_PROX_TOPK_SIMPLEX_BETA, 1),
    **{f"top-{k} simplex": (lib.TL_PROX_TOPK_SIMPLEX_ALPHA, k) for k in (1, 5, 10)},
    BIPARTITE: (lib.TL_PROX_BIPARTITE_SIMPLEX, 1),
}


class Rows:
    """A projection of the C library, one problem a row, with memory that is there.

    Parameters
    ----------
    name : str
        A key of `PROJECTIONS`.
    b : ndarray, (rows, dimension)
        Of the bipartite simplex both sides, one half each.
    sorting : bool
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
        pairs = [*zip(self._sides, self._results, strict=True)]
        b, x = ([pointer(pair[i]) for pair in pairs] + [ffi.NULL] for i in (0, 1))
        check(
            lib.tl_prox_rows(self._problem, self._rows, b[0], b[1], x[0], x[1], pointer(self._work))
        )

    @property
    def result(self) -> np.ndarray:
        """The projections, (rows, dimension)."""
        return np.hstack(self._results)


def scaling(quick: bool = False) -> pd.DataFrame:
    """Time all projections, problems drawn from N(0, 1), radius 10.

    Parameters
    ----------
    quick : bool
        The two smallest dimensions only.

    Returns
    -------
    DataFrame
        `COLUMNS`; `seconds` is the time of 1000 problems, of which `problems` were solved (fewer where they are large),
        the best of three rounds. The bipartite simplex has the dimension of both sides together, and beside variable
        fixing the same by sorting, in C and in NumPy, whose sort uses vector instructions.

    Raises
    ------
    ArithmeticError
        When two algorithms disagree.
    """
    rows = []
    for d in QUICK_DIMENSIONS if quick else DIMENSIONS:
        count = int(min(PROBLEMS if not quick else 20, _LARGEST // d))
        b = np.random.default_rng(d).normal(size=(count, d))
        for name in PROJECTIONS:
            for algorithm, seconds in _times(name, b).items():
                rows.append((name, algorithm, d, count, seconds * PROBLEMS / count))
    return pd.DataFrame(rows, columns=COLUMNS)


def _times(name: str, b: np.ndarray) -> dict[str, float]:
    """Seconds of each algorithm for all rows."""
    ours = Rows(name, b, sorting=False)
    found = {OURS: _fastest(ours)}
    if name == BIPARTITE:
        other = Rows(name, b, sorting=True)
        found[SORTING] = _fastest(other)
        if not np.allclose(ours.result, other.result, rtol=1e-9, atol=1e-9):
            raise ArithmeticError(f"{name}, d = {b.shape[1]}: the algorithms disagree")
        half = b.shape[1] // 2
        found[NUMPY] = _fastest(lambda: [by_sorting(row[:half], row[half:], RADIUS) for row in b])
    return found


def _fastest(function: Callable[[], object]) -> float:
    once = fastest(function, 1)
    return once if once > _LONG else min(once, fastest(function, _REPEATS - 1))
