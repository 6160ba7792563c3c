"""One solver of the C library, and the memory that it borrows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from toplabel._core import losses, tuning
from toplabel._core.arrays import is_mapped, pointer
from toplabel._core.clock import Clock
from toplabel._core.lib import check, ffi, lib
from toplabel._core.problem import Data, Problem
from toplabel._core.threads import EndOfRun


def describe(problem: Data, weight: np.ndarray | None, borrowed: list, constant: float = 0.0):
    """Return a ``tl_data`` of the features and labels, with a constant feature, unless that is 0;
    `borrowed` takes what must outlive the solver.
    """
    features, labels = problem.features, problem.labels
    data = ffi.new("tl_data *")
    data.n, data.d = features.shape
    data.constant = constant
    data.d += constant != 0.0
    data.m = labels.m
    data.label_start = pointer(labels.start, "int64_t *")
    data.label = pointer(labels.label, "int32_t *")
    data.weight = ffi.NULL if weight is None else pointer(weight)
    values = features.data if sparse.issparse(features) else features
    single = values.dtype == np.float32
    data.type = lib.TL_FLOAT32 if single else lib.TL_FLOAT64
    if not values.size:
        values = np.zeros(1, values.dtype)  # there must be an address
    data.x = pointer(values, "float *" if single else "double *")
    borrowed += [labels, weight, values]
    if not sparse.issparse(features):
        data.representation = lib.TL_GRAM if problem.is_gram else lib.TL_DENSE
        data.mapped = is_mapped(features)
        return data
    data.representation = lib.TL_CSR
    starts = features.indptr.astype(np.int64, copy=False)
    columns = features.indices if len(features.indices) else np.zeros(1, features.indices.dtype)
    borrowed += [starts, columns]
    data.row_start = pointer(starts, "int64_t *")
    if columns.dtype == np.int32:
        data.column32 = pointer(columns, "int32_t *")
    else:
        data.column64 = pointer(columns, "int64_t *")
    return data


@dataclass
class Deadline:
    """Tells the C library whether a call is over: where the run is to end, `at_once` or when it is late.
    It is no method of `Run`, whose handle would then refer to the run itself and keep it alive.
    """

    clock: Clock | None = None
    has_limits: bool = True
    at_once: bool = False

    def is_late(self) -> bool:
        if not self.has_limits or self.clock is None:
            return False
        return self.clock.why_to_end() != "" if self.at_once else self.clock.is_late()

    def failed(self, error: BaseException) -> int:
        if not isinstance(error, KeyboardInterrupt):
            raise error  # which cffi prints
        if self.clock is not None:
            self.clock.interrupt()
        return int(self.at_once)


def _failed(kind, error: BaseException, traceback) -> int:
    return ffi.from_handle(traceback.tb_frame.f_locals["user"]).failed(error)


@ffi.def_extern(error=0, onerror=_failed)
def _tl_is_over(user) -> int:
    return ffi.from_handle(user).is_late()


@dataclass(frozen=True)
class Start:
    """Holds what a run begins with.

    These are dual variables (n, m), which the run updates in place and which belong to C (0: to that
    of the run), and weights (d, m), or coefficients (n, m), where they are not those of the dual
    variables, with the r of the acceleration.
    """

    dual: np.ndarray | None = None
    C: float = 0.0
    weights: np.ndarray | None = None
    r: float = 0.0


@dataclass(frozen=True)
class RunSettings:
    """The fields of ``tl_settings`` that say how a run goes, with their defaults."""

    seed: int = 0
    block: int = 0
    window: int = 0
    acceleration: float = -1.0
    lagrangian: int = 0
    float32_passes: bool = False


class Run:
    """A solver at some point between its start and the optimum.

    Set-up, `set_C` and `evaluate` raise `EndOfRun`
    where the `clock` says that it is late; without `has_limits` they only tell it of Ctrl-C, until
    `set_C`.
    """

    def __init__(
        self,
        problem: Problem,
        C: float,
        start: Start | None = None,
        settings: RunSettings | None = None,
        *,
        clock: Clock | None = None,
        has_limits: bool = True,
    ):
        start, settings = start or Start(), settings or RunSettings()
        n, m = problem.labels.n, problem.labels.m
        self._problem = problem
        self.A = np.zeros((n, m)) if start.dual is None else start.dual
        self._borrowed: list = []
        data = describe(problem, problem.weight, self._borrowed, problem.constant)
        to = ffi.new("tl_settings *")
        lib.tl_settings_init(to, ffi.sizeof("tl_settings"))
        to.loss, to.k, to.gamma, to.C = losses.code(problem.loss), problem.k, problem.gamma, C
        to.C_start, to.start_r = start.C, start.r
        to.start = ffi.NULL if start.weights is None else pointer(start.weights)
        center = problem.padded_center
        to.center = ffi.NULL if center is None else pointer(center)
        to.seed, to.block, to.window = settings.seed, settings.block, settings.window
        to.acceleration, to.lagrangian = settings.acceleration, settings.lagrangian
        to.float32_passes = settings.float32_passes
        self._deadline = Deadline(clock, has_limits)
        handle = ffi.new_handle(self._deadline)
        to.is_over, to.user = lib._tl_is_over, handle
        self._borrowed.append(handle)

        out = ffi.new("tl_solver **")
        self._check(lib.tl_solver_create(data, to, pointer(self.A), out))
        self._handle = ffi.gc(out[0], lib.tl_solver_free)
        self._objective = ffi.new("tl_objective *")
        self._outcome = ffi.new("tl_outcome *")
        self.epochs = 0  # made so far
        self._progress = ffi.new("tl_objective *")
        features = problem.features
        width = max(1.0, features.nnz / n) if sparse.issparse(features) else features.shape[1]
        self._rows_per_step = max(64, int(tuning.WORK_PER_STEP / (2 * width * m)))

    def _check(self, status: int) -> None:
        if status == lib.TL_ERR_OVER and self._deadline.clock is not None:
            raise EndOfRun(self._deadline.clock.why_to_end())
        check(status)

    def run(self, epochs: int) -> None:
        """Make whole passes over the data, without a way to stop them."""
        check(lib.tl_solver_run(self._handle, epochs))
        self.epochs += epochs

    def solve(self, stopping) -> int:
        """Go on until a ``tl_stopping`` says stop; return a ``tl_outcome``."""
        stopping.rows = self._rows_per_step
        check(lib.tl_solver_solve(self._handle, stopping, self._objective, self._outcome))
        self.epochs = int(self._objective.epochs)
        return self._outcome[0]

    def evaluate(self):
        """Return both objectives, exactly: a ``tl_objective``, valid until the next call."""
        self._check(lib.tl_solver_evaluate(self._handle, self._objective))
        return self._objective

    @property
    def objective(self):
        """The ``tl_objective`` of the last evaluation or estimate, valid until the next."""
        return self._objective

    @property
    def r(self) -> float:
        """The r of the acceleration at the last evaluation or estimate; 0: none."""
        return self._objective.r

    @property
    def visits(self) -> int:
        """Rows visited up to the last evaluation or estimate."""
        return int(self._objective.visits)

    def progress(self):
        """Return a ``tl_objective`` of the passes so far, and of the objectives as the last one's
        rows saw them; valid until the next call.
        """
        check(lib.tl_solver_estimate(self._handle, self._progress))
        return self._progress

    def set_C(self, C: float, clock: Clock | None = None) -> None:
        """Continue with another C, from the present point rescaled; after `EndOfRun` the run can only be
        read.
        """
        self._deadline.clock, self._deadline.has_limits = clock, True
        self._check(lib.tl_solver_set_C(self._handle, C))

    def coefficients(self, out: np.ndarray | None = None) -> np.ndarray | None:
        """Return a copy of the coefficients of W in the rows, (n, m), in `out` if that is given; None
        without a Gram matrix.
        """
        if not self._problem.is_gram:
            return None
        coefficients = np.empty_like(self.A) if out is None else out
        check(lib.tl_solver_coefficients(self._handle, pointer(coefficients)))
        return coefficients

    def weights(self, out: np.ndarray | None = None) -> np.ndarray | None:
        """Return a copy of W, (d, m), in `out` if that is given; None with a Gram matrix."""
        if self._problem.is_gram:
            return None
        W = np.empty(self._problem.weights_shape) if out is None else out
        check(lib.tl_solver_weights(self._handle, pointer(W)))
        return W
