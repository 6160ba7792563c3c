"""Compute the numbers of a figure and draw it."""

from pathlib import Path

from toplabel.reproduction.jobs import run
from toplabel.reproduction.report.figures.drawing import make_figure
from toplabel.reproduction.report.figures.registry import FigureTask


def main(task, snakemake):
    make_figure(task, [Path(path) for path in snakemake.input], snakemake.output.svg)


if "snakemake" in globals():
    run(main, FigureTask, snakemake)
