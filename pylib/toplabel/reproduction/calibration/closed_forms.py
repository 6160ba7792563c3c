"""The Bayes optimal scores and risks of the proofs of TPAMI Propositions 8 to 12 (appendix B)."""

from __future__ import annotations

import numpy as np

from toplabel.reproduction.calibration.pointwise import Pointwise


def svm_ova_smooth(p: np.ndarray, gamma: float) -> np.ndarray:
    """Return the minimiser of Proposition 10; at p = 1/2 with gamma < 1 there are others."""
    with np.errstate(divide="ignore"):
        high, low = 1.0 - gamma * (1.0 - p) / p, -1.0 + gamma * p / (1.0 - p)
    if gamma <= 1.0:
        return np.where(p >= 0.5, high, low)
    middle = np.where(p >= gamma / 2.0, high, 2.0 * p - 1.0)
    return np.where(p < 1.0 - gamma / 2.0, low, middle)


def deviation(loss: Pointwise, p: np.ndarray, scores: np.ndarray, risk: float) -> float:
    """Return how far a numerical minimiser, (m,), and its risk are from the closed form.

    That is the largest difference of scores, or of risks where minimisers are not unique; NaN where
    no closed form is known.
    """
    smooth = loss.gamma > 0
    if loss.key == "svm_ova" and not smooth:
        # Proposition 8; at p = 1/2 any score in between does as well.
        best = np.where(p > 0.5, 1.0, -1.0)
        return abs(risk - float(loss.risks(best[None], p)[0]))
    if loss.key == "svm_ova":
        inside = (p > 0) & (p < 1) & ((p != 0.5) | (loss.gamma >= 1))
        off = np.abs(scores - svm_ova_smooth(p, loss.gamma))[inside]
        return float(off.max()) if inside.any() else 0.0
    if loss.key == "lr_ova":  # Proposition 9
        return float(np.abs(scores - np.log(p / (1.0 - p))).max())
    if loss.key == "svm_multi" and not smooth:  # Proposition 11
        return abs(risk - float(min(1.0, 2.0 * (1.0 - p.max()))))
    if loss.key == "lr_multi":  # Proposition 12, up to a constant
        off = scores - np.log(p)
        return float(np.abs(off - off.mean()).max())
    return float("nan")
