"""TPAMI section 4 in numbers: which losses are top-k calibrated, the propositions as a table."""

from toplabel.reproduction.calibration.propositions import CAPTION, TITLE, table
from toplabel.reproduction.calibration.study import study
from toplabel.reproduction.compare.tables import PrintedTable, write_table
from toplabel.reproduction.frames import write_frame
from toplabel.reproduction.jobs import run


def main(snakemake):
    minima, cases = study(snakemake.params.seed, snakemake.params.each)
    write_frame(minima, snakemake.output.minima)
    write_frame(cases, snakemake.output.cases)
    write_table(PrintedTable(TITLE, CAPTION, table(minima, cases)), snakemake.output.table)


if "snakemake" in globals():
    run(main, snakemake)
