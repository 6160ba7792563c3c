"""A loss as a function of the scores at one point, and its risk under class probabilities p."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from toplabel._core import losses
from toplabel._core.arrays import Labels


@dataclass(frozen=True)
class Pointwise:
    """A multiclass loss of the library with its parameters."""

    key: str
    k: int = 1
    gamma: float = 0.0

    @property
    def piecewise_linear(self) -> bool:
        """Whether it is a hinge that is not smoothed."""
        return losses.get(self.key).smoothing and self.gamma == 0.0

    @property
    def convex(self) -> bool:
        """Whether it is convex in the scores."""
        return losses.get(self.key).convex

    @property
    def needs_all_classes(self) -> bool:
        """Whether scores have to run to infinity when a class has probability 0."""
        return not losses.get(self.key).smoothing

    def values(self, G: np.ndarray) -> np.ndarray:
        """Return the loss of each label at each row of scores: (q, m) to (q, m)."""
        scores, labels = _every_label(G)
        values = losses.values_at(losses.get(self.key), scores, labels, self.k, self.gamma)
        return values.reshape(G.shape)

    def risks(self, G: np.ndarray, p: np.ndarray) -> np.ndarray:
        """Return the conditional risk sum_y p_y L(y, g) of each row of scores, (q,)."""
        return self.values(G) @ p

    def risk_gradients(self, G: np.ndarray, p: np.ndarray) -> np.ndarray:
        """Return the gradient of the risk at each row of scores, (q, m); of a smooth loss."""
        q, m = G.shape
        scores, labels = _every_label(G)
        slopes = losses.gradients_at(losses.get(self.key), scores, labels, self.k, self.gamma)
        return np.einsum("qlm,l->qm", slopes.reshape(q, m, m), p)


def _every_label(G: np.ndarray) -> tuple[np.ndarray, Labels]:
    """Return each row of scores m times, with its m labels.

    A minimisation asks for many small batches, so they are not checked as a user's arrays are.
    """
    return np.repeat(G, G.shape[1], axis=0), _labels(*G.shape)


@lru_cache(maxsize=128)
def _labels(q: int, m: int) -> Labels:
    labels = np.tile(np.arange(m, dtype=np.int32), q)
    return Labels(q * m, m, np.arange(q * m + 1, dtype=np.int64), labels)


@dataclass(frozen=True, eq=False)
class Minimum:
    """The least risk: the `risk` at `scores`, (m,), and a `lower` that is proven up to rounding."""

    scores: np.ndarray
    risk: float
    lower: float

    @property
    def gap(self) -> float:
        """How far `risk` may be from the least risk."""
        return self.risk - self.lower


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
