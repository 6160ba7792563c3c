"""Say how much of a run is left, in one line every some seconds or minutes, when a job ends.

A job takes as long as in an earlier run, as its benchmark file says, else as long as in the kept
run, else what is fitted to its size (`toplabel.reproduction.workflow.resources`). Jobs of sets that
are not prepared yet have no size and are left out till they have.
"""

from __future__ import annotations

import logging
import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import Any, TextIO

from toplabel.reproduction.workflow.announcements import kept_seconds, opening
from toplabel.reproduction.workflow.cells import Cell
from toplabel.reproduction.workflow.plan import Plan
from toplabel.reproduction.workflow.resources import Size
from toplabel.reproduction.workflow.schedule import Job, fitted, read_benchmark, schedule
from toplabel.reproduction.workflow.targets import Targets

BRIEF = "TOPLABEL_BRIEF"
EVERY = 300.0  # seconds between two lines
_OFTEN = 20.0  # the same where Snakemake's own lines are not printed
_FITTED = ("tune", "tune_block", "train", "threshold", "evaluate", "agree")
_SURE = 60.0  # seconds of jobs after which their pace counts as much as what was expected


@dataclass(frozen=True)
class _Task:
    """A job of the run: its number, those it waits for, its benchmark file if it has one."""

    number: Any
    job: Job
    after: tuple[Any, ...]
    benchmark: Path | None


class Progress(logging.Handler):
    """Listens to Snakemake's log for jobs that start and end, and writes what is left into it.

    Parameters
    ----------
    plan : Plan
    tasks : iterable
        Snakemake's jobs that have to run, with `jobid`, `rule`, `wildcards_dict`, `benchmark`.
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
        plan: Plan,
        tasks: Iterable[Any],
        before: Callable[[Any], Iterable[Any]],
        at_once: int,
        say: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
        known: Mapping[str, float] = MappingProxyType({}),
        every: float = EVERY,
    ) -> None:
        super().__init__()
        self._plan, self._at_once, self._say, self._clock = plan, at_once, say, clock
        self._known, self._every = known, every
        self._left = {task.jobid: _task(task, before(task)) for task in tasks}
        self._total = len(self._left)
        self._started: dict[Any, float] = {}
        self._sizes: dict[str, Size] = {}
        self._took = self._expected = 0.0
        for task in self._left.values():
            self._time(task)
        self._said = clock()

    def time_left(self) -> str:
        """Return the time that is left, in words."""
        for task in self._left.values():
            if task.job.source == "unknown":
                self._time(task)
        known = [task for task in self._left.values() if task.job.source != "unknown"]
        seconds = schedule(self._remaining(known), self._at_once)
        if not known:
            return "unknown"
        return duration(seconds) + (" and more" if len(known) < len(self._left) else "")

    def line(self) -> str:
        """Return how much is done, and the time that is left."""
        done = self._total - len(self._left)
        return f"{done} of {self._total} jobs done, time left: {self.time_left()}"

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
        task = self._left.pop(number, None)
        started = self._started.pop(number, None)
        if task and started is not None and task.job.source != "unknown":
            self._took += now - started
            self._expected += task.job.seconds

    def _time(self, task: _Task) -> None:
        job = task.job
        if task.benchmark and (found := read_benchmark(task.benchmark)):
            job.seconds, job.source = found, "benchmark"
        elif job.path in self._known:
            job.seconds, job.source = self._known[job.path], "kept"
        elif job.rule in _FITTED:
            at = SimpleNamespace(**job.wildcards)
            try:
                size = self._sizes.get(at.dataset) or Size.of(
                    f"results/{at.dataset}/data/meta.json"
                )
            except OSError:
                job.source = "unknown"
                return
            self._sizes[at.dataset] = size
            job.seconds = fitted(self._plan, job.rule, at, size)
            job.source = "fitted"

    def _remaining(self, tasks: Sequence[_Task]) -> list[Job]:
        """Return jobs with the time that each has left, at the pace of this run so far."""
        pace = (_SURE + self._took) / (_SURE + self._expected)
        now = self._clock()
        index = {task.number: position for position, task in enumerate(tasks)}
        return [
            replace(
                task.job,
                after=[index[number] for number in task.after if number in index],
                seconds=max(
                    0.0, pace * task.job.seconds - (now - self._started.get(task.number, now))
                ),
            )
            for task in tasks
        ]


def _task(job: Any, before: Iterable[Any]) -> _Task:
    """Return what counts of Snakemake's job."""
    return _Task(
        job.jobid,
        Job(job.rule.name, dict(job.wildcards_dict)),
        tuple(other.jobid for other in before),
        Path(job.benchmark) if job.benchmark else None,
    )


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
    dag = workflow.dag
    alone = os.environ.get(BRIEF, "0") not in ("", "0")
    screen = Screen(sys.stderr)
    tasks = list(dag.needrun_jobs())
    cells = [cell for task in tasks for cell in map(Cell.of_path, task.output) if cell]
    progress = Progress(
        plan,
        tasks,
        dag.job_dependencies,
        at_once,
        screen if alone else logger.info,
        known=kept_seconds(plan.root),
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
    return any(task.rule.name.endswith(("write_html", "partial")) for task in tasks)


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
