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
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from contextvars import copy_context
from typing import Any

import numpy as np
from scipy import sparse

from toplabel._core import losses, tuning
from toplabel._core.arrays import is_mapped, pointer, squared_norms
from toplabel._core.clock import Clock
from toplabel._core.lib import check, ffi, lib
from toplabel._core.method import Method
from toplabel._core.problem import Problem
from toplabel._core.run import Deadline
from toplabel._core.systems import Rows
from toplabel._core.threads import each, one_blas_thread


def reason_against(problem: Problem) -> str:
    """Return why the method does not take the problem, or ""."""
    if not problem.loss.smoothing:
        return f"loss {problem.loss.key!r} is no hinge"
    if problem.loss.centred:
        return f"loss {problem.loss.key!r} takes the mean of all scores"
    if is_mapped(problem.features) and problem.features.nbytes > tuning.LARGE_FILE:
        return "it needs rows in memory, or a mapped file of at most 1 GiB"
    return ""


def _is_over(status: int) -> bool:
    """Return whether the time ended a call of the C library."""
    if status != lib.TL_ERR_OVER:
        check(status)
    return status == lib.TL_ERR_OVER


class _Team:
    """Threads beside the one that calls, which share its work in the C library until Ctrl-C comes or a
    thread cannot be started.
    """

    def __init__(self, threads: int, clock: Clock):
        self._pool = ThreadPoolExecutor(threads)
        self._clock = clock
        self._is_alone = False

    def run(self, parts: int, task: Callable, argument: Any) -> None:
        """Do all parts of a task, which may be done more than once.

        The argument is memory of the C library, which goes on when this returns: all parts are done
        then, and no thread is at work.
        """
        while True:
            try:
                if self._is_alone:
                    self.end()  # a future that Ctrl-C kept from a list is waited for, too
                    for part in range(parts):
                        task(argument, part)
                else:
                    self._share(parts, task, argument)
                return
            except KeyboardInterrupt:  # of the main thread
                self._clock.interrupt()
            except RuntimeError:  # of a thread that cannot be started
                if self._is_alone:
                    raise
            self._is_alone = True

    def _share(self, parts: int, task: Callable, argument: Any) -> None:
        submit = self._pool.submit
        others = [submit(copy_context().run, task, argument, part) for part in range(1, parts)]
        task(argument, 0)
        wait(others)

    def end(self) -> None:
        """End the threads once they have done what was given to them."""
        self._pool.shutdown()


@ffi.def_extern()
def _tl_each(user, parts, task, argument) -> None:
    ffi.from_handle(user).run(parts, task, argument)


