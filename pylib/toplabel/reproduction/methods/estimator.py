"""The second kind of method: any classifier with the interface of scikit-learn, by its import path.

It needs `fit` and `decision_function` or `predict_proba`. On label sets it is fitted on the 0/1
indicator, which many classifiers take, and OneVsRestClassifier and ClassifierChain take for any
other.
"""

from __future__ import annotations

import difflib
import importlib
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import get_tags

from toplabel.estimators.scores import class_scores, label_scores
from toplabel.reproduction.files import one_line
from toplabel.reproduction.methods.trained import Matrix, TrainedMethod

_LEAST = float(
    np.finfo(float).eps
)  # of a probability in its logarithm, as of scikit-learn's log loss
_SEEDS = 1 << 32  # NumPy's legacy generator, which scikit-learn takes, has this many


@dataclass(frozen=True)
class Estimator:
    """An estimator with fixed parameters, and the candidates for those that are selected.

    What is random gets a seed: every parameter `random_state`. With `log_probabilities` the scores
    are these, of estimators that give probabilities.
    """

    estimator: BaseEstimator
    candidates: Sequence[Mapping[str, Any]]
    log_probabilities: bool = False

    def train(
        self, X: Matrix, labels: np.ndarray, *, n_classes: int, candidate: int, seed: int, **_
    ) -> TrainedMethod:
        """Train a candidate, by its index (see `trained.Trainer`)."""
        estimator = clone(self.estimator).set_params(**self.candidates[candidate])
        seeds = [name for name in estimator.get_params() if name.endswith("random_state")]
        estimator.set_params(**dict.fromkeys(seeds, seed % _SEEDS))
        with _in_one_line(estimator, labels):
            estimator.fit(X, labels)
        log = self.log_probabilities and hasattr(estimator, "predict_proba")
        model = EstimatorScores(estimator, n_classes, labels.ndim == 2, log)
        return TrainedMethod(model, "uncertified", epochs=0)


@dataclass(frozen=True, eq=False)
class EstimatorScores:
    """A fitted estimator as a scorer of all classes, those without a training row included.

    Scores are those of `toplabel.estimators.scores`: 0 is the threshold of label sets.
    """

    estimator: Any
    n_classes: int
    multilabel: bool
    log_probabilities: bool = False

    def scores(self, X: Matrix) -> np.ndarray:
        """Return scores of rows, shape (rows, m)."""
        with _in_one_line(self.estimator):
            if self.multilabel:
                return label_scores(self.estimator, X, self.n_classes)
            if self.log_probabilities:
                known, classes = self.estimator.predict_proba(X), self.estimator.classes_
                known, unknown = np.log(np.maximum(known, _LEAST)), np.log(_LEAST)
            else:
                known, classes = class_scores(self.estimator, X)
                unknown = known.min() - 1.0
        scores = np.full((X.shape[0], self.n_classes), unknown)
        scores[:, classes.astype(np.intp)] = known
        return scores


@contextmanager
def _in_one_line(estimator: Any, labels: np.ndarray | None = None) -> Iterator[None]:
    """Turn what an estimator raises, which may be anything, into a ValueError of one line.

    Where it was fitted on label sets it names the labels without two kinds of rows, which many
    classifiers refuse.
    """
    try:
        yield
    except Exception as error:
        name, said = type(estimator).__name__, one_line(error)
        if not isinstance(error, ValueError):
            said = f"{type(error).__name__}: {said}"
        said = said if said.startswith(name) else f"{name}: {said}"
        raise ValueError(f"{said}{_constant(labels)}") from error


def _constant(labels: np.ndarray | None) -> str:
    """Return the labels of an indicator that no row or every row has, as the end of an error."""
    if labels is None or labels.ndim != 2:
        return ""
    same = np.flatnonzero((labels == labels[:1]).all(axis=0))
    if len(same) == 0:
        return ""
    shown = ", ".join(map(str, same[:5])) + (", ..." if len(same) > 5 else "")
    return f" (no row or every row trained on has label {shown}, counted from 0)"


def raised_in(module: str, error: Exception) -> str:
    """Return kind, words and place of an error that a module of the user raised; "" if another did."""
    file = getattr(sys.modules.get(module), "__file__", None)
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == file]
    if not lines:
        return ""
    place = f"{Path(str(file)).name}, line {lines[-1]}"
    return f"{one_line(f'{type(error).__name__}: {error}')} ({place})"


def check_classifier(estimator: Any, path: str) -> None:
    """Refuse what scores no classes, and name the classifiers of its module with a name like its own.

    Of what has no tags of scikit-learn the methods are asked alone.
    """
    lacking = [name for name in ("fit", "get_params") if not hasattr(estimator, name)]
    if not (hasattr(estimator, "decision_function") or hasattr(estimator, "predict_proba")):
        lacking.append("decision_function or predict_proba")
    tags = get_tags(estimator) if hasattr(estimator, "__sklearn_tags__") else None
    kind = None if tags is None else tags.estimator_type
    if not lacking and kind in (None, "classifier"):
        return
    what = f"is a {kind.replace('_', ' ')}" if kind else f"has no {' and no '.join(lacking)}"
    if kind == "classifier":
        what = f"has no {' and no '.join(lacking)} with these parameters"
    module, _, name = path.rpartition(".")
    others = vars(importlib.import_module(module)).items()
    classifiers = [n for n, c in others if isinstance(c, type) and issubclass(c, ClassifierMixin)]
    near = difflib.get_close_matches(name, classifiers, n=2, cutoff=0.5)
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    raise ValueError(f"{path}: {what}, and a method is a classifier with scores{hint}")


def made(path: str, params: Mapping[str, Any]) -> Any:
    """Return an object of the class of an import path; what prevents it is a ValueError.

    A parameter that is a mapping with the keys `estimator` and `params` is an estimator itself, as
    that of ClassifierChain, and so is one within a list, as the steps of a Pipeline.
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
    return [_value(item) for item in value] if isinstance(value, list) else value
