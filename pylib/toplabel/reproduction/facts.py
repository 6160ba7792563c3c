"""What the numbers of a run depend on besides data and config: results/run.json."""

from __future__ import annotations

import csv
import json
import os
import platform
import re
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict
from datetime import UTC, datetime
from importlib import metadata
from itertools import groupby
from pathlib import Path
from typing import Any

from toplabel.reproduction.config.catalogue import Catalogue
from toplabel.reproduction.files import atomic_path
from toplabel.reproduction.jobs import STARTED
from toplabel.reproduction.report.figures.measuring import cpu_name

PACKAGES = (
    *("toplabel", "numpy", "scipy", "pandas", "scikit-learn", "matplotlib", "jinja2", "typst"),
    *("cffi", "snakemake", "torch"),
)
BENCHMARKS = Path("results/benchmarks")
_STARTS = Path(".snakemake/toplabel.start.json")
_LOGS = Path("results/logs")


def describe_run(root: Path, catalogue: Catalogue, config: Mapping[str, Any]) -> dict[str, Any]:
    """Return config, machine, versions, commit, times and jobs of a run, and its studies."""
    started, command = read_start()
    return {
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": command,
        "config": dict(config),
        "budget": config["budget"],
        "seeds": {"run": config["seed"], "rule": "SHA-256 of run seed and names, never of order"},
        "machine": machine_facts(),
        "versions": versions(),
        "git": git_state(root),
        "blas": blas_facts(),
        "jobs": jobs_by_stage(),
        "nodes": nodes(),
        "wall_seconds": round(time.time() - started, 1) if started else 0.0,
        "wall_seconds_note": "from the start of the last command to just before the reports",
        "studies": [asdict(study) for study in catalogue.studies.values()],
        "readings": [asdict(one) for one in catalogue.notes.readings.values()],
        "choices": [asdict(one) for one in catalogue.notes.choices.values()],
    }


def machine_facts() -> dict[str, Any]:
    """Return processor, number of cores, memory in GiB and operating system."""
    import psutil

    return {
        "cpu": cpu_name(),
        "cores": os.cpu_count() or 1,
        "memory_gib": round(psutil.virtual_memory().total / 2**30, 1),
        "os": f"{platform.system()} {platform.release()} {platform.machine()}",
    }


def versions() -> dict[str, str]:
    """Return the versions of Python and of the installed packages that results depend on."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        with suppress(metadata.PackageNotFoundError):
            found[package] = metadata.version(package)
    return found


def git_state(folder: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the commit, whether tracked files differ from it, and the page of the commit.

    What is not known is None.
    """

    def git(*arguments: str) -> str | None:
        with suppress(OSError, subprocess.CalledProcessError):
            done = subprocess.run(
                ["git", *arguments], cwd=folder, capture_output=True, text=True, check=True
            )
            return done.stdout.strip()
        return None

    commit, changes = git("rev-parse", "HEAD"), git("status", "--porcelain", "-uno")
    page = web_page(git("remote", "get-url", "origin") or "")
    return {
        "commit": commit,
        "dirty": None if changes is None else bool(changes),
        "url": f"{page}/commit/{commit}" if page else None,
    }


def web_page(remote: str) -> str:
    """Return the page of a repository on a server, without user name or password; "" for a folder."""
    found = re.fullmatch(
        r"(?:https?://|ssh://)?(?:[^@/]+@)?([\w-]+(?:\.[\w-]+)+)[:/](.+?)(?:\.git)?/?", remote
    )
    return f"https://{found[1]}/{found[2]}" if found else ""


def blas_facts() -> list[dict[str, Any]]:
    """Return name, version, kernels and threads of the BLAS libraries of NumPy and SciPy."""
    import numpy  # noqa: F401  its BLAS shows only when loaded
    import scipy.linalg  # noqa: F401
    import threadpoolctl

    keys = {
        "library": "internal_api",
        "version": "version",
        "kernels": "architecture",
        "threads": "num_threads",
    }
    return [
        {name: info.get(key) for name, key in keys.items()}
        for info in threadpoolctl.threadpool_info()
        if info.get("user_api") == "blas"
    ]


def kernels_of(blas: Iterable[Mapping[str, Any]]) -> str:
    """Return the kernels of the OpenBLAS libraries of `blas_facts`, as "SkylakeX"; "" if not of one
    kind.
    """
    found = {one.get("kernels") for one in blas if one.get("library") == "openblas"}
    return str(found.pop() or "") if len(found) == 1 else ""


def jobs(folder: Path = BENCHMARKS) -> list[dict[str, Any]]:
    """Return stage, data set, method, part, seconds and peak memory in MB of each job that left a
    benchmark file.
    """
    found = []
    for path in sorted(folder.rglob("*.tsv")):
        names = (*path.relative_to(folder).with_suffix("").parts, "", "", "")
        with path.open(newline="", encoding="utf-8") as stream:
            for row in csv.DictReader(stream, delimiter="\t"):
                job = dict(zip(("stage", "dataset", "method", "part"), names, strict=False))
                took = {"seconds": _number(row.get("s")), "peak_mb": _number(row.get("max_rss"))}
                found.append(job | took)
    return found


def jobs_by_stage(folder: Path = BENCHMARKS) -> list[dict[str, Any]]:
    """Return the number of jobs of each stage, their hours, the longest and the peak memory."""
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


def nodes(folder: Path = _LOGS) -> list[str]:
    """Return the names of the machines that jobs ran on, as the first line of each log says."""
    found = set()
    for path in folder.rglob("*.log"):
        with path.open(encoding="utf-8", errors="replace") as stream:
            if name := re.search(rf" {STARTED} (\S*), process ", stream.readline()):
                found.add(name[1])
    return sorted(found)


def note_start() -> None:
    """Record when and by which command a run started."""
    _STARTS.parent.mkdir(exist_ok=True)
    command = " ".join([Path(sys.argv[0]).name, *sys.argv[1:]])
    with atomic_path(_STARTS) as temporary:
        note = json.dumps({"started": time.time(), "command": command})
        temporary.write_text(note, encoding="utf-8")


def read_start() -> tuple[float, str]:
    """Return when the last run started (seconds since the epoch) and its command; 0 and "" for
    none.
    """
    try:
        note = json.loads(_STARTS.read_text(encoding="utf-8"))
        return float(note["started"]), str(note["command"])
    except (OSError, ValueError, KeyError, TypeError):
        return 0.0, ""


def _stage(job: Mapping[str, Any]) -> str:
    return str(job["stage"])


def _number(text: str | None) -> float:
    """Return a field; 0 for "NA" and "-", which stand for what was not measured."""
    try:
        return float(text or 0)
    except ValueError:
        return 0.0
