"""Performance measures of multiclass and multilabel classifiers (TPAMI section 3.1).

All are means over instances, fractions in [0, 1], float64. Scores are finite numbers; an order of the
scores is never broken by the position of a class. What happens on ties and on empty label sets is
said at each function, and for all of them in docs/metrics.md.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from toplabel._arrays import as_integer, as_matrix, as_rows

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

AVERAGES = ("micro", "macro", "instance")
INTERPOLATIONS = ("voc2007", "area", "none")


# Of the order of the scores ----------------------------------------------------------------------


def top_k_accuracy(y, scores, k: int = 1) -> float:
    """Share of the instances whose label is among the k best classes.

    A label counts as found when fewer than k classes score strictly higher: ties are in its favour.

    Parameters
    ----------
    y : array-like of int, (n,)
        Class indices 0..m-1.
    scores : array-like, (n, m)
    k : int, 1..m

    Returns
    -------
    float

    Raises
    ------
    ValueError
        On other shapes, a class index outside 0..m-1, k outside 1..m, NaN or infinity.

    Notes
    -----
    One minus the mean of TPAMI Eq. (1).

    Examples
    --------
    >>> top_k_accuracy([0, 2], [[0.1, 0.9, 0.0], [0.2, 0.3, 0.5]], k=1)
    0.5
    """
    scores = as_matrix(scores, "scores")
    y = _class_indices(y, scores.shape)
    k = as_integer(k, "k", 1, scores.shape[1])
    own = np.take_along_axis(scores, y[:, None], axis=1)
    return float(np.mean(np.count_nonzero(scores > own, axis=1) < k))


def rank_loss(Y, scores) -> float:
    """Share of the pairs (relevant label, other label) that are not in the right order.

    A pair is right only when the relevant label scores strictly higher: ties are errors. An instance
    whose label set is empty or full has no pairs; it contributes 0 and counts among the n.

    Parameters
    ----------
    Y : array-like or sparse matrix, (n, m)
        Indicator of zeros and ones.
    scores : array-like, (n, m)

    Returns
    -------
    float

    Raises
    ------
    ValueError
        On other shapes, other values in Y, NaN or infinity.

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


def precision_at_k(Y, scores, k: int) -> float:
    """Share of relevant labels among the k best ones, averaged over the instances.

    Of labels that tie for the last places, relevant ones come first, as in `top_k_accuracy`.

    Parameters
    ----------
    Y : array-like or sparse matrix, (n, m)
    scores : array-like, (n, m)
    k : int, 1..m

    Returns
    -------
    float

    Notes
    -----
    P@k of TPAMI section 3.1.
    """
    Y, scores = labels_and_scores(Y, scores)
    k = as_integer(k, "k", 1, scores.shape[1])
    return float(np.mean(_found_at_k(Y, scores, k)) / k)


def recall_at_k(Y, scores, k: int) -> float:
    """Share of the relevant labels that are among the k best ones, averaged over the instances.

    Ties as in `precision_at_k`; with one label an instance it is the top-k accuracy. An instance
    without labels contributes 0.

    Parameters
    ----------
    Y : array-like or sparse matrix, (n, m)
    scores : array-like, (n, m)
    k : int, 1..m

    Returns
    -------
    float

    Notes
    -----
    R@k of TPAMI section 3.1.
    """
    Y, scores = labels_and_scores(Y, scores)
    k = as_integer(k, "k", 1, scores.shape[1])
    relevant = np.count_nonzero(Y, axis=1)
    return float(np.mean(ratio(_found_at_k(Y, scores, k), relevant, empty=0.0)))


