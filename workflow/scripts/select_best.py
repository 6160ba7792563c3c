"""Choose one (k, theta, C, delta) for each split and metric."""

from toplabel.selection.choice import edge_notes, select
from toplabel.selection.results import collect, load_units
from toplabel.tables.cells import SELECTION
from toplabel.workflow.jobs import logger, run


def main(snakemake):
    table = select(collect(load_units(snakemake.input.units)))
    for note in edge_notes(table):
        logger.warning(note)
    SELECTION.write(table, snakemake.output.selection)


if "snakemake" in globals():
    run(main, snakemake)
