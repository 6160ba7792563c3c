"""Scores of any fitted classifier with the interface of scikit-learn, checked.

They are those of `decision_function` or, where there is none, of `predict_proba`, as scikit-learn's
own scorers take them.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from sklearn.ensemble import BaggingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline

__all__ = ["class_levels", "class_scores", "label_scores"]

_DECISION = "decision_function"
_SUM_TO_ONE = 1e-6  # how far a sum of probabilities may be from 1; those of float32 are not nearer


def class_scores(estimator, X) -> tuple[np.ndarray, np.ndarray]:
    """Return scores of rows, (n, m), and the classes of their columns in ascending order, (m,).

    A classifier has one label per row. Scores of pairs of classes, as of ``SVC`` with
    ``decision_function_shape="ovo"``, are joined to those that ``"ovr"`` gives. What has another
    shape, or is not finite, is a ``ValueError``.
    """
    scores, classes, _ = _scores_of(estimator, X)
    return scores, classes


def class_levels(estimator, X) -> tuple[np.ndarray, np.ndarray]:
    """Return how near scores of rows are to the best one of the row, (n, m), and the classes, (m,).

    Both are as of `class_scores`. The level is the score minus the best one, 0 for the best class; of
    probabilities it is one more. A small probability is lost in the difference from one near 1, but not
    in the sum with 1 minus that, which is the sum of all others. Those that are 16 digits below the
    second largest tie.
    """
    scores, classes, method = _scores_of(estimator, X)
    best = scores.max(axis=1, keepdims=True)
    if method.endswith(_DECISION):
        return scores - best, classes
    rest = 1.0 - best
    others = scores.copy()
    np.put_along_axis(others, scores.argmax(axis=1)[:, None], 0.0, axis=1)
    others = others.sum(axis=1, keepdims=True)
    rest = np.where(np.abs(others - rest) <= _SUM_TO_ONE, others, rest)
    return np.where(scores == best, 1.0, np.minimum(scores + rest, 1.0)), classes


def _scores_of(estimator, X) -> tuple[np.ndarray, np.ndarray, str]:
    """Return what `class_scores` does, and the name of the method that gave it."""
    response, method = _response(estimator, X)
    classes = _classes(estimator)
    if isinstance(response, list | tuple):
        raise ValueError(f"{method} returned a list, not an array with a column for each class")
    scores = _finite(response, method)
    n, m = _row_count(X), len(classes)
    if m == 2 and method.endswith(_DECISION) and scores.size == n and scores.ndim in (1, 2):
        scores = np.column_stack([-scores, scores])
    elif m > 2 and scores.shape == (n, m * (m - 1) // 2) and _is_pairwise(estimator, method):
        scores = _joined_pairs(scores, m)
    _check_shape(scores, (n, m), method, "classes")
    order = np.argsort(classes)
    return scores[:, order], classes[order], method


def label_scores(estimator, X, n_labels: int) -> np.ndarray:
    """Return scores of labels, (n, m), of a classifier that was fitted on an indicator, (n, m).

    The threshold of a label is 0: of a probability 1/2 is subtracted.
    """
    response, method = _response(estimator, X)
    if isinstance(response, list | tuple):
        response = _of_each_label(response, estimator, method)
    scores = _finite(response, method)
    _check_shape(scores, (_row_count(X), n_labels), method, "labels")
    return scores if method.endswith(_DECISION) else scores - 0.5


def _response(estimator, X) -> tuple[object, str]:
    """Return the answer of the classifier for rows, and the name of the method that gave it."""
    name = type(estimator).__name__
    if hasattr(estimator, _DECISION):
        try:
            return estimator.decision_function(X), f"{name}.{_DECISION}"
        except AttributeError as error:
            # OneVsRestClassifier has the method where the classifier of its first label has it, and a
            # label that is constant has another classifier than the others.
            is_missing = f"no attribute '{_DECISION}'" in str(error)
            if not is_missing or not hasattr(estimator, "predict_proba"):
                raise
    if not hasattr(estimator, "predict_proba"):
        raise TypeError(
            f"{name} has neither decision_function nor predict_proba to score classes by"
        )
    return estimator.predict_proba(X), f"{name}.predict_proba"


def _classes(estimator) -> np.ndarray:
    name = type(estimator).__name__
    if not hasattr(estimator, "classes_"):
        raise TypeError(
            f"{name} has no classes_, by which its scores are known: is it a classifier?"
        )
    classes = estimator.classes_
    if isinstance(classes, list) and any(np.ndim(of_output) for of_output in classes):
        raise ValueError(
            f"{name} was fitted on several labels per row; one label per row is needed"
        )
    classes = np.asarray(classes)
    if classes.ndim != 1 or len(np.unique(classes)) != len(classes):
        raise ValueError(f"{name}.classes_ must hold each class once, got {classes.tolist()}")
    return classes


def _finite(response, method: str) -> np.ndarray:
    try:
        scores = np.asarray(response, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{method} returned what is no array of numbers ({error})") from None
    wrong = np.argwhere(~np.isfinite(scores))
    if len(wrong):
        place = ", ".join(map(str, wrong[0]))
        raise ValueError(
            f"{method} returned scores that are not finite: [{place}] is {scores[tuple(wrong[0])]}"
        )
    return scores


def _row_count(X) -> int:
    return X.shape[0] if hasattr(X, "shape") else len(X)


def _check_shape(scores: np.ndarray, shape: tuple[int, int], method: str, columns: str) -> None:
    if scores.shape != shape:
        raise ValueError(
            f"{method} returned an array of shape {scores.shape} for {shape[0]} rows and {shape[1]} "
            f"{columns}; the shape must be {shape}"
        )


def _is_pairwise(estimator, method: str) -> bool:
    """Return whether scores are those of the pairs of classes, by the classifier's own parameter."""
    shape = getattr(_decider(estimator), "decision_function_shape", "ovr")
    return shape == "ovo" and method.endswith(_DECISION)


