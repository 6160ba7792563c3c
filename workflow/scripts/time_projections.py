"""TPAMI Fig. 3a and Table 2: time of the projections against the dimension."""

import pandas as pd

from toplabel.reproduction.compare.tables import write_table
from toplabel.reproduction.files import write_json
from toplabel.reproduction.frames import write_frame
from toplabel.reproduction.jobs import run
from toplabel.reproduction.report.figures.measuring import measure
from toplabel.reproduction.report.figures.projections import scaling, table_of
from toplabel.reproduction.report.figures.registry import TimeTask


def main(task, snakemake):
    quick = task.quick
    frame, sentence = measure(lambda: scaling(quick), quick, "CPU time")
    write_frame(frame, snakemake.output.csv)
    write_json(snakemake.output.json, {"what": "", "sentence": sentence})
    table = table_of(frame, pd.read_csv(snakemake.input.printed), sentence)
    write_table(table, snakemake.output.table)


if "snakemake" in globals():
    run(main, TimeTask, snakemake)
