"""The run itself."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from toplabel.reproduction.config.catalogue import Catalogue
from toplabel.reproduction.workflow.benchmarks import job_ends, jobs_by_stage, nodes
from toplabel.reproduction.workflow.environment import (
    blas_facts,
    durations,
    git_state,
    machine_facts,
    read_starts,
    versions,
)


def describe_run(root: Path, catalogue: Catalogue, config: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the numbers depend on besides the data: config, machine, versions, commit, time;
    jobs, studies.
    """
    starts, command = read_starts()
    parts = [round(part, 1) for part in durations(starts, job_ends(), time.time())]
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
        "wall_seconds": parts[-1],
        "wall_seconds_note": "from the start of the invocation that wrote this file to its writing, "
        "just before the reports; of a run that was resumed, its last part",
        "parts": parts,
        "studies": [asdict(study) for study in catalogue.studies.values()],
        "readings": [asdict(one) for one in catalogue.readings.readings.values()],
        "choices": [asdict(one) for one in catalogue.readings.choices.values()],
    }
