"""The arguments of the simplex trainers, checked and converted."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from toplabel._core.arrays import as_features, as_labels
from toplabel._core.problem import (
    LARGEST,
    Data,
    as_C,
    as_theta,
    check_every_class,
    check_kernel,
    gram_matrix,
)
from toplabel.simplex.width import gaussian_width, theta_of_width

__all__ = ["SimplexProblem", "as_C", "check_size"]


class SimplexProblem(Data):
    """Checked rows in float64, and one class index a row."""

    @classmethod
    def from_arguments(cls, X, y, kernel, theta, n_classes) -> SimplexProblem:
        """Check and convert; errors name the argument.

        With ``kernel="rbf"`` and no theta, the width is the 25th percentile of the distances
        (`toplabel.simplex.gaussian_width`).
        """
        rows = as_features(X, "X", np.float64)
        labels = as_labels(y, rows.shape[0], multilabel=False, n_classes=n_classes)
        if n_classes is None:
            check_every_class(labels)
        check_kernel(kernel, theta)
        if kernel == "rbf":
            check_size(rows)
            theta = theta_of_width(gaussian_width(rows)) if theta is None else as_theta(theta, rows)
        features = rows if kernel == "linear" else gram_matrix(rows, kernel, theta)
        return cls(rows, features, labels, kernel, theta)

    @property
    def y(self) -> np.ndarray:
        """Class indices, (n,)."""
        return self.labels.label


def check_size(rows) -> None:
    """Refuse features whose products would overflow."""
    numbers = rows.data if sparse.issparse(rows) else rows
    size = max(-float(numbers.min(initial=0.0)), float(numbers.max(initial=0.0)))
    if size > LARGEST:
        raise ValueError(
            f"X must be at most {LARGEST:g} in size, its products overflow; got {size:g}"
        )
