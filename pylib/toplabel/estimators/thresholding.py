"""The threshold of `MultilabelClassifier`, set while it is fitted."""

from __future__ import annotations

import numbers
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.model_selection import KFold, RepeatedKFold, check_cv

from toplabel import thresholds
from toplabel._core.arrays import MatrixLike, as_number, is_mapped
from toplabel._core.threads import why_to_end
from toplabel.estimators.common import parts
from toplabel.metrics.inputs import check_choice
from toplabel.solver import Solution

__all__ = ["Fold", "ThresholdRule", "folds_to_sweep", "match_training_cardinality"]

_LEAST_F1 = 0.2  # on held-out rows, for a threshold of a label's own
STRATEGIES = ("tune", "cardinality", "per_label")


@dataclass(frozen=True)
class ThresholdRule:
    """A checked choice of the strategy: "constant" with a `value`, a float or (m,), "cardinality",
    "tune" (by `metric` on the `grid`) or "per_label" (on the `grid`).
    """

    strategy: str
    value: float | np.ndarray
    metric: str
    grid: np.ndarray

    @classmethod
    def of(cls, threshold: Any, metric: str, grid: ArrayLike | None) -> ThresholdRule:
        """Read the parameters of the estimator; errors name them."""
        check_choice(metric, "threshold_metric", thresholds.METRICS)
        grid = thresholds.GRID if grid is None else thresholds.as_vector(grid, "threshold_grid")
        if isinstance(threshold, str):
            if threshold not in STRATEGIES:
                names = ", ".join(map(repr, STRATEGIES))
                raise ValueError(
                    f"threshold must be a number, a number for each label, or one of {names}, "
                    f"got {threshold!r}"
                )
            return cls(threshold, 0.0, metric, grid)
        if np.ndim(threshold) == 0:
            return cls("constant", as_number(threshold, "threshold", -np.inf), metric, grid)
        return cls("constant", thresholds.as_vector(threshold, "threshold"), metric, grid)

    @property
    def needs_folds(self) -> bool:
        """Is the threshold chosen on held-out rows?"""
        return self.strategy in ("tune", "per_label")

    def check_labels(self, m: int) -> None:
        """Refuse other than one threshold for each label."""
        if isinstance(self.value, np.ndarray) and len(self.value) != m:
            raise ValueError(
                f"threshold must be one number, or {m}, one for each label, got {len(self.value)}"
            )

    def choose(self, swept: thresholds.Sweep) -> tuple[float | np.ndarray, float]:
        """Return the threshold and the metric there, from counts on held-out rows."""
        best, value = swept.best(self.metric)
        if self.strategy == "tune":
            return best, value
        return swept.best_per_label(best, _LEAST_F1)


def match_training_cardinality(
    score: Callable, X: MatrixLike, Y: MatrixLike, weights: np.ndarray | None
) -> float:
    """Return the threshold that gives rows as many labels on average as they have; `score` gives
    the scores of rows.
    """
    sizes = np.asarray(Y.sum(axis=1), dtype=float).ravel()
    largest = thresholds.LargestScores(float(sizes.sum() if weights is None else weights @ sizes))
    for part in parts(X.shape[0], Y.shape[1]):
        largest.add(score(X[part]), None if weights is None else weights[part])
    return largest.threshold()


_FEW = 1000  # rows below which five folds leave the best threshold to chance


def _splitter(folds: int | None, n: int, seed: int):
    """Return a splitter of n rows, which are shuffled, as they are often sorted by their labels."""
    if folds is None:
        return RepeatedKFold(n_splits=5, n_repeats=3 if n < _FEW else 1, random_state=seed % 2**32)
    return KFold(folds, shuffle=True, random_state=seed % 2**32)


def _check_enough(folds: int | None, n: int) -> None:
    folds = 5 if folds is None else folds
    if n < folds:
        raise ValueError(
            f"the threshold is set on held-out rows of {folds} folds, and n_samples={n} of positive "
            "weight is too few for them: set threshold=0.0 (or another number), "
            'threshold="cardinality", or a smaller cv'
        )


@dataclass(frozen=True)
class Fold:
    """A split: rows to train on, and others; X is a Gram matrix if `pairwise`."""

    number: int
    inside: np.ndarray
    outside: np.ndarray
    X: Any
    y: Any
    weights: np.ndarray | None
    grid: np.ndarray
    pairwise: bool

    def sweep(self, train: Callable[..., Solution]) -> tuple[thresholds.Sweep, Solution]:
        """Count the labels of the other rows at all thresholds, by the model that `train` makes of X,
        y and weights; return that, and the solution without its arrays.
        """
        if why_to_end():
            raise KeyboardInterrupt
        solution = self._trained(train)
        swept = thresholds.Sweep(self.grid, self.y.shape[1])
        for part in parts(len(self.outside), self.y.shape[1]):
            self._add(swept, solution, self.outside[part])
        # Without its arrays: those of all folds are several times those of the model.
        return swept, replace(solution, A=np.empty(0), W=None, coefficients=None, X=None)

    def _trained(self, train) -> Solution:
        X, y, weights, inside = self.X, self.y, self.weights, self.inside
        if is_mapped(X) and not self.pairwise:
            some = np.zeros(X.shape[0])  # rows without weight are not there; their copy would be
            np.add.at(some, inside, 1.0 if weights is None else weights[inside])
            return train(X, y, some)
        rows = X[np.ix_(inside, inside)] if self.pairwise else X[inside]
        return train(rows, y[inside], None if weights is None else weights[inside])

    def _add(self, swept: thresholds.Sweep, solution: Solution, rows: np.ndarray) -> None:
        X = self.X[np.ix_(rows, self.inside)] if self.pairwise else self.X[rows]
        truth = self.y[rows].toarray() if sparse.issparse(self.y) else self.y[rows]
        weights = None if self.weights is None else self.weights[rows]
        swept.add(solution.decision_function(X), truth != 0, weights)


def folds_to_sweep(
    cv: Any,
    X: MatrixLike,
    y: MatrixLike,
    weights: np.ndarray | None,
    grid: np.ndarray,
    *,
    seed: int,
    pairwise: bool,
) -> list[Fold]:
    """Return the splits of `cv`. A row may occur in several splits, or in none. The seed is that of
    the shuffling where `cv` is a number of folds, which rows without weight are not part of. No split,
    and one that trains on no row of positive weight or holds none out, is a ``ValueError``.
    """
    y = y.tocsr() if sparse.issparse(y) else y
    weighted = np.arange(X.shape[0]) if weights is None else np.flatnonzero(weights)
    if cv is None or isinstance(cv, numbers.Integral):
        count = None if cv is None else int(cv)
        _check_enough(count, len(weighted))
        splits = _splitter(count, len(weighted), seed).split(weighted)
        splits = [(weighted[inside], weighted[outside]) for inside, outside in splits]
    else:
        splits = check_cv(cv).split(X, y)
    data = (X, y, weights, grid, pairwise)
    every = np.arange(X.shape[0])  # a split may be a mask
    folds = [Fold(i + 1, every[a], every[b], *data) for i, (a, b) in enumerate(splits)]
    if not folds:
        raise ValueError("cv has no splits; an iterator has none left after its first use")
    for fold in folds:
        for rows, purpose in ((fold.inside, "train on"), (fold.outside, "hold out")):
            if not np.isin(rows, weighted).any():
                raise ValueError(
                    f"split {fold.number} of cv has no row of positive weight to {purpose}"
                )
    return folds
