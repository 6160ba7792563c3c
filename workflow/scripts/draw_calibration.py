"""Where scores of least risk are Bayes optimal: maps over the probabilities of three classes."""

from toplabel.reproduction.jobs import run
from toplabel.reproduction.report.calibration import draw_calibration
from toplabel.reproduction.tables.table import read_numbers


def main(snakemake):
    draw_calibration(read_numbers(snakemake.input.map), snakemake.output.svg)


if "snakemake" in globals():
    run(main, snakemake)
