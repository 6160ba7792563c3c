"""A semismooth Newton method, for problems with few weights.

In units of the dual variables the problem is to minimise ``F(W) = C sum_i w_i L_i(W x_i) + 1/2 ||W -
W0||^2``, W (m, d) here. Where the loss is smooth, ``a_i = -C w_i grad L_i(W x_i)`` is feasible for
every W, and the gap between F(W) and the dual objective of A is ``1/2 ||W - W0 - A^T X||^2``, half the
squared gradient of F, which Newton's method makes small.

A hinge, smoothed or not, is solved by an augmented Lagrangian (the proximal method of multipliers,
Rockafellar 1976; with Newton's method inside, Li, Sun and Toh 2018). Outer step k minimises F with the
losses

    L_{gamma + gamma_k}(s_i + gamma_k g_{k,i}),

L_c the hinge smoothed by c and g_k the gradients at the end of the step before; of a multiclass loss
those of the label do not shift its score. The dual of that is the dual of F with ``C w_i gamma_k/2
||g_i - g_{k,i}||^2`` in addition for each row, so the gradients at its end are a proximal step of the
dual problem, and feasible. The step ends when its gap is at most this term; then gamma_k is halved.

Newton's directions solve ``((1 + mu) I + X^T J X) D = -grad``, J from `toplabel._core.systems`. A step
along D is accepted where F has fallen enough (Armijo), on the scores ``X W + t X D``. mu follows the
steps: it grows where they are short, and falls where a whole one has the gain that was predicted.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, replace

import numpy as np
from scipy import linalg

from toplabel._core import losses, tuning
from toplabel._core.arrays import is_mapped
from toplabel._core.lib import check, ffi, lib
from toplabel._core.problem import Problem
from toplabel._core.run import Run
from toplabel._core.solution import Record, relative_gap
from toplabel._core.systems import Curvatures, Rows, Systems
from toplabel._core.threads import EndOfRun, one_blas_thread
from toplabel._core.training import Options


def reason_against(problem: Problem) -> str:
    """Return why Newton's method does not take the problem, or ""."""
    if problem.is_gram:
        return "it needs rows, not a kernel"
    if is_mapped(problem.features) and problem.features.nbytes > tuning.LARGE_FILE:
        return "it needs rows in memory, or a mapped file of at most 1 GiB"
    traits = ffi.new("tl_traits *")
    check(lib.tl_loss_traits(losses.code(problem.loss), traits))
    return "" if traits.curvature else f"loss {problem.loss.key!r} has no generalised Jacobian"


class _Model:
    """Weights as `Options.watch` takes them."""

    def __init__(self, W: np.ndarray):
        self._W = W

    def weights(self) -> np.ndarray:
        return np.ascontiguousarray(self._W.T)

    def coefficients(self) -> None:
        return None


@dataclass
class _Best:
    """The weights with the smallest P that were met, and the gradients with the largest D."""

    W: np.ndarray
    gradients: np.ndarray
    primal: float = np.inf
    dual: float = -np.inf


@dataclass
class _Point:
    """Weights, their scores, and at shifted scores the gradients and the sum of the losses."""

    W: np.ndarray
    S: np.ndarray
    g: np.ndarray
    losses: float


@dataclass
class _Inner:
    """The problem of an outer step: gamma + gamma_k, what is added to the scores, and g_k."""

    gamma: float
    extra: float = 0.0
    center: np.ndarray | None = None
    shift: np.ndarray | None = None

    def at(self, S: np.ndarray) -> np.ndarray:
        return S if self.shift is None else S + self.shift


