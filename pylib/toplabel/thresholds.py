"""Cut-off thresholds: from scores to label sets (TPAMI section 3.1 (i)-(iii)).

A label is predicted when its score is at least delta.
"""

from __future__ import annotations

import numpy as np

from toplabel.metrics import as_indicator, as_scores

__all__ = ["GRIDS", "METRICS", "constant", "match_cardinality", "predict", "sweep", "tune"]

_POWERS = 10.0 ** np.linspace(-5.9, 0.9, 35)
#: Named grids of delta: 71 values for Tables 7 and 9, 100 for VOC and COCO (TPAMI section 6.3).
GRIDS = {
    "paper": np.concatenate([-_POWERS[::-1], [0.0], _POWERS]),
    "voc": np.linspace(0.1, 10.0, 100),
}

#: The metrics that need a threshold, and whether a higher value is better.
METRICS = {
    "hamming_loss": False,
    "accuracy": True,
    "subset_accuracy": True,
    "f1_micro": True,
    "f1_macro": True,
    "f1_instance": True,
}


def predict(scores, delta: float) -> np.ndarray:
    """Label sets ``{j : f_j >= delta}``.

    Parameters
    ----------
    scores : array-like, (n, m)
    delta : float

    Returns
    -------
    ndarray of uint8, (n, m)
    """
    return (as_scores(scores) >= delta).astype(np.uint8)


def constant(delta: float = 0.0) -> float:
    """A threshold that is set beforehand (strategy (i)).

    Parameters
    ----------
    delta : float

    Returns
    -------
    float
    """
    delta = float(delta)
    if np.isnan(delta):
        raise ValueError("delta is NaN")
    return delta


def match_cardinality(scores, cardinality: float) -> float:
    """The threshold at which the mean number of predicted labels is closest to a given one (strategy (ii)).

    Parameters
    ----------
    scores : array-like, (n, m)
    cardinality : float
        Mean number of labels of the training data, 0..m.

    Returns
    -------
    float
        Halfway between two neighbouring scores; infinite if no label is to be predicted.
    """
    scores = as_scores(scores)
    n, m = scores.shape
    if not 0 <= cardinality <= m:
        raise ValueError(f"cardinality must be in 0..{m}, got {cardinality!r}")
    ordered = np.sort(scores, axis=None)[::-1]
    # A threshold can only cut where two neighbouring scores differ; `cuts` are the possible numbers of labels.
    cuts = np.concatenate([[0], np.flatnonzero(np.diff(ordered)) + 1, [n * m]])
    count = int(cuts[np.argmin(np.abs(cuts - cardinality * n))])
    if count == 0:
        return float("inf")
    if count == n * m:
        return float(ordered[-1])
    # Halfway, unless the two are so close that the middle rounds to the lower one.
    middle = 0.5 * (ordered[count - 1] + ordered[count])
    return float(middle if middle > ordered[count] else ordered[count - 1])


def tune(scores, Y, metric: str, grid) -> tuple[float, float]:
    """The best threshold of a grid for a metric (strategy (iii)).

    Parameters
    ----------
    scores : array-like, (n, m)
        Of validation data.
    Y : array-like or sparse matrix of 0/1, (n, m)
    metric : str
        A key of `METRICS`.
    grid : array-like
        Values of delta.

    Returns
    -------
    delta, value : float
        Of equally good values the one of smallest magnitude.
    """
    if metric not in METRICS:
        raise ValueError(f"metric must be one of {', '.join(METRICS)}, got {metric!r}")
    grid = _as_grid(grid)
    values = sweep(scores, Y, grid)[metric]
    best = values.max() if METRICS[metric] else values.min()
    candidates = grid[values == best]
    return float(candidates[np.argmin(np.abs(candidates))]), float(best)


def sweep(scores, Y, deltas) -> dict[str, np.ndarray]:
    """All threshold metrics at all thresholds at once.

    Each score is placed among the thresholds once; the rest are cumulative counts.

    Parameters
    ----------
    scores : array-like, (n, m)
    Y : array-like or sparse matrix of 0/1, (n, m)
    deltas : array-like, (t,)
        Ascending.

    Returns
    -------
    dict of str to ndarray, (t,)
        A key for each of `METRICS`; equal to the functions of `toplabel.metrics` at each delta.
    """
    scores = as_scores(scores)
    Y = as_indicator(Y, scores.shape)
    deltas = _as_grid(deltas)
    n, m = scores.shape
    # Predicted at deltas[0 .. place - 1].
    place = np.searchsorted(deltas, scores.ravel(), side="right").reshape(n, m)
    rows, columns = np.arange(n)[:, None], np.arange(m)[None, :]
    predicted_row = _at_each_delta(place, rows, n, len(deltas))
    predicted_column = _at_each_delta(place, columns, m, len(deltas))
    hit_row = _at_each_delta(place, rows, n, len(deltas), Y)
    hit_column = _at_each_delta(place, columns, m, len(deltas), Y)
    true_row, true_column = Y.sum(1)[:, None], Y.sum(0)[:, None]

    size = predicted_row + true_row
    union = size - hit_row
    return {
        "hamming_loss": (union - hit_row).sum(0) / (n * m),
        "accuracy": np.where(union == 0, 1.0, hit_row / np.maximum(union, 1)).mean(0),
        "subset_accuracy": (union == hit_row).mean(0),
        "f1_micro": 2.0 * hit_row.sum(0) / np.maximum(size.sum(0), 1),
        "f1_macro": (2.0 * hit_column / np.maximum(predicted_column + true_column, 1)).mean(0),
        "f1_instance": np.where(size == 0, 1.0, 2.0 * hit_row / np.maximum(size, 1)).mean(0),
    }


def _at_each_delta(
    place: np.ndarray, group: np.ndarray, groups: int, t: int, kept: np.ndarray | None = None
) -> np.ndarray:
    """Number of predicted labels of each group at each delta, (groups, t)."""
    index = group * (t + 1) + place
    counts = np.bincount(index.ravel() if kept is None else index[kept], minlength=groups * (t + 1))
    counts = counts.reshape(groups, t + 1)
    # Predicted at delta s iff place > s: sums from the right.
    return np.cumsum(counts[:, :0:-1], axis=1)[:, ::-1]


def _as_grid(deltas) -> np.ndarray:
    deltas = np.asarray(deltas, dtype=np.float64)
    if deltas.ndim != 1 or not len(deltas) or np.isnan(deltas).any() or (np.diff(deltas) < 0).any():
        raise ValueError("deltas must be an ascending vector without NaN")
    return deltas
