"""Scorers of sets of variable size, for `GridSearchCV` and its like."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.pipeline import Pipeline

from toplabel._core.arrays import MatrixLike, as_number, as_weights
from toplabel.estimators.ranking import WeightedScorer, columns_of
from toplabel.estimators.scores import class_levels
from toplabel.metrics.class_sets import covered_rows, share_in_sets, smallest_mean
from toplabel.metrics.inputs import check_choice

__all__ = ["AverageKScorer", "SetScorer", "average_k_scorer", "set_scorer"]

_METRICS = ("set_coverage", "mean_set_size", "size_stratified_coverage")


@dataclass(frozen=True)
class AverageKScorer(WeightedScorer):
    """Average-k accuracy as the `scoring` of `GridSearchCV` and its like.

    Parameters
    ----------
    k : float >= 1
        The mean size of the sets.
    """

    k: float

    def __call__(
        self, estimator: Any, X: MatrixLike, y: MatrixLike, sample_weight: ArrayLike | None = None
    ) -> float:
        """Average-k accuracy of a fitted classifier, which need not be calibrated.

        Parameters
        ----------
        estimator : object with ``classes_``, and ``decision_function`` or ``predict_proba``
            The fitted classifier.
        X : array-like, (n, d)
            Rows.
        y : array-like, (n,)
            Class names. One that the classifier does not know is in no set.
        sample_weight : array-like, (n,), optional
            A weight w is the same as w copies of the row.

        Returns
        -------
        float
            A share, in [0, 1].
        """
        levels, classes = class_levels(estimator, X)
        k = as_number(self.k, "k", 1.0, high=len(classes))
        columns = columns_of(y, classes, len(levels))
        own = np.where(columns >= 0, levels[np.arange(len(columns)), columns], -np.inf)
        return share_in_sets(own, levels, k, as_weights(sample_weight, len(own)))


@dataclass(frozen=True)
class SetScorer(WeightedScorer):
    """A measure of the sets of a calibrated classifier as the `scoring` of `GridSearchCV` and its like.

    Parameters
    ----------
    metric : {"set_coverage", "mean_set_size", "size_stratified_coverage"}
        The measure; of the size the negative, since scores are maximised.
    size, coverage, by_class : float, float, bool
        As of ``predict_set``.
    """

    metric: str
    size: float | None = None
    coverage: float | None = None
    by_class: bool = False

    def __post_init__(self) -> None:
        check_choice(self.metric, "metric", _METRICS)

    def __call__(
        self, estimator: Any, X: MatrixLike, y: MatrixLike, sample_weight: ArrayLike | None = None
    ) -> float:
        """Return the measure for a fitted classifier.

        Parameters
        ----------
        estimator : object with ``predict_set``, or Pipeline that ends in one
            The calibrated classifier.
        X : array-like, (n, d)
            Rows.
        y : array-like, (n,)
            Class names. One that the classifier does not know is in no set.
        sample_weight : array-like, (n,), optional
            A weight w is the same as w copies of the row.

        Returns
        -------
        float
            A share, or the negative mean size.
        """
        if isinstance(estimator, Pipeline):
            X = estimator[:-1].transform(X) if len(estimator) > 1 else X
            estimator = estimator[-1]
        levels = {"size": self.size, "coverage": self.coverage, "by_class": self.by_class}
        sets = estimator.predict_set(X, **levels, sparse_output=True).toarray()
        sizes, weights = np.count_nonzero(sets, axis=1), as_weights(sample_weight, len(sets))
        if self.metric == "mean_set_size":
            return -float(np.average(sizes, weights=weights))
        covered = covered_rows(columns_of(y, np.sort(estimator.classes_), len(sets)), sets)
        if self.metric == "set_coverage":
            return float(np.average(covered, weights=weights))
        return smallest_mean(covered, sizes, weights)


def average_k_scorer(k: float) -> AverageKScorer:
    """Return a scorer of the average-k accuracy, to be maximised.

    Parameters
    ----------
    k : float >= 1
        The mean size. Scoring fails with ``ValueError`` for a classifier of fewer classes.

    Returns
    -------
    AverageKScorer
        For `scoring` of `GridSearchCV` and its like.
    """
    return AverageKScorer(as_number(k, "k", 1.0))


def set_scorer(
    metric: str,
    *,
    size: float | None = None,
    coverage: float | None = None,
    by_class: bool = False,
) -> SetScorer:
    """Return a scorer of the sets of a calibrated classifier, to be maximised.

    Parameters
    ----------
    metric : {"set_coverage", "mean_set_size", "size_stratified_coverage"}
        A function of `toplabel.metrics`; of the size the negative.
    size : float, optional
        As of ``predict_set``.
    coverage : float, optional
        As of ``predict_set``.
    by_class : bool, default=False
        As of ``predict_set``.

    Returns
    -------
    SetScorer
        For `scoring` of `GridSearchCV` and its like.
    """
    return SetScorer(metric, size, coverage, by_class)
