"""What a run costs on so many cores, from the times of the kept one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import pandas as pd

from toplabel.reproduction.reporting.markdown import table
from toplabel.reproduction.reporting.numbers import fixed
from toplabel.reproduction.workflow.schedule import Job, schedule

_CORES = (2, 16, 100)
_ORDER = (
    *("prepare", "network", "extract", "block", "tune", "fine_tune"),
    *("train", "threshold", "evaluate", "agree"),
)


def chained(took: pd.DataFrame) -> list[Job]:
    """Return the jobs of a jobs.csv, each after those of its cell and its data set that come first."""
    blocks = took["part"].str.contains(".block", regex=False)
    stages = took["stage"].mask(blocks, "block")
    ranks = stages.map(lambda stage: _ORDER.index(stage) if stage in _ORDER else 0)
    jobs: list[Job] = []
    known: defaultdict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
    for rank, row in sorted(zip(ranks, took.itertuples(), strict=True), key=lambda one: one[0]):
        before = known[row.dataset, ""] + known[row.dataset, row.method]
        after = [number for number, first in before if first < rank]
        known[row.dataset, row.method].append((len(jobs), rank))
        jobs.append(Job(row.stage, {}, after, float(row.seconds)))
    return jobs


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
    yield from (fixed(schedule(jobs, cores) / 60, 1) for cores in _CORES)
