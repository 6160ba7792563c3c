"""Measures of multiclass and multilabel predictions (TPAMI section 3.1).

All are fractions in [0, 1]. Conventions where the papers are silent, in one place:

- top-k: y counts as found when fewer than k classes score strictly higher (Eq. (1)); ties are in its favour.
- Rank loss: ties are errors. A label set that is empty or full has no pair, and counts as 0.
- F1: 0/0 is 0, except that an instance without labels, of which none is predicted, scores 1; so does its accuracy.
- Precision and recall at k: of equal scores the class with the lower index comes first; recall of an empty set is 0.
- Average precision: of equal scores all are retrieved together; a class without positives has none (NaN).
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

__all__ = [
    "average_precision",
    "f1",
    "hamming_loss",
    "mean_average_precision",
    "multilabel_accuracy",
    "precision_at_k",
    "rank_loss",
    "recall_at_k",
    "subset_accuracy",
    "top_k_accuracy",
]


def as_scores(scores, name: str = "scores") -> np.ndarray:
    """Return scores as a float64 array (n, m) without NaN."""
    array = np.asarray(scores, dtype=np.float64)
    if array.ndim != 2 or 0 in array.shape:
        raise ValueError(f"{name} must have the shape (instances, classes), got {array.shape}")
    if np.isnan(array).any():
        raise ValueError(f"{name} holds NaN")
    return array


def as_indicator(Y, shape: tuple[int, ...] | None = None, name: str = "Y") -> np.ndarray:
    """Return a 0/1 indicator, dense or sparse, as a boolean array (n, m)."""
    array = Y.toarray() if sparse.issparse(Y) else np.asarray(Y)
    if array.ndim != 2 or 0 in array.shape:
        raise ValueError(f"{name} must have the shape (instances, classes), got {array.shape}")
    if shape is not None and array.shape != shape:
        raise ValueError(f"{name} must have the shape {shape}, got {array.shape}")
    if array.dtype == bool:
        return array
    if array.dtype.kind not in "iuf" or not ((array == 0) | (array == 1)).all():
        raise ValueError(f"{name} must hold zeros and ones only")
    return array.astype(bool)


def _check_k(k: int, m: int) -> int:
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)):
        raise TypeError(f"k must be an integer, got {k!r}")
    if not 1 <= k <= m:
        raise ValueError(f"k must be in 1..{m}, got {k}")
    return int(k)


def top_k_accuracy(y, scores, k: int = 1) -> float:
    """Fraction of rows whose class is among the k highest scores.

    Parameters
    ----------
    y : array-like of int, (n,)
        Class indices 0..m-1.
    scores : array-like, (n, m)
    k : int, 1..m

    Returns
    -------
    float

    Notes
    -----
    One minus the top-k error of TPAMI Eq. (1).
    """
    scores = as_scores(scores)
    n, m = scores.shape
    y = np.asarray(y)
    if y.shape != (n,):
        raise ValueError(f"y must have the shape ({n},), got {y.shape}")
    if y.dtype.kind not in "iu" or y.min() < 0 or y.max() >= m:
        raise ValueError(f"y must hold class indices 0..{m - 1}")
    k = _check_k(k, m)
    own = scores[np.arange(n), y]
    return float(((scores > own[:, None]).sum(1) < k).mean())


def rank_loss(Y, scores) -> float:
    """Mean fraction of pairs of a relevant and an irrelevant label that are in the wrong order.

    Parameters
    ----------
    Y : array-like or sparse matrix of 0/1, (n, m)
    scores : array-like, (n, m)

    Returns
    -------
    float

    Notes
    -----
    TPAMI section 3.1: a pair is wrong if ``f_y <= f_j``. In O(n m log m) time.
    """
    scores = as_scores(scores)
    Y = as_indicator(Y, scores.shape)
    # Descending by score; at ties the irrelevant labels first, by a stable sort of a list that begins with them.
    irrelevant_first = np.argsort(Y, axis=1, kind="stable")
    by_score = np.argsort(-np.take_along_axis(scores, irrelevant_first, 1), axis=1, kind="stable")
    ordered = np.take_along_axis(np.take_along_axis(Y, irrelevant_first, 1), by_score, 1)
    wrong = (np.cumsum(~ordered, axis=1) * ordered).sum(1)
    pairs = Y.sum(1) * (~Y).sum(1)
    return float((wrong / np.maximum(pairs, 1)).mean())


def hamming_loss(Y, P) -> float:
    """Fraction of labels that are wrong.

    Parameters
    ----------
    Y, P : array-like or sparse matrix of 0/1, (n, m)
        Truth and prediction.

    Returns
    -------
    float
    """
    Y, P = _pair(Y, P)
    return float((Y != P).mean())


def subset_accuracy(Y, P) -> float:
    """Fraction of instances whose label set is predicted exactly.

    Parameters
    ----------
    Y, P : array-like or sparse matrix of 0/1, (n, m)

    Returns
    -------
    float
    """
    Y, P = _pair(Y, P)
    return float((Y == P).all(1).mean())


def multilabel_accuracy(Y, P) -> float:
    """Mean over instances of ``|Y_i & P_i| / |Y_i | P_i|``; two empty sets count as 1.

    Parameters
    ----------
    Y, P : array-like or sparse matrix of 0/1, (n, m)

    Returns
    -------
    float
    """
    Y, P = _pair(Y, P)
    return float(_ratio((Y & P).sum(1), (Y | P).sum(1), empty=1.0).mean())


def f1(Y, P, average: str = "micro") -> float:
    """F1 measure.

    Parameters
    ----------
    Y, P : array-like or sparse matrix of 0/1, (n, m)
    average : {"micro", "macro", "instance"}
        Of all labels and instances together, mean over labels, or mean over instances.

    Returns
    -------
    float
    """
    Y, P = _pair(Y, P)
    if average == "instance":
        return float(_ratio(2 * (Y & P).sum(1), Y.sum(1) + P.sum(1), empty=1.0).mean())
    if average == "macro":
        return float(_ratio(2 * (Y & P).sum(0), Y.sum(0) + P.sum(0)).mean())
    if average == "micro":
        return float(_ratio(2 * (Y & P).sum(), Y.sum() + P.sum()))
    raise ValueError(f"average must be 'micro', 'macro' or 'instance', got {average!r}")


def precision_at_k(Y, scores, k: int) -> float:
    """Mean fraction of relevant labels among the k highest scores.

    Parameters
    ----------
    Y : array-like or sparse matrix of 0/1, (n, m)
    scores : array-like, (n, m)
    k : int, 1..m

    Returns
    -------
    float
    """
    return float((_found_at_k(Y, scores, k)[0] / k).mean())


def recall_at_k(Y, scores, k: int) -> float:
    """Mean fraction of the relevant labels that are among the k highest scores.

    Parameters
    ----------
    Y : array-like or sparse matrix of 0/1, (n, m)
    scores : array-like, (n, m)
    k : int, 1..m

    Returns
    -------
    float
    """
    found, relevant = _found_at_k(Y, scores, k)
    return float(_ratio(found, relevant).mean())


def average_precision(truth, scores, interpolation: str = "area") -> float:
    """Average precision of one class over instances.

    Parameters
    ----------
    truth : array-like of 0/1, (n,)
    scores : array-like, (n,)
    interpolation : {"area", "voc2007"}
        ``"area"``: mean of the precision over the positives, without interpolation.
        ``"voc2007"``: mean of the highest precision at a recall of at least 0, 0.1, ..., 1
        (Pascal VOC 2007).

    Returns
    -------
    float
        NaN without a positive.
    """
    truth, scores = np.asarray(truth), np.asarray(scores, dtype=np.float64)
    if truth.ndim != 1 or scores.shape != truth.shape or not len(truth):
        raise ValueError(f"truth and scores must be vectors, got {truth.shape} and {scores.shape}")
    truth = as_indicator(truth[:, None], name="truth")[:, 0]
    if interpolation not in ("area", "voc2007"):
        raise ValueError(f"interpolation must be 'area' or 'voc2007', got {interpolation!r}")
    positives = int(truth.sum())
    if positives == 0:
        return float("nan")
    order = np.argsort(-scores, kind="stable")
    last_of_ties = np.append(np.diff(scores[order]) != 0, True)
    hits = np.cumsum(truth[order])[last_of_ties]
    precision = hits / (np.flatnonzero(last_of_ties) + 1)
    if interpolation == "area":
        return float(precision @ np.diff(hits, prepend=0) / positives)
    recall = hits / positives
    levels = np.arange(11) / 10
    return float(np.mean([precision[recall >= level - 1e-12].max() for level in levels]))


def mean_average_precision(Y, scores, interpolation: str = "area") -> float:
    """Mean over classes of the average precision; classes without a positive are left out.

    Parameters
    ----------
    Y : array-like or sparse matrix of 0/1, (n, m)
    scores : array-like, (n, m)
    interpolation : {"area", "voc2007"}

    Returns
    -------
    float
        NaN if no class has a positive.
    """
    scores = as_scores(scores)
    Y = as_indicator(Y, scores.shape)
    values = [
        average_precision(truth, score, interpolation)
        for truth, score in zip(Y.T, scores.T, strict=True)
        if truth.any()
    ]
    return float(np.mean(values)) if values else float("nan")


def _pair(Y, P) -> tuple[np.ndarray, np.ndarray]:
    Y = as_indicator(Y)
    return Y, as_indicator(P, Y.shape, "P")


def _ratio(numerator, denominator, empty: float = 0.0) -> np.ndarray:
    numerator, denominator = np.asarray(numerator, float), np.asarray(denominator)
    return np.where(denominator == 0, empty, numerator / np.maximum(denominator, 1))


def _found_at_k(Y, scores, k: int) -> tuple[np.ndarray, np.ndarray]:
    scores = as_scores(scores)
    Y = as_indicator(Y, scores.shape)
    k = _check_k(k, scores.shape[1])
    top = np.argsort(-scores, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(Y, top, 1).sum(1), Y.sum(1)
