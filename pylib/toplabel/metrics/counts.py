"""Measures from numbers of right, predicted and true labels."""

from __future__ import annotations

import numpy as np


def ratio(numerator, denominator, empty: float) -> np.ndarray:
    """Return the quotient of counts, elementwise; `empty` where the denominator is 0."""
    numerator, denominator = np.asarray(numerator), np.asarray(denominator)
    value = np.full(np.broadcast_shapes(numerator.shape, denominator.shape), empty)
    np.divide(numerator, denominator, out=value, where=denominator != 0)
    return value


def jaccard_of_counts(hits, predicted, true) -> np.ndarray:
    """Return the Jaccard index from the numbers of right, predicted and true labels; 0/0 is 1."""
    return ratio(hits, predicted + true - hits, empty=1.0)


def f1_of_counts(hits, predicted, true, empty: float) -> np.ndarray:
    """F1 from the numbers of right, predicted and true labels; 0/0 is `empty`."""
    return ratio(2 * hits, predicted + true, empty)
