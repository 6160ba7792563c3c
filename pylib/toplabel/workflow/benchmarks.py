"""What the jobs of a run took: the benchmark files that Snakemake leaves, in a few numbers for each stage."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from toplabel.workflow.jobs import STARTED

LOGS = Path("results/logs")
BENCHMARKS = Path("results/benchmarks")


def jobs_by_stage(folder: Path = BENCHMARKS) -> list[dict[str, Any]]:
    """Each stage with its number of jobs, CPU hours, longest job in seconds and highest memory in MB.

    A job that was too short to be looked at counts as one of no memory. A stage's jobs of earlier commands count too.
    """
    found: dict[str, list[Mapping[str, str]]] = {}
    for path in sorted(folder.rglob("*.tsv")):
        with path.open(newline="", encoding="utf-8") as stream:
            rows = list(csv.DictReader(stream, delimiter="\t"))
        stage = path.relative_to(folder).parts[0].removesuffix(".tsv")
        found.setdefault(stage, []).extend(rows)
    return [{"stage": stage, **_sum(rows)} for stage, rows in found.items() if rows]


def nodes(folder: Path = LOGS) -> list[str]:
    """Names of the machines that jobs ran on, as the first line of each log says."""
    found = set()
    for path in folder.rglob("*.log"):
        with path.open(encoding="utf-8", errors="replace") as stream:
            if name := re.search(rf" {STARTED} (\S*), process ", stream.readline()):
                found.add(name[1])
    return sorted(found)


def _sum(rows: Iterable[Mapping[str, str]]) -> dict[str, Any]:
    rows = list(rows)
    return {
        "jobs": len(rows),
        "cpu_hours": round(sum(_number(row, "cpu_time") for row in rows) / 3600, 4),
        "longest_seconds": round(max(_number(row, "s") for row in rows), 1),
        "peak_mb": round(max(_number(row, "max_rss") for row in rows)),
    }


def _number(row: Mapping[str, str], name: str) -> float:
    """A field; 0 for "NA" and "-", which stand for what was not measured."""
    try:
        return float(row.get(name) or 0)
    except ValueError:
        return 0.0
