"""Lay the fine grid of a split around the best points of the mean over its folds."""

from toplabel.selection.results import collect, load_units
from toplabel.selection.tuning import refined_points, write_points
from toplabel.workflow.jobs import logger, run
from toplabel.workflow.params import protocol_of


def main(snakemake):
    _, budget = protocol_of(snakemake.params)
    results = collect(load_units(snakemake.input.units))
    points = refined_points(results[snakemake.wildcards.split], budget)
    write_points(points, snakemake.output.grid)
    logger.info("%d more points", sum(len(exponents) for exponents in points.values()))


if "snakemake" in globals():
    run(main, snakemake)