def _decider(estimator):
    """Return the classifier whose decision function a pipeline, a search or a wrapper returns."""
    if isinstance(estimator, Pipeline):
        return _decider(estimator.steps[-1][1])
    if isinstance(estimator, FrozenEstimator):
        return _decider(estimator.estimator)
    names = ["best_estimator_", "final_estimator_"]
    # Bagging takes the mean of decision functions; the other ensembles have scores of their own.
    if isinstance(estimator, BaggingClassifier) or not hasattr(estimator, "estimators_"):
        names.append("estimator_")
    inner = [getattr(estimator, name) for name in names if hasattr(estimator, name)]
    return _decider(inner[0]) if inner else estimator


def _joined_pairs(pairs: np.ndarray, m: int) -> np.ndarray:
    """Return scores of classes, (n, m), from those of the pairs (0, 1), (0, 2), ..., (m - 2, m - 1).

    A positive score of a pair is a vote for the first class. Of equal votes the sums of the scores
    decide, which are brought below 1/3 for it, as scikit-learn does.
    """
    votes, sums = np.zeros((2, len(pairs), m))
    for (first, second), score in zip(combinations(range(m), 2), pairs.T, strict=True):
        votes[:, first] += score >= 0
        votes[:, second] += score < 0
        sums[:, first] += score
        sums[:, second] -= score
    return votes + sums / (3 * (np.abs(sums) + 1))


def _of_each_label(response, estimator, method: str) -> np.ndarray:
    """Return the probability of each label, (n, m), from a matrix for each label with the
    probabilities of 0 and 1, of which one may not have occurred.
    """
    classes = getattr(estimator, "classes_", None)
    if method.endswith(_DECISION) or classes is None or len(classes) != len(response):
        raise ValueError(
            f"{method} returned a list that does not say which of its columns are labels"
        )
    columns = [
        np.asarray(of_label)[:, np.asarray(known) == 1].sum(axis=1)
        for of_label, known in zip(response, classes, strict=True)
    ]
    return np.column_stack(columns)
