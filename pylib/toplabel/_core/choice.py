"""When Newton's method takes over from coordinate ascent: rent or buy.

Coordinate ascent comes first. Once it has cost a part of what Newton's method is estimated to cost, and
the fall of its gap says that the rest costs at least as much again, Newton's method goes on from there.
Costs are counted, not measured, so that the same arguments give the same numbers on every machine.
"""

from __future__ import annotations

import numpy as np

from toplabel._core import tuning
from toplabel._core.newton import reason_against
from toplabel._core.problem import Problem
from toplabel._core.run import Run
from toplabel._core.training import Options


def cost_of_visit(problem: Problem) -> float:
    """Return the nanoseconds of the update of a row."""
    d, m = problem.weights_shape
    is_fast = problem.loss.smoothing and problem.loss.labels != "set"
    return tuning.VISIT + m * (tuning.CLASS[is_fast] + tuning.PRODUCT * d)


def cost_of_newton(problem: Problem, tol: float) -> float:
    """Return the nanoseconds that Newton's method is estimated to take to a relative gap."""
    d, m = problem.weights_shape
    each_step, each_score, each_product = tuning.STEP
    step = each_step + problem.labels.n * m * (each_score + each_product * d)
    kind = "hinge" if problem.gamma == 0.0 else "smoothed"
    first, each = tuning.STEPS[kind if problem.loss.smoothing else "smooth"]
    return step * (first - each * np.log10(max(tol, tuning.LEAST_TOL)))


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
    method : {"newton", "pairs"}
        The one that takes over.
    why : str
        Why it does, once it does.
    """

    def __init__(self, problem: Problem, options: Options, run: Run):
        d, m = problem.weights_shape
        self.is_open = (
            options.method == "auto"
            and options.acceleration == "auto"
            and d * m <= tuning.MOST_WEIGHTS
            and reason_against(problem) == ""
        )
        self.method, self.why = "newton", ""
        self._is_asked_for = options.method == "pairs"
        self._tol = max(options.tol, tuning.LEAST_TOL)
        self._run = run
        now = run.progress()
        self._visits, self._first, self._epochs = now.visits, now.epochs, now.epochs
        self._seen: list[tuple[float, float]] = []  # costs, and logarithms of gaps
        if self.is_open:
            self._visit = cost_of_visit(problem)
            self._rows = problem.labels.n
            self._is_smooth = not problem.loss.smoothing or problem.gamma > 0.0
            self._newton = cost_of_newton(problem, self._tol)
            self._due = tuning.FEWEST_PASSES

    def observe(self) -> bool:
        """Record the progress of the run, between parts of its passes, and return whether Newton's
        method takes over.
        """
        if self._is_asked_for:
            self.method, self.why = "pairs", "asked for"
            return self._run.progress().epochs - self._first >= tuning.PAIRS_FIRST
        if not self.is_open:
            return False
        now = self._run.progress()
        if now.epochs == self._epochs:
            return False
        self._epochs = now.epochs
        passes = now.epochs - self._first
        cost = self._visit * (now.visits - self._visits) + tuning.SHUFFLE * self._rows * passes
        if 0.0 < now.relative_gap < np.inf:
            gap = min(now.relative_gap, tuning.NEARLY_ONE)
            # In units of D: in those of P it is nearly 1 as long as D is small.
            self._seen.append((cost, float(np.log(gap / (1.0 - gap)))))
        if passes < self._due or cost < tuning.RENT * self._newton:
            return False
        self._due = tuning.MORE_PASSES * passes
        rest = self._predict(cost)
        if rest < self._newton:
            return False
        self.why = f"{passes} passes, and {rest / self._newton:.2g} times its cost to go"
        return True

    def _predict(self, cost: float) -> float:
        """Return what the rest is going to cost, by the fall of the gap in the second half: a constant
        factor for each pass where the loss is smooth, else a power of the passes.
        """
        recent = [pair for pair in self._seen if pair[0] >= 0.5 * cost]
        if len(recent) < 3:
            return 0.0
        costs, gaps = np.array(recent).T
        left = float(np.median(gaps[-3:]) - np.log(self._tol))
        if left <= 0.0:
            return 0.0
        slope = -np.polyfit(costs if self._is_smooth else np.log(costs), gaps, 1)[0]
        if slope <= 0.0:
            return np.inf
        return left / slope if self._is_smooth else cost * float(np.expm1(min(left / slope, 700.0)))
