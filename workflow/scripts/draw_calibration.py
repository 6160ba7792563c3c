"""Where scores of least risk are Bayes optimal: maps over the probabilities of three classes."""

import pandas as pd

from toplabel.reporting.calibration import draw_calibration
from toplabel.workflow.jobs import run


def main(snakemake):
    draw_calibration(pd.read_csv(snakemake.input.map), snakemake.output.svg)


if "snakemake" in globals():
    run(main, snakemake)
