"""TPAMI Fig. 3d, and the times to three accuracies, from what was measured."""

from pathlib import Path

from toplabel._core.files import read_json
from toplabel.reproduction.compare.runtimes import race_table
from toplabel.reproduction.compare.tables import write_tables
from toplabel.reproduction.jobs import run
from toplabel.reproduction.report.timing import draw_race
from toplabel.reproduction.tables.table import read_numbers

CAPTION = "All solvers are scored by the same objective; dotted: the accuracies of the table."


def main(snakemake):
    frame = read_numbers(snakemake.input.csv)
    about = read_json(snakemake.input.json, ["what", "sentence"])
    draw_race(frame, snakemake.output.svg, caption=f"{about['what']} {CAPTION} {about['sentence']}")
    ours = frame["solver"].iloc[0]
    table = race_table(frame, ours, about["what"], about["sentence"])
    write_tables([table], Path(snakemake.output.table).parent)


if "snakemake" in globals():
    run(main, snakemake)
