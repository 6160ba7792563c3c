"""Where the numbers come from: the commit, and what each stage of the run took."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from toplabel.reproduction.reporting import numbers


@dataclass(frozen=True)
class Stage:
    """What the jobs of a stage of the workflow took, as text; `share` is that of the longest stage,
    in percent.
    """

    name: str
    jobs: str
    hours: str
    longest: str
    memory: str
    share: int


# In the order of the workflow; others stand at the end.
_STAGES = ("prepare", "network", "extract", "tune", "train", "threshold", "evaluate")


def stages(run: dict[str, Any]) -> list[Stage]:
    """Return what each stage took; a run of an earlier version says nothing of them."""
    found = [one for one in run.get("jobs", ()) if "hours" in one]  # not of an earlier version
    rank = {name: number for number, name in enumerate(_STAGES)}
    found.sort(key=lambda one: rank.get(one["stage"], len(rank)))
    most = max((one["hours"] for one in found), default=0)
    return [
        Stage(
            one["stage"],
            numbers.count(one["jobs"]),
            numbers.compact(one["hours"], 2),
            numbers.duration(float(one["longest_seconds"])),
            numbers.count(one["peak_mb"]),
            round(100 * one["hours"] / most) if most else 0,
        )
        for one in found
    ]


def commit_of(run: dict[str, Any]) -> tuple[str, str]:
    """Return the commit of the run and where it can be read; each empty where it is not known."""
    git = run["git"]
    url = str(git.get("url") or "")
    return str(git.get("commit") or ""), url if urlsplit(url).scheme in ("http", "https") else ""
