"""What the numbers depend on besides the data: config, machine, versions, commit, time."""

import json

from toplabel.files import atomic_path
from toplabel.workflow.collecting.run import describe_run
from toplabel.workflow.jobs import checkout, run


def main(snakemake):
    facts = describe_run(checkout(snakemake), snakemake.params.config)
    with atomic_path(snakemake.output.run) as temporary:
        temporary.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")


if "snakemake" in globals():
    run(main, snakemake)
