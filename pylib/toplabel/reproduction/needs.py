"""What a job requests from a scheduler, and which cells start first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path

from toplabel.reproduction.config.run import SUMMARY
from toplabel.reproduction.files import FileError, read_json
from toplabel.reproduction.frames import read_texts
from toplabel.reproduction.plan import Plan

MB_AND_MINUTES = {
    "prepare": (2000, 30),
    "train_network": (2000, 60),
    "extract_features": (2000, 60),
    "fine_tune": (2000, 60),
    "tune": (2000, 120),
    "train": (2000, 120),
    "evaluate": (2000, 30),
    "predict": (2000, 30),
    "calibration": (1000, 30),
    "time": (2000, 60),
}
"""Memory and time of the first attempt at a job of each rule; both double with each further one."""
FIRST = 10**6
"""The priority of jobs that all others wait for, above that of every cell."""
_UNKNOWN = 10**5  # seconds of a cell that the kept run lacks: it may take long


def needs(rule: str) -> dict[str, Callable[..., int]]:
    """Return ``mem_mb`` and ``runtime`` (minutes) of a rule, as functions that Snakemake calls."""
    mb, minutes = MB_AND_MINUTES[rule]
    return {
        "mem_mb": lambda wildcards, attempt: mb * 2 ** (attempt - 1),
        "runtime": lambda wildcards, attempt: minutes * 2 ** (attempt - 1),
    }


def longest_first(plan: Plan) -> Callable[[Mapping[str, str]], float]:
    """Return the priority of a job: the seconds that all jobs of its cell took in the kept run.

    A long cell that starts last would keep one core busy alone.
    """
    of_cells: defaultdict[tuple[str, ...], float] = defaultdict(float)
    for name, seconds in kept_jobs(plan.root, plan.budget).items():
        of_cells[tuple(name.split("/")[1:3])] += seconds
    return lambda wildcards: of_cells.get((wildcards["dataset"], wildcards["method"]), _UNKNOWN)


@cache
def kept_jobs(root: Path, budget: str) -> dict[str, float]:
    """Return the seconds of the jobs of the kept run, by ``<stage>/<set>/<method>/<part>``.

    There are none where that run had another budget.
    """
    seconds: dict[str, float] = {}
    with suppress(FileError):
        if read_json(root / SUMMARY / "run.json", ["budget"])["budget"] == budget:
            for row in read_texts(root / SUMMARY / "jobs.csv"):
                names = [row[key] for key in ("stage", "dataset", "method", "part")]
                seconds["/".join(filter(None, names))] = float(row["seconds"])
    return seconds
