"""Measures from numbers of right, predicted and true labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike


def ratio(numerator: ArrayLike, denominator: ArrayLike, empty: float) -> np.ndarray:
    """Return the quotient of counts, elementwise; `empty` where the denominator is 0."""
    numerator, denominator = np.asarray(numerator), np.asarray(denominator)
    value = np.full(np.broadcast_shapes(numerator.shape, denominator.shape), empty)
    np.divide(numerator, denominator, out=value, where=denominator != 0)
    return value


def jaccard_of_counts(hits: Any, predicted: Any, true: Any) -> np.ndarray:
    """Return the Jaccard index from the numbers of right, predicted and true labels; 0/0 is 1."""
    return ratio(hits, predicted + true - hits, empty=1.0)


def f1_of_counts(hits: Any, predicted: Any, true: Any, empty: float) -> np.ndarray:
    """F1 from the numbers of right, predicted and true labels; 0/0 is `empty`."""
    return ratio(2 * hits, predicted + true, empty)
