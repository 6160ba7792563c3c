"""The table of the measured times of projections, TPAMI Table 2."""

from toplabel.reproduction.files import read_json, write_json
from toplabel.reproduction.frames import read_frame, write_frame
from toplabel.reproduction.jobs import run
from toplabel.reproduction.timing.projections import COLUMNS, TABLE_2, table_of_projections


def main(task, snakemake):
    times = read_frame(snakemake.input.times, COLUMNS)
    printed = read_frame(snakemake.input.printed, TABLE_2)
    conditions = read_json(snakemake.input.conditions, ["sentence"])["sentence"]
    table, words = table_of_projections(times, printed, conditions)
    write_frame(table, snakemake.output.csv)
    write_json(snakemake.output.json, words)


if "snakemake" in globals():
    run(main, None, snakemake)
