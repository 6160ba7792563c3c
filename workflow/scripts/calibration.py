"""TPAMI section 4 in numbers: which losses are top-k calibrated, the propositions as a table."""

from toplabel.reproduction.calibration import CalibrationTask
from toplabel.reproduction.calibration.study import CAPTION, TITLE, study, table
from toplabel.reproduction.compare.tables import PrintedTable, write_table
from toplabel.reproduction.frames import write_frame
from toplabel.reproduction.jobs import run


def main(task, snakemake):
    minima, cases = study(task.seed, task.each)
    write_frame(minima, snakemake.output.minima)
    write_frame(cases, snakemake.output.cases)
    write_table(PrintedTable(TITLE, CAPTION, table(minima, cases)), snakemake.output.table)


if "snakemake" in globals():
    run(main, CalibrationTask, snakemake)
