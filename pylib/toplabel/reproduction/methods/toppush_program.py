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
    point = before = problem.at(np.zeros(problem.positive.shape))
    weight, last_weight = 1.0, 0.0
    curvature, iteration = 1.0 / problem.n_positive, 0
    while iteration < iterations:
        iteration += 1
        ahead = point.plus((last_weight - 1.0) / weight, point.plus(-1.0, before))
        new, curvature = problem.step(ahead, curvature)
        if new is None:
            break
        value = problem.value(point.A, point.V)
        progress = abs(problem.value(new.A, new.V) - value)
        before, point, last_weight = point, new, weight
        weight = (1.0 + math.sqrt(1.0 + 4.0 * weight * weight)) / 2.0
        if iteration >= _FIRST_CHECK and progress <= tolerance * abs(value):
            break
    return Solved(problem.C * point.V, *problem.objectives(point), iteration)


@dataclass(frozen=True, eq=False)
class _Point:
    """Dual variables A (n, m), with the weights V = X^T A and the scores X V, which are linear in it."""

    A: np.ndarray
    V: np.ndarray
    scores: np.ndarray

    def plus(self, factor: float, other: _Point) -> _Point:
        return _Point(
            self.A + factor * other.A,
            self.V + factor * other.V,
            self.scores + factor * other.scores,
        )


class _Dual:
    """The function ``C/2 ||V||^2 - sum_p (alpha_p - alpha_p^2/4)`` of the dual variables A.

    A has alpha at the positives and -beta elsewhere, so that V = X^T A. The function is -n+ D with alpha
    and beta divided by C.
    """

    def __init__(self, X: Matrix, positive: np.ndarray, C: float) -> None:
        self._X, self.positive, self.C = X, positive, C
        self.n_positive = int(positive.sum())

    def at(self, A: np.ndarray, V: np.ndarray | None = None) -> _Point:
        V = np.asarray(self._X.T @ A) if V is None else V
        return _Point(A, V, np.asarray(self._X @ V))

    def value(self, A: np.ndarray, V: np.ndarray) -> float:
        alpha = A[self.positive]
        return float(self.C * np.vdot(V, V) / 2.0 - (alpha.sum() - alpha @ alpha / 4.0))

    def step(self, ahead: _Point, curvature: float) -> tuple[_Point | None, float]:
        """Return a projected gradient step, None if it does not move, and the curvature."""
        gradient = self.C * ahead.scores
        gradient[self.positive] += ahead.A[self.positive] / 2.0
        gradient[self.positive] -= 1.0
        value = self.value(ahead.A, ahead.V)
        while True:
            A = self.project(ahead.A + (-1.0 / curvature) * gradient)
            moved = A - ahead.A
            square = self._dot(moved, moved)
            if math.sqrt(square) <= _SAME:
                return None, curvature
            V = np.asarray(self._X.T @ A)
            if self.value(A, V) - value - self._dot(gradient, moved) <= curvature * square / 2.0:
                return self.at(A, V), curvature
            curvature *= 2.0

    def _dot(self, A: np.ndarray, B: np.ndarray) -> float:
        """Return <A, B>, of the positives and of the others apart."""
        others = np.where(self.positive, 0.0, A)
        return float(A[self.positive] @ B[self.positive] + np.vdot(others, B))

    def project(self, A: np.ndarray) -> np.ndarray:
        """Return the nearest variables of which none is negative, with equal sums.

        They are (alpha - u)_+ and (beta + u)_+ for the u at which the sums are equal, found by
        Newton's method within a bracket: the difference of the sums is piecewise linear in u and
        falls.
        """
        alpha, beta = A[self.positive], np.where(self.positive, -np.inf, -A)
        low, high = -float(beta.max()), float(alpha.max())
        if low >= high:
            return np.zeros_like(A)
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
        nearest = -np.maximum(beta + shift, 0.0)
        nearest[self.positive] = np.maximum(alpha - shift, 0.0)
        return nearest

    def objectives(self, point: _Point) -> tuple[float, float]:
        """P, and D with beta scaled to the sum of alpha."""
        W, scores = self.C * point.V, self.C * point.scores
        highest = float(scores[~self.positive].max())
        losses = np.maximum(0.0, 1.0 + highest - scores[self.positive]) ** 2
        primal = losses.mean() + np.vdot(W, W) / (2.0 * self.C * self.n_positive)
        beta = np.where(self.positive, 0.0, -point.A)
        total = beta.sum()
        scaled = np.zeros_like(point.A)
        if total > 0:
            scaled = -beta * (point.A[self.positive].sum() / total)
            scaled[self.positive] = point.A[self.positive]
        dual = -self.value(scaled, np.asarray(self._X.T @ scaled)) / self.n_positive
        return float(primal), dual
