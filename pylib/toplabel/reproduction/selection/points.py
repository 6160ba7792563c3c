"""The best grid point of each metric. Tuning needs no table, so this imports no pandas."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from toplabel.reproduction.selection.measures import needs_threshold, sign
from toplabel.reproduction.selection.results import TuneResult

DECIMALS = 9  # means over folds that are equal but for rounding are ties


@dataclass(frozen=True)
class Best:
    """The best point of one metric.

    `edge_C` is -1 (or 1) when the metric is best at the smallest (largest) C and worse at every
    other, `edge_theta` likewise; 0 inside the grid, in a tie with an inner value, or when the grid
    has one value only. `theta` and `threshold` are NaN where they play no role.
    """

    metric: str
    theta: float
    C: float
    threshold: float
    value: float
    edge_C: int
    edge_theta: int


def points_by(result: TuneResult, metric: str) -> list[Best]:
    """Return the best point of one metric for every metric, each with its own value there.

    A metric that needs a threshold, which is selected for each by itself, is a ValueError.
    """
    names = [str(name) for name in result.metric]
    if wrong := [name for name in names if needs_threshold(name)]:
        raise ValueError(f"'{wrong[0]}' has a threshold, so it is not selected by '{metric}'")
    best = _best_point(result, names.index(metric))
    row = np.flatnonzero(np.isnan(result.theta) | (result.theta == best.theta))[0]
    column = np.flatnonzero(result.C == best.C)[0]
    return [
        replace(best, metric=name, value=float(result.value[row, column, 0, i]))
        for i, name in enumerate(names)
    ]


def best_points(result: TuneResult) -> list[Best]:
    """Return the best point of every metric; a metric without any value is a ValueError.

    Ties go to the smallest C (the strongest regularisation), then the smallest theta, then the
    threshold of smallest magnitude, then the negative one.
    """
    return [_best_point(result, i) for i in range(len(result.metric))]


def _best_point(result: TuneResult, index: int) -> Best:
    metric = str(result.metric[index])
    cube = np.round(sign(metric) * result.value[..., index], DECIMALS)
    cube = np.where(np.isnan(cube), -np.inf, cube)
    best = cube.max()
    if best == -np.inf:
        raise ValueError(f"split '{result.split}': metric '{metric}' has no validation value")
    thetas, Cs, ds = np.nonzero(cube == best)
    magnitude = np.abs(np.nan_to_num(result.threshold))
    order = np.lexsort((result.threshold[ds], magnitude[ds], thetas, Cs))
    i, j, d = thetas[order[0]], Cs[order[0]], ds[order[0]]
    return Best(
        metric=metric,
        theta=float(result.theta[i]),
        C=float(result.C[j]),
        threshold=float(result.threshold[d]) if needs_threshold(metric) else np.nan,
        value=float(result.value[i, j, d, index]),
        edge_C=_edge(Cs, len(result.C)),
        edge_theta=_edge(thetas, len(result.theta)),
    )


def _edge(indices: np.ndarray, count: int) -> int:
    """-1 or 1 when all best points lie on the same edge of an axis, else 0."""
    if count > 1 and (indices == 0).all():
        return -1
    return 1 if count > 1 and (indices == count - 1).all() else 0
