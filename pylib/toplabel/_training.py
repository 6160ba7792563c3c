"""Training to a tolerance: what the loop of the C library asks and tells."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from toplabel._lib import ffi, lib
from toplabel._run import Run
from toplabel.solution import Record

_STATUS = {
    lib.TL_CONVERGED: "converged",
    lib.TL_MAX_EPOCHS: "max_epochs",
    lib.TL_STALLED: "stalled",
}


@dataclass(frozen=True)
class Rules:
    """When a run ends, and what is looked at on the way.

    Attributes
    ----------
    eps : float
    max_epochs : int
    eval_every : int or None
        Epochs between two evaluations; None: where the gap is expected to have fallen below `eps`.
    callback : callable or None
    time_limit, cpu_limit : float or None
        Seconds of wall and of CPU time.
    watch : dict of str to callable
        From the run to a number, for each watched set.
    """

    eps: float
    max_epochs: int
    eval_every: int | None = None
    callback: Callable[[Record], object] | None = None
    time_limit: float | None = None
    cpu_limit: float | None = None
    watch: dict[str, Callable[[Run], float]] = field(default_factory=dict)


class Clock:
    """The time limits of a run."""

    def __init__(self, rules: Rules):
        self._rules = rules
        self._wall, self._cpu = time.perf_counter(), time.process_time()

    def is_over(self) -> bool:
        wall, cpu = self._rules.time_limit, self._rules.cpu_limit
        return (wall is not None and time.perf_counter() - self._wall >= wall) or (
            cpu is not None and time.process_time() - self._cpu >= cpu
        )


class _Listener:
    """What the loop in C tells: records, watched sets, the user's callback, the limits, Ctrl-C."""

    def __init__(self, run: Run, rules: Rules):
        self._run = run
        self._rules = rules
        self._clock = Clock(rules)
        self._first = run.epochs
        self._now = time.perf_counter()
        self._seconds = {"solve": 0.0, "evaluate": 0.0}
        self.history: list[Record] = []
        self.stopped = ""  # the status of a run that this ends
        self.ctrl_c = False
        self.error: BaseException | None = None

    def __call__(self, objective) -> int:
        return self._between() if objective == ffi.NULL else self._evaluated(objective)

    def failed(self, error: BaseException) -> int:
        """The answer to C after an exception, which cannot pass through it."""
        if isinstance(error, KeyboardInterrupt):
            # Python delivers the signal here, outside the solver's work: its state is consistent.
            self.stopped, self.ctrl_c = "interrupted", True
            return 1
        self.error = error  # raised again when C has returned
        return -1

    def complete(self, objective) -> None:
        """Record the present point where Ctrl-C has kept the loop from it."""
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
        if not self._clock.is_over():
            return 0
        self.stopped = "time_limit"
        return 1

    def _evaluated(self, objective) -> int:
        record = self._record(objective)
        if self.stopped or self._rules.callback is None or not self._rules.callback(record):
            return 0
        self.stopped = "interrupted"
        return 1

    def _record(self, objective) -> Record:
        watched = {name: measure(self._run) for name, measure in self._rules.watch.items()}
        self._lap("evaluate")
        values = (objective.primal, objective.dual, objective.relative_gap)
        epoch = int(objective.epochs) - self._first
        record = Record(epoch, *values, self._seconds["solve"], self._seconds["evaluate"], watched)
        self.history.append(record)
        return record


def _failed(kind, error: BaseException, traceback) -> int:
    # Ctrl-C may come before the first line of the callback, where no handler of its own would see it.
    return ffi.from_handle(traceback.tb_frame.f_locals["user"]).failed(error)


@ffi.def_extern(error=-1, onerror=_failed)
def _tl_callback(user, objective) -> int:
    return ffi.from_handle(user)(objective)


def train(run: Run, rules: Rules) -> tuple[str, list[Record]]:
    """Run until the rules say stop; Ctrl-C stops too.

    Parameters
    ----------
    run : Run
    rules : Rules

    Returns
    -------
    status : str
        As in `toplabel.Solution`.
    history : list of Record
        The last one is that of the point where the run is now.
    """
    listener = _Listener(run, rules)
    handle = ffi.new_handle(listener)
    stopping = ffi.new("tl_stopping *")
    lib.tl_stopping_default(stopping)
    stopping.eps, stopping.max_epochs = rules.eps, rules.max_epochs
    stopping.eval_every = rules.eval_every or 0
    stopping.eval_start = bool(rules.callback or rules.watch)
    stopping.callback, stopping.user = lib._tl_callback, handle
    outcome = run.solve(stopping)
    if listener.error is not None:
        raise listener.error
    listener.complete(run.objective)
    status = "interrupted" if listener.ctrl_c else _STATUS.get(outcome, listener.stopped)
    return status, listener.history
