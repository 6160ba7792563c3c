"""The time of projections without sorting beside those that sort, and the printed ones (TPAMI Fig. 3a and
Table 2).
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pandas as pd

from toplabel._core.arrays import pointer
from toplabel._core.lib import check, ffi, lib
from toplabel.reproduction import _sorting  # type: ignore[attr-defined]  # compiled
from toplabel.reproduction.timing import fastest

DIMENSIONS = (10**3, 10**4, 10**5, 10**6, 10**7)
RADIUS = 10.0
BIPARTITE, BETA = "bipartite simplex", "top-5 simplex beta"
OURS, SORTING = "variable fixing", "sorting"
#: Name, map of the C library and k of each projection.
PROJECTIONS = {
    "simplex": (lib.TL_PROX_TOPK_SIMPLEX_BETA, 1),
    **{f"top-{k} simplex": (lib.TL_PROX_TOPK_SIMPLEX_ALPHA, k) for k in (1, 5, 10)},
    BIPARTITE: (lib.TL_PROX_BIPARTITE_SIMPLEX, 1),
    BETA: (lib.TL_PROX_TOPK_SIMPLEX_BETA, 5),
}
COLUMNS = {"projection": str, "algorithm": str, "dimension": int, "problems": int, "seconds": float}
TABLE_2 = dict.fromkeys(("dimension", "sorting_based_s", "variable_fixing_s", "improvement"), float)
"""The columns of data/published/tpami2017_table02.csv."""
_PROBLEMS = 1000  # of each dimension, as in the paper
_LARGEST = 10**7  # numbers in memory at a time
_LONG = 0.5  # seconds; such a measurement is not repeated
_REPEATS = 2


def projection(name: str, b: np.ndarray, sorting: bool) -> Callable[[], list[np.ndarray]]:
    """Return a function that projects the rows of b with preallocated memory, as in a solver.

    A row of the bipartite simplex consists of its two sides, one half each, and so does the result.
    """
    map_id, k = PROJECTIONS[name]
    sides = np.split(b, 2, axis=1) if name == BIPARTITE else [b]
    sides = [np.ascontiguousarray(side) for side in sides]
    results = [np.zeros_like(side) for side in sides]
    rows, n = sides[0].shape
    problem = ffi.new("tl_prox *", {"map": map_id, "n": n, "k": k, "radius": RADIUS})
    problem.n_bar = n if name == BIPARTITE else 0
    work = np.zeros(2 * b.shape[1])

    def project() -> list[np.ndarray]:
        before, after = ([*map(pointer, arrays), ffi.NULL][:2] for arrays in (sides, results))
        check(lib.tl_prox_rows(problem, rows, *before, *after, pointer(work)))
        return results

    def project_sorted() -> list[np.ndarray]:
        before, after = (list(map(pointer, arrays)) for arrays in (sides, results))
        if name == BIPARTITE:
            sizes = (n, before[0], n, before[1], RADIUS)
            _sorting.lib.sorted_bipartite(rows, *sizes, *after, pointer(work))
        else:
            is_beta = map_id == lib.TL_PROX_TOPK_SIMPLEX_BETA
            parameters = (n, before[0], k, RADIUS, 0.0)
            _sorting.lib.sorted_topk(is_beta, rows, *parameters, after[0], pointer(work))
        return results

    return project_sorted if sorting else project


def algorithms(name: str, b: np.ndarray, sorting: bool = True) -> dict[str, Callable[[], object]]:
    """Return the ways to project the rows of b: variable fixing, and by `sorting`.

    Raise ArithmeticError if they disagree.
    """
    ours = projection(name, b, False)
    if not sorting:
        return {OURS: ours}
    other = projection(name, b, True)
    for side, side_sorted in zip(ours(), other(), strict=True):
        if not np.allclose(side, side_sorted, rtol=1e-9, atol=1e-9):
            raise ArithmeticError(f"{name}, d = {b.shape[1]}: the algorithms disagree")
    return {OURS: ours, SORTING: other}


def scaling(quick: bool = False) -> pd.DataFrame:
    """Measure the CPU time of projections of vectors from N(0, 1), as the paper: `COLUMNS`.

    `seconds` is the time of 1000 problems, of which `problems` were solved (fewer where they are
    large), the best of three rounds. The dimension of the bipartite simplex is that of both sides
    together. `quick` takes the two smallest dimensions only.
    """
    rows = []
    for d in DIMENSIONS[:2] if quick else DIMENSIONS:
        count = 20 if quick else min(_PROBLEMS, _LARGEST // d)
        b = np.random.default_rng(d).normal(size=(count, d))
        for name in PROJECTIONS:
            if name == BETA:
                continue
            for algorithm, way in algorithms(name, b, sorting=name == BIPARTITE).items():
                seconds = fastest(way, 1, time.process_time)
                if seconds <= _LONG:
                    seconds = min(seconds, fastest(way, _REPEATS, time.process_time))
                rows.append((name, algorithm, d, count, seconds * _PROBLEMS / count))
    return pd.DataFrame(rows, columns=[*COLUMNS])


def table_of_projections(
    measured: pd.DataFrame, printed: pd.DataFrame, conditions: str
) -> tuple[pd.DataFrame, dict[str, str]]:
    """Return our times of the bipartite projection beside those of TPAMI Table 2, and words about them.

    Dimensions that were not measured are left out. The caption ends with the conditions of the
    measurement.
    """
    ours = measured[measured["projection"] == BIPARTITE]
    ours = ours.pivot_table(index="dimension", columns="algorithm", values="seconds")
    rows = []
    for row in printed[printed["dimension"].isin(ours.index)].itertuples(index=False):
        fixing, sorting = ours.loc[row.dimension, [OURS, SORTING]]
        rows.append(
            {
                "d": f"{row.dimension:.0f}",
                "seconds": f"{fixing:.3g}",
                "seconds, paper": f"{row.variable_fixing_s:.2f}",
                "ratio, paper": f"{row.variable_fixing_s / fixing:.1f}",
                "seconds, sorting": f"{sorting:.3g}",
                "ratio, sorting": f"{sorting / fixing:.1f}",
                "ratio, paper's sorting": f"{row.improvement:.2f}",
            }
        )
    title = "TPAMI 2017, Table 2: time of 1000 projections onto the bipartite simplex"
    caption = (
        "By variable fixing here and in the paper, and by sorting. Ratios are to variable fixing here;"
        " that of the paper's sorting is to the paper's. Entries from N(0, 1), radius 10, both sides of"
        " dimension d/2. Where 1000 problems need too much memory, fewer were solved, and the time is"
        f" scaled up. The paper's machine is a Xeon E5-2680 of 2.7 GHz. {conditions}"
    )
    words = {"name": "table02", "title": title, "caption": caption, "page": "speed"}
    return pd.DataFrame(rows), words
