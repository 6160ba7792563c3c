"""How much of a run is left, in one line every some seconds or minutes, when a job ends.

A job takes as long as in an earlier run, as its benchmark file says, else as long as in the kept
run. Of other jobs, and of those that have taken longer already, nothing is known, and that is said.
"""

from __future__ import annotations

import csv
import logging
import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, TextIO

from toplabel.reproduction.workflow.announcements import opening
from toplabel.reproduction.workflow.cells import Cell
from toplabel.reproduction.workflow.plan import Plan
from toplabel.reproduction.workflow.resources import kept_jobs
from toplabel.reproduction.workflow.targets import Targets

BRIEF = "TOPLABEL_BRIEF"
EVERY = 300.0  # seconds between two lines
_OFTEN = 20.0  # the same where Snakemake's own lines are not printed
_SHORT = 2.3  # seconds of a job that leaves no benchmark file, since it does not train
_SURE = 60.0  # seconds of jobs after which their pace counts as much as what was expected
_DEFAULT_LIMIT = (100, 1)  # jobs that Snakemake starts, in seconds


class Progress(logging.Handler):
    """Listens to Snakemake's log for jobs that start and end, and writes what is left into it.

    Parameters
    ----------
    tasks : iterable
        Snakemake's jobs that have to run, with `jobid` and `benchmark`.
    before : callable
        The jobs that one waits for.
    at_once : int
        How many run at a time.
    say : callable
        Prints a line.
    clock : callable
        Seconds.
    known : mapping of str to float
        Seconds of jobs in the kept run, by their benchmark files.
    every : float
        Seconds between two lines.
    """

    def __init__(
        self,
        tasks: Iterable[Any],
        before: Callable[[Any], Iterable[Any]],
        at_once: int,
        say: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
        known: Mapping[str, float] = MappingProxyType({}),
        every: float = EVERY,
    ) -> None:
        super().__init__()
        self._at_once, self._say, self._clock, self._every = at_once, say, clock, every
        tasks = list(tasks)
        self._expected = {task.jobid: expected_seconds(task.benchmark, known) for task in tasks}
        self._after = {task.jobid: [other.jobid for other in before(task)] for task in tasks}
        self._left = set(self._expected)
        self._started: dict[Any, float] = {}
        self._took = self._foreseen = 0.0
        self._said = clock()

    def time_left(self) -> str:
        """Return the time that is left, in words."""
        now, pace = self._clock(), (_SURE + self._took) / (_SURE + self._foreseen)
        rest = {
            number: pace * seconds - (now - self._started.get(number, now))
            for number in self._left
            if (seconds := self._expected[number]) is not None
        }
        rest = {number: seconds for number, seconds in rest.items() if seconds > 0}

        @cache
        def chain(number: Any) -> float:
            """Return the seconds of a job and of the longest chain of those before it."""
            before = [chain(other) for other in self._after[number] if other in self._left]
            return rest.get(number, 0.0) + max(before, default=0.0)

        seconds = max([sum(rest.values()) / self._at_once, *map(chain, self._left)], default=0.0)
        unknown = len(self._left) - len(rest)
        if not unknown:
            return duration(seconds)
        if unknown == len(self._left):
            return "unknown"
        jobs = "1 job" if unknown == 1 else f"{unknown:,} jobs"
        return f"{duration(seconds)}, and {jobs} of unknown length"

    def line(self) -> str:
        """Return how much is done, and the time that is left."""
        total = len(self._expected)
        return f"{total - len(self._left)} of {total} jobs done, time left: {self.time_left()}"

    def emit(self, record: logging.LogRecord) -> None:
        """Take note of a job that starts or ends; say what is left if that was not said for a
        while.
        """
        event = getattr(getattr(record, "event", None), "name", "")
        now = self._clock()
        try:
            if event == "JOB_STARTED":
                self._started |= dict.fromkeys(record.__dict__["jobs"], now)
            elif event == "JOB_FINISHED":
                self._end(record.__dict__["job_id"], now)
                if self._left and now >= self._said + self._every:
                    self._said = now
                    self._say(self.line())
        except Exception:
            self.handleError(record)

    def _end(self, number: Any, now: float) -> None:
        self._left.discard(number)
        started = self._started.pop(number, None)
        if started is not None and (foreseen := self._expected.get(number)) is not None:
            self._took += now - started
            self._foreseen += foreseen


