"""`CalibratedSets`: sets of variable size of any classifier with the interface of scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn import get_config
from sklearn.base import ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from toplabel._core.arrays import MatrixLike
from toplabel.estimators.common import VersionedEstimator
from toplabel.estimators.scores import class_levels
from toplabel.estimators.sets import SetsMixin

__all__ = ["CalibratedSets"]


def _has(method: str):
    def has(self) -> bool:
        return hasattr(getattr(self, "estimator_", self.estimator), method)

    return available_if(has)


class CalibratedSets(SetsMixin, MetaEstimatorMixin, ClassifierMixin, VersionedEstimator):
    """Classifier of one label per row whose sets of classes have a size or a coverage on average.

    Parameters
    ----------
    estimator : object with ``decision_function`` or ``predict_proba``
        A classifier, also a Pipeline or a search that ends in one. The first of the two methods is
        taken, as by scikit-learn's scorers. One that is fitted stands in
        `sklearn.frozen.FrozenEstimator`.
    calibration : float in (0, 1) or None, default=0.2
        Share of the rows, drawn by `random_state`, that `fit` holds out of the fit of the estimator,
        and so of all that it chooses; the sets are calibrated on them. None: all rows are fitted, and
        `calibrate` is called with others.
    random_state : int, RandomState instance or None, default=None
        Which rows are held out.

    Attributes
    ----------
    estimator_ : object
        The fitted estimator.
    classes_ : ndarray, (m,)
        Its classes.
    n_calibration_ : int
        After a calibration: the number of its rows.

    Notes
    -----
    The scores of a row are compared with the best one among them, which needs no probabilities.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.svm import SVC
    >>> from toplabel.estimators import CalibratedSets
    >>> X, y = load_digits(return_X_y=True)
    >>> model = CalibratedSets(SVC(), random_state=0).fit(X[:1000], y[:1000])
    >>> model.predict_set(X[1000:], coverage=0.9).shape
    (797, 10)
    """

    estimator_: Any
    classes_: np.ndarray

    def __init__(
        self,
        estimator: Any,
        *,
        calibration: float | None = 0.2,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.estimator = estimator
        self.calibration = calibration
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        tags.input_tags = inner.input_tags
        if inner.classifier_tags is not None:
            tags.classifier_tags.poor_score = inner.classifier_tags.poor_score
            tags.classifier_tags.multi_class = inner.classifier_tags.multi_class
        return tags

    def fit(
        self, X: MatrixLike, y: MatrixLike, sample_weight: ArrayLike | None = None, **params: Any
    ) -> CalibratedSets:
        """Fit the estimator, and calibrate on the rows that are held out.

        Parameters
        ----------
        X : array-like or sparse matrix, (n, d)
            As the estimator takes them.
        y : array-like, (n,)
            Class names.
        sample_weight : array-like, (n,), optional
            Weights of the rows, for the estimator and for the calibration.
        **params : dict of str to array-like, (n,)
            Further arguments of the `fit` of the estimator, as the `groups` of a search. With
            ``sklearn.set_config(enable_metadata_routing=True)`` these and the weights go where they
            are asked for.

        Returns
        -------
        self
            The fitted classifier.
        """
        return self._fit_and_calibrate(X, y, sample_weight, **params)

    def _fit(self, X, y, sample_weight=None, **params: Any) -> CalibratedSets:
        if sample_weight is not None:
            params["sample_weight"] = sample_weight
        if get_config()["enable_metadata_routing"]:
            params = process_routing(self, "fit", **params)["estimator"]["fit"]
        self.estimator_ = clone(self.estimator).fit(X, y, **params)
        if not hasattr(self.estimator_, "classes_"):
            name = type(self.estimator).__name__
            raise TypeError(f"estimator must be a classifier: {name} has no classes_ after fit")
        self.classes_ = self.estimator_.classes_
        return self

    def get_metadata_routing(self) -> MetadataRouter:
        """Return where the arguments of `fit` go, as of `sklearn.utils.metadata_routing`."""
        to_fit = MethodMapping().add(caller="fit", callee="fit")
        router = MetadataRouter(owner=self).add_self_request(self)
        return router.add(estimator=self.estimator, method_mapping=to_fit)

    def _levels(self, X) -> tuple[np.ndarray, np.ndarray]:
        check_is_fitted(self, "estimator_")
        return class_levels(self.estimator_, X)

    @property
    def n_features_in_(self) -> int:
        """Number of features that the estimator was fitted with."""
        check_is_fitted(self, "estimator_")
        return self.estimator_.n_features_in_

    @property
    def feature_names_in_(self) -> np.ndarray:
        """Names of the features that the estimator was fitted with, where they have names."""
        return self.estimator_.feature_names_in_

    def predict(self, X: MatrixLike) -> np.ndarray:
        """Return what the estimator predicts.

        Parameters
        ----------
        X : array-like or sparse matrix, (n, d)
            Rows, as for `fit`.

        Returns
        -------
        ndarray, (n,)
            A class for each row.
        """
        check_is_fitted(self, "estimator_")
        return self.estimator_.predict(X)

    @_has("decision_function")
    def decision_function(self, X: MatrixLike) -> np.ndarray:
        """Return the scores of the estimator.

        Parameters
        ----------
        X : array-like or sparse matrix, (n, d)
            Rows, as for `fit`.

        Returns
        -------
        ndarray
            Of the shape that the estimator gives them.
        """
        check_is_fitted(self, "estimator_")
        return self.estimator_.decision_function(X)

    @_has("predict_proba")
    def predict_proba(self, X: MatrixLike) -> np.ndarray:
        """Return the probabilities of the estimator.

        Parameters
        ----------
        X : array-like or sparse matrix, (n, d)
            Rows, as for `fit`.

        Returns
        -------
        ndarray, (n, m)
            Of each class.
        """
        check_is_fitted(self, "estimator_")
        return self.estimator_.predict_proba(X)
