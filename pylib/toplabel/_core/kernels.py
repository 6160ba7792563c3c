"""Kernels: Gram matrices between rows, dense or sparse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import DTypeLike
from scipy import sparse
from scipy.spatial.distance import cdist

from toplabel._core.arrays import MatrixLike, squared_norms
from toplabel._core.threads import ask, each, thread_count

__all__ = ["between", "cross_gram", "gram", "rbf_gram"]


_STRIP = 512  # rows
_BLOCK = 2**23  # numbers of a dense copy of sparse rows
_FAR = 1e7  # theta ||x||^2 whose rounding is about that of kernels in float32


def gram(
    X: MatrixLike,
    kernel: str | Callable[..., Any],
    theta: float | None,
    dtype: DTypeLike = np.float64,
    n_jobs: int | None = None,
) -> np.ndarray:
    """Gram matrix of the training rows.

    Parameters
    ----------
    X : ndarray or sparse matrix, (n, d)
    kernel : "rbf" or callable
        A callable gets two matrices of p and q rows and returns their kernel, (p, q).
    theta : float or None
        Of ``"rbf"``.
    dtype : float32 or float64
    n_jobs : int, optional
        As in `rbf_gram`.

    Returns
    -------
    ndarray, (n, n)
    """
    if not callable(kernel):
        assert theta is not None  # of "rbf"
        return rbf_gram(X, theta, dtype, n_jobs)
    return between(X, X, kernel, theta).astype(dtype, copy=False)


def between(
    X: MatrixLike, Z: MatrixLike, kernel: str | Callable[..., Any], theta: float | None
) -> np.ndarray:
    """Kernel between the rows of two matrices, (p, q); arguments as in `gram`."""
    if not callable(kernel):
        assert theta is not None  # of "rbf"
        return cross_gram(X, Z, theta)
    K = kernel(X, Z)
    K = np.asarray(K.toarray() if sparse.issparse(K) else K)
    if K.dtype.kind not in "fiub":
        raise TypeError(f"kernel must return real numbers, got items of type {K.dtype}")
    K = np.ascontiguousarray(K, dtype=np.float64)
    if K.shape != (X.shape[0], Z.shape[0]):
        raise ValueError(
            f"kernel must return an array of shape ({X.shape[0]}, {Z.shape[0]}), got {K.shape}"
        )
    if not np.isfinite(K).all():
        raise ValueError("kernel returned NaN or infinity")
    return K


def rbf_gram(
    X: MatrixLike, theta: float, dtype: DTypeLike = np.float64, n_jobs: int | None = None
) -> np.ndarray:
    """Gram matrix ``exp(-theta ||x_i - x_j||^2)``, exactly symmetric, with ones on the diagonal.

    Parameters
    ----------
    X : ndarray or sparse matrix, (n, d)
    theta : float > 0
        1/(2 sigma^2) (TPAMI section 6.3).
    dtype : float32 or float64
    n_jobs : int, optional
        Threads, each for a part of the rows; the numbers do not depend on it.

    Returns
    -------
    ndarray, (n, n)
    """
    X = _as_float64(X)
    n = X.shape[0]
    K = np.empty((n, n), dtype)
    smallest = np.finfo(dtype).tiny

    def compute(i: int) -> None:
        ask()
        strip = cross_gram(X[i : i + _STRIP], X[i:], theta)
        square = strip[:, : len(strip)]
        square += (
            square.T.copy()
        )  # its two triangles come from different sums in the matrix product
        square *= 0.5
        strip[strip < smallest] = 0.0  # products with subnormal numbers take several times as long
        K[i : i + _STRIP, i:] = strip
        K[i:, i : i + _STRIP] = strip.T

    each(compute, range(0, n, _STRIP), thread_count(n_jobs))
    np.fill_diagonal(K, 1.0)
    return K


def cross_gram(X: MatrixLike, Z: MatrixLike, theta: float) -> np.ndarray:
    """``exp(-theta ||x_i - z_j||^2)`` for the rows of two matrices.

    Parameters
    ----------
    X : ndarray or sparse matrix, (p, d)
    Z : ndarray or sparse matrix, (q, d)
    theta : float > 0

    Returns
    -------
    ndarray of float64, (p, q)
    """
    X, Z = _as_float64(X), _as_float64(Z)
    squares = squared_norms(X), squared_norms(Z)
    if theta * max(norms.max(initial=0.0) for norms in squares) > _FAR:
        D = _distances(X, Z)
    else:
        D = X @ Z.T
        D = D.toarray() if sparse.issparse(D) else np.asarray(D)
        D *= -2.0
        D += squares[0][:, None]
        D += squares[1]
        np.maximum(D, 0.0, out=D)  # rounding may leave a small negative distance
    D *= -theta
    return np.exp(D, out=D)


def _distances(X, Z) -> np.ndarray:
    """Return ``||x_i - z_j||^2`` as sums of squared differences: slow, but exact for rows that are
    far from 0 and near each other.
    """
    if not sparse.issparse(X) and not sparse.issparse(Z):
        return cdist(X, Z, "sqeuclidean")
    D = np.empty((X.shape[0], Z.shape[0]))
    step = max(1, _BLOCK // X.shape[1])
    for i in range(0, len(D), step):
        for j in range(0, D.shape[1], step):
            rows = (_dense(X[i : i + step]), _dense(Z[j : j + step]))
            D[i : i + step, j : j + step] = cdist(*rows, "sqeuclidean")
    return D


def _dense(X) -> np.ndarray:
    return X.toarray() if sparse.issparse(X) else X


def _as_float64(X):
    return (
        X.tocsr().astype(np.float64, copy=False)
        if sparse.issparse(X)
        else np.asarray(X, np.float64)
    )
