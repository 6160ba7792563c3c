"""What the numbers depend on besides the data: config, machine, versions, commit, time."""

from toplabel.reproduction.facts import RunTask, describe_run
from toplabel.reproduction.files import write_json
from toplabel.reproduction.jobs import run


def main(task, snakemake):
    write_json(snakemake.output.run, describe_run(task))


if "snakemake" in globals():
    run(main, RunTask, snakemake)
