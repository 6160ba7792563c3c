"""The losses: values, gradients and conjugates at given scores (TPAMI section 3)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from toplabel._core.arrays import MatrixLike, as_labels, as_matrix
from toplabel._core.catalogue import LOSSES, Loss
from toplabel._core.losses import (
    check_parameters,
    conjugates_at,
    get,
    gradients_at,
    values_at,
    violations_at,
)
from toplabel._core.own_loss import OwnLoss

__all__ = ["LOSSES", "Loss", "conjugate", "get", "gradient", "value", "violation"]


def _prepare(loss: str | object, scores: object, y: object, k: int, gamma: float):
    spec = get(loss)
    matrix = as_matrix(scores, "scores")
    n, m = matrix.shape
    if m < 2:
        raise ValueError(f"scores must have a column for each of at least two classes, got {m}")
    labels = as_labels(y, n, multilabel=spec.labels != "one", n_classes=m)
    return spec, matrix, labels, k, check_parameters(spec, k, gamma, m)


def value(
    loss: str | object, scores: ArrayLike, y: MatrixLike, k: int = 1, gamma: float = 0.0
) -> np.ndarray:
    """Return the loss of each row at given scores.

    Parameters
    ----------
    loss : str or object
        A key of `LOSSES`, or a loss of your own, as `get` describes.
    scores : array-like, (n, m)
        f(x_i) = W^T x_i.
    y : array-like
        Class indices (n,), or for multilabel losses a 0/1 indicator (n, m), dense or sparse.
    k : int
        The k of top-k losses.
    gamma : float
        Smoothing of the hinge losses; 0 is the nonsmooth loss.

    Returns
    -------
    ndarray, (n,)
        The losses.

    Notes
    -----
    TPAMI section 3.2 and 3.3, Propositions 2 and 6 for gamma > 0. topk_ent_tr drops the k - 1
    highest scores of other classes; with k = 1 it is lr_multi. svm_ml and lsep of an empty or a
    full label set are 0, and so is lr_ml of an empty one.
    """
    return values_at(*_prepare(loss, scores, y, k, gamma))


def gradient(
    loss: str | object, scores: ArrayLike, y: MatrixLike, k: int = 1, gamma: float = 0.0
) -> np.ndarray:
    """Return the gradient of each row's loss in its scores; smooth losses only.

    Parameters
    ----------
    loss : str or object
        A key of `LOSSES`, or a loss of your own, as `get` describes.
    scores : array-like, (n, m)
        As in `value`.
    y : array-like
        As in `value`.
    k : int
        The k of top-k losses.
    gamma : float
        Smoothing of the hinge losses, above 0.

    Returns
    -------
    ndarray, (n, m)
        The gradient of each row.

    Notes
    -----
    topk_ent_tr is not differentiable where the class that is dropped last ties with one that is
    kept; there the tied classes of smallest index are dropped, and the negative gradient goes down.
    """
    return gradients_at(*_prepare(loss, scores, y, k, gamma))


def conjugate(
    loss: str | object, v: ArrayLike, y: MatrixLike, k: int = 1, gamma: float = 0.0
) -> np.ndarray:
    """Convex conjugate L*(v_i) of each row's loss; infinite outside its domain.

    Parameters
    ----------
    loss : str or object
        A key of `LOSSES`, or a loss of your own, as `get` describes.
    v : array-like, (n, m)
        Where to evaluate. Of the domain it may miss 1e-6, the sum of all violations.
    y : array-like
        As in `value`.
    k : int
        The k of top-k losses.
    gamma : float
        Smoothing of the hinge losses.

    Returns
    -------
    ndarray, (n,)
        Infinite outside the domain.

    Notes
    -----
    TPAMI Propositions 1, 2, 3, 5, 6 and 7. topk_ent_tr is not convex and refused (``ValueError``).
    """
    _check_convex(loss)
    return conjugates_at(*_prepare(loss, v, y, k, gamma))


def _check_convex(loss: str | object) -> None:
    spec = get(loss)
    if isinstance(spec, OwnLoss):
        if not spec.has_conjugate:
            raise ValueError(f"loss {spec.label} has no method conjugate")
    elif not spec.convex:
        raise ValueError(f"loss {loss!r} is not convex and has no conjugate")


def violation(loss: str, v: ArrayLike, y: MatrixLike, k: int = 1, gamma: float = 0.0) -> np.ndarray:
    """By how much each row violates the domain of the conjugate, in sum.

    Parameters
    ----------
    loss : str
        A key of `LOSSES`, of a convex loss.
    v : array-like, (n, m)
        The points, as in `conjugate`.
    y : array-like
        As in `value`.
    k : int
        The k of top-k losses.
    gamma : float
        Smoothing of the hinge losses.

    Returns
    -------
    ndarray, (n,)
        The nearest point of the domain is no farther than 4 times that in the 1-norm.

    Notes
    -----
    The domains are those of TPAMI Propositions 1, 2, 3, 5, 6 and 7: the effective domain of each
    conjugate.
    """
    _check_convex(loss)
    if not isinstance(loss, str):
        raise TypeError(f"loss must be a key of LOSSES, got {loss!r}, whose domain is not known")
    return violations_at(*_prepare(loss, v, y, k, gamma))
