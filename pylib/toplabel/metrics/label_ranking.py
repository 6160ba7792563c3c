"""Measures of the order of one instance's labels, beyond those that the papers print."""

from __future__ import annotations

import numpy as np

from toplabel._core.arrays import as_integer
from toplabel.metrics.counts import ratio
from toplabel.metrics.inputs import labels_and_scores
from toplabel.metrics.ranking import precision_at_k


def coverage(Y, scores) -> float:
    """Return how far down the list one must go to find all labels of an instance, on average.

    The place of a label is the number of labels that score at least as high, itself included: of
    labels that tie, a relevant one comes last. An instance without labels contributes 0.

    Parameters
    ----------
    Y : array-like or sparse matrix, (n, m)
        Indicator of zeros and ones.
    scores : array-like, (n, m)

    Returns
    -------
    float
        In [0, m]; the mean number of labels is the best that can be had.

    Notes
    -----
    scikit-learn's ``coverage_error``; Schapire and Singer (2000) subtract 1.
    """
    Y, scores = labels_and_scores(Y, scores)
    lowest = np.where(Y, scores, np.inf).min(axis=1, keepdims=True)
    return float(np.mean(np.count_nonzero(scores >= lowest, axis=1)))


def one_error(Y, scores) -> float:
    """Return the share of the instances whose best label is not relevant: one minus P@1, with the
    same ties.

    Parameters
    ----------
    Y : array-like or sparse matrix, (n, m)
    scores : array-like, (n, m)

    Returns
    -------
    float
        An instance without labels is an error.

    Notes
    -----
    Schapire and Singer (2000).
    """
    return 1.0 - precision_at_k(Y, scores, 1)


def label_ranking_average_precision(Y, scores) -> float:
    """Return the mean over the labels of an instance of the precision at the label's place,
    averaged over the instances.

    Places as in `coverage`. An instance without labels, or with all of them, contributes 1: no
    order is wrong.

    Parameters
    ----------
    Y : array-like or sparse matrix, (n, m)
    scores : array-like, (n, m)

    Returns
    -------
    float

    Notes
    -----
    scikit-learn's function of this name; "average precision" of Schapire and Singer (2000).
    """
    Y, scores = labels_and_scores(Y, scores)
    order = np.argsort(-scores, axis=1, kind="stable")
    ordered, relevant = np.take_along_axis(scores, order, 1), np.take_along_axis(Y, order, 1)
    last = _end_of_tie(ordered)
    hits = np.take_along_axis(np.cumsum(relevant, axis=1), last, 1)
    precision = np.where(relevant, hits / (last + 1.0), 0.0).sum(axis=1)
    count = np.count_nonzero(Y, axis=1)
    means = ratio(precision, count, empty=1.0)
    return float(np.mean(means))


def ndcg_at_k(Y, scores, k: int) -> float:
    """Return the normalised discounted cumulative gain of the k best labels, averaged over the
    instances.

    The gain of a relevant label is 1, the discount of place r is 1/log2(1 + r). Labels that tie
    share their gains equally. An instance without labels contributes 0.

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
    Järvelin and Kekäläinen (2002); scikit-learn's ``ndcg_score``.
    """
    Y, scores = labels_and_scores(Y, scores)
    m = scores.shape[1]
    k = as_integer(k, "k", 1, m)
    discount = np.where(np.arange(m) < k, 1.0 / np.log2(np.arange(m) + 2.0), 0.0)
    gains = np.cumsum(discount)
    order = np.argsort(-scores, axis=1, kind="stable")
    ordered, relevant = np.take_along_axis(scores, order, 1), np.take_along_axis(Y, order, 1)
    last = _end_of_tie(ordered)
    first = (m - 1) - _end_of_tie(ordered[:, ::-1])[:, ::-1]
    of_tie = gains[last] - gains[first] + discount[first]
    found = np.where(relevant, of_tie / (last - first + 1), 0.0).sum(axis=1)
    count = np.count_nonzero(Y, axis=1)
    best = np.append(0.0, gains)[count]
    return float(np.mean(ratio(found, best, empty=0.0)))


def _end_of_tie(ordered: np.ndarray) -> np.ndarray:
    """For each place of sorted rows, the last place with the same value."""
    n, m = ordered.shape
    ends = np.ones((n, m), dtype=bool)
    ends[:, :-1] = ordered[:, 1:] != ordered[:, :-1]
    places = np.where(ends, np.arange(m), m)
    return np.minimum.accumulate(places[:, ::-1], axis=1)[:, ::-1]
