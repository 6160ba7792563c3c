"""How much of a run is left, in one line at its start and every few minutes, when a job ends.

A job takes as long as in an earlier run, as its benchmark file says, or what is fitted to its size
(`toplabel.workflow.resources`). Jobs of sets that are not prepared yet have no size and are left out till they have.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from toplabel.workflow.plan import Plan
from toplabel.workflow.resources import Size
from toplabel.workflow.simulation import Job, fitted, read_benchmark, schedule, size_of

EVERY = 300.0  # seconds between two lines
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
    """

    def __init__(
        self,
        plan: Plan,
        tasks: Iterable[Any],
        before: Callable[[Any], Iterable[Any]],
        at_once: int,
        say: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__()
        self._plan, self._at_once, self._say, self._clock = plan, at_once, say, clock
        self._left = {task.jobid: _task(task, before(task)) for task in tasks}
        self._total = len(self._left)
        self._started: dict[Any, float] = {}
        self._sizes: dict[str, Size] = {}
        self._took = self._expected = 0.0
        for task in self._left.values():
            self._time(task)
        self._said = clock()

    def line(self) -> str:
        """What is left, now."""
        for task in self._left.values():
            if task.job.source == "unknown":
                self._time(task)
        known = [task for task in self._left.values() if task.job.source != "unknown"]
        seconds, _ = schedule(self._remaining(known), self._at_once)
        guessed = sum(task.job.source != "benchmark" for task in known)
        unknown = len(self._left) - len(known)
        notes = [f"{guessed} of them estimated"] if guessed else []
        if unknown:
            notes.append(f"{unknown} have no estimate until their data set is prepared")
        time_left = duration(seconds) + (" and more" if unknown else "")
        jobs = f"{len(self._left)} of {self._total} jobs"
        return "; ".join((f"Left: {time_left}, {jobs}, {self._at_once} at a time", *notes))

    def emit(self, record: logging.LogRecord) -> None:
        """Take note of a job that starts or ends; say what is left if that was not said for a while."""
        event = getattr(getattr(record, "event", None), "name", "")
        now = self._clock()
        try:
            if event == "JOB_STARTED":
                self._started |= dict.fromkeys(record.__dict__["jobs"], now)
            elif event == "JOB_FINISHED":
                self._end(record.__dict__["job_id"], now)
                if self._left and now >= self._said + EVERY:
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
            job.seconds, job.source = found[0], "benchmark"
        elif job.rule in _FITTED:
            at = SimpleNamespace(**job.wildcards)
            try:
                size = self._sizes.get(at.dataset) or size_of(at.dataset)
            except OSError:
                job.source = "unknown"
                return
            self._sizes[at.dataset] = size
            _, job.seconds = fitted(self._plan, job.rule, at, size)
            job.source = "fitted"

    def _remaining(self, tasks: Sequence[_Task]) -> list[Job]:
        """Jobs with the time that each has left, at the pace of this run so far."""
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
    """What counts of Snakemake's job."""
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


def follow(workflow: Any, plan: Plan) -> None:
    """Say what is left of a run of Snakemake now, and every few minutes until its log is closed."""
    from snakemake.exceptions import WorkflowError
    from snakemake.logging import logger
    from snakemake.settings.enums import Quietness

    def say(line: str) -> None:
        logger.info(line, extra={"quietness": Quietness.PROGRESS})

    try:
        at_once = workflow.cores if workflow.local_exec else workflow.nodes
    except WorkflowError:
        at_once = 1
    dag = workflow.dag
    progress = Progress(
        plan, dag.needrun_jobs(), dag.job_dependencies, max(1, int(at_once or 1)), say
    )
    say(progress.line())
    logger.addHandler(progress)
