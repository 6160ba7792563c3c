"""Write the report as a document."""

from pathlib import Path

from toplabel.reporting import load_inputs, write_pdf
from toplabel.workflow.jobs import run


def main(snakemake):
    inputs = load_inputs(Path(snakemake.input.comparison).parent)
    write_pdf(inputs, snakemake.output.pdf)


if "snakemake" in globals():
    run(main, snakemake)
