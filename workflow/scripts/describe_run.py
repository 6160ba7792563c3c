"""What the numbers depend on besides the data: config, machine, versions, commit, time."""

from toplabel._core.files import write_json
from toplabel.reproduction.workflow.collecting.run import describe_run
from toplabel.reproduction.workflow.jobs import checkout, run


def main(snakemake):
    write_json(snakemake.output.run, describe_run(checkout(snakemake), snakemake.params.config))


if "snakemake" in globals():
    run(main, snakemake)
