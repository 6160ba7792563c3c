"""Describe the report as an RO-Crate."""

from pathlib import Path

from toplabel.reproduction.jobs import checkout, run
from toplabel.reproduction.report.crate import write_crate
from toplabel.reproduction.report.inputs import load_inputs


def main(snakemake):
    inputs = load_inputs(Path(snakemake.input.comparison).parent)
    write_crate(inputs, Path(snakemake.output.crate).parent, checkout(snakemake))


if "snakemake" in globals():
    run(main, snakemake)
