"""A method that goes on from coordinate ascent: its limits, records, best point and certificate."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from toplabel._core import losses, tuning
from toplabel._core.arrays import row_C
from toplabel._core.problem import Problem
from toplabel._core.run import Run
from toplabel._core.solution import Record, relative_gap
from toplabel._core.training import Options


@dataclass
class _Best:
    """The weights (m, d), or coefficients (n, m), with the smallest P, and the A with the largest D."""

    W: np.ndarray
    A: np.ndarray
    primal: float = np.inf
    dual: float = -np.inf


class Method(ABC):
    """One run, from the point where a run of coordinate ascent is, at its start or after passes; as a
    `Model`, its best point.

    The module's `reason_against` has nothing against the problem. `restart` gives, from dual variables
    (n, m) and weights (d, m), or coefficients, a run that is there: the certificate. The epochs and
    seconds of `history`, of what was done before, count on.
    """

    def __init__(
        self,
        problem: Problem,
        C: float,
        options: Options,
        run: Run,
        restart: Callable[[np.ndarray, np.ndarray], Run],
        history: list[Record],
    ):
        self._problem, self._C, self._options = problem, C, options
        self._run, self._restart = run, restart
        self.history, self._recorded = list(history), len(history)
        self._before = history[-1] if history else Record(0, 0.0, 0.0, 0.0, 0.0, 0.0)
        self._began, self._evaluating = options.clock.seconds, 0.0
        self._passes = 0.0
        self.steps = 0
        self._weight = np.ones(problem.labels.n) if problem.weight is None else problem.weight
        self._caps = row_C(C, self._weight)
        W = run.coefficients()
        if (weights := run.weights()) is not None:
            W = np.ascontiguousarray(weights.T)
        assert W is not None  # one of both is there
        self._best = _Best(W, run.A)

    @abstractmethod
    def _loop(self) -> str:
        """Return the status with which the run ends."""

    @abstractmethod
    def _offer_last(self) -> None:
        """Offer the last point, if it was not offered yet."""

    def solve(self) -> tuple[Run, str, list[Record]]:
        """Return a run at the point that was reached, the status and the history, whose last record
        is that point's.
        """
        clock = self._options.clock
        try:
            status = self._loop()
        except KeyboardInterrupt:
            clock.interrupt()
            status = "interrupted"
        if status not in ("converged", "imprecise"):  # else the point has its certificate
            self._offer_last()
            status = self._certify() or status
        if clock.is_interrupted:  # a path ends there, whatever the gap is
            status = "interrupted"
        return self._run, status, self.history

    # ---- limits ----

    def _epochs(self) -> int:
        return self._before.epoch + int(np.ceil(self._passes - tuning.PART_ROUNDING))

    def _passes_left(self) -> float:
        return self._options.max_iter - self._before.epoch - self._passes

    def _why_to_end(self) -> str:
        """Return the status with which a limit ends the run, or ""."""
        if status := self._options.clock.why_to_end():
            return status
        return "max_iter" if self._epochs() >= self._options.max_iter else ""

    # ---- the best point, its records and its certificate ----

    def weights(self) -> np.ndarray | None:
        """Return W of the best point, (d, m)."""
        return None if self._problem.is_gram else np.ascontiguousarray(self._best.W.T)

    def coefficients(self) -> np.ndarray | None:
        """Return the coefficients of the best point, (n, m)."""
        return self._best.W if self._problem.is_gram else None

    def _gradients(self, A: np.ndarray) -> np.ndarray:
        """Return the gradients of the losses to which dual variables belong."""
        return A / -np.where(self._caps > 0.0, self._caps, np.inf)[:, None]

    def _offer(
        self, W: np.ndarray, S: np.ndarray, A: np.ndarray, penalty: float, dual_penalty: float
    ) -> None:
        """Keep weights, whose scores are S, or dual variables, where they are better.

        The penalties are ``||W - W0||^2 / 2`` and ``||A^T X||^2 / 2 + <A^T X, W0>``.
        """
        began = self._options.clock.seconds
        loss, best, total = self._problem.loss, self._best, self._C * self._weight.sum()
        parameters = (self._problem.labels, self._problem.k, self._problem.gamma)
        values = losses.values_at(loss, S, *parameters)
        conjugates = losses.conjugates_at(loss, self._gradients(A), *parameters)
        primal = (self._C * (self._weight @ values) + penalty) / total
        dual = (-self._C * (self._weight @ conjugates) - dual_penalty) / total
        if primal <= best.primal:
            best.primal, best.W = primal, W
        if dual >= best.dual:
            best.dual, best.A = dual, A
        self._evaluating += self._options.clock.seconds - began

    def _judge(self) -> str:
        """Record the best point; return the status where it is a solution, or the callback ends the
        run, else "".
        """
        best, options = self._best, self._options
        gap = relative_gap(best.primal, best.dual)
        self._record(best.primal, best.dual, gap)
        if options.callback is not None and options.callback(self.history[-1]):
            return "interrupted"
        return self._certify() if gap <= options.tol else ""

    def _record(self, primal: float, dual: float, gap: float) -> None:
        clock, before = self._options.clock, self._before
        began = clock.seconds
        watched = {name: measure(self) for name, measure in self._options.watch.items()}
        now = clock.seconds
        self._evaluating += now - began
        solving = before.solve_seconds + now - self._began - self._evaluating
        evaluating = before.evaluate_seconds + self._evaluating
        record = Record(self._epochs(), primal, dual, gap, solving, evaluating, watched)
        self.history.append(record)

    def _certify(self) -> str:
        """Take the objectives of the best point from the C library, in place of those recorded last;
        return the status that they end the run with, or "".
        """
        began = self._options.clock.seconds
        best, tol = self._best, self._options.tol
        W = best.W if self._problem.is_gram else np.ascontiguousarray(best.W.T)
        self._run = self._restart(best.A.copy(), W)
        now = self._run.evaluate()
        self._evaluating += self._options.clock.seconds - began
        primal, dual, gap = now.primal, now.dual, now.relative_gap
        if len(self.history) > self._recorded and self.history[-1].epoch == self._epochs():
            values = {"primal": primal, "dual": dual, "relative_gap": gap}
            self.history[-1] = replace(self.history[-1], **values)
        else:
            self._record(primal, dual, gap)
        if gap <= tol:
            return "converged"
        allowed = tol * max(abs(primal), abs(dual))
        is_rounding = primal - dual <= allowed and 2.0 * now.rounding > allowed > 0.0
        return "imprecise" if is_rounding else ""
