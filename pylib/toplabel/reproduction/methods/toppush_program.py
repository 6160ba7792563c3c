"""TopPush as the program of its authors trains it: Nesterov's method on the dual.

N. Li, R. Jin, Z.-H. Zhou: Top rank optimization in linear time. NIPS 2014. The dual of
`toplabel.reproduction.methods.toppush`, for one problem of all classes (NIPS 2015, section 2.3),
is minimised by accelerated projected gradient steps; the curvature begins at 1/n+ and is doubled
until it bounds the step. The program ends when, from the tenth iteration on, the objective changes
by less than 10^-4 of itself, or after 10,000 iterations. That bounds no distance to the optimum:
what it returns is less trained than the minimiser.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from toplabel._core.arrays import as_integer, as_number
from toplabel.reproduction.methods.trained import Matrix, Solved, Trained, train_problems

_FIRST_CHECK = 10  # iteration from which on the progress is looked at
_SAME = 1e-6  # a step of this length is none
_STEPS = 100  # of the projection's search, which ends far earlier
_ROUNDING = 1e-15


class TopPushProgram:
    """TopPush for classes by the multiclass-to-binary reduction, trained as the program does.

    It ends at a relative change of the objective, `tolerance`, or after so many `iterations`, which
    are its epochs; `max_iter` does not count. Its gap tells how far from the optimum that is.
    """

    def __init__(self, tolerance: float = 1e-4, iterations: int = 10_000) -> None:
        self._tolerance = as_number(tolerance, "tolerance", 0.0)
        self._iterations = as_integer(iterations, "iterations", 1)

    def train(self, X, labels, *, n_classes, C, **_) -> Trained:
        """Train (see `trained.Trainer`)."""

        def solve_problem(positive: np.ndarray, state: None) -> Solved:
            return solve(_Dual(X, positive, C), self._tolerance, self._iterations)

        def status(gap: float, epochs: int) -> str:
            return "uncertified"

        return train_problems(solve_problem, X, labels, n_classes, False, None, status)


def solve(problem: _Dual, tolerance: float, iterations: int) -> Solved:
    """Solve one problem."""
    point = before = problem.at(problem.zero())
    weight, last_weight = 1.0, 0.0
    curvature, iteration = 1.0 / problem.n_positive, 0
    while iteration < iterations:
        iteration += 1
        ahead = point.plus((last_weight - 1.0) / weight, point.plus(-1.0, before))
        new, curvature = problem.step(ahead, curvature)
        if new is None:
            break
        progress = abs(new.value - point.value)
        small = progress <= tolerance * abs(point.value)
        before, point, last_weight = point, new, weight
        weight = (1.0 + math.sqrt(1.0 + 4.0 * weight * weight)) / 2.0
        if iteration >= _FIRST_CHECK and small:
            break
    return Solved(point.C * point.V, *problem.objectives(point), iteration)


@dataclass(frozen=True, eq=False)
class _Point:
    """Dual variables: alpha (n+,) of the positives, beta (n, m) of the negatives, 0 at positives."""

    alpha: np.ndarray
    beta: np.ndarray

    def plus(self, factor: float, other: _Point) -> _Point:
        return _Point(self.alpha + factor * other.alpha, self.beta + factor * other.beta)

    def dot(self, other: _Point) -> float:
        return float(self.alpha @ other.alpha + np.vdot(self.beta, other.beta))


@dataclass(frozen=True, eq=False)
class _State:
    """A point, the weights V that it stands for, and the scores X V, which are linear in it."""

    point: _Point
    V: np.ndarray
    scores: np.ndarray
    C: float

    def plus(self, factor: float, other: _State) -> _State:
        return _State(
            self.point.plus(factor, other.point),
            self.V + factor * other.V,
            self.scores + factor * other.scores,
            self.C,
        )

    @property
    def value(self) -> float:
        return _value(self.C, self.point, self.V)


def _value(C: float, point: _Point, V: np.ndarray) -> float:
    linear = point.alpha.sum() - point.alpha @ point.alpha / 4.0
    return float(C * np.vdot(V, V) / 2.0 - linear)


class _Dual:
    """The function ``C/2 ||V||^2 - sum_p (alpha_p - alpha_p^2/4)``.

    V = sum_p alpha_p x_p - sum_q beta_q x_q. It is -n+ D with alpha and beta divided by C.
    """

    def __init__(self, X: Matrix, positive: np.ndarray, C: float) -> None:
        self._X = X
        self._positive = positive
        self._C = C
        self.n_positive = int(positive.sum())

    def zero(self) -> _Point:
        return _Point(np.zeros(self.n_positive), np.zeros(self._positive.shape))

    def at(self, point: _Point, V: np.ndarray | None = None) -> _State:
        V = self.weights(point) if V is None else V
        return _State(point, V, np.asarray(self._X @ V), self._C)

    def weights(self, point: _Point) -> np.ndarray:
        """V, (d, m)."""
        signed = -point.beta
        signed[self._positive] = point.alpha
        return np.asarray(self._X.T @ signed)

    def gradient(self, state: _State) -> _Point:
        scores = self._C * state.scores
        of_positives = scores[self._positive] + state.point.alpha / 2.0 - 1.0
        scores[self._positive] = 0.0
        return _Point(of_positives, -scores)

    def step(self, ahead: _State, curvature: float) -> tuple[_State | None, float]:
        """Return a projected gradient step, None if it does not move, and the curvature."""
        gradient, value = self.gradient(ahead), ahead.value
        while True:
            new = self.project(ahead.point.plus(-1.0 / curvature, gradient))
            moved = new.plus(-1.0, ahead.point)
            square = moved.dot(moved)
            if math.sqrt(square) <= _SAME:
                return None, curvature
            V = self.weights(new)
            if _value(self._C, new, V) - value - gradient.dot(moved) <= curvature * square / 2.0:
                return self.at(new, V), curvature
            curvature *= 2.0

    def project(self, point: _Point) -> _Point:
        """Return the nearest point with no negative variable and equal sums.

        It is (alpha - u)_+ and (beta + u)_+ for the u at which the sums are equal, found by
        Newton's method within a bracket: the difference of the sums is piecewise linear in u and
        falls.
        """
        alpha, beta = point.alpha, np.where(self._positive, -np.inf, point.beta)
        low, high = -float(beta.max()), float(alpha.max())
        if low >= high:
            return self.zero()
        shift = (low + high) / 2.0
        for _ in range(_STEPS):
            first, second = np.maximum(alpha - shift, 0.0), np.maximum(beta + shift, 0.0)
            surplus = first.sum() - second.sum()
            low, high = (shift, high) if surplus > 0 else (low, shift)
            slope = np.count_nonzero(first) + np.count_nonzero(second)
            newton = shift + surplus / slope if slope else high
            last, shift = shift, newton if low < newton < high else (low + high) / 2.0
            if not abs(shift - last) > _ROUNDING * max(abs(low), abs(high)):
                break
        return _Point(np.maximum(alpha - shift, 0.0), np.maximum(beta + shift, 0.0))

    def objectives(self, state: _State) -> tuple[float, float]:
        """P, and D with beta scaled to the sum of alpha."""
        W, scores, point = self._C * state.V, self._C * state.scores, state.point
        highest = float(scores[~self._positive].max())
        losses = np.maximum(0.0, 1.0 + highest - scores[self._positive]) ** 2
        primal = losses.mean() + np.vdot(W, W) / (2.0 * self._C * self.n_positive)
        total = point.beta.sum()
        alpha = point.alpha if total > 0 else np.zeros_like(point.alpha)
        beta = point.beta * (alpha.sum() / total) if total > 0 else point.beta
        scaled = _Point(alpha, beta)
        dual = -_value(self._C, scaled, self.weights(scaled)) / self.n_positive
        return float(primal), dual
