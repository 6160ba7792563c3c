"""The Bayes optimal scores and risks that the proofs of TPAMI Propositions 8 to 12 derive (its appendix B)."""

from __future__ import annotations

import numpy as np

from toplabel.calibration.pointwise import Pointwise


def svm_ova(p: np.ndarray) -> np.ndarray:
    """Proposition 8: 1 for classes with p > 1/2, else -1; at p = 1/2 any score in between does as well."""
    return np.where(p > 0.5, 1.0, -1.0)


def lr_ova(p: np.ndarray) -> np.ndarray:
    """Proposition 9: log(p / (1 - p))."""
    return np.log(p / (1.0 - p))


def svm_ova_smooth(p: np.ndarray, gamma: float) -> np.ndarray:
    """Proposition 10; at p = 1/2 with gamma < 1 one of several."""
    with np.errstate(divide="ignore"):
        high, low = 1.0 - gamma * (1.0 - p) / p, -1.0 + gamma * p / (1.0 - p)
    if gamma <= 1.0:
        return np.where(p >= 0.5, high, low)
    middle = np.where(p >= gamma / 2.0, high, 2.0 * p - 1.0)
    return np.where(p < 1.0 - gamma / 2.0, low, middle)


def svm_multi_risk(p: np.ndarray) -> float:
    """Proposition 11: the least risk, min(1, 2 (1 - max p))."""
    return float(min(1.0, 2.0 * (1.0 - p.max())))


def lr_multi(p: np.ndarray) -> np.ndarray:
    """Proposition 12: log p, up to a constant."""
    return np.log(p)


def deviation(loss: Pointwise, p: np.ndarray, scores: np.ndarray, risk: float) -> float:
    """Return how far a numerical minimum is from the closed form.

    Parameters
    ----------
    loss : Pointwise
    p : ndarray, (m,)
    scores : ndarray, (m,)
        The numerical minimiser.
    risk : float
        Its risk.

    Returns
    -------
    float
        The largest difference of scores (of risks, where minimisers are not unique); NaN where no closed form is known.
    """
    if loss.key == "svm_ova" and loss.gamma == 0:
        return abs(risk - float(loss.risks(svm_ova(p)[None], p)[0]))
    if loss.key == "svm_ova":
        inside = (p > 0) & (p < 1) & ((p != 0.5) | (loss.gamma >= 1))
        off = np.abs(scores - svm_ova_smooth(p, loss.gamma))[inside]
        return float(off.max()) if inside.any() else 0.0
    if loss.key == "lr_ova":
        return float(np.abs(scores - lr_ova(p)).max())
    if loss.key == "svm_multi" and loss.gamma == 0:
        return abs(risk - svm_multi_risk(p))
    if loss.key == "lr_multi":
        off = scores - lr_multi(p)
        return float(np.abs(off - off.mean()).max())
    return float("nan")
