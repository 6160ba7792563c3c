"""What a job asks a scheduler for, and which jobs start first.

Memory and time are those of the same job in the kept run, with a margin. For other jobs the memory
follows from the size of the prepared set, and the time is a limit for all. Both double with each
attempt, as Snakemake's `retries` makes them.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from math import ceil
from pathlib import Path
from typing import Any

from toplabel.reproduction.config.run import SUMMARY
from toplabel.reproduction.files import FileError, read_json
from toplabel.reproduction.plan import Plan

FIRST = 10**6
"""The priority of jobs that all others wait for, above that of every cell."""
_UNKNOWN = 10**5  # seconds of a cell that the kept run lacks: it may take long
_BASE_MB = 600  # a script with its libraries, and on a cluster two Snakemakes
_MARGIN = 1.3
_MINUTES = 180  # of a job that the kept run lacks
_SLOWER = 4.0  # than the machine of the kept run a node may be
_LEAST_MINUTES = 20
# Float64 arrays of the size of the features, of n x m, and of n x n for a kernel.
_FEATURES, _SCORES, _GRAM = 2, 11, 3


def needs(plan: Plan, stage: str, mb: int = 2000) -> dict[str, Callable[..., int]]:
    """Return ``mem_mb`` and ``runtime`` (minutes) of a rule, as functions that Snakemake calls.

    `mb` is the memory of a job that is not about a prepared data set.
    """

    def memory(wildcards: Any, input: Any, attempt: int) -> int:
        kept = kept_jobs(plan.root, plan.budget).get(job_name(stage, wildcards), (0.0, 0.0))[1]
        size = _of_data(plan, input.get("meta"), wildcards) if input.get("meta") else mb
        return ceil(max(_BASE_MB + _MARGIN * kept, size) * 2 ** (attempt - 1))

    def runtime(wildcards: Any, attempt: int) -> int:
        kept = kept_jobs(plan.root, plan.budget).get(job_name(stage, wildcards))
        minutes = _LEAST_MINUTES + _SLOWER * kept[0] / 60 if kept else _MINUTES
        return ceil(minutes * 2 ** (attempt - 1))

    return {"mem_mb": memory, "runtime": runtime}


def _of_data(plan: Plan, meta: str, wildcards: Mapping[str, str]) -> float:
    """Return the memory in MB of a job that works on a prepared set, which has to be there."""
    if not Path(meta).is_file():
        raise FileNotFoundError(2, "not made yet", meta)  # Snakemake asks again when it is
    try:
        found = read_json(meta)
        part = max(found["parts"].values(), key=lambda part: part["n_rows"])
        rows, columns = part["n_rows"], part["n_features"]
        stored = sum(path.stat().st_size for path in Path(meta).parent.glob("X_*"))
    except (FileError, KeyError, ValueError):
        return _BASE_MB  # the job itself says what is wrong with the set
    method = plan.methods.get(wildcards.get("method", ""))
    entries = _SCORES * rows * found["n_classes"]
    if method is not None and method.kernel == "rbf":
        entries += _GRAM * rows**2 + _FEATURES * rows * columns
    return _BASE_MB + _MARGIN * (8 * entries + 3 * _FEATURES * stored) / 1e6


def longest_first(plan: Plan) -> Callable[[Mapping[str, str]], float]:
    """Return the priority of a job: the seconds that all jobs of its cell took in the kept run.

    A long cell that starts last would keep one core busy alone.
    """

    @cache
    def cells() -> Mapping[tuple[str, ...], float]:
        found: defaultdict[tuple[str, ...], float] = defaultdict(float)
        for name, (seconds, _) in kept_jobs(plan.root, plan.budget).items():
            found[tuple(name.split("/")[1:3])] += seconds
        return found

    def priority(wildcards: Mapping[str, str]) -> float:
        names = (wildcards["dataset"], wildcards.get("method", ""))
        return cells().get(tuple(filter(None, names)), _UNKNOWN)

    return priority


def job_name(stage: str, wildcards: Any) -> str:
    """Return the name of a job, which its benchmark file has: ``<stage>/<set>/<method>/<part>``."""
    return "/".join([stage, *dict(wildcards.items()).values()])


@cache
def kept_jobs(root: Path, budget: str) -> dict[str, tuple[float, float]]:
    """Return seconds and peak memory in MB of the jobs of the kept run, by `job_name`.

    There are none where that run had another budget.
    """
    found: dict[str, tuple[float, float]] = {}
    with suppress(FileError, OSError):
        if read_json(root / SUMMARY / "run.json", ["budget"])["budget"] != budget:
            return {}
        with (root / SUMMARY / "jobs.csv").open(newline="", encoding="utf-8") as stream:
            for row in csv.DictReader(stream):
                names = [row[key] for key in ("stage", "dataset", "method", "part")]
                found["/".join(filter(None, names))] = float(row["seconds"]), float(row["peak_mb"])
    return found
