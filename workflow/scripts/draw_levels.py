"""NIPS 2012 Fig. 2: level sets of the three simplex losses."""

from toplabel.reproduction.illustrations.simplex_coding import loss_levels
from toplabel.reproduction.reporting.simplex_plane import draw_levels
from toplabel.reproduction.workflow.jobs import run


def main(snakemake):
    draw_levels(loss_levels(), snakemake.output.svg)


if "snakemake" in globals():
    run(main, snakemake)
