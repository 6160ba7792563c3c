"""What the trainers of this package do with their arguments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from toplabel import kernels
from toplabel._arrays import Labels, as_features, as_labels, as_number
from toplabel.simplex.width import gaussian_width, theta_of_width

__all__ = ["Problem", "as_C", "check_size"]

_LARGEST = 1e100
_LARGEST_FEATURE = 1e100  # products and sums of them are finite


def as_C(value: object, name: str = "C") -> float:
    """Return a C in [1e-100, 1e100]."""
    C = as_number(value, name, 0.0, strict=True)
    if not 1 / _LARGEST <= C <= _LARGEST:
        raise ValueError(f"{name} must be in [{1 / _LARGEST:g}, {_LARGEST:g}], got {value!r}")
    return C


@dataclass(frozen=True)
class Problem:
    """Checked rows and labels.

    Attributes
    ----------
    rows : ndarray or csr_array of float64, (n, d)
        As given.
    features : ndarray or csr_array of float64
        The rows, or their Gram matrix (n, n).
    labels : Labels
        One class index a row.
    kernel : str or callable
    theta : float or None
    """

    rows: np.ndarray | sparse.csr_array
    features: np.ndarray | sparse.csr_array
    labels: Labels
    kernel: str | Callable
    theta: float | None

    @classmethod
    def from_arguments(cls, X, y, kernel, theta, n_classes) -> Problem:
        """Check and convert; errors name the argument.

        With ``kernel="rbf"`` and no theta, the width is the 25th percentile of the distances
        (`toplabel.simplex.gaussian_width`).
        """
        rows = as_features(X, "X", np.float64)
        labels = as_labels(y, rows.shape[0], multilabel=False, n_classes=n_classes)
        known = isinstance(kernel, str) and kernel in ("linear", "rbf", "precomputed")
        if not callable(kernel) and not known:
            raise ValueError(
                f"kernel must be 'linear', 'rbf', 'precomputed' or a function, got {kernel!r}"
            )
        if kernel == "rbf":
            check_size(rows)
            if theta is None:
                theta = theta_of_width(gaussian_width(rows))
            theta = as_number(theta, "theta", 0.0, strict=True)
        elif theta is not None:
            raise ValueError(f"theta has no meaning for kernel={kernel!r}")
        return cls(rows, _represent(rows, kernel, theta), labels, kernel, theta)

    @property
    def y(self) -> np.ndarray:
        """Class indices, (n,)."""
        return self.labels.label

    @property
    def is_gram(self) -> bool:
        """Whether `features` is a Gram matrix."""
        return self.kernel != "linear"

    @property
    def kernel_rows(self):
        """The rows that predicting needs, or None."""
        return self.rows if self.kernel == "rbf" or callable(self.kernel) else None


def check_size(rows) -> None:
    """Refuse features whose products would overflow."""
    numbers = rows.data if sparse.issparse(rows) else rows
    size = max(-float(numbers.min(initial=0.0)), float(numbers.max(initial=0.0)))
    if size > _LARGEST_FEATURE:
        raise ValueError(
            f"X must be at most {_LARGEST_FEATURE:g} in size, its products overflow; got {size:g}"
        )


def _represent(rows, kernel, theta):
    if kernel == "linear":
        return rows
    if kernel != "precomputed":
        return kernels.gram(rows, kernel, theta)
    if rows.shape[0] != rows.shape[1]:
        raise ValueError(
            f"X must be a square Gram matrix for kernel='precomputed', got {rows.shape}"
        )
    return rows.toarray() if sparse.issparse(rows) else rows
