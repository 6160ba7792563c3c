"""The moment at which another method takes over from coordinate ascent: rent or buy.

Coordinate ascent comes first. Once it has cost a part of what Newton's method, or that of the pairs, is
estimated to cost, and the fall of its gap says that the rest costs at least as much again, this method
goes on from there. Costs are counted in passes, as visits of rows, and not measured, so that the same
arguments give the same numbers on every machine.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import sparse

from toplabel._core import newton, pairs, tuning
from toplabel._core.problem import Problem
from toplabel._core.run import Run
from toplabel._core.training import Options


def cost_of_newton(problem: Problem, tol: float) -> float:
    """Return the passes that Newton's method is estimated to cost to a relative gap."""
    kind = "hinge" if problem.gamma == 0.0 else "smoothed"
    first, each = tuning.STEPS[kind if problem.loss.smoothing else "smooth"]
    return tuning.STEP * (first - each * math.log10(tol))


def cost_of_pairs(problem: Problem, A: np.ndarray, tol: float) -> float:
    """Return the passes that working sets of pairs are estimated to cost to a relative gap, from the
    dual variables (n, m) that are not 0 where coordinate ascent is.
    """
    X = problem.features
    of_pass = A.shape[1] * (X.nnz if sparse.issparse(X) else X.size)  # multiplications
    first, each = tuning.PAIRS_STEPS
    blocks = np.square(np.count_nonzero(A, axis=0).astype(np.float64)).sum()
    of_step = 1.0 + tuning.PAIRS_PRODUCTS * blocks / max(of_pass, 1)
    return cost_of_gram(problem) + (first - each * math.log10(tol)) * of_step


def cost_of_gram(problem: Problem) -> float:
    """Return the passes that the Gram matrix of the rows costs in float32."""
    X, n, m = problem.features, problem.labels.n, problem.labels.m
    if problem.is_gram:
        return 0.0
    if not sparse.issparse(X):
        return tuning.DENSE_GRAM * n / m
    products = np.square(np.bincount(X.indices).astype(np.float64)).sum()
    return tuning.SPARSE_GRAM * products / (m * max(X.nnz, 1))


def _other_method(problem: Problem, options: Options) -> str:
    """Return the method that may take over, or ""."""
    if options.method == "pairs":
        return "pairs"
    if options.method != "auto" or options.acceleration != "auto":
        return ""
    d, m = problem.weights_shape
    if d * m <= tuning.MOST_WEIGHTS and newton.reason_against(problem) == "":
        return "newton"
    is_small = 4 * problem.labels.n**2 <= tuning.PAIRS_GRAM_BYTES
    is_wide = problem.loss.labels == "one" and m >= tuning.PAIRS_CLASSES
    return "pairs" if is_small and is_wide and pairs.reason_against(problem) == "" else ""


class Choice:
    """Watches a run of coordinate ascent, from its start. `method` is the one that may take over,
    "newton", "pairs" or "", and `why` says why it does, once it does.
    """

    def __init__(self, problem: Problem, options: Options, run: Run):
        self.method = _other_method(problem, options)
        self.why = ""
        self._problem, self._run = problem, run
        self._is_asked_for = options.method == "pairs"
        self._tol = max(options.tol, tuning.LEAST_TOL)
        now = run.progress()
        self._visits, self._first, self._epochs = now.visits, now.epochs, now.epochs
        self._seen: list[tuple[float, float]] = []  # costs, and logarithms of gaps
        self._due = tuning.FEWEST_PASSES
        self._is_smooth = not problem.loss.smoothing or problem.gamma > 0.0
        is_newton = self.method == "newton"
        self._rent = tuning.RENT if is_newton else tuning.PAIRS_RENT
        self._margin = 1.0 if is_newton else tuning.PAIRS_MARGIN
        if self.method == "newton":
            self._least = cost_of_newton(problem, self._tol)
        elif self.method:
            self._least = cost_of_gram(problem)

    def _cost_of_other(self) -> float:
        """Return the cost of the other method from here."""
        if self.method == "newton":
            return self._least
        return cost_of_pairs(self._problem, self._run.A, self._tol)

    def observe(self) -> bool:
        """Record the progress of the run, between parts of its passes, and return whether the other
        method takes over.
        """
        if not self.method:
            return False
        now = self._run.progress()
        if now.epochs == self._epochs:
            return False
        self._epochs = now.epochs
        passes = now.epochs - self._first
        if self._is_asked_for:
            self.why = "asked for"
            return passes >= tuning.PAIRS_FIRST
        cost = (now.visits - self._visits) / self._problem.labels.n
        if 0.0 < now.relative_gap < np.inf:
            gap = min(now.relative_gap, tuning.NEARLY_ONE)
            # In units of D: in those of P it is nearly 1 as long as D is small.
            self._seen.append((cost, math.log(gap / (1.0 - gap))))
        if passes < self._due or cost < self._rent * self._least:
            return False
        other = self._cost_of_other()
        if cost < self._rent * other:
            return False
        self._due = tuning.MORE_PASSES * passes
        rest = self._predict(cost)
        if rest < self._margin * other:
            return False
        if self.method == "pairs" and rest > tuning.PAIRS_BLIND * other and cost < other:
            return False  # a gap that has not begun to fall says nothing about the rest
        self.why = f"{passes} passes, and {rest / other:.2g} times its cost to go"
        return True

    def _predict(self, cost: float) -> float:
        """Return the cost that is predicted for the rest, by the fall of the gap in the second half: a constant
        factor for each pass where the loss is smooth, else a power of the passes.
        """
        recent = [pair for pair in self._seen if pair[0] >= tuning.RECENT * cost]
        if len(recent) < 3:
            return 0.0
        left = sorted(gap for _, gap in recent[-3:])[1] - math.log(self._tol)
        if left <= 0.0:
            return 0.0
        slope = -slope_of_line([(c if self._is_smooth else math.log(c), gap) for c, gap in recent])
        if slope <= 0.0:
            return math.inf
        return left / slope if self._is_smooth else cost * math.expm1(min(left / slope, 700.0))


def slope_of_line(points: list[tuple[float, float]]) -> float:
    """Return the slope of the line of least squares; 0 where all points are above one another."""
    mean_x = sum(x for x, _ in points) / len(points)
    mean_y = sum(y for _, y in points) / len(points)
    square = sum((x - mean_x) ** 2 for x, _ in points)
    product = sum((x - mean_x) * (y - mean_y) for x, y in points)
    return product / square if square > 0.0 else 0.0
