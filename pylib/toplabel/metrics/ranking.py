"""Measures of the order of the scores."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from toplabel._core.arrays import (
    MatrixLike,
    as_integer,
    as_matrix,
    as_rows,
    check_container,
    plain,
)
from toplabel.metrics.counts import ratio
from toplabel.metrics.inputs import as_class_indices, as_indicator, check_choice, labels_and_scores

INTERPOLATIONS = ("voc2007", "area", "none")
TIES = ("won", "shared")


def top_k_accuracy(y: ArrayLike, scores: ArrayLike, k: int = 1, ties: str = "won") -> float:
    """Return the share of the instances whose label is among the k best classes.

    A label counts as found when fewer than k classes score strictly higher: ties are in its favour.
    A constant score therefore finds every label; to select among models, share ties.

    Parameters
    ----------
    y : array-like of int, (n,)
        Class indices 0..m-1.
    scores : array-like, (n, m)
        The scores of the classes.
    k : int, 1..m
        How many classes are looked at.
    ties : {"won", "shared"}
        shared: the mean over all orders of the classes that tie, k/m for a constant score.

    Returns
    -------
    float
        A share, in [0, 1].

    Notes
    -----
    One minus the mean of TPAMI Eq. (1).

    Examples
    --------
    >>> top_k_accuracy([0, 2], [[0.1, 0.9, 0.0], [0.2, 0.3, 0.5]], k=1)
    0.5
    """
    scores = as_matrix(scores, "scores")
    y = as_class_indices(y, scores.shape)
    k = as_integer(k, "k", 1, scores.shape[1])
    check_choice(ties, "ties", TIES)
    own = np.take_along_axis(scores, y[:, None], axis=1)
    places = k - np.count_nonzero(scores > own, axis=1)
    if ties == "won":
        return float(np.mean(places > 0))
    return float(np.mean(np.clip(places / np.count_nonzero(scores == own, axis=1), 0.0, 1.0)))


def balanced_accuracy(y: ArrayLike, scores: ArrayLike, ties: str = "won") -> float:
    """Return the mean over the classes of the share of their instances that are classified
    correctly.

    Parameters
    ----------
    y : array-like of int, (n,)
        Class indices 0..m-1. A class that does not occur is left out of the mean.
    scores : array-like, (n, m)
        The scores of the classes.
    ties : {"won", "shared"}
        As in `top_k_accuracy`.

    Returns
    -------
    float
        A share, in [0, 1].

    Notes
    -----
    scikit-learn's ``balanced_accuracy_score``, and the default measure of GURLS
    (``perf_macroavg``), the authors' library of NIPS 2012.
    """
    scores = as_matrix(scores, "scores")
    y = as_class_indices(y, scores.shape)
    of_class = (y == label for label in np.unique(y))
    return float(np.mean([top_k_accuracy(y[own], scores[own], 1, ties) for own in of_class]))


def rank_loss(Y: MatrixLike, scores: ArrayLike) -> float:
    """Return the share of the pairs (relevant label, other label) that are not in the right order.

    A pair is right only when the relevant label scores strictly higher: ties are errors. An
    instance whose label set is empty or full has no pairs; it contributes 0 and counts among the n.

    Parameters
    ----------
    Y : array-like or sparse matrix, (n, m)
        Indicator of zeros and ones.
    scores : array-like, (n, m)
        The scores of the labels.

    Returns
    -------
    float
        A share, in [0, 1]; 0 is best.

    Notes
    -----
    RLoss of TPAMI section 3.1. The other labels of a row are sorted and each relevant one finds its
    place by bisection: O(n m log m) time and O(n m) memory.
    """
    Y, scores = labels_and_scores(Y, scores)
    m = scores.shape[1]
    others = np.where(Y, -np.inf, scores)
    others.sort(axis=1)
    rows, columns = np.nonzero(Y)
    reversed_pairs = m - _first_not_below(others, rows, scores[rows, columns])
    relevant = np.count_nonzero(Y, axis=1)
    errors = np.bincount(rows, weights=reversed_pairs, minlength=len(Y))
    return float(np.mean(ratio(errors, relevant * (m - relevant), empty=0.0)))


def precision_at_k(Y: MatrixLike, scores: ArrayLike, k: int, ties: str = "won") -> float:
    """Return the share of relevant labels among the k best ones, averaged over the instances.

    Of labels that tie for the last places, relevant ones come first, unless ties are shared, as in
    `top_k_accuracy`.

    Parameters
    ----------
    Y : array-like or sparse matrix, (n, m)
        The true labels, an indicator of zeros and ones.
    scores : array-like, (n, m)
        The scores of the labels.
    k : int, 1..m
        How many labels are looked at.
    ties : {"won", "shared"}
        As in `top_k_accuracy`.

    Returns
    -------
    float
        A share, in [0, 1].

    Notes
    -----
    P@k of TPAMI section 3.1.
    """
    Y, scores = labels_and_scores(Y, scores)
    k = as_integer(k, "k", 1, scores.shape[1])
    return float(np.mean(_found_at_k(Y, scores, k, ties)) / k)


def recall_at_k(Y: MatrixLike, scores: ArrayLike, k: int, ties: str = "won") -> float:
    """Return the share of the relevant labels that are among the k best ones, averaged over the
    instances.

    Ties as in `precision_at_k`; with one label per instance it is the top-k accuracy. An instance
    without labels contributes 0.

    Parameters
    ----------
    Y : array-like or sparse matrix, (n, m)
        The true labels, an indicator of zeros and ones.
    scores : array-like, (n, m)
        The scores of the labels.
    k : int, 1..m
        How many labels are looked at.
    ties : {"won", "shared"}
        As in `top_k_accuracy`.

    Returns
    -------
    float
        A share, in [0, 1].

    Notes
    -----
    R@k of TPAMI section 3.1.
    """
    Y, scores = labels_and_scores(Y, scores)
    k = as_integer(k, "k", 1, scores.shape[1])
    relevant = np.count_nonzero(Y, axis=1)
    return float(np.mean(ratio(_found_at_k(Y, scores, k, ties), relevant, empty=0.0)))


def average_precision(y: ArrayLike, scores: ArrayLike, interpolation: str = "voc2007") -> float:
    """Return the area under the curve of precision over recall of one class.

    The curve has a point at each distinct score, so instances that tie are retrieved together.

    Parameters
    ----------
    y : array-like, (n,)
        Zeros and ones; at least one is 1.
    scores : array-like, (n,)
        The scores of the instances.
    interpolation : {"voc2007", "area", "none"}
        voc2007: the mean over the recalls 0, 0.1, ..., 1 of the best precision at that recall or a
        higher one (Pascal VOC until 2009). area: the area under that best precision (Pascal VOC
        from 2010 on). none: the precision itself, weighted by the steps in recall (scikit-learn).

    Returns
    -------
    float
        A share, in [0, 1].
    """
    rows, single = as_rows(scores, "scores")
    check_container(y, "y")
    truth = plain(y)
    if not single or truth.ndim != 1:
        raise ValueError("y and scores must be vectors; see mean_average_precision for several")
    truth = as_indicator(truth[None], "y", rows.shape)
    check_choice(interpolation, "interpolation", INTERPOLATIONS)
    if not truth.any():
        raise ValueError("y holds no 1: average precision is not defined")
    return _average_precision(truth[0], rows[0], interpolation)


def mean_average_precision(
    Y: MatrixLike, scores: ArrayLike, interpolation: str = "voc2007"
) -> float:
    """Return the average precision of each class against all others, averaged over the classes.

    Classes without an example are left out; one class at least has an example.

    Parameters
    ----------
    Y : array-like or sparse matrix, (n, m)
        The true labels, an indicator of zeros and ones.
    scores : array-like, (n, m)
        The scores of the labels.
    interpolation : {"voc2007", "area", "none"}
        As in `average_precision`.

    Returns
    -------
    float
        A share, in [0, 1].

    Notes
    -----
    mAP of TPAMI section 3.1.
    """
    Y, scores = labels_and_scores(Y, scores)
    check_choice(interpolation, "interpolation", INTERPOLATIONS)
    present = np.flatnonzero(Y.any(axis=0))
    if not len(present):
        raise ValueError("Y holds no 1: average precision is not defined")
    return float(
        np.mean([_average_precision(Y[:, j], scores[:, j], interpolation) for j in present])
    )


def _first_not_below(ordered: np.ndarray, rows: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Bisect many values at once: the first position in row rows[i] that is >= values[i]."""
    low = np.zeros(len(rows), dtype=np.intp)
    high = np.full(len(rows), ordered.shape[1], dtype=np.intp)
    for _ in range(ordered.shape[1].bit_length()):
        middle = (low + high) // 2
        # Where the search is over (low == high) the position may be m, which is no item.
        below = (low < high) & (ordered[rows, np.minimum(middle, ordered.shape[1] - 1)] < values)
        low = np.where(below, middle + 1, low)
        high = np.where(below, high, middle)
    return low


