"""Write the report as HTML pages."""

from pathlib import Path

from toplabel.reporting import load_inputs, write_html
from toplabel.workflow.jobs import run


def main(snakemake):
    inputs = load_inputs(Path(snakemake.input.comparison).parent)
    write_html(inputs, snakemake.output.html)


if "snakemake" in globals():
    run(main, snakemake)
