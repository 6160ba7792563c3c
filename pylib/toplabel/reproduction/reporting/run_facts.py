"""The run in words: command, budget, machine, versions, configuration."""

from __future__ import annotations

import json
from typing import Any

from toplabel.reproduction.reporting import numbers


def warning(run: dict[str, Any]) -> str:
    """Return a warning above all numbers; empty for a run with a real budget."""
    if run["budget"] != "quick":
        return ""
    return (
        "The budget of this run is “quick”, a smoke test with coarse grids: its numbers say nothing about"
        " the methods."
    )


def run_facts(run: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the facts of run.json as (name, text)."""
    machine, git = run["machine"], run["git"]
    commit = str(git.get("commit") or "unknown")
    cores, memory = machine.get("cores"), machine.get("memory_gib")
    hardware = [machine.get("cpu"), cores and f"{cores} cores", memory and f"{_plain(memory)} GiB"]
    facts = [
        ("created", _plain(run["created"])),
        ("command", _plain(run["command"])),
        ("budget", _plain(run["budget"])),
        ("seeds", _plain(run["seeds"])),
        ("wall time", numbers.duration(_seconds(run["wall_seconds"]))),
        ("jobs", "; ".join(_jobs(stage) for stage in run.get("jobs", ()) if "hours" in stage)),
        ("nodes", ", ".join(run.get("nodes", ()))),
        ("files", _plain(run.get("verified", ""))),
        ("machine", ", ".join(str(part) for part in [*hardware, machine.get("os")] if part)),
        ("BLAS", _libraries(run["blas"])),
        ("versions", ", ".join(f"{name} {v}" for name, v in run["versions"].items())),
        ("commit", commit + (", with changes that are not committed" if git.get("dirty") else "")),
    ]
    return [(name, text) for name, text in facts if text]


def _jobs(stage: dict[str, Any]) -> str:
    """Return what the jobs of a stage took."""
    longest = numbers.duration(float(stage["longest_seconds"]))
    return (
        f"{stage['stage']}: {numbers.count(stage['jobs'])}, {numbers.compact(stage['hours'], 2)} hours,"
        f" the longest {longest}, at most {numbers.count(stage['peak_mb'])} MB"
    )


def config_text(run: dict[str, Any]) -> str:
    """Return the configuration of the run as it is to be printed."""
    config = run["config"]
    return config if isinstance(config, str) else json.dumps(config, indent=2, ensure_ascii=False)


def _seconds(value: object) -> float:
    return float(value) if isinstance(value, (int, float)) else float("nan")


def _libraries(value: object) -> str:
    """Name the BLAS libraries: for each the values of its entry, equal ones once."""
    if not isinstance(value, list):
        return _plain(value)
    entries = [item.values() if isinstance(item, dict) else [item] for item in value]
    return "; ".join(dict.fromkeys(" ".join(_plain(v) for v in entry) for entry in entries))


def _plain(value: object) -> str:
    """Put a value of run.json into words: lists with commas, objects as name and value."""
    if isinstance(value, dict):
        return ", ".join(f"{name} {_plain(inner)}" for name, inner in value.items())
    if isinstance(value, list):
        return ", ".join(_plain(inner) for inner in value)
    if isinstance(value, float):
        return numbers.compact(value, 6)
    return "" if value is None else str(value)