def _found_at_k(Y: np.ndarray, scores: np.ndarray, k: int, ties: str) -> np.ndarray:
    """Return the number of relevant labels among the k best, (n,)."""
    check_choice(ties, "ties", TIES)
    m = scores.shape[1]
    last = np.partition(scores, m - k, axis=1)[:, m - k, None]
    above = scores > last
    places = k - np.count_nonzero(above, axis=1)
    level = scores == last
    tied = np.count_nonzero(Y & level, axis=1)
    shared = tied * places / np.count_nonzero(level, axis=1)
    won = np.minimum(tied, places) if ties == "won" else shared
    return np.count_nonzero(Y & above, axis=1) + won


def _average_precision(truth: np.ndarray, scores: np.ndarray, interpolation: str) -> float:
    order = np.argsort(-scores)
    ordered = scores[order]
    ends = np.append(np.flatnonzero(ordered[1:] != ordered[:-1]), len(ordered) - 1)
    hits = np.cumsum(truth[order])[ends]
    precision = hits / (ends + 1)
    best_from_here = np.maximum.accumulate(precision[::-1])[::-1]
    if interpolation == "voc2007":
        # Whole numbers, since recall 3/10 must reach the grid point 0.3.
        first = np.searchsorted(10 * hits, np.arange(11) * hits[-1])
        return float(np.mean(best_from_here[first]))
    height = precision if interpolation == "none" else best_from_here
    return float(np.sum(np.diff(hits, prepend=0) * height) / hits[-1])


def best_scores(scores: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the indices of the k best classes of each row, (n, k), the best first, and their scores.

    Of classes that score the same, the one that comes first in the columns comes first.
    """
    n, m = scores.shape
    k = as_integer(k, "k", 1, m)
    last = np.partition(scores, m - k, axis=1)[:, m - k, None]  # the k-th largest
    chosen = scores > last
    missing = k - np.count_nonzero(chosen, axis=1)[:, None]
    tied = scores == last
    chosen |= tied & (np.cumsum(tied, axis=1) <= missing)
    best = np.nonzero(chosen)[1].reshape(n, k)
    own = np.take_along_axis(scores, best, axis=1)
    order = np.argsort(-own, axis=1, kind="stable")  # keeps the order of ties
    return np.take_along_axis(best, order, axis=1), np.take_along_axis(own, order, axis=1)
