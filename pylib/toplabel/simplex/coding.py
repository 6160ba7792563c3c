"""Labels to code vectors and back (NIPS 2012, Definition 1 and Lemma 1).

The recursion ``C[i+1] = [[1, u'], [0, sqrt(1 - 1/i^2) C[i]]]``, u = (-1/i, ..., -1/i), makes C[T]
upper triangular: a row has one number on the diagonal and one number to the right of it. With these
2 (T - 1) numbers the inner products of a vector with all code vectors, and a combination of all
code vectors, take O(T) operations instead of O(T^2).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from toplabel._core.arrays import as_integer, as_matrix, check_container

__all__ = ["combine", "decode", "encode", "scores", "simplex_coding"]


def simplex_coding(T: int) -> np.ndarray:
    """Return the code vectors of T classes.

    Parameters
    ----------
    T : int >= 2
        Number of classes.

    Returns
    -------
    ndarray, (T - 1, T)
        C[T] of the paper: column y is the code vector of class y. Unit norm, pairwise inner
        products -1/(T - 1), the columns sum to zero.

    Notes
    -----
    The recursion of section 5, unrolled: the factors of row r, counted from 0, multiply to
    ``prod_(j=i+1)^(T-1) (1 - 1/j^2) = i T / ((i + 1) (T - 1))``, i = T - 1 - r.

    Examples
    --------
    >>> simplex_coding(2)
    array([[ 1., -1.]])
    """
    T = as_integer(T, "T", 2)
    heights, steps = rows_of(T)
    C = np.triu(np.broadcast_to(steps[:, None], (T - 1, T)), 1)
    np.fill_diagonal(C, heights)
    return C


def rows_of(T: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the number on the diagonal and the one to the right of it of each row of C[T], (T -
    1,) each.
    """
    i = np.arange(T - 1, 0, -1, dtype=float)
    heights = np.sqrt(i * T / ((i + 1) * (T - 1)))
    return heights, -heights / i


def encode(y: ArrayLike, T: int) -> np.ndarray:
    """Return the code vectors of labels.

    Parameters
    ----------
    y : array-like of int, (n,)
        Class indices 0..T-1.
    T : int >= 2
        Number of classes.

    Returns
    -------
    ndarray, (n, T - 1)
        The code vector of each label.
    """
    codes = simplex_coding(T)
    check_container(y, "y")
    y = np.asarray(y)
    if y.ndim != 1:
        raise ValueError(f"y must have one dimension, got {y.ndim}")
    if y.dtype.kind not in "iu":
        raise TypeError(f"y must hold class indices, got items of type {y.dtype}")
    wrong = (y < 0) | (y >= T)
    if wrong.any():
        row = int(wrong.argmax())
        raise ValueError(f"y[{row}] is {y[row]}: class indices are 0..{T - 1}")
    return np.ascontiguousarray(codes.T)[y]


def scores(F: ArrayLike) -> np.ndarray:
    """Return the inner products with all code vectors.

    Parameters
    ----------
    F : array-like, (n, T - 1)
        Values of f.

    Returns
    -------
    ndarray, (n, T)
        ``<c_y, f(x_i)>``; each row sums to zero.
    """
    F = as_matrix(F, "F")
    heights, steps = rows_of(F.shape[1] + 1)
    S = np.zeros((F.shape[0], F.shape[1] + 1))
    S[:, :-1] = F * heights
    S[:, 1:] += np.cumsum(F * steps, axis=1)
    return S


def combine(B: np.ndarray) -> np.ndarray:
    """Return the sums of the code vectors with factors B (n, T), as (n, T - 1)."""
    heights, steps = rows_of(B.shape[1])
    behind = np.cumsum(B[:, :0:-1], axis=1)[:, ::-1]
    return heights * B[:, :-1] + steps * behind


def norm_factor(T: int) -> float:
    """Return kappa, with which the inner products with the codes are kappa times centred scores."""
    return np.sqrt(T / (T - 1))


def decode(F: ArrayLike) -> np.ndarray:
    """Return the class of the nearest code vector, D(f) of Definition 1.

    Parameters
    ----------
    F : array-like, (n, T - 1)
        Values of f.

    Returns
    -------
    ndarray of int, (n,)
        Of classes at the same distance the first one.
    """
    return scores(F).argmax(axis=1)
