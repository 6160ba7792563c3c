"""The k best classes of each row, and how often the right one is among them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from toplabel._core.arrays import as_integer, as_weights

__all__ = ["TopKScorer", "found_share", "top_k_scorer"]


def found_share(y, scores: np.ndarray, classes: np.ndarray, k: int, sample_weight=None) -> float:
    """Return the share of the rows whose class has fewer than k classes scoring strictly higher:
    `toplabel.metrics.top_k_accuracy` (TPAMI Eq. (1)) with class names and weights.

    Scores are those of `decision_function`. A class that is not in `classes` is never found.
    """
    y = np.asarray(y)
    if scores.ndim == 1:
        scores = np.column_stack([-scores, scores])
    if y.shape != scores.shape[:1]:
        raise ValueError(
            f"y must have the shape ({len(scores)},) like the rows of X, got {y.shape}"
        )
    k = as_integer(k, "k", 1, len(classes))
    column = np.minimum(np.searchsorted(classes, y), len(classes) - 1)
    own = np.take_along_axis(scores, column[:, None], axis=1)
    found = (np.count_nonzero(scores > own, axis=1) < k) & (classes[column] == y)
    return float(np.average(found, weights=as_weights(sample_weight, len(y))))


@dataclass(frozen=True)
class TopKScorer:
    """Top-k accuracy as the `scoring` of `GridSearchCV` and its like.

    Attributes
    ----------
    k : int
    """

    k: int

    def __call__(self, estimator, X, y, sample_weight=None) -> float:
        """Top-k accuracy of a fitted classifier, or of a Pipeline that ends in one.

        Parameters
        ----------
        estimator : object with ``decision_function`` and ``classes_``
        X : array-like, (n, d)
        y : array-like, (n,)
        sample_weight : array-like, (n,), optional

        Returns
        -------
        float
        """
        scores = np.asarray(estimator.decision_function(X))
        return found_share(y, scores, estimator.classes_, self.k, sample_weight)


def top_k_scorer(k: int) -> TopKScorer:
    """Return a scorer of the top-k accuracy, to be maximised.

    Parameters
    ----------
    k : int >= 1
        Scoring fails with ``ValueError`` for a classifier of fewer than k classes.

    Returns
    -------
    TopKScorer

    Notes
    -----
    Ties are in favour of the label, and a class that the training part does not hold counts as an
    error, both unlike `sklearn.metrics.top_k_accuracy_score`.
    """
    return TopKScorer(as_integer(k, "k", 1))
