"""One solver of the C library, and the memory that it borrows."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from toplabel._core import losses, tuning
from toplabel._core.arrays import Labels, is_mapped, pointer
from toplabel._core.catalogue import Loss
from toplabel._core.clock import Clock
from toplabel._core.lib import check, ffi, lib
from toplabel._core.threads import Ended


def describe(
    features, labels: Labels, gram: bool, weight: np.ndarray | None, borrowed: list, constant=0.0
):
    """Return a ``tl_data`` of features as from `as_features` (or their Gram matrix) with a constant
    feature, unless that is 0; `borrowed` takes what must outlive the solver.
    """
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
        data.representation = lib.TL_GRAM if gram else lib.TL_DENSE
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


class _Asked:
    """What the library asks whether a call is over; with a run in its place there were a cycle."""

    clock: Clock | None = None

    def is_late(self) -> bool:
        return self.clock is not None and self.clock.is_late()

    def failed(self, error: BaseException) -> int:
        if not isinstance(error, KeyboardInterrupt):
            raise error  # which cffi prints
        if self.clock is not None:
            self.clock.interrupt()
        return 0


def _failed(kind, error: BaseException, traceback) -> int:
    return ffi.from_handle(traceback.tb_frame.f_locals["user"]).failed(error)


@ffi.def_extern(error=0, onerror=_failed)
def _tl_is_over(user) -> int:
    return ffi.from_handle(user).is_late()


class Run:
    """A solver at some point between its start and the optimum.

    `start` are dual variables (n, m), updated in place, that belong to `C_start` (0: to C), beside
    `start_weights` (d, m), or coefficients (n, m). `center` is W0. `acceleration` is the r of the accelerated loop
    (0: none, negative: chosen), `start_r` its first one. `block` rows stand between two matrix
    products, and rows are shuffled within a `window`; 0: chosen, and all. With `float32_passes`
    dense float64 rows may get a float32 copy. After `lagrangian` passes, unless that is 0, hinges that
    are not smooth get the loop of an augmented Lagrangian. Set-up, `set_C` and `evaluate` raise
    `Ended` where the `clock` says that it is late.
    """

    def __init__(
        self,
        features: np.ndarray | sparse.csr_array,
        labels: Labels,
        loss: Loss,
        *,
        gamma: float,
        C: float,
        seed: int,
        gram: bool,
        k: int = 1,
        weight: np.ndarray | None = None,
        start: np.ndarray | None = None,
        C_start: float = 0.0,
        center: np.ndarray | None = None,
        constant: float = 0.0,
        block: int = 0,
        window: int = 0,
        acceleration: float = -1.0,
        start_weights: np.ndarray | None = None,
        start_r: float = 0.0,
        float32_passes: bool = False,
        lagrangian: int = 0,
        clock: Clock | None = None,
    ):
        n, d = features.shape
        self._shape = (d + (constant != 0.0), labels.m)
        self._gram = gram
        self.A = np.zeros((n, labels.m)) if start is None else start
        self._borrowed: list = []
        data = describe(features, labels, gram, weight, self._borrowed, constant)
        settings = ffi.new("tl_settings *")
        lib.tl_settings_init(settings, ffi.sizeof("tl_settings"))
        settings.loss, settings.k, settings.gamma = losses.code(loss), k, gamma
        settings.C, settings.C_start, settings.block = C, C_start, block
        settings.seed, settings.window = seed, window
        settings.float32_passes = float32_passes
        settings.acceleration = acceleration
        settings.start_r = start_r
        settings.lagrangian = lagrangian
        settings.start = ffi.NULL if start_weights is None else pointer(start_weights)
        settings.center = ffi.NULL if center is None else pointer(center)
        self._asked = _Asked()
        self._asked.clock = clock
        handle = ffi.new_handle(self._asked)
        settings.is_over, settings.user = lib._tl_is_over, handle
        self._borrowed.append(handle)

        out = ffi.new("tl_solver **")
        self._check(lib.tl_solver_create(data, settings, pointer(self.A), out))
        self._handle = ffi.gc(out[0], lib.tl_solver_free)
        self._objective = ffi.new("tl_objective *")
        self._outcome = ffi.new("tl_outcome *")
        self.epochs = 0  # made so far
        self._progress = ffi.new("tl_objective *")
        width = max(1.0, features.nnz / n) if sparse.issparse(features) else d
        self._rows_per_step = max(64, int(tuning.WORK_PER_STEP / (2 * width * labels.m)))

    def _check(self, status: int) -> None:
        if status == lib.TL_ERR_OVER:
            raise Ended(self._asked.clock.why_to_end())
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
        """Of the acceleration, at the last evaluation or estimate; 0: none."""
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
        """Continue with another C, from the present point rescaled; after `Ended` the run can only be
        read.
        """
        self._asked.clock = clock
        self._check(lib.tl_solver_set_C(self._handle, C))

    def coefficients(self) -> np.ndarray | None:
        """Return a copy of the coefficients of W in the rows, (n, m); None without a Gram
        matrix.
        """
        if not self._gram:
            return None
        coefficients = np.empty_like(self.A)
        check(lib.tl_solver_coefficients(self._handle, pointer(coefficients)))
        return coefficients

    def weights(self) -> np.ndarray | None:
        """Return a copy of W, (d, m); None with a Gram matrix."""
        if self._gram:
            return None
        W = np.empty(self._shape)
        check(lib.tl_solver_weights(self._handle, pointer(W)))
        return W
