"""The least conditional risk of the smooth losses: Newton's method, with a bound from the gradient.

The Hessian is formed by differences of the gradient, since a smoothed hinge is not twice
differentiable everywhere; every step decreases the risk.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from toplabel.reproduction.calibration.pointwise import Minimum, Pointwise

_STEPS = 300
_ACCURATE = 1e-15  # norm of the gradient
_SPACINGS = (1e-5, 1e-7, 1e-3)  # of differences, the next where the last gives no descent
_LONGEST = 4.0  # norm of a step: where a loss is linear, Newton's has no end
_HALVINGS = 0.5 ** np.arange(40)
_ROUNDING = 4e-16


Function = Callable[[np.ndarray], np.ndarray]


def minimise(loss: Pointwise, p: np.ndarray, tie: int | None = None) -> Minimum:
    """Return the least risk of a smooth convex loss; with `tie`, where g[tie] = g[tie + 1].

    If the loss `needs_all_classes`, all p must be positive.
    """
    basis = _basis(len(p), tie)

    def risk(Z: np.ndarray) -> np.ndarray:
        return loss.risks(np.ascontiguousarray(Z @ basis.T), p)

    def slope(Z: np.ndarray) -> np.ndarray:
        return loss.risk_gradients(np.ascontiguousarray(Z @ basis.T), p) @ basis

    z = np.zeros(basis.shape[1])
    value, gradient = risk(z[None])[0], slope(z[None])[0]
    for _ in range(_STEPS):
        if np.linalg.norm(gradient) <= _ACCURATE:
            break
        for spacing in _SPACINGS:
            step = _direction(_hessian(slope, z, spacing), gradient)
            candidates = z + _HALVINGS[:, None] * step
            chosen = _search(risk, slope, candidates, value, gradient, float(gradient @ step))
            if chosen is not None:
                break
        if chosen is None:
            break
        z, value, gradient = chosen
    scores = basis @ z
    reach = np.sqrt(len(z)) * (np.abs(scores).max() + _radius(loss, p, value))
    return Minimum(scores, float(value), max(0.0, float(value - reach * np.linalg.norm(gradient))))


def _basis(m: int, tie: int | None) -> np.ndarray:
    """Return the matrix that makes scores of free variables: the tied classes share one."""
    basis = np.eye(m)
    if tie is not None:
        basis[:, tie] += basis[:, tie + 1]
        basis = np.delete(basis, tie + 1, axis=1)
    return basis


def _hessian(slope: Function, z: np.ndarray, spacing: float) -> np.ndarray:
    shifts = spacing * np.eye(len(z))
    both = slope(np.vstack([z + shifts, z - shifts]))
    slopes = (both[: len(z)] - both[len(z) :]) / (2 * spacing)
    return 0.5 * (slopes + slopes.T)


def _direction(hessian: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    """Return Newton's step, damped by the gradient: the Hessian is singular along (1, .., 1)."""
    values, vectors = np.linalg.eigh(hessian)
    damped = np.maximum(values, 0.0) + min(1e-2, float(np.linalg.norm(gradient)))
    step = -vectors @ ((vectors.T @ gradient) / damped)
    return step * min(1.0, _LONGEST / float(np.linalg.norm(step)))


def _search(risk: Function, slope: Function, candidates, value, gradient, descent: float):
    """Return the first candidate of sufficient decrease; near rounding, of a smaller gradient."""
    risks = risk(candidates)
    enough = risks <= value + 1e-4 * _HALVINGS * descent
    # The decrease must exceed rounding.
    if -descent > 1e3 * _ROUNDING * max(1.0, abs(value)) and enough.any():
        first = int(np.argmax(enough))
        return candidates[first], risks[first], slope(candidates[first][None])[0]
    gradients = slope(candidates[:8])
    norms = np.linalg.norm(gradients, axis=1)
    best = int(np.argmin(norms))
    if norms[best] < 0.9 * np.linalg.norm(gradient):
        return candidates[best], risks[best], gradients[best]
    return None


def _radius(loss: Pointwise, p: np.ndarray, risk: float) -> float:
    """Bound the scores of a minimiser (with one of them 0 where only differences count).

    The label of lowest score among those with p > 0 has a loss of at least (spread)/(2 k) - gamma/2
    unless the risk is 0, so that the spread is at most 2 k (risk + gamma/2) / p; classes with p = 0
    may lie k + 1 times as far below. One-vs-all, |g_j| is bounded by the risk over p_j and over 1 -
    p_j. A lower bound below 0 is replaced by 0.
    """
    least = p[p > 0].min()
    spread = 2.0 * loss.k * (max(risk, 0.0) + 1.0 + loss.gamma) / least
    return (loss.k + 1) * (1.0 + spread)
