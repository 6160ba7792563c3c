"""What a result depends on besides the config: the machine, the versions, the commit."""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from importlib import metadata
from itertools import pairwise
from pathlib import Path
from typing import Any

from toplabel._core.files import FileError, atomic_path, read_json

PACKAGES = (
    "toplabel",
    "numpy",
    "scipy",
    "pandas",
    "scikit-learn",
    "matplotlib",
    "jinja2",
    "typst",
    "cffi",
    "snakemake",
    "torch",
)
NOTE = Path(".snakemake/toplabel.start.json")


def machine_facts() -> dict[str, Any]:
    """Return processor, number of cores, memory in GiB and operating system."""
    import psutil

    return {
        "cpu": _cpu_name(),
        "cores": os.cpu_count() or 1,
        "memory_gib": round(psutil.virtual_memory().total / 2**30, 1),
        "os": f"{platform.system()} {platform.release()} {platform.machine()}",
    }


def _cpu_name() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def versions() -> dict[str, str]:
    """Return versions of Python and of the packages that results depend on; those installed."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


def git_state(folder: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the commit, whether tracked files differ from it, and where the commit can be read;
    None for what is not known.
    """

    def git(*arguments: str) -> str | None:
        command = ["git", *arguments]
        try:
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
        except (OSError, subprocess.CalledProcessError):
            return None
        return done.stdout.strip()

    commit, changes = git("rev-parse", "HEAD"), git("status", "--porcelain", "-uno")
    page = web_page(git("remote", "get-url", "origin") or "")
    dirty = None if changes is None else bool(changes)
    return {"commit": commit, "dirty": dirty, "url": f"{page}/commit/{commit}" if page else None}


def web_page(remote: str) -> str:
    """Return the page of a repository on a server, without a name or password; empty for a folder."""
    found = re.fullmatch(
        r"(?:https?://|ssh://)?(?:[^@/]+@)?([\w-]+(?:\.[\w-]+)+)[:/](.+?)(?:\.git)?/?", remote
    )
    return f"https://{found[1]}/{found[2]}" if found else ""


def blas_facts() -> list[dict[str, Any]]:
    """Return the BLAS libraries that NumPy and SciPy have loaded: name, version, kernels, threads."""
    import numpy  # noqa: F401  its BLAS shows only when loaded
    import scipy.linalg  # noqa: F401
    import threadpoolctl

    return [
        {
            "library": info.get("internal_api"),
            "version": info.get("version"),
            "kernels": info.get("architecture"),
            "threads": info.get("num_threads"),
        }
        for info in threadpoolctl.threadpool_info()
        if info.get("user_api") == "blas"
    ]


def kernels_of(blas: Iterable[Mapping[str, Any]]) -> str:
    """Return for which kind of processor the OpenBLAS libraries of `blas_facts` compute, as
    ``"SkylakeX"``; empty if not of one kind.
    """
    found = {one.get("kernels") for one in blas if one.get("library") == "openblas"}
    return str(found.pop() or "") if len(found) == 1 else ""


def note_start() -> None:
    """Record when and how this invocation started, after the starts of the earlier ones in this
    folder.
    """
    NOTE.parent.mkdir(exist_ok=True)
    try:
        earlier, _ = read_starts()
    except FileError:
        earlier = []
    command = " ".join([Path(sys.argv[0]).name, *sys.argv[1:]])
    with atomic_path(NOTE) as temporary:
        note = json.dumps({"started": [*earlier, time.time()], "command": command})
        temporary.write_text(note, encoding="utf-8")


def read_starts() -> tuple[list[float], str]:
    """When the invocations in this folder started (seconds since the epoch), and the command line
    of the last.
    """
    if not NOTE.exists():
        return [], ""
    note = read_json(NOTE, ("started", "command"))
    try:
        return [float(start) for start in note["started"]], str(note["command"])
    except (TypeError, ValueError):
        raise FileError(f"{NOTE}: 'started' is no list of numbers; remove the file") from None


def durations(starts: Sequence[float], ends: Iterable[float], now: float) -> list[float]:
    """Return the wall time in seconds of each invocation that ended a job, and of the present one,
    the last of `starts`.

    One that was killed lasted until the last of `ends`, those of jobs with a benchmark file.
    """
    ends = sorted(ends)
    found = []
    for start, following in pairwise(starts):
        own = [end for end in ends if start <= end < following]
        found += [own[-1] - start] if own else []
    return [*found, now - starts[-1] if starts else 0.0]
