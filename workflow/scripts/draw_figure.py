"""Compute the numbers of a figure and draw it."""

from pathlib import Path

from toplabel.reproduction.jobs import run
from toplabel.reproduction.report.figures.drawing import Source, make_figure


def main(snakemake):
    source = Source([Path(path) for path in snakemake.input], **snakemake.params.shows)
    make_figure(snakemake.wildcards.figure, source, snakemake.output.svg)


if "snakemake" in globals():
    run(main, snakemake)
