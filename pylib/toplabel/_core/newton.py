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

from contextlib import nullcontext
from dataclasses import dataclass

import numpy as np
from scipy import linalg

from toplabel._core import losses, tuning
from toplabel._core.arrays import is_mapped
from toplabel._core.lib import check, ffi, lib
from toplabel._core.method import Method
from toplabel._core.problem import Problem
from toplabel._core.systems import Curvatures, Rows, Systems
from toplabel._core.threads import one_blas_thread


def reason_against(problem: Problem) -> str:
    """Return why Newton's method does not take the problem, or ""."""
    if problem.is_gram:
        return "it needs rows, not a kernel"
    if is_mapped(problem.features) and problem.features.nbytes > tuning.LARGE_FILE:
        return "it needs rows in memory, or a mapped file of at most 1 GiB"
    traits = ffi.new("tl_traits *")
    check(lib.tl_loss_traits(losses.code(problem.loss), traits))
    return "" if traits.curvature else f"loss {problem.loss.key!r} has no generalised Jacobian"


@dataclass(frozen=True)
class _Inner:
    """The problem of an outer step: gamma + gamma_k, gamma_k, and g_k."""

    gamma: float
    extra: float
    center: np.ndarray


@dataclass(frozen=True)
class _Point:
    """Weights (m, d), their scores, and the gradients and the sum of the losses of an inner problem."""

    W: np.ndarray
    S: np.ndarray
    g: np.ndarray
    losses: float


