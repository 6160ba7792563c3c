"""Choose one (theta, C, delta) for each split and metric."""

from toplabel.selection.choice import select
from toplabel.selection.results import TuneResult, collect
from toplabel.workflow.jobs import logger, run, write_table


def main(snakemake):
    table = select(collect(TuneResult.load(path) for path in snakemake.input.units))
    write_table(table, snakemake.output.selection)
    for row in table[table["at_edge"]].itertuples():
        logger.warning(
            "split %s, %s: best on the edge of the grid (C %g, theta %g)",
            row.split,
            row.metric,
            row.C,
            row.theta,
        )


if "snakemake" in globals():
    run(main, snakemake)
