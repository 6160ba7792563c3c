"""How long jobs take that have not run yet, and all of them on so many cores."""

from __future__ import annotations

import csv
import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from toplabel.reproduction.workflow.plan import Plan
from toplabel.reproduction.workflow.resources import Size, estimate

_FOLDERS = {"tune_block": "tune", "train_network": "network", "extract_features": "extract"}
_BEGIN = 1.3  # seconds from the start of a process to the first line of its log
_OTHER = 2.3  # seconds of a script that does not train


@dataclass
class Job:
    """A job; `after` has the numbers of those it waits for, `source` says where its time is from."""

    rule: str
    wildcards: dict[str, str]
    after: list[int] = field(default_factory=list)
    seconds: float = _OTHER
    source: str = "constant"

    @property
    def path(self) -> str:
        """Its benchmark file, in the folder of these."""
        names = [*self.wildcards.values()]
        if "block" in self.wildcards:
            names[-2:] = [".block".join(names[-2:])]
        rule = _FOLDERS.get(self.rule, self.rule.removeprefix("study_"))
        return "/".join((rule, *names)) + ".tsv"


def fitted(plan: Plan, stage: str, wildcards: Any, size: Size) -> float:
    """Return the seconds of a job that `estimate` knows, from the start of its process on."""
    return _BEGIN + estimate(plan, stage, wildcards, size)[1]


def read_benchmark(path: Path) -> float | None:
    """Return the seconds in a benchmark file, None without a whole file."""
    try:
        with path.open(newline="", encoding="utf-8") as stream:
            return float(next(csv.DictReader(stream, delimiter="\t"))["s"])
    except (OSError, StopIteration, KeyError, TypeError, ValueError):
        return None


def schedule(jobs: Sequence[Job], cores: int) -> float:
    """Return the wall time in seconds when ready jobs start in order as cores are free."""
    waiting = [len(job.after) for job in jobs]
    next_ones: list[list[int]] = [[] for _ in jobs]
    for number, job in enumerate(jobs):
        for before in job.after:
            next_ones[before].append(number)
    ready = [number for number, left in enumerate(waiting) if not left]
    running: list[tuple[float, int]] = []
    now = 0.0
    while ready or running:
        while ready and len(running) < cores:
            number = heapq.heappop(ready)
            heapq.heappush(running, (now + jobs[number].seconds, number))
        now, done = heapq.heappop(running)
        for number in next_ones[done]:
            waiting[number] -= 1
            if not waiting[number]:
                heapq.heappush(ready, number)
    return now
