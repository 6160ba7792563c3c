"""Speed beside other solvers, and beside the machine's limits."""

from pathlib import Path

from toplabel.reproduction.bench import run as bench
from toplabel.reproduction.bench.measuring import Effort
from toplabel.reproduction.workflow.jobs import run


def main(snakemake):
    # A failed group is reported in the log and in targets.csv; the others stay.
    bench.run(Effort(), Path(snakemake.output.targets).parent)


if "snakemake" in globals():
    run(main, snakemake)