def average_precision(y, scores, interpolation: str = "voc2007") -> float:
    """Area under the curve of precision over recall of one class.

    The curve has a point at each distinct score, so instances that tie are retrieved together.

    Parameters
    ----------
    y : array-like, (n,)
        Zeros and ones; at least one is 1.
    scores : array-like, (n,)
    interpolation : {"voc2007", "area", "none"}
        voc2007: the mean over the recalls 0, 0.1, ..., 1 of the best precision at that recall or a
        higher one (Pascal VOC until 2009). area: the area under that best precision (Pascal VOC from
        2010 on). none: the precision itself, weighted by the steps in recall (scikit-learn).

    Returns
    -------
    float

    Raises
    ------
    ValueError
        When y holds no 1, for which nothing is defined; on other shapes or values.
    """
    rows, single = as_rows(scores, "scores")
    truth = np.asarray(y)
    if not single or truth.ndim != 1:
        raise ValueError("y and scores must be vectors; see mean_average_precision for several")
    truth = _indicator(truth[None], "y", rows.shape)
    check_choice(interpolation, "interpolation", INTERPOLATIONS)
    if not truth.any():
        raise ValueError("y holds no 1: average precision is not defined")
    return _average_precision(truth[0], rows[0], interpolation)


def mean_average_precision(Y, scores, interpolation: str = "voc2007") -> float:
    """Average precision of each class against all others, averaged over the classes.

    Classes without an example are left out.

    Parameters
    ----------
    Y : array-like or sparse matrix, (n, m)
    scores : array-like, (n, m)
    interpolation : {"voc2007", "area", "none"}
        As in `average_precision`.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        When no class has an example; on other shapes or values.

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


# Of predicted label sets -------------------------------------------------------------------------


def hamming_loss(Y, P) -> float:
    """Share of the n m decisions that are wrong.

    Parameters
    ----------
    Y, P : array-like or sparse matrix, (n, m)
        True and predicted labels, indicators of zeros and ones.

    Returns
    -------
    float

    Notes
    -----
    HLoss of TPAMI section 3.1.
    """
    Y, P = _two_indicators(Y, P)
    return float(np.mean(Y != P))


def multilabel_accuracy(Y, P) -> float:
    """Jaccard index |P_i and Y_i| / |P_i or Y_i|, averaged over the instances.

    An instance with empty truth and empty prediction scores 1.

    Parameters
    ----------
    Y, P : array-like or sparse matrix, (n, m)

    Returns
    -------
    float

    Notes
    -----
    Acc of TPAMI section 3.1.
    """
    return float(np.mean(jaccard_of_counts(*_counts(*_two_indicators(Y, P), axis=1))))


def subset_accuracy(Y, P) -> float:
    """Share of the instances whose label set is predicted without any error.

    Parameters
    ----------
    Y, P : array-like or sparse matrix, (n, m)

    Returns
    -------
    float

    Notes
    -----
    SAcc of TPAMI section 3.1.
    """
    Y, P = _two_indicators(Y, P)
    return float(np.mean((Y == P).all(axis=1)))


def f1(Y, P, average: str = "micro") -> float:
    """Harmonic mean of precision and recall, 2 TP / (2 TP + FP + FN).

    Parameters
    ----------
    Y, P : array-like or sparse matrix, (n, m)
    average : {"micro", "macro", "instance"}
        micro: of the counts over all instances and labels; macro: of the counts of each label,
        averaged over the labels; instance: of the counts of each instance, averaged over them.

    Returns
    -------
    float
        0/0 is 0; but an instance with empty truth and empty prediction scores 1.

    Notes
    -----
    TPAMI section 3.1.
    """
    Y, P = _two_indicators(Y, P)
    check_choice(average, "average", AVERAGES)
    if average == "micro":
        return float(f1_of_counts(*_counts(Y, P, axis=None), empty=0.0))
    if average == "macro":
        return float(np.mean(f1_of_counts(*_counts(Y, P, axis=0), empty=0.0)))
    return float(np.mean(f1_of_counts(*_counts(Y, P, axis=1), empty=1.0)))


# Of counts ---------------------------------------------------------------------------------------


def ratio(numerator, denominator, empty: float) -> np.ndarray:
    """Quotient of counts, elementwise; `empty` where the denominator is 0."""
    numerator, denominator = np.asarray(numerator), np.asarray(denominator)
    value = np.full(np.broadcast_shapes(numerator.shape, denominator.shape), empty)
    np.divide(numerator, denominator, out=value, where=denominator != 0)
    return value


def jaccard_of_counts(hits, predicted, true) -> np.ndarray:
    """Jaccard index from the numbers of right, predicted and true labels; 0/0 is 1."""
    return ratio(hits, predicted + true - hits, empty=1.0)


def f1_of_counts(hits, predicted, true, empty: float) -> np.ndarray:
    """F1 from the numbers of right, predicted and true labels; 0/0 is `empty`."""
    return ratio(2 * hits, predicted + true, empty)


def _counts(Y: np.ndarray, P: np.ndarray, axis: int | None):
    return tuple(np.count_nonzero(a, axis=axis) for a in (Y & P, P, Y))


# Parts -------------------------------------------------------------------------------------------


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


def _found_at_k(Y: np.ndarray, scores: np.ndarray, k: int) -> np.ndarray:
    """Number of relevant labels among the k best, (n,); relevant ones win ties."""
    m = scores.shape[1]
    last = np.partition(scores, m - k, axis=1)[:, m - k, None]
    above = scores > last
    places = k - np.count_nonzero(above, axis=1)
    tied = np.count_nonzero(Y & (scores == last), axis=1)
    return np.count_nonzero(Y & above, axis=1) + np.minimum(tied, places)


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


# Input -------------------------------------------------------------------------------------------


def labels_and_scores(Y, scores) -> tuple[np.ndarray, np.ndarray]:
    """Check an indicator and scores of one shape; return them as bool and float64."""
    scores = as_matrix(scores, "scores")
    return _indicator(Y, "Y", scores.shape, "scores"), scores


def _two_indicators(Y, P) -> tuple[np.ndarray, np.ndarray]:
    Y = _indicator(Y, "Y")
    return Y, _indicator(P, "P", Y.shape, "Y")


def _indicator(
    value, name: str, shape: tuple[int, ...] | None = None, like: str = "scores"
) -> np.ndarray:
    """Return an indicator as a bool array, (n, m)."""
    array = value.toarray() if sparse.issparse(value) else np.asarray(value)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{name} must hold zeros and ones, got items of type {array.dtype}")
    if array.ndim != 2:
        raise ValueError(f"{name} must have two dimensions, got {array.ndim}")
    if shape is not None and array.shape != shape:
        raise ValueError(f"{name} must have the shape {shape} like {like}, got {array.shape}")
    if 0 in array.shape:
        raise ValueError(f"{name} is empty: its shape is {array.shape}")
    if array.dtype.kind == "b":
        return array
    chosen = array != 0
    wrong = chosen & (array != 1)
    if wrong.any():
        place = tuple(int(i) for i in np.argwhere(wrong)[0])
        raise ValueError(
            f"{name}[{', '.join(map(str, place))}] is {array[place]}: it must be 0 or 1"
        )
    return chosen


def _class_indices(y, shape: tuple[int, int]) -> np.ndarray:
    n, m = shape
    array = np.asarray(y)
    if array.shape != (n,):
        raise ValueError(f"y must have the shape ({n},) like the rows of scores, got {array.shape}")
    if array.dtype.kind not in "iuf" or not np.all(array == np.floor(array)):
        raise TypeError(f"y must hold class indices 0..{m - 1}, got items of type {array.dtype}")
    wrong = (array < 0) | (array >= m)
    if wrong.any():
        i = int(np.argmax(wrong))
        raise ValueError(f"y[{i}] is {array[i]}: class indices are 0..{m - 1} for these scores")
    return array.astype(np.intp)


def check_choice(value: object, name: str, choices: tuple[str, ...]) -> None:
    """Raise ``ValueError`` naming the argument unless the value is one of the choices."""
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(choices)}, got {value!r}")
