"""Lay the fine grid of a split around the best points of the mean over its folds."""

from toplabel.selection.results import collect, load_units
from toplabel.selection.tuning import refined_points, write_points
from toplabel.workflow.jobs import logger, run


def main(snakemake):
    results = collect(load_units(snakemake.input.units))
    points = refined_points(results[snakemake.wildcards.split], snakemake.params.fit["budget"])
    write_points(points, snakemake.output.grid)
    logger.info("%d more points", sum(len(exponents) for exponents in points.values()))


if "snakemake" in globals():
    run(main, snakemake)
