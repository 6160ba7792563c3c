"""The k best classes of each row, and how often the right one is among them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn import get_config
from sklearn.utils.metadata_routing import MetadataRequest
from sklearn.utils.multiclass import check_classification_targets, unique_labels
from sklearn.utils.validation import column_or_1d

from toplabel._core.arrays import MatrixLike, as_integer, as_weights, check_container, plain
from toplabel.estimators.scores import class_scores

__all__ = ["TopKScorer", "WeightedScorer", "columns_of", "found_share", "top_k_scorer"]


def found_share(
    y: MatrixLike,
    scores: np.ndarray,
    classes: np.ndarray,
    k: int,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return the share of the rows whose class has fewer than k classes scoring strictly higher:
    `toplabel.metrics.top_k_accuracy` (TPAMI Eq. (1)) with class names and weights.

    Scores and classes are those of `class_scores`. A class that is not in `classes` is never found, but
    names among numbers, or numbers among names, are refused, as by `score`.
    """
    columns = columns_of(y, classes, len(scores))
    k = as_integer(k, "k", 1, len(classes))
    own = np.take_along_axis(scores, np.maximum(columns, 0)[:, None], axis=1)
    is_found = (np.count_nonzero(scores > own, axis=1) < k) & (columns >= 0)
    return float(np.average(is_found, weights=as_weights(sample_weight, len(scores))))


def columns_of(y: MatrixLike, classes: np.ndarray, n: int) -> np.ndarray:
    """Return the index in `classes`, which ascend, of the class of each of n rows; -1 where it is none
    of them.
    """
    check_container(y, "y")
    y = column_or_1d(plain(y))
    check_classification_targets(y)
    unique_labels(classes, y)
    if len(y) != n:
        raise ValueError(f"y must have the shape ({n},) like the rows of X, got {y.shape}")
    columns = np.minimum(np.searchsorted(classes, y), len(classes) - 1)
    return np.where(classes[columns] == y, columns, -1)


@dataclass(frozen=True)
class WeightedScorer:
    """A scorer whose call takes `sample_weight`."""

    _requested: dict = field(default_factory=dict, init=False, repr=False, compare=False)

    def set_score_request(self, *, sample_weight: bool | str | None) -> Self:
        """Ask for the metadata that `__call__` takes, as scikit-learn's scorers do.

        Parameters
        ----------
        sample_weight : bool, str or None
            True: weights that are passed under this name are used; False: they are not; None: an
            error when they are passed; a str: the name under which they are passed.

        Returns
        -------
        self
            The scorer.

        Raises
        ------
        RuntimeError
            Unless ``sklearn.set_config(enable_metadata_routing=True)`` was called.
        """
        if not get_config()["enable_metadata_routing"]:
            raise RuntimeError(
                "set_score_request needs sklearn.set_config(enable_metadata_routing=True)"
            )
        self._requested["sample_weight"] = sample_weight
        return self

    def _accept_sample_weight(self) -> bool:
        """Return True, which searches with several scorers ask for."""
        return True

    def get_metadata_routing(self) -> MetadataRequest:
        """Return the metadata that the scorer asks for, as of `sklearn.utils.metadata_routing`."""
        request = MetadataRequest(owner=self)
        alias = self._requested.get("sample_weight")
        request.score.add_request(param="sample_weight", alias=alias)
        return request


@dataclass(frozen=True)
class TopKScorer(WeightedScorer):
    """Top-k accuracy as the `scoring` of `GridSearchCV` and its like.

    Parameters
    ----------
    k : int >= 1
        How many classes are looked at.
    """

    k: int

    def __call__(
        self, estimator: Any, X: MatrixLike, y: MatrixLike, sample_weight: ArrayLike | None = None
    ) -> float:
        """Top-k accuracy of a fitted classifier, or of a Pipeline that ends in one.

        Parameters
        ----------
        estimator : object with ``classes_``, and ``decision_function`` or ``predict_proba``
            The fitted classifier. Of one with both, the first is taken, as by scikit-learn's scorers.
        X : array-like, (n, d)
            Rows.
        y : array-like, (n,)
            Class names.
        sample_weight : array-like, (n,), optional
            Weights of the rows in the share.

        Returns
        -------
        float
            A share, in [0, 1].

        Raises
        ------
        ValueError
            For scores that are not finite, or have not a column for each class.
        TypeError
            For what is no classifier.
        """
        scores, classes = class_scores(estimator, X)
        return found_share(y, scores, classes, self.k, sample_weight)


def top_k_scorer(k: int) -> TopKScorer:
    """Return a scorer of the top-k accuracy, to be maximised.

    Parameters
    ----------
    k : int >= 1
        Scoring fails with ``ValueError`` for a classifier of fewer than k classes.

    Returns
    -------
    TopKScorer
        For `scoring` of `GridSearchCV` and its like.

    Notes
    -----
    Ties are in favour of the label, and a class that the training part does not hold counts as an
    error, both unlike `sklearn.metrics.top_k_accuracy_score`.
    """
    return TopKScorer(as_integer(k, "k", 1))
