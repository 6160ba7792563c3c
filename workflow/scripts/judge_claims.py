"""Write the files that reports and figures read until they read the cells."""

from toplabel.reproduction.compare.cells import read_cells
from toplabel.reproduction.compare.claims import COLUMNS
from toplabel.reproduction.config.catalogue import load_catalogue
from toplabel.reproduction.frames import read_frame
from toplabel.reproduction.jobs import checkout, run
from toplabel.reproduction.tables.collected import COLLECTED
from toplabel.reproduction.workflow.collecting.claims import judge


def main(snakemake):
    cells = read_cells(snakemake.input.cells)
    claims = read_frame(snakemake.input.claims, COLUMNS)
    tables = judge(load_catalogue(checkout(snakemake), snakemake.config), cells, claims)
    for name, path in snakemake.output.items():
        COLLECTED[name].write(tables[name], path)


if "snakemake" in globals():
    run(main, snakemake)
