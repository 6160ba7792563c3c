"""The width of the Gaussian kernel from the distances in the training set (NIPS 2012, section
6).
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import pdist

from toplabel._core.arrays import MatrixLike, as_matrix, as_number

__all__ = ["gaussian_width", "theta_of_width"]


def gaussian_width(X: MatrixLike) -> float:
    """Return the 25th percentile of the distances between rows, each pair of different rows counted once.

    Parameters
    ----------
    X : array-like or sparse matrix, (n, d)
        The training rows.

    Returns
    -------
    float > 0
        In the unit of the features; `theta_of_width` makes a kernel of it.

    Raises
    ------
    ValueError
        For fewer than two rows, or when so many rows are equal that the percentile is zero.

    Notes
    -----
    Rows with equal features are different points at the distance zero. The distances take n (n - 1)
    / 2 numbers of memory, half of what the Gram matrix takes.
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


def theta_of_width(width: float) -> float:
    """Return the theta of ``exp(-theta ||x - z||^2)`` for a Gaussian of this standard deviation:
    1/(2 width^2).
    """
    return 1.0 / (2.0 * as_number(width, "width", 0.0, strict=True) ** 2)
