"""The losses: values, gradients and conjugates at given scores (TPAMI section 3)."""

from __future__ import annotations

import numpy as np

from toplabel._core import catalogue
from toplabel._core.arrays import Labels, as_labels, as_matrix, as_number, pointer
from toplabel._core.catalogue import LOSSES, Loss
from toplabel._core.lib import check, lib
from toplabel._core.own_loss import OwnLoss

__all__ = ["LOSSES", "Loss", "conjugate", "get", "gradient", "value", "violation"]


def get(loss: object) -> Loss:
    """Return what is known of a loss.

    Parameters
    ----------
    loss : str or object
        A key of `LOSSES`, or a loss of your own: an object with ``value(scores, labels)``, which
        returns the loss of each row, (n,), and ``gradient(scores, labels)``, its gradient in the
        scores, (n, m). Scores are float64, (n, m), and labels class indices, (n,), or a 0/1
        indicator, (n, m), where the object has the attribute ``labels = "set"``. A convex loss may
        have ``conjugate(v, labels)``, which returns ``max_s <v_i, s> - L(s)`` of each row, (n,);
        then the solution has a duality gap.

    Returns
    -------
    Loss

    Raises
    ------
    ValueError
        For a name that is not known, or an object that is no loss.
    """
    own = not isinstance(loss, str) and hasattr(loss, "value") and hasattr(loss, "gradient")
    return OwnLoss.of(loss) if own else catalogue.get(loss)


def code(loss: Loss) -> int:
    """Return the ``tl_loss_id`` of a loss."""
    return getattr(lib, f"TL_LOSS_{loss.key.upper()}")


def check_parameters(loss: Loss, k: object, gamma: object, m: int) -> float:
    """Check k and gamma against the loss; return gamma.

    Raises
    ------
    ValueError
        If k is not below the number of classes, or not 1 for a loss without k; if gamma is
        negative, or not 0 for a loss without smoothing.
    """
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)):
        raise TypeError(f"k must be an integer, got {k!r}")
    if k < 1 or k >= m:
        raise ValueError(f"k must be in 1..{m - 1} for {m} classes, got {k}")
    if k != 1 and not loss.top_k:
        raise ValueError(f"loss {loss.key!r} has no k; leave it at 1, got {k}")
    number = as_number(gamma, "gamma", 0.0)
    if number != 0.0 and not loss.smoothing:
        raise ValueError(f"loss {loss.key!r} is smooth already; leave gamma at 0, got {gamma!r}")
    return number


def _prepare(loss: str, scores: object, y: object, k: int, gamma: float):
    spec = get(loss)
    matrix = as_matrix(scores, "scores")
    n, m = matrix.shape
    labels = as_labels(y, n, multilabel=spec.labels != "one", n_classes=m)
    return spec, matrix, labels, k, check_parameters(spec, k, gamma, m)


def _arguments(
    spec: Loss, k: int, gamma: float, matrix: np.ndarray, labels: Labels, out: np.ndarray
):
    return (
        code(spec),
        k,
        gamma,
        labels.n,
        labels.m,
        pointer(matrix),
        pointer(labels.start, "int64_t *"),
        pointer(labels.label, "int32_t *"),
        pointer(out),
    )


def value(loss: str, scores, y, k: int = 1, gamma: float = 0.0) -> np.ndarray:
    """Return the loss of each row at given scores.

    Parameters
    ----------
    loss : str
        A key of `LOSSES`.
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

    Notes
    -----
    TPAMI section 3.2 and 3.3, Propositions 2 and 6 for gamma > 0. topk_ent_tr drops the k - 1
    highest scores of other classes; with k = 1 it is lr_multi. Label sets that are empty or full
    have the hinge loss 0; lr_ml of an empty set is 0.
    """
    spec, matrix, labels, k, gamma = _prepare(loss, scores, y, k, gamma)
    return values_at(spec, matrix, labels, k, gamma)


def values_at(
    spec: Loss, matrix: np.ndarray, labels: Labels, k: int, gamma: float = 0.0
) -> np.ndarray:
    """`value` of arguments that were checked."""
    if isinstance(spec, OwnLoss):
        return spec.values(matrix, labels)
    out = np.empty(labels.n)
    check(lib.tl_loss_values(*_arguments(spec, k, gamma, matrix, labels, out)))
    return out


def gradient(loss: str, scores, y, k: int = 1, gamma: float = 0.0) -> np.ndarray:
    """Return the gradient of each row's loss in its scores; smooth losses only.

    Parameters
    ----------
    loss, scores, y, k, gamma
        As in `value`.

    Returns
    -------
    ndarray, (n, m)

    Raises
    ------
    ValueError
        For a hinge loss with gamma = 0.

    Notes
    -----
    topk_ent_tr is not differentiable where the class that is dropped last ties with one that is
    kept; there the tied classes of smallest index are dropped, and the negative gradient goes down.
    """
    spec, matrix, labels, k, gamma = _prepare(loss, scores, y, k, gamma)
    return gradients_at(spec, matrix, labels, k, gamma)


def gradients_at(
    spec: Loss, matrix: np.ndarray, labels: Labels, k: int, gamma: float = 0.0
) -> np.ndarray:
    """`gradient` of arguments that were checked."""
    if isinstance(spec, OwnLoss):
        return spec.gradients(matrix, labels)
    if spec.smoothing and gamma == 0.0:
        raise ValueError(f"loss {spec.key!r} with gamma = 0 is not differentiable; set gamma > 0")
    out = np.empty_like(matrix)
    check(lib.tl_loss_gradients(*_arguments(spec, k, gamma, matrix, labels, out)))
    return out


def conjugate(loss: str, v, y, k: int = 1, gamma: float = 0.0) -> np.ndarray:
    """Convex conjugate L*(v_i) of each row's loss; infinite outside its domain.

    Parameters
    ----------
    loss, y, k, gamma
        As in `value`.
    v : array-like, (n, m)
        Where to evaluate. Of the domain it may miss 1e-6, the sum of all violations.

    Returns
    -------
    ndarray, (n,)

    Notes
    -----
    TPAMI Propositions 1, 2, 3, 5, 6 and 7. topk_ent_tr is not convex and refused (``ValueError``).
    """
    _check_convex(loss)
    spec, matrix, labels, k, gamma = _prepare(loss, v, y, k, gamma)
    out = np.empty(labels.n)
    check(lib.tl_loss_conjugates(*_arguments(spec, k, gamma, matrix, labels, out)))
    return out


def _check_convex(loss: str) -> None:
    if not get(loss).convex:
        raise ValueError(f"loss {loss!r} is not convex and has no conjugate")


def violation(loss: str, v, y, k: int = 1, gamma: float = 0.0) -> np.ndarray:
    """By how much each row violates the domain of the conjugate, in sum.

    Parameters
    ----------
    loss, v, y, k, gamma
        As in `conjugate`.

    Returns
    -------
    ndarray, (n,)
        The nearest point of the domain is no farther than 4 times that in the 1-norm.

    Raises
    ------
    ValueError
        For an unknown loss or one that is not convex, or a k or gamma that it does not take.

    Notes
    -----
    The domains are those of TPAMI Propositions 1, 2, 3, 5, 6 and 7: the effective domain of each
    conjugate.
    """
    _check_convex(loss)
    spec, matrix, labels, k, gamma = _prepare(loss, v, y, k, gamma)
    out = np.empty(labels.n)
    check(lib.tl_loss_violations(*_arguments(spec, k, gamma, matrix, labels, out)))
    return out
