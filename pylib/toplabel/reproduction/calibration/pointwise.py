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
        found = losses.values_at(losses.get(self.key), scores, labels, self.k, self.gamma)
        return found.reshape(G.shape)

    def risks(self, G: np.ndarray, p: np.ndarray) -> np.ndarray:
        """Return the conditional risk sum_y p_y L(y, g) of each row of scores, (q,)."""
        return self.values(G) @ p

    def risk_gradients(self, G: np.ndarray, p: np.ndarray) -> np.ndarray:
        """Return the gradient of the risk at each row of scores, (q, m); of a smooth loss."""
        q, m = G.shape
        scores, labels = _every_label(G)
        found = losses.gradients_at(losses.get(self.key), scores, labels, self.k, self.gamma)
        return np.einsum("qlm,l->qm", found.reshape(q, m, m), p)


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
