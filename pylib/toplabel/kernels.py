"""Gram matrices of the kernels."""

from __future__ import annotations

import numpy as np

__all__ = ["cross_gram", "rbf_gram"]


def rbf_gram(X: np.ndarray, theta: float) -> np.ndarray:
    """Gram matrix ``exp(-theta ||x_i - x_j||^2)``, exactly symmetric, with ones on the diagonal.

    Parameters
    ----------
    X : ndarray, (n, d)
    theta : float > 0
        1/(2 sigma^2) (TPAMI section 6.3).

    Returns
    -------
    ndarray, (n, n)
    """
    K = cross_gram(X, X, theta)
    # The two triangles come from different sums in the matrix product.
    np.add(K, K.T, out=K)
    K *= 0.5
    np.fill_diagonal(K, 1.0)
    return K


def cross_gram(X: np.ndarray, Z: np.ndarray, theta: float) -> np.ndarray:
    """``exp(-theta ||x_i - z_j||^2)`` for the rows of two matrices.

    Parameters
    ----------
    X : ndarray, (p, d)
    Z : ndarray, (q, d)
    theta : float > 0

    Returns
    -------
    ndarray, (p, q)
    """
    squares_x = np.einsum("ij,ij->i", X, X)
    squares_z = np.einsum("ij,ij->i", Z, Z)
    D = X @ Z.T
    D *= -2.0
    D += squares_x[:, None]
    D += squares_z
    np.maximum(D, 0.0, out=D)  # rounding may leave a small negative distance
    D *= -theta
    return np.exp(D, out=D)
