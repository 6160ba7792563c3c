"""TopPush: no positive example below the highest negative one.

N. Li, R. Jin, Z.-H. Zhou: Top rank optimization in linear time. NIPS 2014. A binary ranking problem
with positive rows p and negative rows q; in our normalisation, with lambda = 1/(C n+),

    P(w) = (1/n+) sum_p l(max_q <w, x_q> - <w, x_p>) + lambda/2 ||w||^2,    l(z) = max(0, 1 + z)^2,

whose dual (their Eq. (6)) is, with alpha, beta >= 0 and 1^T alpha = 1^T beta,

    (1/(C n+)) (sum_p (alpha_p - alpha_p^2 / (4C)) - 1/2 ||sum_p alpha_p x_p - sum_q beta_q
    x_q||^2).

NIPS 2015 section 2.3 poses m classes as one such problem: example i is embedded m times, at class y
into the y-th block of R^(md), and is positive at its own class. Then w is W, and <w, .> are the
scores X W. Where that is too large the paper trains one problem per class.

The dual is maximised by steps on pairs of its variables that keep the sums equal, as LIBSVM's are:
the pair that violates the optimality conditions most takes the best step within its bounds
(C.-C. Chang, C.-J. Lin: LIBSVM, a library for support vector machines. ACM TIST 2, 2011). The
authors' own method is `TopPushProgram`, Nesterov's: accelerated projected gradient steps on the dual of
one problem of all classes, whose curvature begins at 1/n+ and is doubled until it bounds the step. It ends
when, from the tenth iteration on, the objective changes by less than 10^-4 of itself, or after 10,000
iterations. That bounds no distance to the optimum: what it returns is less trained than the minimiser.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from toplabel._core.arrays import as_integer, as_number
from toplabel.reproduction.methods.trained import (
    Matrix,
    TrainedMethod,
    certified,
    dense,
    train_problems,
)

_SAME = 1e-12  # a difference of slopes, or a curvature, that is rounding


class TopPush:
    """TopPush for classes: one problem for all of them, or one per class.

    Without `one_vs_all` it is the multiclass-to-binary reduction of NIPS 2015. An epoch is as many
    steps as there are rows, whose Gram matrix is kept in memory.
    """

    def __init__(self, one_vs_all: bool) -> None:
        self._one_vs_all = one_vs_all

    def train(self, X, labels, *, n_classes, C, tol, max_iter, start=None, **_) -> TrainedMethod:
        """Train (see `trained.Trainer`)."""
        gram = np.asarray(dense(X @ X.T), dtype=float)

        def solve_problem(positive: np.ndarray, state: np.ndarray | None) -> TrainedMethod:
            return solve(X, gram, positive, C, tol, max_iter, state)

        one_vs_all, n_rows = self._one_vs_all, X.shape[1]
        trained = train_problems(solve_problem, labels, n_classes, one_vs_all, start, n_rows)
        return certified(trained, tol, max_iter)


def solve(
    X: Matrix,
    gram: np.ndarray,
    positive: np.ndarray,
    C: float,
    tol: float,
    max_iter: int,
    start: np.ndarray | None = None,
) -> TrainedMethod:
    """Solve one ranking problem; `start` are the dual variables for another C.

    Entry (i, j) of `positive`, (n, c): does the j-th embedding of row i, scored by the j-th column
    of W, count as positive? The gap must be small beside the decrease from W = 0, too, which has
    the loss 1 and may be nearly optimal.
    """
    pairs = _Pairs(gram, positive, C, start)
    epochs = 0
    while True:
        A = np.ascontiguousarray(pairs.A)
        W = np.asarray(X.T @ A)
        primal, dual = _objectives(np.asarray(X @ W), W, positive, A, C)
        small = primal - dual <= tol * min(max(abs(primal), abs(dual)), 1.0 - dual)
        if small or epochs >= max_iter or not pairs.steps(len(gram)):
            return TrainedMethod(W, "uncertified", epochs, primal, dual, state=A)
        epochs += 1


def _objectives(
    scores: np.ndarray, W: np.ndarray, positive: np.ndarray, A: np.ndarray, C: float
) -> tuple[float, float]:
    """Return P(W) and D(A), where W = X^T A."""
    losses = np.maximum(0.0, 1.0 + scores[~positive].max() - scores[positive]) ** 2
    alpha, square, scale = A[positive], np.vdot(W, W), C * positive.sum()
    dual = (alpha.sum() - alpha @ alpha / (4.0 * C) - square / 2.0) / scale
    return float(losses.mean() + square / (2.0 * scale)), float(dual)


class _Pairs:
    """The dual variables A (n, c): alpha at the positives, -beta elsewhere, with the sum 0.

    `slope` is the derivative of the dual (times C n+) by A. A variable may rise unless it is a
    beta at its bound 0, and fall unless it is an alpha at 0; at the optimum no slope of one that
    may rise exceeds that of one that may fall. A step reads and writes single columns, so these are
    contiguous.
    """

    def __init__(
        self, gram: np.ndarray, positive: np.ndarray, C: float, start: np.ndarray | None
    ) -> None:
        self._gram, self._positive = gram, np.asfortranarray(positive)
        A = np.zeros(positive.shape) if start is None else start
        ridge = np.where(positive, 1.0 / (2.0 * C), 0.0)
        self.A = np.array(A, order="F")
        self._ridge = np.asfortranarray(ridge)
        self._slope = np.asfortranarray(positive - gram @ A - ridge * A)
        # Added to the slopes: infinite where a variable is at its bound.
        self._no_rise = np.where(self._positive | (self.A != 0.0), 0.0, -np.inf)
        self._no_fall = np.where(~self._positive | (self.A != 0.0), 0.0, np.inf)
        c = positive.shape[1]
        # The steepest variable of each column that may rise, and that may fall, with its slope.
        self._rising, self._falling = np.zeros(c, dtype=int), np.zeros(c, dtype=int)
        self._rise, self._fall = np.zeros(c), np.zeros(c)
        for column in range(c):
            self._look(column)

    def steps(self, count: int) -> bool:
        """Take so many steps; false when the first one already would not move."""
        for step in range(count):
            up, down = int(self._rise.argmax()), int(self._fall.argmin())
            if self._rise[up] - self._fall[down] <= _SAME:
                return step > 0
            self._step(self._rising[up], up, self._falling[down], down)
        return True

    def _step(self, i: int, up: int, j: int, down: int) -> None:
        """Raise A[i, up] and lower A[j, down] by the same, the best within their bounds."""
        A, gram, ridge, slope = self.A, self._gram, self._ridge, self._slope
        curvature = gram[i, i] + ridge[i, up] + gram[j, j] + ridge[j, down]
        curvature -= 2.0 * gram[i, j] if up == down else 0.0
        length = (self._rise[up] - self._fall[down]) / max(curvature, _SAME)
        if not self._positive[i, up]:
            length = min(length, -A[i, up])
        if self._positive[j, down]:
            length = min(length, A[j, down])
        A[i, up] += length
        A[j, down] -= length
        slope[:, up] -= length * gram[i]
        slope[:, down] += length * gram[j]
        slope[i, up] -= length * ridge[i, up]
        slope[j, down] += length * ridge[j, down]
        for row, column in ((i, up), (j, down)):
            bound = np.inf if A[row, column] == 0.0 else 0.0
            if self._positive[row, column]:
                self._no_fall[row, column] = bound
            else:
                self._no_rise[row, column] = -bound
        for column in {up, down}:
            self._look(column)

    def _look(self, column: int) -> None:
        rising = self._slope[:, column] + self._no_rise[:, column]
        falling = self._slope[:, column] + self._no_fall[:, column]
        up, down = rising.argmax(), falling.argmin()
        self._rising[column], self._falling[column] = up, down
        self._rise[column], self._fall[column] = rising[up], falling[down]


# ---- the authors' program --------------------------------------------------------------------------

_FIRST_CHECK = 10  # iteration from which on the progress is looked at
_NO_STEP = 1e-6  # a step of this length is none
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

    def train(self, X, labels, *, n_classes, C, **_) -> TrainedMethod:
        """Train (see `trained.Trainer`)."""

        def solve_problem(positive: np.ndarray, state: None) -> TrainedMethod:
            return solve_as_program(_Dual(X, positive, C), self._tolerance, self._iterations)

        return train_problems(solve_problem, labels, n_classes, False, None, X.shape[1])


def solve_as_program(problem: _Dual, tolerance: float, iterations: int) -> TrainedMethod:
    """Solve one problem."""
    zero = np.zeros(problem.positive.shape)
    point = before = problem.at(zero, problem.weights(zero))
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
    W = problem.C * point.V
    return TrainedMethod(W, "uncertified", iteration, *problem.objectives(point))


@dataclass(frozen=True, eq=False)
class _Point:
    """Dual variables A (n, c), with V = X^T A (d, c) and the scores X V, which are linear in A."""

    A: np.ndarray
    V: np.ndarray
    scores: np.ndarray

    def plus(self, factor: float, other: _Point) -> _Point:
        """Return the sum with another point times a factor."""
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

    def weights(self, A: np.ndarray) -> np.ndarray:
        """Return V of dual variables."""
        return np.asarray(self._X.T @ A)

    def at(self, A: np.ndarray, V: np.ndarray) -> _Point:
        """Return the point of dual variables and their weights."""
        return _Point(A, V, np.asarray(self._X @ V))

    def value(self, A: np.ndarray, V: np.ndarray) -> float:
        """Return the function."""
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
            if math.sqrt(square) <= _NO_STEP:
                return None, curvature
            V = self.weights(A)
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
        """Return P, and D with beta scaled to the sum of alpha."""
        A, W, scores = point.A, self.C * point.V, self.C * point.scores
        primal, _ = _objectives(scores, W, self.positive, self.C * A, self.C)
        total = np.where(self.positive, 0.0, -A).sum()
        factor = A[self.positive].sum() / total if total > 0 else 0.0
        scaled = np.where(self.positive, A, factor * A)
        return primal, -self.value(scaled, self.weights(scaled)) / self.n_positive
