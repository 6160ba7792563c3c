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
        self.error: BaseException | None = None

    def __call__(self, objective) -> int:
        try:
            return self._between() if objective == ffi.NULL else self._evaluated(objective)
        except KeyboardInterrupt:
            # Python delivers the signal here, outside the solver's work: its state is consistent.
            self.stopped = "interrupted"
            return 1
        except BaseException as error:  # raised again when C has returned
            self.error = error
            return -1

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
        values = (objective.primal, objective.dual, objective.relative_gap)
        epoch = int(objective.epochs) - self._first
        watched = {name: measure(self._run) for name, measure in self._rules.watch.items()}
        self._lap("evaluate")
        record = Record(epoch, *values, self._seconds["solve"], self._seconds["evaluate"], watched)
        self.history.append(record)
        if self.stopped or self._rules.callback is None or not self._rules.callback(record):
            return 0
        self.stopped = "interrupted"
        return 1


@ffi.def_extern(error=-1)
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
    return _STATUS.get(outcome, listener.stopped), listener.history
