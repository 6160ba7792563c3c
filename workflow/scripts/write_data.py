"""Write the data of the report."""

from pathlib import Path

from toplabel.reporting import load_inputs, write_data
from toplabel.workflow.jobs import run


def main(snakemake):
    inputs = load_inputs(Path(snakemake.input.comparison).parent)
    write_data(inputs, Path(snakemake.output.json).parent)


if "snakemake" in globals():
    run(main, snakemake)