class _Kernel:
    """Scores of dual variables, and blocks of the Gram matrix."""

    def __init__(self, problem: Problem):
        self._shift = problem.constant**2
        X = problem.features
        self._gram: Any = X if problem.is_gram else None
        self._rows: Any = None
        self._single: Any = None
        self._blocks = np.empty(0, np.float32)
        center = problem.padded_center
        self._W0: Any = 0.0 if center is None else np.ascontiguousarray(center.T)
        if problem.is_gram:
            self.norm2 = X.diagonal().astype(np.float64) + self._shift
            return
        self._rows = rows = Rows(problem)
        X = rows.X
        self.norm2 = squared_norms(X)
        self._single, self._shift = X.astype(np.float32), 0.0  # the constant feature is in the rows

    def compute(self, is_over: Callable[[], bool], threads: int) -> None:
        """Compute the Gram matrix of rows, if it is small, or as far as the time goes."""
        n = len(self.norm2)
        if self._gram is not None or 4 * n * n > tuning.PAIRS_GRAM_BYTES:
            return
        gram = np.empty((n, n), np.float32)

        def compute(first: int) -> None:
            if not is_over():
                strip = self._single[first : first + tuning.PROBED] @ self._single.T
                strip = strip.toarray() if self._rows.is_sparse else strip
                gram[first : first + tuning.PROBED] = strip

        each(compute, range(0, n, tuning.PROBED), threads)
        if not is_over():
            self._gram = gram

    def scores(self, A: np.ndarray) -> tuple[np.ndarray, np.ndarray, float, float]:
        """Return the scores (n, m) of dual variables, the weights (m, d) or coefficients that they
        follow from, ``||A^T X||^2 / 2`` and the product of ``A^T X`` with W0.
        """
        if self._rows is None:
            S = self._products(A) + self._shift * A.sum(axis=0)
            return S, A, 0.5 * float(np.vdot(A, S)), 0.0
        V = self._rows.combine(A)
        W = V + self._W0
        product = float(np.sum(V * self._W0))
        return self._rows.scores(W), W, 0.5 * float(np.vdot(V, V)), product

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

    def fill(
        self, handle, m: int, entries: int, numbers: int, is_over: Callable[[], bool]
    ) -> np.ndarray | None:
        """Return the blocks of a working set; None where the time is over."""
        if len(self._blocks) < numbers:  # new memory costs more than what is done with it
            self._blocks = np.empty(numbers, np.float32)
        blocks, K = self._blocks[:numbers], self._gram
        if K is None:
            self._fill_by_class(handle, m, entries, blocks, is_over)
            return None if is_over() else blocks
        single = K.dtype == np.float32
        at = pointer(K, "float *" if single else "double *")
        of = pointer(blocks, "float *")
        kind = lib.TL_FLOAT32 if single else lib.TL_FLOAT64
        if _is_over(lib.tl_pairs_gather(handle, kind, at, of)):
            return None
        if self._shift:
            blocks += np.float32(self._shift)
        return blocks

    def _fill_by_class(
        self, handle, m: int, entries: int, blocks: np.ndarray, is_over: Callable[[], bool]
    ) -> None:
        starts, rows = np.empty(m + 1, np.int64), np.empty(entries, np.int32)
        check(
            lib.tl_pairs_classes(handle, pointer(starts, "int64_t *"), pointer(rows, "int32_t *"))
        )
        first = 0
        for begin, end in itertools.pairwise(starts):
            if is_over():
                return
            X = self._single[rows[begin:end]]
            block = X @ X.T
            last = first + int(end - begin) ** 2
            blocks[first:last] = (block.toarray() if sparse.issparse(block) else block).ravel()
            first = last


