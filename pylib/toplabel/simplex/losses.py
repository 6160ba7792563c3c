"""The three losses of the paper at given values of f (NIPS 2012, section 3)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from toplabel._core.arrays import as_matrix
from toplabel.simplex.coding import encode, scores

__all__ = ["LOSSES", "value"]

LOSSES = ("s_ls", "sc_svm", "sh_svm")
"""Simplex least squares, simplex cone SVM, simplex half space SVM."""


def check_loss(loss: object, known: tuple[str, ...] = LOSSES) -> str:
    """Return the name of a loss; ``ValueError`` for anything else."""
    if not isinstance(loss, str) or loss not in known:
        raise ValueError(f"loss must be one of {', '.join(known)}, got {loss!r}")
    return loss


def value(loss: str, F: ArrayLike, y: ArrayLike) -> np.ndarray:
    """V(y_i, f(x_i)) of every row.

    Parameters
    ----------
    loss : {"s_ls", "sc_svm", "sh_svm"}
        ``||c_y - f||^2``; ``sum_(j != y) max(0, 1/(T-1) + <c_j, f>)``; ``max(0, 1 - <c_y, f>)``.
    F : array-like, (n, T - 1)
        Values of f.
    y : array-like of int, (n,)
        Class indices.

    Returns
    -------
    ndarray, (n,)
        The losses.
    """
    check_loss(loss)
    F = as_matrix(F, "F")
    codes = encode(y, F.shape[1] + 1)
    if codes.shape != F.shape:
        raise ValueError(f"y must have {len(F)} items like the rows of F, got {len(codes)}")
    if loss == "s_ls":
        return ((codes - F) ** 2).sum(axis=1)
    S = scores(F)
    own = np.arange(len(S)), np.asarray(y)
    if loss == "sh_svm":
        return np.maximum(0.0, 1.0 - S[own])
    hinges = np.maximum(0.0, 1.0 / F.shape[1] + S)
    hinges[own] = 0.0
    return hinges.sum(axis=1)
