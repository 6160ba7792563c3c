"""Check that a Gram matrix is real, symmetric and positive semidefinite."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import linalg
from scipy.sparse.linalg import LinearOperator, eigsh

from toplabel._core.threads import ask

__all__ = ["check_gram"]

_ROWS = 256  # of a strip
_SMALL = 200  # rows up to which all eigenvalues take no time,
_MEDIUM = 3000  # and up to which a Cholesky factor takes about as long as Lanczos steps
_TOLERANCE = 1e-4  # of a matrix that was computed in float32
_SHORT = 1e-3  # of the largest diagonal entry: what a shorter row has may be rounding
_ROUNDING = {"f": 1e-5, "d": 1e-8}  # of an entry, beside the largest on the diagonal


def check_gram(K: np.ndarray, name: str = "X") -> None:
    """Refuse what is no Gram matrix, with a ``ValueError`` that begins with the name.

    It is no one if it is not symmetric, if some ``|K_ij|`` is above ``sqrt(K_ii K_jj)``, or if the
    smallest eigenvalue, with rows scaled to length 1, is below -1e-4 times the largest. Above 3000
    rows that is looked for by Lanczos steps, at least 28 products with a vector, each of which reads
    the matrix once: they find what is below a hundredth of the largest, and may miss what is nearer
    to 0.
    """
    _check_entries(K, name)
    smallest, largest = _extreme_eigenvalues(K)
    if smallest < -_TOLERANCE * abs(largest):
        raise ValueError(
            f"{name} must be a positive semidefinite Gram matrix, but with rows of length 1 it has "
            f"beside the eigenvalue {largest:.3g} one of {smallest:.3g}"
        )


def _check_entries(K: np.ndarray, name: str) -> None:
    """Refuse a matrix that is not symmetric, and pairs of rows that no inner product allows."""
    diagonal = K.diagonal().astype(np.float64)
    lengths = np.sqrt(np.maximum(diagonal, 0.0))
    rounding = _ROUNDING[K.dtype.char] * max(float(diagonal.max()), 0.0)
    largest = ((1.0 + _TOLERANCE) * lengths).astype(K.dtype)  # of an entry, divided by a length
    for first in range(0, len(K), _ROWS):
        ask()
        rows = slice(first, first + _ROWS)
        strip, mirrored = K[rows, first:], K[first:, rows].T
        if not np.array_equal(strip, mirrored):
            asymmetric = np.argwhere(np.abs(strip - mirrored) > rounding)
            if len(asymmetric):
                i, j = first + asymmetric[0]
                raise ValueError(
                    f"{name} must be a symmetric Gram matrix, but [{i}, {j}] is {K[i, j]:.9g} and "
                    f"[{j}, {i}] is {K[j, i]:.9g}; after rounding (K + K.T) / 2 is symmetric"
                )
        bound = np.outer(lengths[rows].astype(K.dtype), largest[first:])
        bound += rounding
        excess = np.abs(strip) > bound
        if excess.any():
            i, j = first + np.argwhere(excess)[0]
            raise ValueError(
                f"{name} must be a positive semidefinite Gram matrix, but |[{i}, {j}]| = "
                f"{abs(K[i, j]):.6g} is above sqrt([{i}, {i}] [{j}, {j}]), of "
                f"{diagonal[i]:.6g} and {diagonal[j]:.6g}"
            )


def _extreme_eigenvalues(K: np.ndarray) -> tuple[float, float]:
    """Return bounds of the smallest from above and of the largest from below, of the matrix scaled
    to a unit diagonal, so that one long row does not hide what the others have.
    """
    diagonal = K.diagonal().astype(np.float64)
    if (size := float(diagonal.max())) == 0.0:
        return 0.0, 0.0
    scale = 1.0 / np.sqrt(np.maximum(diagonal, _SHORT * size))
    scaled = scale[:, None] * np.asarray(K, np.float64) * scale if len(K) <= _MEDIUM else None
    if len(K) <= _SMALL:
        values = linalg.eigvalsh(scaled)
        return float(values[0]), float(values[-1])

    def product(v: np.ndarray) -> np.ndarray:
        ask()
        return scale * (K @ (scale * v.ravel()).astype(K.dtype)).astype(np.float64)

    largest = _farthest(product, len(K), 8)
    if scaled is not None:
        scaled[np.diag_indices(len(K))] += _TOLERANCE * largest
        try:
            linalg.cholesky(scaled, check_finite=False)
        except linalg.LinAlgError:
            values = linalg.eigvalsh(scaled, subset_by_index=[0, 0])
            return float(values[0]) - _TOLERANCE * largest, largest
        return 0.0, largest
    shift = 1.1 * largest  # from there the smallest is the farthest one, also of the identity
    smallest = shift + _farthest(lambda v: product(v) - shift * v.ravel(), len(K), 20)
    return smallest, largest


def _farthest(product: Callable, n: int, steps: int) -> float:
    """Return an eigenvalue that is as far from 0 as any, within a hundredth of it."""
    start = np.random.default_rng(0).standard_normal(n)
    operator = LinearOperator((n, n), matvec=product, dtype=np.float64)
    options = {"k": 1, "which": "LM", "ncv": steps, "tol": 0.01, "v0": start}
    return float(eigsh(operator, return_eigenvectors=False, **options)[0])
