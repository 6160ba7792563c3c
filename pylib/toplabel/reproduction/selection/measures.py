"""Metrics by their names in protocols, tables and files, all as printed in the papers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from scipy.special import logsumexp

from toplabel import metrics, thresholds
from toplabel.metrics.names import is_fraction, lower_is_better

PARTITION = (
    "hamming_loss",
    "accuracy",
    "subset_accuracy",
    "f1_micro",
    "f1_macro",
    "f1_instance",
)


def needs_threshold(metric: str) -> bool:
    """Return whether the metric compares sets of labels, predicted by a threshold on the scores."""
    return metric in PARTITION


def sign(metric: str) -> int:
    """1 when more is better, -1 when less is better."""
    return -1 if lower_is_better(metric) else 1


def ranking_value(metric: str, truth: np.ndarray, scores: np.ndarray) -> float:
    """Return a metric of the order of the scores, shape (n, m), as printed.

    The truth are class indices (n,) or an indicator of label sets (n, m); a metric that does not
    fit it is a ValueError. Ties in top-k accuracy, P@k and R@k are shared. If they counted as
    right, as in TPAMI Eq. (1), a model of zeros would find every label and be selected. Where no
    scores tie that is the same.
    """
    if metric in _OF_ONE_LABEL or metric.startswith("top"):
        _require(truth.ndim == 1, metric, "one label per instance")
    else:
        _require(truth.ndim == 2, metric, "label sets")
    if metric.startswith("top"):
        return 100.0 * metrics.top_k_accuracy(truth, scores, k=int(metric[3:]), ties="shared")
    if metric == "one_error_loss":
        return 100.0 - ranking_value("p_at_1", truth, scores)
    name, _, k = metric.partition("_at_")
    if k:
        return 100.0 * float(_AT_K[name](truth, scores, k=int(k)))
    scale, function = (_OF_ONE_LABEL | _OF_ORDER)[metric]
    return scale * float(function(truth, scores))


def _of_sklearn(name: str, truth: np.ndarray, scores: np.ndarray, **options) -> float:
    from sklearn import metrics as of_sklearn  # here: its import takes longer than most evaluations

    return getattr(of_sklearn, name)(truth, scores, **options)


def _macro_f1(truth: np.ndarray, scores: np.ndarray) -> float:
    predicted = scores.argmax(axis=1)
    return float(_of_sklearn("f1_score", truth, predicted, average="macro", zero_division=0.0))


def _log_loss(truth: np.ndarray, scores: np.ndarray) -> float:
    """Return the mean of -log p, where scores are log p up to a number of the row."""
    of_truth = np.take_along_axis(scores, truth[:, None], axis=1)[:, 0]
    return float(np.mean(logsumexp(scores, axis=1) - of_truth))


_OF_ONE_LABEL: dict[str, tuple[float, Callable[..., float]]] = {
    "balanced_accuracy": (100.0, partial(metrics.balanced_accuracy, ties="shared")),
    "macro_f1": (100.0, _macro_f1),
    "log_loss": (1.0, _log_loss),
}
_OF_ORDER: dict[str, tuple[float, Callable[..., Any]]] = {
    "rank_loss": (1.0, metrics.rank_loss),
    "coverage_loss": (1.0, partial(_of_sklearn, "coverage_error")),
    "map": (100.0, metrics.mean_average_precision),
    "label_ap": (100.0, partial(_of_sklearn, "label_ranking_average_precision_score")),
}
_AT_K = {
    "p": partial(metrics.precision_at_k, ties="shared"),
    "r": partial(metrics.recall_at_k, ties="shared"),
    "ndcg": partial(_of_sklearn, "ndcg_score"),
}


def _require(condition: bool, metric: str, what: str) -> None:
    if not condition:
        raise ValueError(f"metric '{metric}' needs {what}")


def all_values(
    names: Sequence[str], truth: np.ndarray, scores: np.ndarray, grid: np.ndarray
) -> np.ndarray:
    """Return every metric at every threshold, as printed, shape (max(D, 1), len(names)).

    A label is predicted when its score reaches the threshold, of a grid of shape (D,). A metric
    without threshold stands at index 0, NaN elsewhere.
    """
    values = np.full((max(len(grid), 1), len(names)), np.nan)
    cut = [name for name in names if needs_threshold(name)]
    if cut:
        _require(truth.ndim == 2, cut[0], "label sets")
        _require(len(grid) > 0, cut[0], "a grid of thresholds")
        swept = thresholds.sweep(scores, truth, grid)
    for i, name in enumerate(names):
        if needs_threshold(name):
            values[:, i] = np.asarray(swept[name]) * (1.0 if is_fraction(name) else 100.0)
        else:
            values[0, i] = ranking_value(name, truth, scores)
    return values


def class_values(
    truth: np.ndarray, scores: np.ndarray, class_names: Sequence[str]
) -> dict[str, float]:
    """Return the average precision of each class that occurs, ``ap_<class>`` in percent.

    Their mean is ``map``. The truth is an indicator of label sets, (n, m).
    """
    return {
        f"ap_{name}": 100.0 * float(metrics.average_precision(truth[:, j], scores[:, j]))
        for j, name in enumerate(class_names)
        if truth[:, j].any()
    }
