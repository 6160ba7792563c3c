"""Measures of sets of classes where one class is right: how often it is in the set, and how large
sets are.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from toplabel._core.arrays import MatrixLike, as_float, as_matrix, as_number
from toplabel.metrics.inputs import as_class_indices, as_indicator


def average_k_accuracy(y: ArrayLike, scores: ArrayLike, k: float) -> float:
    """Return the share of the instances whose class is in their set, where the sets have k classes
    on average.

    A set has the classes whose score is at least the best one of the instance minus a margin, one
    for all instances, which is chosen so that the mean size is k. Of classes that tie at the margin
    the same share is taken from all, which is the mean over all orders of them: a constant score has
    k/m.

    Parameters
    ----------
    y : array-like of int, (n,)
        Class indices 0..m-1. A class that does not occur changes nothing.
    scores : array-like, (n, m)
        The scores of the classes.
    k : float, 1..m
        The mean size.

    Returns
    -------
    float
        A share, in [0, 1].

    Notes
    -----
    The average-k accuracy of Garcin et al. (arXiv 2303.18118) with the score minus the best one in
    place of a probability. It is a little optimistic, since the margin is chosen on the instances
    that are measured.

    Examples
    --------
    >>> average_k_accuracy([1, 2], [[0.9, 0.8, 0.0], [0.0, 0.1, 0.9]], k=1.5)
    1.0
    """
    scores = as_matrix(scores, "scores")
    y = as_class_indices(y, scores.shape)
    k = as_number(k, "k", 1.0, high=scores.shape[1])
    levels = scores - scores.max(axis=1, keepdims=True)
    return share_in_sets(levels[np.arange(len(y)), y], levels, k)


def share_in_sets(
    own: np.ndarray, levels: np.ndarray, k: float, weight: np.ndarray | None = None
) -> float:
    """Return the average-k accuracy of levels, (n, m), and those of the right classes, (n,),
    ``-inf`` for a class that is none of the columns. A weight w is the same as w copies of the row.
    """
    last = _last_level(levels, k, weight)
    weight = np.ones(len(levels)) if weight is None else weight
    above = weight @ np.count_nonzero(levels > last, axis=1)
    tied = weight @ np.count_nonzero(levels == last, axis=1)
    taken = min(1.0, (k * weight.sum() - above) / tied)
    shares = np.average([own > last, own == last], axis=1, weights=weight)
    return float(shares[0] + taken * shares[1])


def _last_level(levels: np.ndarray, k: float, weight: np.ndarray | None) -> float:
    """Return the largest level that k classes a row, on average, reach."""
    if weight is None:
        nth = min(levels.size, math.ceil(k * len(levels)))
        return np.partition(levels, levels.size - nth, axis=None)[levels.size - nth]
    order = np.argsort(-levels, axis=None)
    reached = np.cumsum(np.repeat(weight, levels.shape[1])[order])
    return levels.ravel()[order[np.searchsorted(reached, min(k * weight.sum(), reached[-1]))]]


def set_coverage(y: ArrayLike, sets: MatrixLike) -> float:
    """Return the share of the instances whose class is in their set.

    Parameters
    ----------
    y : array-like of int, (n,)
        Class indices 0..m-1.
    sets : array-like or sparse matrix, (n, m)
        Indicator of zeros and ones. An empty set covers nothing.

    Returns
    -------
    float
        A share, in [0, 1].
    """
    sets = as_indicator(sets, "sets")
    return float(np.mean(covered_rows(as_class_indices(y, sets.shape, "sets"), sets)))


def mean_set_size(sets: MatrixLike) -> float:
    """Return the mean number of classes in a set.

    Parameters
    ----------
    sets : array-like or sparse matrix, (n, m)
        Indicator of zeros and ones. Empty sets count.

    Returns
    -------
    float
        In 0..m.
    """
    sets = as_indicator(sets, "sets")
    return float(np.count_nonzero(sets) / len(sets))


def size_stratified_coverage(
    y: ArrayLike, sets: MatrixLike, largest_sizes: ArrayLike | None = None
) -> float:
    """Return the smallest of the coverages of the instances whose sets are of similar size.

    It is below the coverage where small sets cover less often than large ones.

    Parameters
    ----------
    y : array-like of int, (n,)
        Class indices 0..m-1.
    sets : array-like or sparse matrix, (n, m)
        Indicator of zeros and ones.
    largest_sizes : array-like of int, ascending, optional
        The largest size in each stratum but the last, which has all larger ones: ``[1, 3]`` are the
        sizes 0 to 1, 2 to 3, and 4 or more. By default each size is a stratum. Strata without
        instances are left out.

    Returns
    -------
    float
        A share, in [0, 1]. That of a few instances varies much: choose strata that hold many.

    Notes
    -----
    Angelopoulos et al., Uncertainty Sets for Image Classifiers using Conformal Prediction (ICLR 2021).
    """
    sets = as_indicator(sets, "sets")
    covered = covered_rows(as_class_indices(y, sets.shape, "sets"), sets)
    strata = np.count_nonzero(sets, axis=1)
    if largest_sizes is not None:
        edges = as_float(largest_sizes, "largest_sizes")
        if edges.ndim != 1 or not (np.diff(edges) > 0).all():
            raise ValueError(f"largest_sizes must be ascending numbers, got {largest_sizes!r}")
        strata = np.searchsorted(edges, strata)
    return smallest_mean(covered, strata)


def covered_rows(columns: np.ndarray, sets: np.ndarray) -> np.ndarray:
    """Return for each row whether its class is in its set; the column -1 is in none."""
    return sets[np.arange(len(sets)), columns] & (columns >= 0)


def smallest_mean(
    covered: np.ndarray, strata: np.ndarray, weight: np.ndarray | None = None
) -> float:
    """Return the smallest share of covered rows in any stratum, by weight."""
    weight = np.ones(len(covered)) if weight is None else weight
    present = np.unique(strata[weight > 0])
    return float(min(np.average(covered, weights=weight * (strata == s)) for s in present))