class Newton:
    """One run, from the point where a run of coordinate ascent is.

    Parameters
    ----------
    problem : Problem
        That `reason_against` has nothing against.
    C : float
    options : Options
        `max_iter` counts passes over the rows: one for each Newton step, and one for each step of
        conjugate gradients, or the part of it that the rows with a curvature are.
    run : Run
        At the start.
    restart : callable
        From dual variables (n, m) and weights (d, m) to a run that is there: the certificate.
    history : list of Record
        Of what was done before; its epochs and seconds count on.
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
        self._restart = restart
        self._began = options.clock.seconds
        self._before = history[-1] if history else None
        self.history, self._recorded = list(history), len(history)
        self.steps = 0
        self._passes = 0.0
        self._evaluating = 0.0
        self._rows = Rows(problem)
        n, self._m = problem.labels.n, problem.labels.m
        self._share = np.ones(n) if problem.weight is None else problem.weight
        center = problem.padded_center
        self._W0 = None if center is None else np.ascontiguousarray(center.T)
        self._is_hinge = problem.loss.smoothing
        self._own = problem.loss.labels == "one" and not problem.loss.centred
        self._label = problem.labels.label[:n] if self._own else None
        self._run = run
        scale = np.where(self._share > 0.0, self._C * self._share, np.inf)
        weights = run.weights()
        assert weights is not None  # `reason_against` has nothing against the problem
        self._best = _Best(np.ascontiguousarray(weights.T), -run.A / scale[:, None])
        self._curvatures = Curvatures(problem, C)
        self._systems = Systems(self._rows, self._curvatures, self._ask)
        self._mu = 0.0

    def solve(self) -> tuple[Run, str, list[Record]]:
        """Return a run at the point that was reached, the status and the history, whose last record
        is that point's.
        """
        try:
            with one_blas_thread() if self._is_small() else nullcontext():
                self._begin()
                status = self._outer_loop()
        except EndOfRun as end:
            status = end.args[0]
        except KeyboardInterrupt:
            self._options.clock.interrupt()
            status = "interrupted"
        if status not in ("converged", "imprecise"):  # else the point has its certificate
            if self.steps:
                self._take(self._now, self._combine(self._now.g))
            status = self._certify() or status
        if self._options.clock.is_interrupted:  # a path ends there, whatever the gap is
            status = "interrupted"
        return self._run, status, self.history

    def _is_small(self) -> bool:
        """Return whether products would wait for their threads longer than they take; the smallest
        have one anyway.
        """
        work = self._rows.n * self._rows.d * self._m
        return (
            work < tuning.MANY_THREADS
            and max(work / tuning.ONE_THREAD, self._rows.d * self._m / 64) > 1.0
        )

    # ---- limits, records, certificates ----

    def _seconds(self) -> float:
        return self._options.clock.seconds - self._began

    def _epochs(self) -> int:
        return int(np.ceil(self._passes)) + (self._before.epoch if self._before else 0)

    def _ask(self) -> None:
        """Raise `EndOfRun` where the run is to end."""
        if status := self._options.clock.why_to_end():
            raise EndOfRun(status)
        if self._epochs() >= self._options.max_iter:
            raise EndOfRun("max_iter")

    def _record(self, primal: float, dual: float, gap: float, W: np.ndarray) -> None:
        before, now = self._before, self._seconds()
        watched = {name: of(_Model(W)) for name, of in self._options.watch.items()}
        self._evaluating += self._seconds() - now
        solving = self._seconds() - self._evaluating
        if before is not None:
            solving += before.solve_seconds
        evaluating = self._evaluating + (before.evaluate_seconds if before else 0.0)
        record = Record(self._epochs(), primal, dual, gap, solving, evaluating, watched)
        self.history.append(record)

    def _call_back(self) -> None:
        callback = self._options.callback
        if callback is not None and callback(self.history[-1]):
            raise EndOfRun("interrupted")

    def _take(self, point: _Point, V: np.ndarray) -> None:
        """Evaluate both objectives at a point, V its ``A^T X``, and keep what is the best so far."""
        began = time.perf_counter()
        total = self._C * self._share.sum()
        U = point.W if self._W0 is None else point.W - self._W0
        values = losses.values_at(self._problem.loss, point.S, *self._loss(self._problem.gamma))
        primal = (self._C * (self._share @ values) + 0.5 * np.vdot(U, U)) / total
        product = 0.0 if self._W0 is None else np.vdot(V, self._W0)
        conjugates = losses.conjugates_at(
            self._problem.loss, point.g, *self._loss(self._problem.gamma)
        )
        dual = (-self._C * (self._share @ conjugates) - 0.5 * np.vdot(V, V) - product) / total
        best = self._best
        if primal <= best.primal:
            best.primal, best.W = primal, point.W
        if dual >= best.dual:
            best.dual, best.gradients = dual, point.g
        self._evaluating += time.perf_counter() - began

    def _record_best(self) -> float:
        """Record the best point; return its relative gap."""
        best = self._best
        gap = relative_gap(best.primal, best.dual)
        self._record(best.primal, best.dual, gap, best.W)
        return gap

    def _certify(self) -> str:
        """Take the objectives of the best point from the C library, in place of those recorded last;
        return the status that they end the run with, or "".
        """
        began = time.perf_counter()
        best, options = self._best, self._options
        A = -self._C * self._share[:, None] * best.gradients
        self._run = self._restart(A, np.ascontiguousarray(best.W.T))
        objective = self._run.evaluate()
        self._evaluating += time.perf_counter() - began
        names = ("primal", "dual", "relative_gap")
        values = {name: getattr(objective, name) for name in names}
        if len(self.history) > self._recorded and self.history[-1].epoch == self._epochs():
            self.history[-1] = replace(self.history[-1], **values)
        else:
            self._record(objective.primal, objective.dual, objective.relative_gap, best.W)
        allowed = options.tol * max(abs(objective.primal), abs(objective.dual))
        if objective.relative_gap <= options.tol:
            return "converged"
        is_rounding = (
            objective.primal - objective.dual <= allowed
            and 2.0 * objective.rounding > allowed > 0.0
        )
        return "imprecise" if is_rounding else ""

    def _judge(self, gap: float) -> None:
        """End the run where a point whose gap was recorded last is a solution, or the callback asks."""
        self._call_back()
        if gap <= self._options.tol and (status := self._certify()):
            raise EndOfRun(status)

    # ---- losses ----

    def _loss(self, gamma: float):
        return self._problem.labels, self._problem.k, gamma

    def _point(self, inner: _Inner, W: np.ndarray, S: np.ndarray) -> _Point:
        loss, scores = self._problem.loss, inner.at(S)
        g = losses.gradients_at(loss, scores, *self._loss(inner.gamma))
        if self._is_hinge:  # Fenchel and Young
            values = np.einsum("ij,ij->i", g, scores)
            values -= losses.conjugates_at(loss, g, *self._loss(inner.gamma))
        else:
            values = losses.values_at(loss, scores, *self._loss(0.0))
        return _Point(W, S, g, self._C * (self._share @ values))

    def _combine(self, g: np.ndarray) -> np.ndarray:
        return self._rows.combine(-self._C * self._share[:, None] * g)

    # ---- the method ----

    def _begin(self) -> None:
        """Take the point of the run for the start, or W0 and A = 0 where one of these is better:
        coordinate ascent that gets nowhere may end far from both.
        """
        W, g = self._best.W, self._best.gradients
        start = _Point(W, self._rows.scores(W), g, 0.0)
        if self._run.progress().epochs or start.W.any() or g.any():
            self._take(start, self._combine(g))
        primal, dual = self._best.primal, self._best.dual
        zero = np.zeros_like(W)
        W0 = zero if self._W0 is None else self._W0
        S0 = np.zeros_like(start.S) if self._W0 is None else self._rows.scores(W0)
        origin = _Point(W0, S0, np.zeros_like(g), 0.0)
        self._take(origin, zero)
        is_better = self._best.primal < primal or self._best.dual > dual
        self._now = origin if is_better else start
        self._judge(self._record_best())

    def _outer_loop(self) -> str:
        """Return the status of a run that ends without a solution."""
        if not self._is_hinge:
            self._minimise(_Inner(0.0))
            return "stalled"
        extra, least, idle = tuning.FIRST_EXTRA, np.inf, 0
        while idle < tuning.IDLE_OUTER:
            center = self._now.g
            shift = extra * center
            if self._own:
                shift[np.arange(len(shift)), self._label] = 0.0
            self._minimise(_Inner(self._problem.gamma + extra, extra, center, shift))
            gap = self.history[-1].relative_gap
            idle = 0 if gap < tuning.FALL_OUTER * least else idle + 1
            least = min(least, gap)
            extra = max(tuning.EXTRA_FACTOR * extra, tuning.LEAST_EXTRA)
        return "stalled"

    def _minimise(self, inner: _Inner) -> None:
        """Minimise the problem of an outer step."""
        point = self._point(inner, self._now.W, self._now.S)
        least, lowest, idle = np.inf, np.inf, 0
        while idle < tuning.IDLE:
            V = self._combine(point.g)
            U = point.W if self._W0 is None else point.W - self._W0
            gradient = U - V
            gap, value = 0.5 * np.vdot(gradient, gradient), point.losses + 0.5 * np.vdot(U, U)
            self._now = point
            is_solved = gap <= max(
                self._proximal(inner, point.g), tuning.GRADIENT_ROUNDING**2 * np.vdot(U, U)
            )
            is_due = self._options.eval_every is not None or self._options.callback is not None
            if is_solved or is_due or gap <= tuning.NEAR * self._options.tol * abs(value):
                self._take(point, V)
                self._judge(self._record_best())
            if is_solved:
                return
            falls = gap < tuning.FALL * least or lowest - value > tuning.OBJECTIVE_ROUNDING * abs(
                value
            )
            idle = 0 if falls else idle + 1
            least, lowest = min(least, gap), min(lowest, value)
            self._ask()
            following = self._step(inner, point, U, gradient, value)
            if following is None:
                return
            point = following

    def _proximal(self, inner: _Inner, g: np.ndarray) -> float:
        """Return the term of the distance to the centre of the outer step, in units of F."""
        if inner.center is None:
            return 0.0
        moved = g - inner.center
        if self._own:
            moved[np.arange(len(moved)), self._label] = 0.0
        squares = np.einsum("ij,ij->i", moved, moved)
        return 0.5 * self._C * inner.extra * (self._share @ squares)

    def _step(self, inner: _Inner, point: _Point, U, gradient, value: float) -> _Point | None:
        """Return the point of the next Newton step; None where rounding leaves none."""
        self._curvatures.set(point.g, inner.gamma)
        try:
            D, products = self._systems.solve(1.0 + self._mu, -gradient)
        except linalg.LinAlgError:
            self._mu = max(tuning.SHORT_MU * self._mu, tuning.LEAST_MU)
            return None if self._mu > tuning.MOST_MU else point
        self.steps += 1
        self._passes += 1.0 + products * len(self._curvatures.rows) / self._rows.n
        E = self._rows.scores(D)
        slope, along, square = (float(np.vdot(*pair)) for pair in ((gradient, D), (U, D), (D, D)))
        t, norm = 1.0, 0.5 * float(np.vdot(U, U))
        for _ in range(tuning.TRIALS):
            trial = self._point(inner, point.W + t * D, point.S + t * E)
            reached = trial.losses + norm + t * along + 0.5 * t * t * square
            if reached <= value + tuning.ARMIJO * t * slope + tuning.OBJECTIVE_ROUNDING * abs(
                value
            ):
                break
            end = along + t * square + self._C * (self._share @ np.einsum("ij,ij->i", trial.g, E))
            # the root of the slope, by a secant
            root = t * slope / (slope - end) if slope != end else tuning.HALVED * t
            t = min(max(root, tuning.SHRINK_LEAST * t), tuning.SHRINK_MOST * t)
        # Without a row between its bounds D is the gradient, and short steps of it are long in the scores.
        moved, size = t * np.abs(E).max(), 1.0 + np.abs(point.S).max()
        if t < tuning.SHORTEST and moved < tuning.SHORTEST * size:
            return None
        predicted = -t * slope * (1.0 - 0.5 * t) + 0.5 * t * t * self._mu * square
        self._follow(t, (value - reached) / predicted if predicted > 0.0 else 1.0)
        return trial

    def _follow(self, t: float, ratio: float) -> None:
        """Set mu for the next step, from the length of this one and its gain over that predicted."""
        if t < tuning.SHORT:
            self._mu = max(tuning.SHORT_MU * self._mu, tuning.LEAST_MU)
        elif t < 1.0:
            self._mu = max(tuning.PARTIAL_MU * self._mu, tuning.LEAST_MU)
        elif ratio > tuning.GOOD_GAIN:
            self._mu = self._mu / tuning.GOOD_MU if self._mu > tuning.LEAST_MU else 0.0
        elif ratio < tuning.POOR_GAIN:
            self._mu *= tuning.POOR_MU
