"""Write the report: its data, its pages or the document, as the output says."""

from pathlib import Path

from toplabel.reproduction.config.run import SUMMARY
from toplabel.reproduction.jobs import checkout, run
from toplabel.reproduction.report.html import write_html
from toplabel.reproduction.report.inputs import load_inputs
from toplabel.reproduction.report.metadata import write_data
from toplabel.reproduction.report.pdf import write_pdf


def main(snakemake):
    results = Path(snakemake.input.comparison).parent
    inputs = load_inputs(results, kept_folder=checkout(snakemake) / SUMMARY)
    output = snakemake.output
    if html := output.get("html"):
        write_html(inputs, html)
    elif pdf := output.get("pdf"):
        write_pdf(inputs, pdf)
    else:
        write_data(inputs, Path(output.json).parent)


if "snakemake" in globals():
    run(main, snakemake)
