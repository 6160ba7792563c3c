"""When Newton's method takes over from coordinate ascent: rent or buy.

Coordinate ascent comes first. Once it has cost a part of what Newton's method is estimated to cost, and
the fall of its gap says that the rest costs at least as much again, Newton's method goes on from there.
Costs are counted, not measured, so that the same arguments give the same numbers on every machine.
"""

from __future__ import annotations

import numpy as np

from toplabel._core.newton import reason_against
from toplabel._core.problem import Problem
from toplabel._core.run import Run
from toplabel._core.training import Options

_MOST_WEIGHTS = 1500  # for which Newton's method is considered
_PASSES = 10  # before the fall of the gap says anything
_RENT = 0.25  # of the estimate, that coordinate ascent may cost before it is judged
# Nanoseconds, one thread: of a visit of a row, and in it for each class and for each class and feature.
_VISIT = 130.0
_CLASS = {True: 3.0, False: 10.0}  # of a multiclass or one-vs-all hinge; of others
_PRODUCT = 0.4
_SHUFFLE = 20.0  # for each row of a pass, visited or not
# Of a Newton step: for each row and class, without features and for each feature; and for each
# operation of the factor of its system, if it has one.
_STEP = (60.0, 2.5)
_FACTOR = 0.02
_DIRECT = 700  # weights up to which it has
# Newton steps: at first, and for each digit of the gap; smooth losses, smoothed hinges, hinges.
_STEPS = {"smooth": (6.0, 1.5), "smoothed": (8.0, 2.0), "hinge": (0.0, 7.0)}
_LEAST_EPS = 1e-12


def cost_of_visit(problem: Problem) -> float:
    """Return the nanoseconds of the update of a row."""
    d, m = problem.weights_shape
    is_fast = problem.loss.smoothing and problem.loss.labels != "set"
    return _VISIT + m * (_CLASS[is_fast] + _PRODUCT * d)


def cost_of_newton(problem: Problem, eps: float) -> float:
    """Return the nanoseconds that Newton's method is estimated to take to a relative gap."""
    d, m = problem.weights_shape
    step = problem.labels.n * m * (_STEP[0] + _STEP[1] * d)
    if d * m <= _DIRECT:
        step += _FACTOR * (d * m) ** 3
    kind = "hinge" if problem.gamma == 0.0 else "smoothed"
    first, each = _STEPS[kind if problem.loss.smoothing else "smooth"]
    return step * (first - each * np.log10(max(eps, _LEAST_EPS)))


def may_take_over(problem: Problem, options: Options) -> bool:
    """Return whether Newton's method may take over from coordinate ascent."""
    d, m = problem.weights_shape
    return (
        options.method == "auto"
        and options.acceleration == "auto"
        and d * m <= _MOST_WEIGHTS
        and reason_against(problem) == ""
    )


class Choice:
    """Watches a run of coordinate ascent.

    Parameters
    ----------
    problem : Problem
    options : Options
    run : Run
        At its start.

    Attributes
    ----------
    is_open : bool
        Whether Newton's method may take over.
    why : str
        Why it does, once it does.
    """

    def __init__(self, problem: Problem, options: Options, run: Run):
        self.is_open = may_take_over(problem, options)
        self.why = ""
        self._eps = max(options.eps, _LEAST_EPS)
        self._run = run
        now = run.progress()
        self._visits, self._first, self._epochs = now.visits, now.epochs, now.epochs
        self._seen: list[tuple[float, float]] = []  # costs, and logarithms of the gap
        if self.is_open:
            self._visit = cost_of_visit(problem)
            self._rows = problem.labels.n
            self._newton = cost_of_newton(problem, self._eps)

    def is_given_up(self) -> bool:
        """Return whether to give the run up; asked between parts of its passes."""
        if not self.is_open:
            return False
        now = self._run.progress()
        if now.epochs == self._epochs:
            return False
        self._epochs = now.epochs
        passes = now.epochs - self._first
        cost = self._visit * (now.visits - self._visits) + _SHUFFLE * self._rows * passes
        if 0.0 < now.relative_gap < np.inf:
            self._seen.append((cost, float(np.log(now.relative_gap))))
        if passes < _PASSES or cost < _RENT * self._newton:
            return False
        rest = self._predict(cost)
        if rest < self._newton:
            return False
        self.why = f"{passes} passes, and {rest / self._newton:.2g} times its cost to go"
        return True

    def _predict(self, cost: float) -> float:
        """Return what the rest is going to cost, by the fall of the gap in the second half."""
        costs, gaps = np.array([pair for pair in self._seen if pair[0] >= 0.5 * cost]).T
        if len(costs) < 3:
            return 0.0
        slope = -np.polyfit(costs, gaps, 1)[0]
        left = float(np.median(gaps[-3:]) - np.log(self._eps))
        if left <= 0.0:
            return 0.0
        return left / slope if slope > 0.0 else np.inf
