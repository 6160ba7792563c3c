"""The training loop: when to evaluate, and when to stop."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from toplabel._run import Run
from toplabel.solution import Record

_FAR = 2.0  # times eps: an estimate of the gap beyond this needs no evaluation to tell that it is not reached


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
    resolution : float
        Relative changes of D below this are rounding.
    """

    eps: float
    max_epochs: int
    eval_every: int | None = None
    callback: Callable[[Record], object] | None = None
    time_limit: float | None = None
    cpu_limit: float | None = None
    watch: dict[str, Callable[[Run], float]] = field(default_factory=dict)
    resolution: float = float(np.finfo(np.float64).eps)


class _Schedule:
    """When to evaluate exactly, which costs about half an epoch.

    The run's estimate of the gap is nearly free. It is that of the middle of the last epoch, and noisy; what it was
    worth at the last evaluation is the factor to trust it with at the next.
    """

    def __init__(self, rules: Rules):
        self._rules = rules
        self._factor = 0.7
        self._last = 0
        self._estimate = math.inf

    def is_due(self, epoch: int, estimate: float) -> bool:
        self._estimate = estimate
        if self._rules.eval_every is not None:
            return epoch - self._last >= self._rules.eval_every
        if self._factor * estimate <= self._rules.eps:
            return True
        return epoch - self._last >= max(8, self._last // 2)

    def evaluated(self, epoch: int, gap: float) -> None:
        self._last = epoch
        if 0 < self._estimate < math.inf and gap > 0:
            self._factor = min(max(gap / self._estimate, 0.05), 2.0)


class _Stall:
    """Has rounding ended the progress?

    Yes, when D rose by rounding only, and neither P nor the gap fell, in three windows in a row, each of ever more
    epochs: where D is flat the gap may go on falling, slowly, for long.
    """

    _TIMES = 3

    def __init__(self, resolution: float):
        self._resolution = resolution
        self._epoch, self._dual, self._primal, self._gap = 0, -math.inf, math.inf, math.inf
        self._times = 0

    def is_stalled(self, record: Record) -> bool:
        if record.epoch - self._epoch < max(5, record.epoch // 5):
            return False
        still = (
            record.dual - self._dual <= self._resolution * abs(record.dual)
            and record.primal >= 0.99 * self._primal
            and record.relative_gap >= 0.99 * self._gap
        )
        self._times = self._times + 1 if still else 0
        self._epoch = record.epoch
        self._dual = max(self._dual, record.dual)
        self._primal = min(self._primal, record.primal)
        self._gap = min(self._gap, record.relative_gap)
        return self._times >= self._TIMES


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


class _Trainer:
    def __init__(self, run: Run, rules: Rules):
        self._run = run
        self._rules = rules
        self._seconds = {"solve": 0.0, "evaluate": 0.0}
        self._epoch = 0
        self._fresh = False  # is the last record that of the present point?
        self.history: list[Record] = []

    def evaluate(self) -> Record:
        if self._fresh:
            return self.history[-1]
        start = time.perf_counter()
        result = self._run.evaluate()
        values = (result.primal, result.dual, result.relative_gap)
        watched = {name: measure(self._run) for name, measure in self._rules.watch.items()}
        self._seconds["evaluate"] += time.perf_counter() - start
        record = Record(
            self._epoch, *values, self._seconds["solve"], self._seconds["evaluate"], watched
        )
        self.history.append(record)
        self._fresh = True
        return record

    def epoch(self, clock: Clock) -> bool:
        """Make one pass; return False if time ran out before its end."""
        while not clock.is_over():
            start = time.perf_counter()
            self._fresh = False
            ended = self._run.step()
            self._seconds["solve"] += time.perf_counter() - start
            if ended:
                self._epoch += 1
                return True
        return False

    def _is_far_from_done(self) -> bool:
        """Is there an estimate of the gap at the start that says so, and does nobody ask for more?"""
        rules = self._rules
        if rules.eval_every or rules.callback or rules.watch or rules.max_epochs == 0:
            return False
        return _FAR * rules.eps < self._run.estimated_gap() < math.inf

    def train(self) -> str:
        rules, schedule, clock = self._rules, _Schedule(self._rules), Clock(self._rules)
        stall = _Stall(rules.resolution)
        if self._is_far_from_done() and not self._epochs(schedule, clock):
            return self._at_time_limit()
        while True:
            record = self.evaluate()
            schedule.evaluated(self._epoch, record.relative_gap)
            stop = rules.callback is not None and rules.callback(record)
            if record.relative_gap <= rules.eps:
                return "converged"
            if stop:
                return "interrupted"
            if self._epoch >= rules.max_epochs:
                return "max_epochs"
            if rules.eps > 0 and stall.is_stalled(record):
                return "stalled"
            if not self._epochs(schedule, clock):
                return self._at_time_limit()

    def _epochs(self, schedule: _Schedule, clock: Clock) -> bool:
        """Make passes until an evaluation is due; return False if time ran out before."""
        while self.epoch(clock):
            due = schedule.is_due(self._epoch, self._run.estimated_gap())
            if due or self._epoch >= self._rules.max_epochs:
                return True
        return False

    def _at_time_limit(self) -> str:
        return "converged" if self.evaluate().relative_gap <= self._rules.eps else "time_limit"


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
    trainer = _Trainer(run, rules)
    try:
        status = trainer.train()
    except KeyboardInterrupt:
        # Python delivers the signal between two calls into C, so the solver is in a consistent state.
        trainer.evaluate()
        status = "interrupted"
    return status, trainer.history
