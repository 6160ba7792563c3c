"""Write the report as a document."""

from pathlib import Path

from toplabel.reproduction.config.run import SUMMARY
from toplabel.reproduction.reporting import load_inputs, write_pdf
from toplabel.reproduction.workflow.jobs import checkout, run


def main(snakemake):
    results = Path(snakemake.input.comparison).parent
    inputs = load_inputs(results, kept_folder=checkout(snakemake) / SUMMARY)
    write_pdf(inputs, snakemake.output.pdf)


if "snakemake" in globals():
    run(main, snakemake)
