"""What the jobs of a run took: the benchmark files that Snakemake leaves, in a few numbers for each
stage.
"""

from __future__ import annotations

import csv
import re
from itertools import groupby
from pathlib import Path
from typing import Any

from toplabel.reproduction.workflow.jobs import STARTED

LOGS = Path("results/logs")
BENCHMARKS = Path("results/benchmarks")
_NAMES = ("stage", "dataset", "method", "part")


def jobs(folder: Path = BENCHMARKS) -> list[dict[str, Any]]:
    """Return each job with its stage, data set, method and part (empty where it has none), seconds
    of wall time, memory in MB.

    A job that was too short to be looked at has no memory. Jobs of earlier commands are there, too.
    Snakemake samples the CPU time every half minute, which misses the end of each job, so that is
    not here.
    """
    found = []
    for path in sorted(folder.rglob("*.tsv")):
        parts = (*path.relative_to(folder).with_suffix("").parts, "", "", "")
        with path.open(newline="", encoding="utf-8") as stream:
            for row in csv.DictReader(stream, delimiter="\t"):
                took = {"seconds": _number(row.get("s")), "peak_mb": _number(row.get("max_rss"))}
                found.append(dict(zip(_NAMES, parts, strict=False)) | took)
    return found


def jobs_by_stage(folder: Path = BENCHMARKS) -> list[dict[str, Any]]:
    """Return each stage with its number of jobs, their hours, longest job in seconds and highest
    memory in MB; of `jobs`.
    """
    found = []
    for stage, rows in groupby(sorted(jobs(folder), key=_stage), key=_stage):
        seconds, peaks = zip(*((row["seconds"], row["peak_mb"]) for row in rows), strict=True)
        found.append(
            {
                "stage": stage,
                "jobs": len(seconds),
                "hours": round(sum(seconds) / 3600, 4),
                "longest_seconds": round(max(seconds), 1),
                "peak_mb": round(max(peaks)),
            }
        )
    return found


def job_ends(folder: Path = BENCHMARKS) -> list[float]:
    """When the jobs of `jobs` ended, in seconds since the epoch."""
    return [path.stat().st_mtime for path in folder.rglob("*.tsv")]


def nodes(folder: Path = LOGS) -> list[str]:
    """Return names of the machines that jobs ran on, as the first line of each log says."""
    found = set()
    for path in folder.rglob("*.log"):
        with path.open(encoding="utf-8", errors="replace") as stream:
            if name := re.search(rf" {STARTED} (\S*), process ", stream.readline()):
                found.add(name[1])
    return sorted(found)


def _stage(job: dict[str, Any]) -> str:
    return job["stage"]


def _number(text: str | None) -> float:
    """Return a field; 0 for "NA" and "-", which stand for what was not measured."""
    try:
        return float(text or 0)
    except ValueError:
        return 0.0
