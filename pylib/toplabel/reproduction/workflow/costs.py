"""What a run costs on so many cores, from the times of the kept one."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterable, Sequence

import pandas as pd

from toplabel.reproduction.report.fragments import table
from toplabel.reproduction.report.numbers import fixed

_CORES = (2, 16, 100)
_ORDER = (
    *("prepare", "network", "extract", "block", "tune", "fine_tune"),
    *("train", "threshold", "evaluate", "agree"),
)


def chained(took: pd.DataFrame) -> list[tuple[float, list[int]]]:
    """Return the seconds of each job of a jobs.csv, and the numbers of those of its cell and its
    data set that come first.
    """
    blocks = took["part"].str.contains(".block", regex=False)
    stages = took["stage"].mask(blocks, "block")
    ranks = stages.map(lambda stage: _ORDER.index(stage) if stage in _ORDER else 0)
    jobs: list[tuple[float, list[int]]] = []
    known: defaultdict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
    for rank, row in sorted(zip(ranks, took.itertuples(), strict=True), key=lambda one: one[0]):
        before = known[row.dataset, ""] + known[row.dataset, row.method]
        known[row.dataset, row.method].append((len(jobs), rank))
        jobs.append((float(row.seconds), [number for number, first in before if first < rank]))
    return jobs


def wall_time(jobs: Sequence[tuple[float, list[int]]], cores: int) -> float:
    """Return the seconds from the first start to the last end, when jobs start in order as cores
    are free and those that they wait for have ended.
    """
    waiting = [len(before) for _, before in jobs]
    ready = [number for number, left in enumerate(waiting) if not left]
    next_ones = defaultdict(list)
    for number, (_, before) in enumerate(jobs):
        for other in before:
            next_ones[other].append(number)
    running: list[tuple[float, int]] = []
    now = 0.0
    while ready or running:
        while ready and len(running) < cores:
            number = heapq.heappop(ready)
            heapq.heappush(running, (now + jobs[number][0], number))
        now, done = heapq.heappop(running)
        for number in next_ones[done]:
            waiting[number] -= 1
            if not waiting[number]:
                heapq.heappush(ready, number)
    return now


def costs(took: pd.DataFrame) -> str:
    """Return what the jobs of each study cost, and all together, as a table in Markdown."""
    took = took.astype({"seconds": float, "peak_mb": float})
    studies = sorted(filter(None, took["study"].unique()))
    parts = [(name, took[took["study"] == name]) for name in studies]
    parts += [("data, and jobs for all", took[took["study"] == ""]), ("**all**", took)]
    head = ["study", "jobs", "core hours", "longest job, s", "peak memory, MB"]
    return table(
        [*head, *(f"wall time on {cores} cores, min" for cores in _CORES)],
        [[name, *_row(part)] for name, part in parts],
    )


def _row(took: pd.DataFrame) -> Iterable[object]:
    jobs, seconds = chained(took), took["seconds"]
    yield from (len(jobs), fixed(seconds.sum() / 3600, 2), fixed(seconds.max(), 0))
    yield fixed(took["peak_mb"].max(), 0)
    yield from (fixed(wall_time(jobs, cores) / 60, 1) for cores in _CORES)