class Pairs(Method):
    """Working sets of pairs, as a run of which `max_iter` counts passes over the rows: one for each
    outer step, and the multiplications of the inner ones in units of a pass.
    """

    def _loop(self) -> str:
        threads = min(self._options.threads, lib.TL_MOST_PARTS)
        self._kernel = _Kernel(self._problem)
        self._kernel.compute(self._is_late, threads)
        self._create()
        if threads == 1:
            return self._solve()
        team = _Team(threads - 1, self._options.clock)
        user = ffi.new_handle(team)
        check(lib.tl_pairs_share(self._handle, threads, lib._tl_each, user))
        try:
            return self._solve()
        finally:
            team.end()

    def _solve(self) -> str:
        self._damping = 0.0
        self._A, idle = self._best.A, 0
        while idle < tuning.PAIRS_IDLE:
            primal, dual = self._best.primal, self._best.dual
            S = self._evaluate()
            self._passes += 1.0
            if status := self._judge() or self._why_to_end():
                return status
            idle = 0 if self._has_moved(primal, dual) else idle + 1
            with one_blas_thread():  # the products of blocks are small
                status = self._improve(S)
            self.steps += 1
            if status:
                return status
        return "stalled"

    def _is_late(self) -> bool:
        return self._options.clock.why_to_end() != ""

    def _offer_last(self) -> None:
        if self.steps and self._A is not self._best.A:
            self._evaluate()

    def _create(self) -> None:
        problem, labels = self._problem, self._problem.labels
        self._pass = float(self._best.W.size * labels.n)  # multiplications
        self._user = ffi.new_handle(Deadline(self._options.clock, at_once=True))
        weight = ffi.NULL if problem.weight is None else pointer(problem.weight)
        out = ffi.new("tl_pairs **")
        status = lib.tl_pairs_create(
            losses.code(problem.loss),
            problem.k,
            problem.gamma,
            self._C,
            labels.n,
            labels.m,
            pointer(labels.start, "int64_t *"),
            pointer(labels.label, "int32_t *"),
            weight,
            pointer(self._kernel.norm2),
            lib._tl_is_over,
            self._user,
            out,
        )
        check(status)
        self._handle = ffi.gc(out[0], lib.tl_pairs_free)

    def _has_moved(self, primal: float, dual: float) -> bool:
        """Return whether the best objectives have moved from these, in units of the gap or of the
        smaller of them: at a large C, P may be many times D until the last outer steps.
        """
        best = self._best
        part = tuning.PAIRS_MOVE * min(primal - dual, abs(best.dual))
        return best.dual - dual > part or primal - best.primal > part

    def _evaluate(self) -> np.ndarray:
        """Offer the dual variables, and the weights that follow from them; return their scores."""
        began = self._options.clock.seconds
        S, W, square, product = self._kernel.scores(self._A)
        self._evaluating += self._options.clock.seconds - began
        self._offer(W, S, self._A, square, square + product)
        return S

    def _improve(self, S: np.ndarray) -> str:
        """Maximise D over the pairs chosen at the dual variables and their scores S, to a part of the
        gap; return the status where a limit ends that.
        """
        best, handle = self._best, self._handle
        goal = tuning.PAIRS_INNER * self._C * self._weight.sum() * (best.primal - best.dual)
        counts = ffi.new("size_t[2]")
        arrays = (pointer(S), pointer(self._A))
        if _is_over(lib.tl_pairs_select(handle, *arrays, counts, counts + 1)):
            return self._options.clock.why_to_end()
        entries, numbers = counts
        blocks = self._kernel.fill(handle, self._problem.labels.m, entries, numbers, self._is_late)
        if blocks is None:
            return self._options.clock.why_to_end()
        check(lib.tl_pairs_use(handle, pointer(blocks, "float *")))
        status = self._maximise(goal, max(numbers, 1) / self._pass)
        self._A = self._A.copy()  # the best point may have these
        check(lib.tl_pairs_dual(handle, pointer(self._A)))
        return status or self._why_to_end()

    def _maximise(self, goal: float, part: float) -> str:
        """Maximise D over the pairs to this gap of theirs; a product with their blocks is so large a part
        of a pass. Return the status where a limit ends that.
        """
        clock, handle = self._options.clock, self._handle
        steps, length, gap = ffi.new("size_t *"), ffi.new("double *"), ffi.new("double *")
        tolerance, before = tuning.PAIRS_CG_TOLERANCE, np.inf
        for _ in range(tuning.PAIRS_NEWTON_STEPS):
            passes = min(tuning.PAIRS_PASSES, int(self._passes_left() / part))
            if not passes:
                return "max_iter"
            if _is_over(lib.tl_pairs_run(handle, passes)):
                return clock.why_to_end()
            self._passes += passes * part
            check(lib.tl_pairs_gap(handle, gap))
            if gap[0] <= goal:
                return ""
            most = min(tuning.CG_STEPS, int(self._passes_left() / (2 * part)))
            if not most:
                return "max_iter"
            limits = (self._damping, tolerance, most)
            if _is_over(lib.tl_pairs_newton(handle, *limits, steps, length)):
                return clock.why_to_end()
            self._passes += 2 * steps[0] * part
            is_stuck = length[0] == 0.0 and self._damping == tuning.PAIRS_MOST_DAMPING
            self._follow(length[0])
            check(lib.tl_pairs_gap(handle, gap))
            if gap[0] <= goal or is_stuck:
                return ""
            has_fallen = gap[0] <= tuning.PAIRS_FALL * before
            if length[0] == 1.0 and not has_fallen:  # the directions are not right enough
                finer = tuning.PAIRS_CG_FACTOR * tolerance
                tolerance = max(finer, tuning.PAIRS_LEAST_CG_TOLERANCE)
            before = gap[0]
        return ""

    def _follow(self, length: float) -> None:
        """Set the damping for the next Newton step from the length of this one."""
        least, damping = tuning.PAIRS_LEAST_DAMPING, self._damping
        if length == 1.0:
            self._damping = damping / tuning.PAIRS_PARTIAL_DAMPING if damping > least else 0.0
            return
        is_short = length < tuning.SHORT
        factor = tuning.PAIRS_SHORT_DAMPING if is_short else tuning.PAIRS_PARTIAL_DAMPING
        self._damping = min(max(factor * damping, least), tuning.PAIRS_MOST_DAMPING)