def expected_seconds(benchmark: Any, known: Mapping[str, float]) -> float | None:
    """Return the seconds that a job took in an earlier run here, else in the kept run; None where
    neither says.
    """
    if not benchmark:
        return _SHORT
    try:
        with open(benchmark, newline="", encoding="utf-8") as stream:
            return float(next(csv.DictReader(stream, delimiter="\t"))["s"])
    except (OSError, StopIteration, KeyError, TypeError, ValueError):
        return known.get(Path(benchmark).as_posix().partition("benchmarks/")[2])


def duration(seconds: float) -> str:
    """Return a time in words, no finer than it is known."""
    minutes = round(seconds / 60)
    if minutes < 1:
        return "less than a minute"
    if minutes < 60:
        return f"about {minutes} min"
    hours = minutes / 60
    return f"about {hours:.1f} h" if hours < 10 else f"about {hours:.0f} h"


def follow(workflow: Any, plan: Plan, targets: Targets) -> bool:
    """Say what a run of Snakemake computes, and how much of it is left until its log is closed.

    Where the environment variable `BRIEF` is set, the line of this module is all that the terminal
    shows while jobs run, but for errors; Snakemake's log has the rest.

    Returns
    -------
    bool
        Whether the run writes reports.
    """
    from snakemake.exceptions import WorkflowError
    from snakemake.logging import logger

    try:
        at_once = workflow.cores if workflow.local_exec else workflow.nodes
    except WorkflowError:
        at_once = 1
    at_once = max(1, int(at_once or 1))
    alone = os.environ.get(BRIEF, "0") not in ("", "0")
    screen = Screen(sys.stderr)
    tasks = list(workflow.dag.needrun_jobs())
    cells = [cell for task in tasks for cell in map(Cell.of_path, task.output) if cell]
    kept = kept_jobs(plan.root, plan.budget)
    progress = Progress(
        tasks,
        workflow.dag.job_dependencies,
        at_once,
        screen if alone else logger.info,
        known={f"{job}.tsv": took for job, (took, _) in kept.items()},
        every=_OFTEN if alone else EVERY,
    )
    asked = targets.asked() if cells else ()
    said = opening(plan, asked, sorted(cells), len(tasks), progress.time_left(), at_once)
    print(said, file=sys.stderr)
    if alone:
        for handler in logger.handlers:
            if handler.name == "DefaultStreamHandler":
                handler.setLevel(logging.WARNING)
                handler.addFilter(screen.end_line)
    logger.addHandler(progress)
    lift_default_limit(workflow)
    return any(task.rule.name.endswith(("write_html", "partial")) for task in tasks)


def lift_default_limit(workflow: Any) -> None:
    """Let Snakemake start as many jobs at once as have room; a limit that the user gives stays.

    For its default, 100 jobs in a second, Snakemake 9 sets a timer each time that it looks for jobs
    to start, and looks again when it fires; as it also looks when a job ends, every job adds a
    timer that never stops. After some hundred jobs it does nothing else.
    """
    limiter = getattr(workflow.scheduler, "job_rate_limiter", None)
    if limiter is not None and (limiter.max_jobs, limiter.timespan) == _DEFAULT_LIMIT:
        workflow.scheduler.job_rate_limiter = None


class Screen:
    """Write one line, over the one before where the stream is a terminal."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._in_place = stream.isatty()
        self._open = False

    def __call__(self, line: str) -> None:
        """Write the line."""
        text = f"\r\x1b[K{line}" if self._in_place else f"{line}\n"
        print(text, end="", file=self._stream, flush=True)
        self._open = self._in_place

    def end_line(self, record: logging.LogRecord) -> bool:
        """End the line before another handler writes one; a filter that lets every record pass."""
        if self._open and record.levelno >= logging.WARNING:
            print(file=self._stream)
            self._open = False
        return True
