"""Cutting planes for an objective risk(W)/n+ + lambda/2 ||W||^2 with a convex risk.

The planes with one slack variable of T. Joachims, T. Finley, C.-N. J. Yu: Cutting-plane training of
structural SVMs. Machine Learning 77, 2009. With lambda = 1/(C n+), n+ the number of positives.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from toplabel.reproduction.methods.quadratic import minimise
from toplabel.reproduction.methods.trained import Solved, relative_gap

_SAME = 1e-12
_IDLE = 30  # steps without weight after which a cutting plane is dropped

Tangent = Callable[[np.ndarray], tuple[float, np.ndarray]]
"""Returns (offset, direction) at W: risk(V) is at least offset - <direction, V> for all V, with
equality at V = W, unless that is below 0, where the risk at W is 0."""


class Planes:
    """Lower bounds of a risk, offset - <direction, W> for each plane, and 0.

    A direction is stored as a vector of some size; `offset` has the shape (q,), `gram` (q, q) is of
    the directions, `weight` (q,) are dual variables for the C of the last solution.
    """

    def __init__(self, size: int) -> None:
        self._directions = np.empty((0, size))  # with room for more
        self._idle = np.empty(0, dtype=int)  # steps since each had weight
        self.offset, self.weight = np.empty(0), np.empty(0)
        self.gram = np.empty((0, 0))

    def combine(self) -> np.ndarray:
        """W: the weighted sum of the directions."""
        return self.weight @ self._directions[: len(self.weight)]

    def add(self, direction: np.ndarray, offset: float) -> None:
        """Append a plane."""
        q = len(self.offset)
        if q == len(self._directions):
            room = np.empty((max(16, q), len(direction)))
            self._directions = np.concatenate([self._directions, room])
        cross = self._directions[:q] @ direction
        corner = np.array([[direction @ direction]])
        self.gram = np.block([[self.gram, cross[:, None]], [cross[None, :], corner]])
        self._directions[q] = direction
        self.offset = np.append(self.offset, offset)
        self.weight = np.append(self.weight, 0.0)
        self._idle = np.append(self._idle, 0)

    def minimise(self, C: float) -> None:
        """Set the weights to the optimal ones, and drop planes that have long had none."""
        if not len(self.offset):
            return
        total = self.weight.sum()
        start = self.weight * min(1.0, C / total) if total > 0 else self.weight
        self.weight = minimise(self.gram, self.offset, total=C, start=start)
        self._idle = np.where(self.weight > 0, 0, self._idle + 1)
        kept = np.flatnonzero(self._idle < _IDLE)
        if len(kept) < len(self._idle):
            # The last planes take the places of those that go, so that few directions are moved.
            last = kept[kept >= len(kept)]
            gone = np.setdiff1d(np.arange(len(kept)), kept)
            self._directions[gone] = self._directions[last]
            kept = np.arange(len(kept))
            kept[gone] = last
            self.gram = self.gram[np.ix_(kept, kept)]
            self.offset, self.weight = self.offset[kept], self.weight[kept]
            self._idle = self._idle[kept]

    def risk(self) -> float:
        """Return the largest lower bound of the risk at W."""
        return float(np.max(self.offset - self.gram @ self.weight, initial=0.0))


def solve(
    tangent: Tangent,
    shape: tuple[int, int],
    n_positive: int,
    C: float,
    tol: float,
    max_iter: int,
    start: Planes | None = None,
    tolerance: float | None = None,
) -> Solved:
    """Minimise over W of a shape (d, c), with at most `max_iter` planes.

    It ends at a relative gap of tol, or with a `tolerance` when the next plane raises the risk by at
    most so many percent of n+. `start` are the planes of the same problem for another C,
    which are used up. W is the best one found.
    """
    scale = C * n_positive
    planes = Planes(shape[0] * shape[1]) if start is None else start
    best, best_primal, epochs = np.zeros(shape), np.inf, 0
    # A plane that is not above the present ones adds nothing: rounding prevents further progress.
    least = (_SAME if tolerance is None else tolerance / 100.0) * n_positive
    while True:
        planes.minimise(C)
        W = planes.combine().reshape(shape[::-1]).T
        dual = (planes.weight @ planes.offset - np.vdot(W, W) / 2) / scale
        offset, direction = tangent(W)
        risk = max(0.0, offset - float(np.vdot(direction, W)))
        primal = (C * risk + np.vdot(W, W) / 2) / scale
        if primal < best_primal:
            best, best_primal = W, float(primal)
        epochs += 1
        small = tolerance is None and relative_gap(best_primal, dual) <= tol
        done = small or risk <= planes.risk() + least
        if done or epochs >= max_iter:
            return Solved(best, best_primal, float(dual), epochs, planes)
        planes.add(direction.T.ravel(), offset)
