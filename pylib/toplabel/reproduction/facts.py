"""Machine, versions and config of a run (results/run.json), and memory and time of its jobs."""

from __future__ import annotations

import os
import platform
import subprocess
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toplabel.reproduction.files import SUMMARY, FileError, PathLike, read_json
from toplabel.reproduction.frames import read_texts
from toplabel.reproduction.timing import cpu_name

if TYPE_CHECKING:
    import pandas as pd


PACKAGES = (
    *("toplabel", "numpy", "scipy", "pandas", "scikit-learn", "matplotlib", "jinja2", "typst"),
    *("cffi", "snakemake", "torch"),
)
BENCHMARKS = Path("results/benchmarks")
_MEASURED = ("seconds", "peak_mb")
KEPT_JOBS: dict[str, type] = {
    **dict.fromkeys(("study", "stage", "dataset", "method", "part"), str),
    **dict.fromkeys(_MEASURED, float),
}
"""The columns of the jobs of the kept run, reports/summary/jobs.csv."""
MB = 2000
MINUTES = {
    **dict.fromkeys(("prepare", "evaluate", "predict"), 30),
    **dict.fromkeys(("train_network", "extract_features", "fine_tune", "time"), 60),
    **dict.fromkeys(("tune", "train", "learning_curve", "final_model"), 120),
}
"""Time of the first attempt at a job of each rule; it and the memory double with each further one."""
FIRST = 10**6
"""The priority of jobs that all others wait for, above that of every cell."""
_UNKNOWN = 10**5  # seconds of a cell that the kept run lacks: it may take long
_START = Path(".snakemake/toplabel.start")


@dataclass(frozen=True)
class RunTask:
    """A run's config, and the studies of its catalogue as mappings."""

    checkout: str
    config: Mapping[str, Any]
    studies: Sequence[Mapping[str, Any]]


def describe_run(task: RunTask) -> dict[str, Any]:
    """Return config, machine, versions, commit, times and jobs of a run, and its studies."""
    config = task.config
    return {
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "config": dict(config),
        "budget": config["budget"],
        "seeds": {"run": config["seed"], "rule": "SHA-256 of run seed and names, never of order"},
        "machine": machine_facts(),
        "versions": versions(),
        "git": git_state(task.checkout),
        "blas": blas_facts(),
        "jobs": jobs_by_stage(),
        "wall_seconds": seconds_since_start(),
        "studies": list(task.studies),
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
    installed = {"python": platform.python_version()}
    for package in PACKAGES:
        with suppress(metadata.PackageNotFoundError):
            installed[package] = metadata.version(package)
    return installed


def git_state(folder: PathLike) -> dict[str, Any]:
    """Return the commit, and whether tracked files differ from it; None for what is not known."""

    def git(*arguments: str) -> str | None:
        with suppress(OSError, subprocess.CalledProcessError):
            return subprocess.check_output(
                ["git", *arguments], cwd=folder, stderr=subprocess.DEVNULL, text=True
            ).strip()
        return None

    commit, changes = git("rev-parse", "HEAD"), git("status", "--porcelain", "-uno")
    return {"commit": commit, "dirty": None if changes is None else bool(changes)}


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
    kernels = {library.get("kernels") for library in blas if library.get("library") == "openblas"}
    return str(kernels.pop() or "") if len(kernels) == 1 else ""


def jobs(folder: Path = BENCHMARKS) -> pd.DataFrame:
    """Return stage, data set, method, part, seconds and peak memory in MB of each job that left a
    benchmark file; 0 for what Snakemake did not measure.
    """
    import pandas as pd

    rows = []
    for path in sorted(folder.rglob("*.tsv")):
        names = (*path.relative_to(folder).with_suffix("").parts, "", "", "")
        for row in read_texts(path, delimiter="\t"):
            rows.append((*names[:4], row["s"], row["max_rss"]))
    frame = pd.DataFrame(rows, columns=["stage", "dataset", "method", "part", *_MEASURED])
    for name in _MEASURED:
        frame[name] = pd.to_numeric(frame[name], errors="coerce").fillna(0).astype(float)
    return frame


def jobs_by_stage() -> list[dict[str, Any]]:
    """Return the number of jobs of each stage, their hours, the longest and the peak memory."""
    return [
        {
            "stage": stage,
            "jobs": len(rows),
            "hours": round(float(rows["seconds"].sum()) / 3600, 4),
            "longest_seconds": round(float(rows["seconds"].max()), 1),
            "peak_mb": round(float(rows["peak_mb"].max())),
        }
        for stage, rows in jobs().groupby("stage")
    ]


def note_start() -> None:
    """Record when a run started."""
    _START.parent.mkdir(exist_ok=True)
    _START.touch()


def seconds_since_start() -> float:
    """Return the seconds since the start of the last run; 0 for none."""
    return round(time.time() - _START.stat().st_mtime, 1) if _START.is_file() else 0.0


def needs(rule: str) -> dict[str, Callable[..., int]]:
    """Return ``mem_mb`` and ``runtime`` (minutes) of a rule, as functions that Snakemake calls."""
    return {
        "mem_mb": lambda wildcards, attempt: MB * 2 ** (attempt - 1),
        "runtime": lambda wildcards, attempt: MINUTES[rule] * 2 ** (attempt - 1),
    }


def longest_first(root: Path, budget: str) -> Callable[[Mapping[str, str]], float]:
    """Return the priority of a job: the seconds that all jobs of its cell took in the kept run.

    A long cell that starts last would keep one core busy alone.
    """
    of_cells: defaultdict[tuple[str, ...], float] = defaultdict(float)
    for name, seconds in kept_jobs(root, budget).items():
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
