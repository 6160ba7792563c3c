"""TopPush as its authors train it: Nesterov's method on the dual, ended by its progress.

N. Li, R. Jin, Z.-H. Zhou: Top rank optimization in linear time. NIPS 2014. The dual of `toplabel.baselines.toppush`,
for one problem of all classes (NIPS 2015, section 2.3), is minimised over alpha, beta >= 0 with equal sums by
accelerated projected gradient steps; the curvature begins at 1/n+ and is doubled until it bounds the step. The
authors' program ends when, from the tenth iteration on, the objective changes by less than 10^-4 of itself, or
after 10,000 iterations. That bounds no distance to the optimum: what it returns is less trained than the minimiser.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from toplabel.baselines.models import Matrix, Trained, indicator, relative_gap

_FIRST_CHECK = 10  # iteration from which on the progress is looked at
_SAME = 1e-6  # a step of this length is none
_HALVINGS = 60  # of the bracket of the projection


@dataclass(frozen=True, eq=False)
class _Point:
    """Dual variables: ``alpha`` (n+,) of the positives, ``beta`` (n, m) of the negatives, 0 at positives."""

    alpha: np.ndarray
    beta: np.ndarray

    def plus(self, factor: float, other: _Point) -> _Point:
        return _Point(self.alpha + factor * other.alpha, self.beta + factor * other.beta)

    def dot(self, other: _Point) -> float:
        return float(self.alpha @ other.alpha + np.vdot(self.beta, other.beta))


class TopPushNesterov:
    """TopPush for classes by the multiclass-to-binary reduction, trained as the authors' program does.

    Parameters
    ----------
    tolerance : float
        Relative change of the objective at which it ends.
    iterations : int
        After which it ends in any case.
    """

    def __init__(self, tolerance: float = 1e-4, iterations: int = 10_000) -> None:
        if not tolerance >= 0:
            raise ValueError(f"tolerance must not be negative, got {tolerance!r}")
        if isinstance(iterations, bool) or not isinstance(iterations, int) or iterations < 1:
            raise ValueError(f"iterations must be a positive whole number, got {iterations!r}")
        self._tolerance = tolerance
        self._iterations = iterations

    def train(
        self,
        X: Matrix,
        labels: np.ndarray,
        *,
        n_classes: int,
        C: float,
        seed: int,
        eps: float,
        max_epochs: int,
        start: Trained | None = None,
    ) -> Trained:
        """Train; see `toplabel.baselines.models.Trainer`. An epoch is an iteration; `max_epochs` does not count.

        It has a gap, which says how far from the optimum the authors' rule ends.
        """
        positive = indicator(labels, n_classes)
        if not positive.any() or positive.all():
            W = np.zeros((X.shape[1], n_classes))
            return Trained(model=W, status="uncertified", epochs=0)
        problem = _Dual(X, positive, C)
        point = before = problem.zero()
        weight, last_weight = 1.0, 0.0
        curvature, value, iteration = 1.0 / problem.n_positive, math.inf, 0
        while iteration < self._iterations:
            iteration += 1
            ahead = point.plus((last_weight - 1.0) / weight, point.plus(-1.0, before))
            new, new_value, curvature = problem.step(ahead, curvature)
            if new is None:
                break
            before, point, last = point, new, value
            value, last_weight = new_value, weight
            weight = (1.0 + math.sqrt(1.0 + 4.0 * weight * weight)) / 2.0
            progress = abs(value - last)
            if iteration >= _FIRST_CHECK and progress <= self._tolerance * abs(last):
                break
        W = problem.weights(point) * C
        primal, dual = problem.objectives(W, point)
        return Trained(
            model=W,
            status="uncertified",
            epochs=iteration,
            primal=primal,
            dual=dual,
            relative_gap=relative_gap(primal, dual),
        )


class _Dual:
    """The function ``C/2 ||sum_p alpha_p x_p - sum_q beta_q x_q||^2 - sum_p (alpha_p - alpha_p^2/4)``.

    It is -n+ D of `toplabel.baselines.toppush` with alpha and beta divided by C.
    """

    def __init__(self, X: Matrix, positive: np.ndarray, C: float) -> None:
        self._X = X
        self._positive = positive
        self._C = C
        self.n_positive = int(positive.sum())

    def zero(self) -> _Point:
        return _Point(np.zeros(self.n_positive), np.zeros(self._positive.shape))

    def weights(self, point: _Point) -> np.ndarray:
        """The sum of alpha x over the positives minus that of beta x over the negatives, (d, m)."""
        signed = -point.beta
        signed[self._positive] = point.alpha
        return np.asarray(self._X.T @ signed)

    def value(self, point: _Point) -> tuple[float, np.ndarray]:
        """The function, and the weights it depends on."""
        V = self.weights(point)
        linear = point.alpha.sum() - point.alpha @ point.alpha / 4.0
        return float(self._C * np.vdot(V, V) / 2.0 - linear), V

    def gradient(self, point: _Point, V: np.ndarray) -> _Point:
        scores = self._C * np.asarray(self._X @ V)
        of_positives = scores[self._positive] + point.alpha / 2.0 - 1.0
        scores[self._positive] = 0.0
        return _Point(of_positives, -scores)

    def step(self, ahead: _Point, curvature: float) -> tuple[_Point | None, float, float]:
        """A projected gradient step from `ahead`: the point, its value, the curvature; no point if it does not move."""
        value, V = self.value(ahead)
        gradient = self.gradient(ahead, V)
        while True:
            new = self.project(ahead.plus(-1.0 / curvature, gradient))
            moved = new.plus(-1.0, ahead)
            square = moved.dot(moved)
            if math.sqrt(square) <= _SAME:
                return None, value, curvature
            new_value = self.value(new)[0]
            if new_value - value - gradient.dot(moved) <= curvature * square / 2.0:
                return new, new_value, curvature
            curvature *= 2.0

    def project(self, point: _Point) -> _Point:
        """The nearest point with no negative variable and equal sums, by bisection."""
        negative = point.beta[~self._positive]
        low, high = -float(negative.max()), float(point.alpha.max())
        if low >= high:
            return self.zero()
        for _ in range(_HALVINGS):
            middle = (low + high) / 2.0
            surplus = np.maximum(point.alpha - middle, 0.0).sum()
            surplus -= np.maximum(negative + middle, 0.0).sum()
            low, high = (middle, high) if surplus > 0 else (low, middle)
        beta = np.zeros_like(point.beta)
        beta[~self._positive] = np.maximum(negative + low, 0.0)
        return _Point(np.maximum(point.alpha - low, 0.0), beta)

    def objectives(self, W: np.ndarray, point: _Point) -> tuple[float, float]:
        """P(W), and D with beta scaled to the sum of alpha."""
        scores = np.asarray(self._X @ W)
        highest = float(scores[~self._positive].max())
        losses = np.maximum(0.0, 1.0 + highest - scores[self._positive]) ** 2
        primal = losses.mean() + np.vdot(W, W) / (2.0 * self._C * self.n_positive)
        total = point.beta.sum()
        alpha = point.alpha if total > 0 else np.zeros_like(point.alpha)
        beta = point.beta * (alpha.sum() / total) if total > 0 else point.beta
        return float(primal), -self.value(_Point(alpha, beta))[0] / self.n_positive
