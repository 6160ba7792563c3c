"""Monotone quasi-Newton descent on a regularised loss of scores, over weights or over dual
variables of a kernel.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy import sparse

from toplabel._core import tuning
from toplabel._core.arrays import Features, row_blocks, squared_norms
from toplabel._core.lib import check, lib


class Objective(Protocol):
    """The mean loss at scores (n, m), to which ``penalty / 2`` times the squared norm of the point
    is added.
    """

    penalty: float  # lambda
    share: np.ndarray  # weights of the rows, sum 1

    def loss(self, scores: np.ndarray) -> float: ...

    def loss_gradient(self, scores: np.ndarray) -> np.ndarray:
        """Return the gradient of `loss` in the scores."""
        ...


@dataclass(frozen=True)
class Vector:
    """A direction or a point: its coordinates, and its image, with which inner products are taken.

    The coordinates are weights W, which are their own image, or dual variables A with the image K
    A.
    """

    own: np.ndarray
    image: np.ndarray

    def dot(self, other: Vector) -> float:
        return float(np.vdot(self.own, other.image))

    def plus(self, factor: float, other: Vector) -> Vector:
        own = self.own + factor * other.own
        return Vector(own, own if self.image is self.own else self.image + factor * other.image)

    def times(self, factor: float) -> Vector:
        own = factor * self.own
        return Vector(own, own if self.image is self.own else factor * self.image)


class Linear:
    """The space of W, for rows X: dense of any float type, or CSR; and a further feature of all
    rows, unless it is 0.

    Dense float32 rows are converted block by block.
    """

    def __init__(self, X: Features, constant: float = 0.0):
        self._constant = constant
        self._X = X.astype(np.float64, copy=False) if sparse.issparse(X) else X

    def _blocks(self) -> Iterator[tuple[slice, Features]]:
        n, d = self._X.shape
        if self._X.dtype == np.float64:
            yield slice(0, n), self._X
            return
        for part in row_blocks(n, d, tuning.CONVERTED):
            yield part, self._X[part].astype(np.float64)

    def point(self, own: np.ndarray) -> Vector:
        return Vector(own, own)

    def scores(self, vector: Vector) -> np.ndarray:
        scores = np.empty((self._X.shape[0], vector.own.shape[1]))
        for part, rows in self._blocks():
            scores[part] = rows @ vector.own[: rows.shape[1]]
        if self._constant:
            scores += self._constant * vector.own[-1]
        return scores

    def gradient(self, of_scores: np.ndarray) -> Vector:
        """Return the gradient of a function of the scores: X^T times that in the scores."""
        d = self._X.shape[1]
        own = np.zeros((d + (self._constant != 0.0), of_scores.shape[1]))
        for part, rows in self._blocks():
            own[:d] += rows.T @ of_scores[part]
        if self._constant:
            own[d] = self._constant * of_scores.sum(axis=0)
        return self.point(own)

    def squared_norms(self) -> np.ndarray:
        return squared_norms(self._X) + self._constant**2


class Kernel:
    """The space of functions sum_i A[i] k(x_i, .), for a Gram matrix, to whose entries the square
    of a constant is added.
    """

    def __init__(self, K: np.ndarray, constant: float = 0.0):
        self._constant = constant
        self._K = K.astype(np.float64, copy=False)

    def point(self, own: np.ndarray) -> Vector:
        image = self._K @ own
        return Vector(own, image + self._constant**2 * own.sum(axis=0) if self._constant else image)

    def scores(self, vector: Vector) -> np.ndarray:
        return vector.image

    def gradient(self, of_scores: np.ndarray) -> Vector:
        return self.point(of_scores)

    def squared_norms(self) -> np.ndarray:
        return np.diagonal(self._K) + self._constant**2


@dataclass(frozen=True)
class Fit:
    """Scores, the mean loss there, and its gradient in the scores."""

    scores: np.ndarray
    loss: float
    of_scores: np.ndarray


@dataclass(frozen=True)
class State:
    """A point of the descent, and what is known there."""

    steps: int
    point: Vector
    fit: Fit
    gradient: Vector
    value: float

    @property
    def squared_gradient(self) -> float:
        # rounding may leave a Gram matrix with a small negative eigenvalue
        return max(self.gradient.dot(self.gradient), 0.0)


class Descent:
    """L-BFGS with a weak Wolfe line search (Lewis, Overton 2013), monotone, from the coordinates of
    a point: W, or the dual variables of a kernel; `ToplabelError` where the objective overflows
    there.

    At a kink P is the minimum of several smooth functions, so the negative gradient of any of them
    is a descent direction, and a line search that only compares values needs no special care.
    """

    def __init__(self, space: Linear | Kernel, objective: Objective, start: np.ndarray):
        point = space.point(start)
        self._space = space
        self._objective = objective
        self._pairs: deque[tuple[Vector, Vector, float]] = deque(maxlen=tuning.REMEMBERED)
        with np.errstate(all="ignore"):
            curvature = objective.share @ space.squared_norms() / 2 + objective.penalty
            scores = space.scores(point)
            if not np.isfinite(curvature + np.abs(scores).max()):
                check(lib.TL_ERR_OVERFLOW)
            self._first_step = 1.0 / curvature
            fit = Fit(scores, objective.loss(scores), objective.loss_gradient(scores))
            self.state = self._at(0, point, fit)
            if not np.isfinite(self.state.value + self.state.squared_gradient):
                check(lib.TL_ERR_OVERFLOW)

    def _at(self, steps: int, point: Vector, fit: Fit) -> State:
        penalty = self._objective.penalty
        gradient = self._space.gradient(fit.of_scores).plus(penalty, point)
        return State(steps, point, fit, gradient, fit.loss + 0.5 * penalty * point.dot(point))

    def step(self) -> bool:
        """Take one step; False if rounding leaves no descent."""
        while not self._try_step():
            if not self._pairs:
                return False
            self._pairs.clear()
        return True

    def _try_step(self) -> bool:
        direction, old = self._direction(), self.state
        step = self._search(direction)
        if step is None:
            return False
        length, fit = step
        new = self._at(old.steps + 1, old.point.plus(length, direction), fit)
        if not new.value <= old.value:  # lower by less than rounding
            return False
        self._remember(direction.times(length), new.gradient.plus(-1.0, old.gradient))
        self.state = new  # in one assignment: an interrupt finds the old state or the new
        return True

    def _remember(self, moved: Vector, bent: Vector) -> None:
        curvature = moved.dot(bent)
        if curvature > tuning.FLAT * bent.dot(bent) * self._first_step:
            self._pairs.append((moved, bent, curvature))

    def _direction(self) -> Vector:
        """Return the two-loop recursion."""
        vector = self.state.gradient
        factors = []
        for moved, bent, curvature in reversed(self._pairs):
            factors.append(moved.dot(vector) / curvature)
            vector = vector.plus(-factors[-1], bent)
        if self._pairs:
            _, bent, curvature = self._pairs[-1]
            vector = vector.times(curvature / bent.dot(bent))
        else:
            vector = vector.times(self._first_step)
        for (moved, bent, curvature), factor in zip(self._pairs, reversed(factors), strict=True):
            vector = vector.plus(factor - vector.dot(bent) / curvature, moved)
        return vector.times(-1.0)

    def _search(self, direction: Vector) -> tuple[float, Fit] | None:
        """Return a step length and what is found there; None if no length decreases P."""
        state, penalty = self.state, self._objective.penalty
        change = self._space.scores(direction)
        linear = penalty * state.point.dot(direction)
        square = penalty * direction.dot(direction)
        slope = float(np.vdot(state.fit.of_scores, change)) + linear
        if not slope < 0:
            return None
        base = 0.5 * penalty * state.point.dot(state.point)
        best = None
        low, high, length = 0.0, math.inf, 1.0
        for _ in range(tuning.DESCENT_TRIALS):
            scores = state.fit.scores + length * change
            loss = self._objective.loss(scores)
            value = loss + base + length * (linear + 0.5 * length * square)
            if not value <= state.value + tuning.ARMIJO * length * slope:
                high = length
            else:
                low = length
                best = low, Fit(scores, loss, self._objective.loss_gradient(scores))
                steep = float(np.vdot(best[1].of_scores, change)) + linear + length * square
                if steep >= tuning.WOLFE * slope:
                    break
            length = 2 * low if high == math.inf else 0.5 * (low + high)
        return best
