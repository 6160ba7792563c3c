"""The arguments of the simplex trainers, checked and converted; the width of the Gaussian kernel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.spatial.distance import pdist

from toplabel._core.arrays import (
    Features,
    MatrixLike,
    as_features,
    as_labels,
    as_matrix,
    as_weights,
)
from toplabel._core.problem import (
    Data,
    as_C,
    as_theta,
    check_every_class,
    check_kernel,
    check_size,
    gram_matrix,
    rows_that_count,
    rows_to_keep,
)
from toplabel.simplex import coding

__all__ = ["SimplexProblem", "WeightedProblem", "as_C", "gaussian_width"]


class SimplexProblem(Data):
    """Checked rows in float64, and one class index a row."""

    @classmethod
    def from_arguments(
        cls,
        X: MatrixLike,
        y: MatrixLike,
        kernel: str | Callable[..., Any],
        theta: float | str | None,
        n_classes: int | None,
        sample_weight: ArrayLike | None = None,
    ) -> SimplexProblem:
        """Check and convert; errors name the argument.

        With ``kernel="rbf"`` and no theta, the width is the 25th percentile of the distances
        (`toplabel.simplex.gaussian_width`) between the rows that have weight.
        """
        rows = as_features(X, "X", np.float64)
        labels = as_labels(y, rows.shape[0], multilabel=False, n_classes=n_classes)
        if n_classes is None:
            check_every_class(labels)
        check_kernel(kernel, theta)
        weight = as_weights(sample_weight, labels.n)
        number = theta_or_width(rows, theta, weight) if kernel == "rbf" else None
        features = rows if kernel == "linear" else gram_matrix(rows, kernel, number)
        kept = rows_to_keep(rows, kernel)
        return cls(rows, features, labels, kernel, number, kept_rows=kept)

    @property
    def y(self) -> np.ndarray:
        """Class indices, (n,)."""
        return self.labels.label


@dataclass(frozen=True)
class WeightedProblem:
    """A problem whose rows and code vectors are multiplied by the roots of the weights.

    `X` is the Gram matrix if the problem has a kernel; `root` is None without weights, and `n` their
    sum.
    """

    problem: SimplexProblem
    codes: np.ndarray
    root: np.ndarray | None
    X: Features
    Y: np.ndarray
    n: float

    @classmethod
    def of(cls, problem: SimplexProblem, sample_weight: ArrayLike | None) -> WeightedProblem:
        """Multiply; errors name the arguments."""
        check_size(problem.features)
        n, X = problem.labels.n, problem.features
        codes = coding.encode(problem.y, problem.labels.m)
        weight = as_weights(sample_weight, n)
        if weight is None:
            return cls(problem, codes, None, X, codes, n)
        root = np.sqrt(weight)
        if sparse.issparse(X):
            X = sparse.csr_array(X.multiply(root[:, None]))
        else:
            X = root[:, None] * X * (root if problem.is_gram else 1.0)
        return cls(problem, codes, root, X, root[:, None] * codes, float(weight.sum()))

    @property
    def is_gram(self) -> bool:
        return self.problem.is_gram

    def gram(self) -> np.ndarray:
        """Return K, dense."""
        K = self.X if self.is_gram else self.X @ self.X.T
        return K.toarray() if sparse.issparse(K) else K


def theta_or_width(rows: MatrixLike, theta: float | str | None, weight: np.ndarray | None) -> float:
    """Return the theta of the kernel "rbf" as a number; of None, by `gaussian_width`."""
    check_size(rows)
    if theta is None:
        return 1.0 / (2.0 * gaussian_width(rows_that_count(rows, weight)) ** 2)
    return as_theta(theta, rows, weight)


def gaussian_width(X: MatrixLike) -> float:
    """Return the 25th percentile of the distances between rows, each pair of different rows counted once.

    Parameters
    ----------
    X : array-like or sparse matrix, (n, d)
        The training rows.

    Returns
    -------
    float > 0
        In the unit of the features; theta is 1/(2 width^2).

    Raises
    ------
    ValueError
        For fewer than two rows, or when so many rows are equal that the percentile is zero.

    Notes
    -----
    NIPS 2012, section 6. Rows with equal features are different points at the distance zero. The
    distances take n (n - 1) / 2 numbers of memory, half of what the Gram matrix takes.
    """
    X = as_matrix(X, "X")
    if len(X) < 2:
        raise ValueError(f"X must have at least two rows, got the shape {X.shape}")
    squares = pdist(X, "sqeuclidean")
    width = float(np.sqrt(np.percentile(squares, 25.0, overwrite_input=True, method="lower")))
    if not width > 0:
        raise ValueError(
            "X: the 25th percentile of the distances is 0, too many rows are equal; choose theta"
        )
    return width
