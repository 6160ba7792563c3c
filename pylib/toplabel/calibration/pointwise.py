"""A loss as a function of the scores at one point, and its risk under class probabilities p."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from toplabel import losses


@dataclass(frozen=True)
class Pointwise:
    """A multiclass loss of the library with its parameters."""

    key: str
    k: int = 1
    gamma: float = 0.0

    @property
    def label(self) -> str:
        """The papers' name, in the small markup of the reports."""
        return losses.get(self.key).name(self.k, self.gamma)

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
        """Loss of each label at each row of scores: (q, m) to (q, m)."""
        q, m = G.shape
        scores, labels = np.repeat(G, m, axis=0), np.tile(np.arange(m), q)
        found = losses.value(self.key, scores, labels, k=self.k, gamma=self.gamma)
        return found.reshape(q, m)

    def risks(self, G: np.ndarray, p: np.ndarray) -> np.ndarray:
        """Conditional risk sum_y p_y L(y, g) of each row of scores, (q,)."""
        return self.values(G) @ p

    def risk_gradients(self, G: np.ndarray, p: np.ndarray) -> np.ndarray:
        """Gradient of the risk at each row of scores, (q, m); of a smooth loss."""
        q, m = G.shape
        scores, labels = np.repeat(G, m, axis=0), np.tile(np.arange(m), q)
        found = losses.gradient(self.key, scores, labels, k=self.k, gamma=self.gamma)
        return np.einsum("qlm,l->qm", found.reshape(q, m, m), p)


@dataclass(frozen=True, eq=False)
class Minimum:
    """The least risk, between two bounds: the `risk` at `scores`, (m,), and a `lower` that is proven up to rounding."""

    scores: np.ndarray
    risk: float
    lower: float

    @property
    def gap(self) -> float:
        """How far `risk` may be from the least risk."""
        return self.risk - self.lower
