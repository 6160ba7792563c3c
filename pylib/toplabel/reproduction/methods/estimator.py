"""The second kind of method: any classifier with the interface of scikit-learn, by its import path.

It needs `fit` and `decision_function` or `predict_proba`. On label sets it is fitted on the 0/1
indicator, which many classifiers take, and OneVsRestClassifier and ClassifierChain take for any
other.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone

from toplabel.reproduction.files import one_line
from toplabel.reproduction.methods.trained import Matrix, Trained

_SEEDS = 1 << 32  # NumPy's legacy generator, which scikit-learn takes, has this many


@dataclass(frozen=True)
class Estimator:
    """An estimator with fixed parameters, and the candidates for those that are selected.

    What is random gets a seed: every parameter `random_state`.
    """

    estimator: BaseEstimator
    candidates: Sequence[Mapping[str, Any]]

    def train(
        self, X: Matrix, labels: np.ndarray, *, n_classes: int, candidate: int, seed: int, **_
    ) -> Trained:
        """Train a candidate, by its index (see `trained.Trainer`)."""
        estimator = clone(self.estimator).set_params(**self.candidates[candidate])
        seeds = [name for name in estimator.get_params() if name.endswith("random_state")]
        estimator.set_params(**dict.fromkeys(seeds, seed % _SEEDS))
        estimator.fit(X, labels)
        return Trained(Fitted(estimator, n_classes, labels.ndim == 2), "uncertified", epochs=0)


@dataclass(frozen=True, eq=False)
class Fitted:
    """A fitted estimator as a scorer of all classes, those without a training row included.

    Of an estimator with probabilities, the score of a label is its probability less 1/2, so that 0
    is the threshold, as it is of a decision function.
    """

    estimator: Any
    n_classes: int
    multilabel: bool

    def scores(self, X: Matrix) -> np.ndarray:
        """Return scores of rows, shape (rows, m)."""
        decides = hasattr(self.estimator, "decision_function")
        if self.multilabel:
            return self.estimator.decision_function(X) if decides else self._probabilities(X) - 0.5
        found = self.estimator.decision_function(X) if decides else self.estimator.predict_proba(X)
        if found.ndim == 1:  # of two classes, the score of the second
            found = np.column_stack([-found, found])
        scores = np.full((X.shape[0], self.n_classes), found.min() - 1.0)
        scores[:, self.estimator.classes_] = found
        return scores

    def _probabilities(self, X: Matrix) -> np.ndarray:
        """Return the probability of each label, shape (rows, m)."""
        found = self.estimator.predict_proba(X)
        if not isinstance(found, list):
            return found
        # Of each label a matrix: the probabilities of 0 and 1, of which one may not have occurred.
        labels = zip(found, self.estimator.classes_, strict=True)
        return np.column_stack([one[:, classes == 1].sum(axis=1) for one, classes in labels])


def made(path: str, params: Mapping[str, Any]) -> Any:
    """Return an object of the class of an import path; what prevents it is a ValueError.

    A parameter that is a mapping with the keys `estimator` and `params` is an estimator itself, as
    that of ClassifierChain.
    """
    module, _, name = path.rpartition(".")
    try:
        kind = getattr(importlib.import_module(module), name)
        return kind(**{key: _value(value) for key, value in params.items()})
    except Exception as error:  # of the user's module, anything
        raise ValueError(f"{path}: {one_line(f'{type(error).__name__}: {error}')}") from None


def _value(value: Any) -> Any:
    if isinstance(value, Mapping) and "estimator" in value:
        return made(value["estimator"], value.get("params", {}))
    return value
