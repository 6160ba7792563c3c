"""The losses of the catalogue in C and those of the user, at arguments that were checked."""

from __future__ import annotations

from typing import Any

import numpy as np

from toplabel._core import catalogue
from toplabel._core.arrays import Labels, as_number, pointer
from toplabel._core.catalogue import Loss
from toplabel._core.lib import check, lib
from toplabel._core.own_loss import OwnLoss


def get(loss: Any) -> Loss:
    """Return the description of a loss.

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
        What is known of it.
    """
    is_own = isinstance(loss, type) or hasattr(loss, "value") or hasattr(loss, "gradient")
    return OwnLoss.of(loss) if is_own and not isinstance(loss, str) else catalogue.get(loss)


def code(loss: Loss) -> int:
    """Return the ``tl_loss_id`` of a loss."""
    return getattr(lib, f"TL_LOSS_{loss.key.upper()}")


def check_parameters(loss: Loss, k: object, gamma: object, m: int) -> float:
    """Check k and gamma against the loss; return gamma."""
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


def _each_row(function, spec: Loss, at: np.ndarray, labels: Labels, k: int, gamma: float, out):
    """Return `out`, filled by a function of the C library."""
    label = pointer(labels.start, "int64_t *"), pointer(labels.label, "int32_t *")
    check(function(code(spec), k, gamma, labels.n, labels.m, pointer(at), *label, pointer(out)))
    return out


def values_at(
    spec: Loss, scores: np.ndarray, labels: Labels, k: int, gamma: float = 0.0
) -> np.ndarray:
    """Return the loss of each row, (n,)."""
    if isinstance(spec, OwnLoss):
        return spec.values(scores, labels)
    return _each_row(lib.tl_loss_values, spec, scores, labels, k, gamma, np.empty(labels.n))


def gradients_at(
    spec: Loss, scores: np.ndarray, labels: Labels, k: int, gamma: float = 0.0
) -> np.ndarray:
    """Return the gradient of each row's loss, (n, m)."""
    if isinstance(spec, OwnLoss):
        return spec.gradients(scores, labels)
    if spec.smoothing and gamma == 0.0:
        raise ValueError(f"loss {spec.key!r} with gamma = 0 is not differentiable; set gamma > 0")
    out = np.empty_like(scores)
    return _each_row(lib.tl_loss_gradients, spec, scores, labels, k, gamma, out)


def conjugates_at(
    spec: Loss, points: np.ndarray, labels: Labels, k: int, gamma: float
) -> np.ndarray:
    """Return the conjugate of each row's loss, (n,), of a loss that has one."""
    if isinstance(spec, OwnLoss):
        return spec.conjugates(points, labels)
    return _each_row(lib.tl_loss_conjugates, spec, points, labels, k, gamma, np.empty(labels.n))


def violations_at(
    spec: Loss, points: np.ndarray, labels: Labels, k: int, gamma: float
) -> np.ndarray:
    """Return by how much each row violates the domain of the conjugate, (n,)."""
    return _each_row(lib.tl_loss_violations, spec, points, labels, k, gamma, np.empty(labels.n))
