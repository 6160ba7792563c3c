"""Measures of predicted label sets."""

from __future__ import annotations

from typing import Any

import numpy as np

from toplabel._core.arrays import MatrixLike
from toplabel.metrics.counts import f1_of_counts, jaccard_of_counts
from toplabel.metrics.inputs import as_indicator, check_choice

AVERAGES = ("micro", "macro", "instance")


def hamming_loss(Y: MatrixLike, P: MatrixLike) -> float:
    """Return the share of the n m decisions that are wrong.

    Parameters
    ----------
    Y, P : array-like or sparse matrix, (n, m)
        True and predicted labels, indicators of zeros and ones.

    Returns
    -------
    float
        A share, in [0, 1]; 0 is best.

    Notes
    -----
    HLoss of TPAMI section 3.1.
    """
    Y, P = _two_indicators(Y, P)
    return float(np.mean(Y != P))


def multilabel_accuracy(Y: MatrixLike, P: MatrixLike) -> float:
    """Return the Jaccard index ``|P_i and Y_i| / |P_i or Y_i|``, averaged over the instances.

    An instance with empty truth and empty prediction scores 1.

    Parameters
    ----------
    Y, P : array-like or sparse matrix, (n, m)
        True and predicted labels, indicators of zeros and ones.

    Returns
    -------
    float
        A share, in [0, 1].

    Notes
    -----
    Acc of TPAMI section 3.1.
    """
    return float(np.mean(jaccard_of_counts(*_counts(*_two_indicators(Y, P), axis=1))))


def subset_accuracy(Y: MatrixLike, P: MatrixLike) -> float:
    """Return the share of the instances whose label set is predicted without any error.

    Parameters
    ----------
    Y, P : array-like or sparse matrix, (n, m)
        True and predicted labels, indicators of zeros and ones.

    Returns
    -------
    float
        A share, in [0, 1].

    Notes
    -----
    SAcc of TPAMI section 3.1.
    """
    Y, P = _two_indicators(Y, P)
    return float(np.mean((Y == P).all(axis=1)))


def f1(Y: MatrixLike, P: MatrixLike, average: str = "micro") -> float:
    """Return the harmonic mean of precision and recall, 2 TP / (2 TP + FP + FN).

    Parameters
    ----------
    Y, P : array-like or sparse matrix, (n, m)
        True and predicted labels, indicators of zeros and ones.
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


def _counts(Y: np.ndarray, P: np.ndarray, axis: int | None) -> tuple[Any, Any, Any]:
    hits, predicted, true = (np.count_nonzero(a, axis=axis) for a in (Y & P, P, Y))
    return hits, predicted, true


def _two_indicators(Y, P) -> tuple[np.ndarray, np.ndarray]:
    Y = as_indicator(Y, "Y")
    return Y, as_indicator(P, "P", Y.shape, "Y")