class Newton(Method):
    """Newton's method, as a run of which `max_iter` counts passes over the rows: one for each step, and
    one for each step of conjugate gradients, or the part of it that the rows with a curvature are.
    """

    def _loop(self) -> str:
        self._rows = Rows(self._problem)
        center = self._problem.padded_center
        self._W0 = np.zeros_like(self._best.W)
        if center is not None:
            self._W0 = np.ascontiguousarray(center.T)
        self._is_hinge = self._problem.loss.smoothing
        is_free = self._problem.loss.labels == "one" and not self._problem.loss.centred
        self._label = self._problem.labels.label[: self._rows.n] if is_free else None
        self._curvatures = Curvatures(self._problem, self._C)
        is_over = self._options.clock.why_to_end
        self._systems = Systems(self._rows, self._curvatures, lambda: is_over() != "")
        self._mu = 0.0
        with one_blas_thread() if self._is_small() else nullcontext():
            return self._begin() or self._outer_loop()

    def _is_small(self) -> bool:
        """Return whether products would wait for their threads longer than they take; the smallest
        have one anyway.
        """
        weights = self._best.W.size
        work = self._rows.n * weights
        return work < tuning.MANY_THREADS and max(work / tuning.ONE_THREAD, weights / 64) > 1.0

    # ---- points ----

    def _point(self, inner: _Inner, W: np.ndarray, S: np.ndarray) -> _Point:
        problem = self._problem
        of_loss = (problem.labels, problem.k, inner.gamma)
        shifted = S + inner.extra * inner.center if inner.extra else S
        g = losses.gradients_at(problem.loss, shifted, *of_loss)
        if self._is_hinge:  # Fenchel and Young
            values = np.einsum("ij,ij->i", g, shifted)
            values -= losses.conjugates_at(problem.loss, g, *of_loss)
        else:
            values = losses.values_at(problem.loss, shifted, *of_loss)
        return _Point(W, S, g, self._C * (self._weight @ values))

    def _center(self, g: np.ndarray) -> np.ndarray:
        """Return gradients without those of the label where these shift no score."""
        center = g.copy()
        if self._label is not None:
            center[np.arange(len(g)), self._label] = 0.0
        return center

    def _dual(self, g: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the dual variables of gradients, and ``A^T X``."""
        A = -self._caps[:, None] * g
        return A, self._rows.combine(A)

    def _offer_point(self, W: np.ndarray, S: np.ndarray, A: np.ndarray, V: np.ndarray) -> None:
        U = W - self._W0
        dual_penalty = 0.5 * np.vdot(V, V) + np.vdot(V, self._W0)
        self._offer(W, S, A, 0.5 * np.vdot(U, U), dual_penalty)

    def _offer_last(self) -> None:
        if self.steps:
            self._offer_point(self._now.W, self._now.S, *self._dual(self._now.g))

    # ---- the method ----

    def _begin(self) -> str:
        """Take the point of the run for the start, or W0 and A = 0 where one of these is better:
        coordinate ascent that gets nowhere may end far from both. Return the status of a solution.
        """
        W, A, best = self._best.W, self._best.A, self._best
        S = self._rows.scores(W)
        if self._run.progress().epochs or W.any() or A.any():
            self._offer_point(W, S, A, self._rows.combine(A))
        primal, dual = best.primal, best.dual
        S0, zero = self._rows.scores(self._W0), np.zeros_like(A)
        self._offer_point(self._W0, S0, zero, np.zeros_like(W))
        if best.primal < primal or best.dual > dual:
            W, S, A = self._W0, S0, zero
        self._now = _Point(W, S, self._gradients(A), 0.0)
        return self._judge()

    def _outer_loop(self) -> str:
        """Return the status of a run that goes on from `_begin`."""
        if not self._is_hinge:
            return self._minimise(_Inner(0.0, 0.0, self._now.g)) or "stalled"
        extra, least, idle = tuning.FIRST_EXTRA, np.inf, 0
        while idle < tuning.IDLE_OUTER:
            inner = _Inner(self._problem.gamma + extra, extra, self._center(self._now.g))
            if status := self._minimise(inner):
                return status
            gap = self.history[-1].relative_gap
            idle = 0 if gap < tuning.FALL_OUTER * least else idle + 1
            least = min(least, gap)
            extra = max(tuning.EXTRA_FACTOR * extra, tuning.LEAST_EXTRA)
        return "stalled"

    def _minimise(self, inner: _Inner) -> str:
        """Minimise the problem of an outer step; return the status where the run ends meanwhile."""
        point = self._point(inner, self._now.W, self._now.S)
        is_due = self._options.eval_every is not None or self._options.callback is not None
        least, lowest, idle = np.inf, np.inf, 0
        while idle < tuning.IDLE:
            self._now = point
            A, V = self._dual(point.g)
            U = point.W - self._W0
            gradient, square = U - V, np.vdot(U, U)
            gap, value = 0.5 * np.vdot(gradient, gradient), point.losses + 0.5 * square
            rounding = tuning.GRADIENT_ROUNDING**2 * square
            is_solved = gap <= max(self._proximal(inner, point.g), rounding)
            if is_solved or is_due or gap <= tuning.NEAR * self._options.tol * abs(value):
                self._offer_point(point.W, point.S, A, V)
                if status := self._judge():
                    return status
            if is_solved:
                return ""
            if status := self._why_to_end():
                return status
            has_fallen = lowest - value > tuning.OBJECTIVE_ROUNDING * abs(value)
            idle = 0 if gap < tuning.FALL * least or has_fallen else idle + 1
            least, lowest = min(least, gap), min(lowest, value)
            following = self._step(inner, point, U, gradient, value)
            if following is None:
                return self._options.clock.why_to_end()
            point = following
        return ""

    def _proximal(self, inner: _Inner, g: np.ndarray) -> float:
        """Return the term of the distance to the centre of the outer step, in units of F."""
        if not inner.extra:
            return 0.0
        moved = self._center(g) - inner.center
        squares = np.einsum("ij,ij->i", moved, moved)
        return 0.5 * self._C * inner.extra * (self._weight @ squares)

    def _step(self, inner: _Inner, point: _Point, U, gradient, value: float) -> _Point | None:
        """Return the point of the next Newton step; None where rounding or the clock leaves none."""
        self._curvatures.set(point.g, inner.gamma)
        part = len(self._curvatures.rows) / self._rows.n
        most = (self._passes_left() - 1.0) / part if part else 0.0
        try:
            D, products = self._systems.solve(
                1.0 + self._mu, -gradient, int(most + tuning.PART_ROUNDING)
            )
        except linalg.LinAlgError:
            self._mu = max(tuning.SHORT_MU * self._mu, tuning.LEAST_MU)
            return None if self._mu > tuning.MOST_MU else point
        self.steps += 1
        self._passes += 1.0 + products * part
        if self._options.clock.why_to_end():
            return None
        return self._search(inner, point, D, U, gradient, value)

    def _search(self, inner: _Inner, point: _Point, D, U, gradient, value: float) -> _Point | None:
        """Return the point of a step along D; None where all are as short as rounding."""
        E = self._rows.scores(D)
        slope, along, square = (float(np.vdot(*pair)) for pair in ((gradient, D), (U, D), (D, D)))
        t, norm = 1.0, 0.5 * float(np.vdot(U, U))
        rounding = tuning.OBJECTIVE_ROUNDING * abs(value)
        for _ in range(tuning.TRIALS):
            trial = self._point(inner, point.W + t * D, point.S + t * E)
            reached = trial.losses + norm + t * along + 0.5 * t * t * square
            if reached <= value + tuning.ARMIJO * t * slope + rounding:
                break
            end = along + t * square + self._C * (self._weight @ np.einsum("ij,ij->i", trial.g, E))
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
