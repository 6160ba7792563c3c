"""Working sets of pairs of a row and a class, for hinges with many weights and a large C.

At the optimum of a hinge few of the dual variables of a row differ from 0. An outer step computes
the scores of all rows, takes both objectives, and chooses the pairs whose dual variables are not 0
or would not be after an update of their row. Then the dual is maximised over these alone, until their
own gap is a part of that of the problem: by passes of coordinate ascent and by Newton's method on
the face of the dual on which the point lies (``csrc/src/pairs_*.c``). The scores of the pairs follow
by blocks of the Gram matrix, one for each class. The blocks are in float32, but only changes since
the last outer step go through them, so the small gaps of the last steps keep their digits.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from toplabel._core import losses, tuning
from toplabel._core.arrays import is_mapped, pointer
from toplabel._core.clock import Clock
from toplabel._core.lib import check, ffi, lib
from toplabel._core.problem import Problem
from toplabel._core.run import Run
from toplabel._core.solution import Record, relative_gap
from toplabel._core.systems import Rows
from toplabel._core.threads import EndOfRun, one_blas_thread
from toplabel._core.training import Options


def reason_against(problem: Problem) -> str:
    """Return why the method does not take the problem, or ""."""
    if not problem.loss.smoothing:
        return f"loss {problem.loss.key!r} is no hinge"
    if problem.loss.centred:
        return f"loss {problem.loss.key!r} takes the mean of all scores"
    if is_mapped(problem.features) and problem.features.nbytes > tuning.LARGE_FILE:
        return "it needs rows in memory, or a mapped file of at most 1 GiB"
    return ""


class _Limits:
    """Answers the C library whether a call is over; it says so with the clock."""

    def __init__(self, clock: Clock):
        self._clock = clock

    def is_late(self) -> bool:
        return self._clock.why_to_end() != ""

    def failed(self, error: BaseException) -> int:
        if not isinstance(error, KeyboardInterrupt):
            raise error  # which cffi prints
        self._clock.interrupt()
        return 1


class _Kernel:
    """Scores of dual variables, and blocks of the Gram matrix; while that is computed, `is_over` is
    asked, and may raise.
    """

    def __init__(self, problem: Problem, is_over: Callable[[], None]):
        self._shift = problem.constant**2
        X = problem.features
        n = problem.labels.n
        self._gram: Any = X if problem.is_gram else None
        self._rows: Any = None
        self._single: Any = None
        self._blocks = np.empty(0, np.float32)
        center = problem.padded_center
        self._W0 = None if center is None else np.ascontiguousarray(center.T)
        if problem.is_gram:
            self.norm2 = X.diagonal().astype(np.float64) + self._shift
            return
        self._rows = rows = Rows(problem)
        X = rows.X
        if rows.is_sparse:
            self.norm2 = np.asarray(X.multiply(X).sum(axis=1)).ravel()
        else:
            self.norm2 = np.einsum("ij,ij->i", X, X)
        self._single, self._shift = X.astype(np.float32), 0.0  # the constant feature is in the rows
        if 4 * n * n <= tuning.PAIRS_GRAM_BYTES:
            self._gram = np.empty((n, n), np.float32)
            for first in range(0, n, tuning.PROBED):
                is_over()
                strip = self._single[first : first + tuning.PROBED] @ self._single.T
                strip = strip.toarray() if self._rows.is_sparse else strip
                self._gram[first : first + tuning.PROBED] = strip

    def scores(self, A: np.ndarray) -> tuple[np.ndarray, np.ndarray, float, float]:
        """Return the scores (n, m) of dual variables, the weights (m, d) or coefficients that they
        follow from, ``||A^T X||^2 / 2`` and the product of ``A^T X`` with W0.
        """
        if self._rows is None:
            S = self._products(A) + self._shift * A.sum(axis=0)
            return S, A, 0.5 * float(np.vdot(A, S)), 0.0
        V = self._rows.combine(A)
        square = 0.5 * float(np.vdot(V, V))
        if self._W0 is None:
            return self._rows.scores(V), V, square, 0.0
        W = V + self._W0
        return self._rows.scores(W), W, square, float(np.vdot(V, self._W0))

    def _products(self, A: np.ndarray) -> np.ndarray:
        """Return the products of the Gram matrix, in float64, with dual variables."""
        K = self._gram
        if K.dtype == np.float64 and np.count_nonzero(A) <= tuning.SPARSE * A.size:
            return np.ascontiguousarray((sparse.csr_array(A).T @ K).T)
        S = np.empty_like(A)
        for first in range(0, len(K), tuning.PROBED):
            rows = slice(first, first + tuning.PROBED)
            S[rows] = K[rows].astype(np.float64, copy=False) @ A
        return S

    def fill(self, handle, m: int, entries: int, numbers: int) -> np.ndarray:
        """Return the blocks of a working set."""
        if len(self._blocks) < numbers:  # new memory costs more than what is done with it
            self._blocks = np.empty(numbers, np.float32)
        blocks, K = self._blocks[:numbers], self._gram
        if K is None:
            self._fill_by_class(handle, m, entries, blocks)
            return blocks
        single = K.dtype == np.float32
        at = pointer(K, "float *" if single else "double *")
        of = pointer(blocks, "float *")
        check(lib.tl_pairs_gather(handle, lib.TL_FLOAT32 if single else lib.TL_FLOAT64, at, of))
        if self._shift:
            blocks += np.float32(self._shift)
        return blocks

    def _fill_by_class(self, handle, m: int, entries: int, blocks: np.ndarray) -> None:
        starts, rows = np.empty(m + 1, np.int64), np.empty(entries, np.int32)
        check(
            lib.tl_pairs_classes(handle, pointer(starts, "int64_t *"), pointer(rows, "int32_t *"))
        )
        first = 0
        for begin, end in itertools.pairwise(starts):
            X = self._single[rows[begin:end]]
            block = X @ X.T
            last = first + int(end - begin) ** 2
            blocks[first:last] = (block.toarray() if sparse.issparse(block) else block).ravel()
            first = last


@dataclass
class _Best:
    """The weights (m, d), or the coefficients, with the smallest P, and the A with the largest D."""

    W: np.ndarray
    A: np.ndarray
    primal: float = np.inf
    dual: float = -np.inf


class _Model:
    """Weights, or coefficients, as `Options.watch` takes them."""

    def __init__(self, W: np.ndarray, is_gram: bool):
        self._W, self._is_gram = W, is_gram

    def weights(self) -> np.ndarray | None:
        return None if self._is_gram else np.ascontiguousarray(self._W.T)

    def coefficients(self) -> np.ndarray | None:
        return self._W if self._is_gram else None


class Pairs:
    """One run, from the point where a run of coordinate ascent is.

    Parameters
    ----------
    problem : Problem
        That `reason_against` has nothing against.
    C : float
    options : Options
        `max_iter` counts passes over the rows: one for each outer step, and the multiplications of
        the inner ones in units of a pass.
    run : Run
        At its start or after passes.
    restart : callable
        From dual variables (n, m) and weights (d, m), or coefficients, to a run that is there: the
        certificate.
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
        self._run, self._restart = run, restart
        self._began = options.clock.seconds
        self._before = history[-1] if history else None
        self.history, self._recorded = list(history), len(history)
        self.steps = 0
        self._passes, self._evaluating = 0.0, 0.0
        labels = problem.labels
        self._share = np.ones(labels.n) if problem.weight is None else problem.weight
        W = run.coefficients()
        if (weights := run.weights()) is not None:
            W = np.ascontiguousarray(weights.T)
        assert W is not None  # one of both is there
        self._best = _Best(W, run.A)
        self._limits = _Limits(options.clock)
        self._damping = 0.0

    def solve(self) -> tuple[Run, str, list[Record]]:
        """Return a run at the point that was reached, the status and the history, whose last record
        is that point's.
        """
        try:
            self._kernel = _Kernel(self._problem, self._ask)
            self._create()
            status = self._outer_loop()
        except EndOfRun as end:
            status = end.args[0]
        except KeyboardInterrupt:
            self._options.clock.interrupt()
            status = "interrupted"
        if status not in ("converged", "imprecise"):  # else the point has its certificate
            status = self._certify() or status
        if self._options.clock.is_interrupted:  # a path ends there, whatever the gap is
            status = "interrupted"
        return self._run, status, self.history

    def _create(self) -> None:
        problem, labels = self._problem, self._problem.labels
        n, d = problem.features.shape
        self._pass = float(n * labels.m * d)  # multiplications
        self._user = ffi.new_handle(self._limits)
        weight = ffi.NULL if problem.weight is None else pointer(problem.weight)
        arrays = (pointer(labels.start, "int64_t *"), pointer(labels.label, "int32_t *"), weight)
        out = ffi.new("tl_pairs **")
        loss = (losses.code(problem.loss), problem.k, problem.gamma)
        norm2 = pointer(self._kernel.norm2)
        of = (*loss, self._C, n, labels.m, *arrays, norm2, lib._tl_is_over, self._user, out)
        check(lib.tl_pairs_create(*of))
        self._handle = ffi.gc(out[0], lib.tl_pairs_free)

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

    def _check(self, status: int) -> None:
        if status == lib.TL_ERR_OVER:
            raise EndOfRun(self._options.clock.why_to_end())
        check(status)

    def _record(self, primal: float, dual: float, gap: float) -> None:
        before, now = self._before, self._seconds()
        model = _Model(self._best.W, self._problem.is_gram)
        watched = {name: of(model) for name, of in self._options.watch.items()}
        self._evaluating += self._seconds() - now
        solving = self._seconds() - self._evaluating
        if before is not None:
            solving += before.solve_seconds
        evaluating = self._evaluating + (before.evaluate_seconds if before else 0.0)
        record = Record(self._epochs(), primal, dual, gap, solving, evaluating, watched)
        self.history.append(record)

    def _certify(self) -> str:
        """Take the objectives of the best point from the C library, in place of those recorded last;
        return the status that they end the run with, or "".
        """
        began = time.perf_counter()
        best, options = self._best, self._options
        W = best.W if self._problem.is_gram else np.ascontiguousarray(best.W.T)
        self._run = self._restart(best.A.copy(), W)
        found = self._run.evaluate()
        self._evaluating += time.perf_counter() - began
        names = ("primal", "dual", "relative_gap")
        values = {name: getattr(found, name) for name in names}
        if len(self.history) > self._recorded and self.history[-1].epoch == self._epochs():
            self.history[-1] = replace(self.history[-1], **values)
        else:
            self._record(found.primal, found.dual, found.relative_gap)
        allowed = options.tol * max(abs(found.primal), abs(found.dual))
        if found.relative_gap <= options.tol:
            return "converged"
        is_rounding = found.primal - found.dual <= allowed and 2.0 * found.rounding > allowed > 0.0
        return "imprecise" if is_rounding else ""

    # ---- the method ----

    def _outer_loop(self) -> str:
        """Return the status of a run that ends without a solution."""
        A, idle = self._best.A.copy(), 0
        while idle < tuning.PAIRS_IDLE:
            primal, dual = self._best.primal, self._best.dual
            S, gap = self._evaluate(A)
            self._judge()
            idle = 0 if self._has_moved(primal, dual) else idle + 1
            self._ask()
            with one_blas_thread():  # the products of blocks are small
                self._improve(S, A, tuning.PAIRS_INNER * gap)
            self.steps += 1
        return "stalled"

    def _has_moved(self, primal: float, dual: float) -> bool:
        """Return whether the best objectives have moved from these, in units of the gap or of the
        smaller of them: at a large C, P may be many times D until the last outer steps.
        """
        best = self._best
        part = tuning.PAIRS_MOVE * min(primal - dual, abs(best.dual))
        return best.dual - dual > part or primal - best.primal > part

    def _evaluate(self, A: np.ndarray) -> tuple[np.ndarray, float]:
        """Return the scores of dual variables, and the gap between the best objectives, in units of
        the dual variables.
        """
        began = time.perf_counter()
        problem, best = self._problem, self._best
        S, W, square, product = self._kernel.scores(A)
        loss = (problem.labels, problem.k, problem.gamma)
        share = self._C * self._share
        values = losses.values_at(problem.loss, S, *loss)
        positive = np.where(share > 0.0, share, np.inf)
        conjugates = losses.conjugates_at(problem.loss, A / -positive[:, None], *loss)
        total = share.sum()
        primal = (share @ values + square) / total
        dual = (-(share @ conjugates) - square - product) / total
        if primal <= best.primal:
            best.primal, best.W = primal, W
        if dual >= best.dual:
            best.dual, best.A = dual, A.copy()
        self._passes += 1.0
        self._evaluating += time.perf_counter() - began
        return S, total * (best.primal - best.dual)

    def _judge(self) -> float:
        """Record the best point and return its gap; end the run where it is a solution, or the
        callback asks.
        """
        best, options = self._best, self._options
        gap = relative_gap(best.primal, best.dual)
        self._record(best.primal, best.dual, gap)
        if options.callback is not None and options.callback(self.history[-1]):
            raise EndOfRun("interrupted")
        if gap <= options.tol and (status := self._certify()):
            raise EndOfRun(status)
        return gap

    def _improve(self, S: np.ndarray, A: np.ndarray, goal: float) -> None:
        """Maximise the dual over the pairs chosen at A, whose scores are S, to this gap of theirs; A
        is updated in place, also where the run is over.
        """
        counts = ffi.new("size_t[2]")
        pair = (counts, counts + 1)
        self._check(lib.tl_pairs_select(self._handle, pointer(S), pointer(A), *pair))
        entries, numbers = counts
        blocks = self._kernel.fill(self._handle, self._problem.labels.m, entries, numbers)
        check(lib.tl_pairs_use(self._handle, pointer(blocks, "float *")))
        steps, length, gap = ffi.new("size_t *"), ffi.new("double *"), ffi.new("double *")
        tolerance, before = tuning.PAIRS_CG_TOLERANCE, np.inf
        for _ in range(tuning.PAIRS_NEWTON_STEPS):
            self._check(lib.tl_pairs_run(self._handle, tuning.PAIRS_PASSES))
            self._passes += tuning.PAIRS_PASSES * numbers / self._pass
            check(lib.tl_pairs_gap(self._handle, gap))
            if gap[0] <= goal:
                break
            limits = (self._damping, tolerance, tuning.CG_STEPS)
            self._check(lib.tl_pairs_newton(self._handle, *limits, steps, length))
            self._passes += 2 * steps[0] * numbers / self._pass
            is_stuck = length[0] == 0.0 and self._damping == tuning.PAIRS_MOST_DAMPING
            self._follow(length[0])
            check(lib.tl_pairs_gap(self._handle, gap))
            if gap[0] <= goal or is_stuck:
                break
            if length[0] == 1.0 and gap[0] > 0.5 * before:  # the directions are not right enough
                tolerance = max(0.1 * tolerance, tuning.PAIRS_LEAST_CG_TOLERANCE)
            before = gap[0]
            self._ask()
        check(lib.tl_pairs_dual(self._handle, pointer(A)))

    def _follow(self, length: float) -> None:
        """Set the damping for the next Newton step from the length of this one."""
        least, damping = tuning.PAIRS_LEAST_DAMPING, self._damping
        if length == 1.0:
            self._damping = damping / 3.0 if damping > least else 0.0
        else:
            factor = 10.0 if length < 0.1 else 3.0
            self._damping = min(max(factor * damping, least), tuning.PAIRS_MOST_DAMPING)
