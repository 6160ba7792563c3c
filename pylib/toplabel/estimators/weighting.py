"""From `class_weight` to weights of the rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.class_weight import compute_class_weight

from toplabel._core.arrays import MatrixLike

__all__ = ["weights_of_classes", "weights_of_sets"]


def weights_of_classes(
    class_weight: dict[Any, float] | str | None,
    weights: np.ndarray | None,
    classes: np.ndarray,
    codes: np.ndarray,
) -> np.ndarray | None:
    """Multiply the weights of rows, if there are any, by the weight of the class of each."""
    if class_weight is None:
        return weights
    totals = np.bincount(codes, weights, minlength=len(classes))
    factors = _factors(class_weight, classes, totals)
    return factors[codes] if weights is None else factors[codes] * weights


def weights_of_sets(
    class_weight: dict[Any, float] | str | None,
    weights: np.ndarray | None,
    classes: np.ndarray,
    Y: MatrixLike,
) -> np.ndarray | None:
    """Multiply the weights of rows with label sets by the mean of their labels' weights, 1 for an
    empty set.
    """
    if class_weight is None:
        return weights
    Y = sparse.csr_array(Y, dtype=float)
    ones = np.ones(Y.shape[0]) if weights is None else weights
    factors = _factors(class_weight, classes, ones @ Y)
    sizes = Y.sum(axis=1)
    means = np.where(sizes > 0, (Y @ factors) / np.maximum(sizes, 1.0), 1.0)
    return means * ones


def _factors(class_weight, classes: np.ndarray, totals: np.ndarray) -> np.ndarray:
    if isinstance(class_weight, str) and class_weight == "balanced":
        # A class without weight keeps none: any factor will do.
        return totals.sum() / (len(classes) * np.where(totals > 0, totals, 1.0))
    factors = compute_class_weight(class_weight, classes=classes, y=classes)
    for factor, name in zip(factors, classes.tolist(), strict=True):
        if not (np.isfinite(factor) and factor >= 0):
            raise ValueError(
                f"class_weight of class {name!r} must be finite and >= 0, got {float(factor)}"
            )
    if not factors.any():
        raise ValueError("class_weight is zero for every class")
    return factors
