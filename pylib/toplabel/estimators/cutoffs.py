"""The cut-off of `MultilabelClassifier`, set while it is fitted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from sklearn.model_selection import check_cv

from toplabel import thresholds
from toplabel._arrays import as_number
from toplabel.metrics.inputs import check_choice
from toplabel.solver import Solution

__all__ = ["CutoffRule", "match_training_cardinality", "out_of_fold"]


@dataclass(frozen=True)
class CutoffRule:
    """A checked choice of the strategy.

    Attributes
    ----------
    strategy : {"constant", "cardinality", "tune"}
    value : float
        For "constant".
    metric : str
    grid : ndarray, (D,)
        For "tune".
    """

    strategy: str
    value: float
    metric: str
    grid: np.ndarray

    @classmethod
    def of(cls, threshold, metric, grid) -> CutoffRule:
        """Read the parameters of the estimator; errors name them."""
        check_choice(metric, "threshold_metric", thresholds.METRICS)
        grid = thresholds.GRID if grid is None else thresholds.as_vector(grid, "threshold_grid")
        if not isinstance(threshold, str):
            value = as_number(threshold, "threshold", -np.inf)
            return cls("constant", value, metric, grid)
        if threshold not in ("cardinality", "tune"):
            raise ValueError(
                f"threshold must be a number, 'cardinality' or 'tune', got {threshold!r}"
            )
        return cls(threshold, 0.0, metric, grid)

    def tune(self, scores, Y, weights) -> tuple[float, float]:
        """Return the best cut-off of the grid and the metric there; arguments as below."""
        return thresholds.tune(scores, Y, self.metric, self.grid, sample_weight=weights)


def match_training_cardinality(scores, Y, weights) -> float:
    """Return the cut-off that gives the rows as many labels on average as they have.

    Parameters
    ----------
    scores : ndarray, (n, m)
    Y : ndarray or sparse matrix, (n, m)
    weights : ndarray, (n,), or None
    """
    sizes = np.asarray(Y.sum(axis=1), dtype=float).ravel()
    cardinality = float(np.average(sizes, weights=weights))
    return thresholds.match_cardinality(scores, cardinality, sample_weight=weights)


def out_of_fold(
    train: Callable[..., Solution], cv, X, y, weights, *, pairwise: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Score the held-out rows of each split by a model of its other rows.

    Parameters
    ----------
    train : callable
        Takes X, y and weights of the training rows.
    cv : int, splitter, iterable or None
    X : array or CSR matrix, (n, d), or (n, n) if `pairwise`
    y : array or sparse matrix, (n, m)
    weights : ndarray, (n,), or None
    pairwise : bool
        Is X a Gram matrix?

    Returns
    -------
    rows : ndarray of int, (q,)
        Held-out rows of all splits; a row may occur in several splits, or in none.
    scores : ndarray, (q, m)
    """
    rows, scores = [], []
    for inside, outside in check_cv(cv, y, classifier=True).split(X, y):
        inside, outside = np.arange(X.shape[0])[inside], np.arange(X.shape[0])[outside]
        columns = inside if pairwise else None
        solution = train(
            _part(X, inside, columns), y[inside], None if weights is None else weights[inside]
        )
        rows.append(outside)
        scores.append(solution.decision_function(_part(X, outside, columns)))
    return np.concatenate(rows), np.concatenate(scores)


def _part(X, rows: np.ndarray, columns: np.ndarray | None):
    return X[rows] if columns is None else X[np.ix_(rows, columns)]
