"""Training to a tolerance: the options, and the callbacks of the loop in C."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from toplabel._core.arrays import as_integer, as_number
from toplabel._core.clock import Clock
from toplabel._core.lib import ffi, lib
from toplabel._core.problem import LARGEST
from toplabel._core.run import Run
from toplabel._core.solution import Model, Record

METHODS = ("sdca", "newton", "pairs", "auto")

_STATUS = {
    lib.TL_CONVERGED: "converged",
    lib.TL_MAX_ITER: "max_iter",
    lib.TL_IMPRECISE: "imprecise",
    lib.TL_STALLED: "stalled",
}


@dataclass(frozen=True)
class Options:
    """When a run stops, what is recorded, the order of the rows: arguments of `toplabel.solve`,
    checked here. `watch` maps each watched set to a function of the run. The `clock` has the limits of
    time, and begins with the first options of a run.
    """

    tol: float = 1e-3
    max_iter: int = 1000
    seed: int = 0
    eval_every: int | None = None
    callback: Callable[[Record], object] | None = None
    window: int | None = None
    acceleration: str | bool | float = "auto"
    method: str = "auto"
    watch: Mapping[str, Callable[[Model], float]] = field(default_factory=dict)
    clock: Clock = field(default_factory=Clock)
    threads: int = 1

    def __post_init__(self) -> None:
        if self.callback is not None and not callable(self.callback):
            raise TypeError(f"callback must be a function, got {self.callback!r}")
        as_r(self.acceleration)
        if not isinstance(self.method, str) or self.method not in METHODS:
            raise ValueError(f"method must be one of {', '.join(METHODS)}, got {self.method!r}")
        checked = {
            "tol": as_number(self.tol, "tol", 0.0),
            "max_iter": as_integer(self.max_iter, "max_iter", 0),
            "seed": as_integer(self.seed, "seed", 0, 2**64 - 1),
            "eval_every": _as_count(self.eval_every, "eval_every"),
            "window": _as_count(self.window, "window"),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    def again(self) -> Options:
        """Return the same for another run, that begins now."""
        return replace(self, clock=self.clock.again())


def _as_count(value: object, name: str) -> int | None:
    return None if value is None else as_integer(value, name, 1)


def as_r(acceleration: object) -> float:
    """Return the argument as ``tl_settings`` has it: r, 0 without acceleration, negative where it
    is chosen.
    """
    if isinstance(acceleration, str) and acceleration == "auto":
        return -1.0
    if acceleration is False:
        return 0.0
    if acceleration is True or isinstance(acceleration, str):
        raise ValueError(f"acceleration must be 'auto', False or a number, got {acceleration!r}")
    r = as_number(acceleration, "acceleration", 0.0, strict=True)
    if r > LARGEST:
        raise ValueError(f"acceleration must be <= {LARGEST:g}, got {acceleration!r}")
    return r


class _Listener:
    """Callbacks of the loop in C: records, watched sets, the user's callback, the limits,
    Ctrl-C.
    """

    def __init__(self, run: Run, options: Options, takes_over: Callable[[], bool]):
        self._run = run
        self._takes_over = takes_over
        self._options = options
        self._first = run.epochs
        self._now = time.perf_counter()
        self._seconds = {"solve": 0.0, "evaluate": 0.0}
        self.history: list[Record] = []
        self.stopped = ""  # the status of a run that this ends
        self.error: BaseException | None = None

    def __call__(self, objective) -> int:
        return self._between() if objective == ffi.NULL else self._evaluated(objective)

    def failed(self, error: BaseException) -> int:
        """Tell C to stop after an exception, which cannot pass through it."""
        if isinstance(error, KeyboardInterrupt):
            # Python delivers the signal here, outside the solver's work: its state is consistent.
            self._options.clock.interrupt()
            self.stopped = "interrupted"
            return 1
        self.error = error  # raised again when C has returned
        return -1

    def complete(self, objective) -> None:
        """Record the present point where the end of the run has kept the loop from it."""
        now = (objective.primal, objective.dual, objective.relative_gap)
        last = self.history[-1] if self.history else None
        if last is None or (last.primal, last.dual, last.relative_gap) != now:
            self._record(objective)

    def _lap(self, kind: str) -> None:
        now = time.perf_counter()
        self._seconds[kind] += now - self._now
        self._now = now

    def _between(self) -> int:
        self._lap("solve")
        if status := self._options.clock.why_to_end():
            self.stopped = status
        elif self._takes_over():
            self.stopped = "taken over"
        return int(self.stopped != "")

    def _evaluated(self, objective) -> int:
        record = self._record(objective)
        is_over = self.stopped not in ("", "taken over")  # where given up, another method goes on
        if is_over or self._options.callback is None or not self._options.callback(record):
            return 0
        self.stopped = "interrupted"
        return 1

    def _record(self, objective) -> Record:
        watched = {name: measure(self._run) for name, measure in self._options.watch.items()}
        self._lap("evaluate")
        values = (objective.primal, objective.dual, objective.relative_gap)
        epoch = int(objective.epochs) - self._first
        record = Record(epoch, *values, self._seconds["solve"], self._seconds["evaluate"], watched)
        self.history.append(record)
        return record


def _failed(kind, error: BaseException, traceback) -> int:
    # Ctrl-C may come before the first line of the callback, where no handler of its own would see
    # it.
    return ffi.from_handle(traceback.tb_frame.f_locals["user"]).failed(error)


@ffi.def_extern(error=-1, onerror=_failed)
def _tl_callback(user, objective) -> int:
    return ffi.from_handle(user)(objective)


def train(
    run: Run, options: Options, takes_over: Callable[[], bool] = lambda: False
) -> tuple[str, list[Record]]:
    """Run until the options, Ctrl-C or `takes_over`, which is asked between parts of the passes,
    say stop; return the status (as in `toplabel.Solution`, or ``"taken over"``) and the history, whose
    last record is that of the point where the run is now.
    """
    listener = _Listener(run, options, takes_over)
    handle = ffi.new_handle(listener)
    stopping = ffi.new("tl_stopping *")
    lib.tl_stopping_init(stopping, ffi.sizeof("tl_stopping"))
    stopping.tol, stopping.max_iter = options.tol, options.max_iter
    stopping.eval_every = options.eval_every or 0
    stopping.eval_start = bool(options.callback or options.watch)
    stopping.callback, stopping.user = lib._tl_callback, handle
    outcome = run.solve(stopping)
    if listener.error is not None:
        raise listener.error
    listener.complete(run.objective)
    if options.clock.is_interrupted:
        return "interrupted", listener.history
    stopped = listener.stopped or options.clock.why_to_end()
    return _STATUS.get(outcome, stopped), listener.history
