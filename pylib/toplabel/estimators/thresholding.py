"""The threshold of `MultilabelClassifier`, set while it is fitted."""

from __future__ import annotations

import numbers
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse
from sklearn.model_selection import KFold, RepeatedKFold, check_cv
from sklearn.utils.parallel import Parallel, delayed

from toplabel import thresholds
from toplabel._core.arrays import as_number, is_mapped
from toplabel.estimators.parts import parts
from toplabel.metrics.inputs import check_choice
from toplabel.solver import Solution

__all__ = ["ThresholdRule", "match_training_cardinality", "sweep_folds"]

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
    def of(cls, threshold, metric, grid) -> ThresholdRule:
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
        if np.ndim(self.value) == 1 and len(self.value) != m:
            raise ValueError(
                f"threshold must be one number, or {m}, one for each label, got {len(self.value)}"
            )

    def choose(self, swept: thresholds.Sweep) -> tuple[float | np.ndarray, float]:
        """Return the threshold and the metric there, from counts on held-out rows."""
        best, value = swept.best(self.metric)
        if self.strategy == "tune":
            return best, value
        return swept.best_per_label(best, _LEAST_F1)


def match_training_cardinality(score: Callable, X, Y, weights) -> float:
    """Return the threshold that gives rows as many labels on average as they have; `score` gives
    the scores of rows.
    """
    sizes = np.asarray(Y.sum(axis=1), dtype=float).ravel()
    largest = thresholds.LargestScores(float(sizes.sum() if weights is None else weights @ sizes))
    for part in parts(X.shape[0], Y.shape[1]):
        largest.add(score(X[part]), None if weights is None else weights[part])
    return largest.threshold()


_FEW = 1000  # rows below which five folds leave the best threshold to chance


def _splitter(cv, n: int, seed: int):
    """Return a splitter of n rows; a number of folds means shuffled rows, which are often sorted by
    their labels.
    """
    if cv is None:
        return RepeatedKFold(n_splits=5, n_repeats=3 if n < _FEW else 1, random_state=seed % 2**32)
    if isinstance(cv, numbers.Integral):
        return KFold(cv, shuffle=True, random_state=seed % 2**32)
    return check_cv(cv)


@dataclass(frozen=True)
class Fold:
    """Training rows and the others, of one split."""

    inside: np.ndarray
    outside: np.ndarray


def sweep_folds(
    train: Callable[..., Solution],
    cv,
    X,
    y,
    weights,
    grid: np.ndarray,
    *,
    seed: int,
    pairwise: bool,
    n_jobs: int | None,
) -> tuple[thresholds.Sweep, list[Solution]]:
    """Count the labels of the held-out rows of each split at all thresholds, by a model of its
    other rows; return the `Sweep` of all, and the solutions without their arrays.

    `train` takes X, y and weights of the training rows, and the name of the fold; X is a Gram
    matrix if `pairwise`. A row may occur in several splits, or in none. The seed is that of the
    shuffling where `cv` is a number of folds; `n_jobs` threads take a fold each.
    """
    every = np.arange(X.shape[0])
    y = y.tocsr() if sparse.issparse(y) else y
    splits = list(_splitter(cv, X.shape[0], seed).split(X, y))
    folds = [Fold(every[inside], every[outside]) for inside, outside in splits]

    def of_fold(i: int, fold: Fold):
        solution = _train_inside(train, X, y, weights, fold, pairwise, f"fold {i + 1}/{len(folds)}")
        swept = _sweep_outside(solution, X, y, weights, grid, fold, pairwise)
        # Without its arrays: those of all folds are several times those of the model.
        return swept, replace(solution, A=None, W=None, coefficients=None, X=None)

    jobs = Parallel(n_jobs=n_jobs, prefer="threads")
    results = jobs(delayed(of_fold)(i, fold) for i, fold in enumerate(folds))
    swept = thresholds.Sweep(grid, y.shape[1])
    for part, _ in results:
        swept.join(part)
    return swept, [solution for _, solution in results]


def _train_inside(train, X, y, weights, fold: Fold, pairwise: bool, name: str) -> Solution:
    inside = fold.inside
    if is_mapped(X) and not pairwise:  # rows without weight are not there; their copy would be
        some = np.zeros(X.shape[0])
        np.add.at(some, inside, 1.0 if weights is None else weights[inside])
        return train(X, y, some, name)
    rows = X[np.ix_(inside, inside)] if pairwise else X[inside]
    return train(rows, y[inside], None if weights is None else weights[inside], name)


def _sweep_outside(solution, X, y, weights, grid, fold: Fold, pairwise: bool) -> thresholds.Sweep:
    swept = thresholds.Sweep(grid, y.shape[1])
    for part in parts(len(fold.outside), y.shape[1]):
        rows = fold.outside[part]
        scores = solution.decision_function(X[np.ix_(rows, fold.inside)] if pairwise else X[rows])
        truth = y[rows].toarray() if sparse.issparse(y) else y[rows]
        swept.add(scores, truth != 0, None if weights is None else weights[rows])
    return swept
