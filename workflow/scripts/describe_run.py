"""What the numbers depend on besides the data: config, machine, versions, commit, time."""

import json
import time
from datetime import UTC, datetime

from toplabel.files import atomic_path
from toplabel.workflow.jobs import checkout, run
from toplabel.workflow.machine import (
    blas_facts,
    git_state,
    machine_facts,
    read_start,
    versions,
)


def main(snakemake):
    started, command = read_start()
    config = dict(snakemake.params.config)
    facts = {
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": command,
        "config": config,
        "budget": config["budget"],
        "seeds": {"run": config["seed"], "rule": "SHA-256 of run seed and names, never of order"},
        "machine": machine_facts(),
        "versions": versions(),
        "git": git_state(checkout(snakemake)),
        "blas": blas_facts(),
        "wall_seconds": round(time.time() - started, 1),
        "wall_seconds_note": "from the start of the invocation that wrote this file to its writing, "
        "just before the reports; of a run that was resumed, its last part",
    }
    with atomic_path(snakemake.output.run) as temporary:
        temporary.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")


if "snakemake" in globals():
    run(main, snakemake)
