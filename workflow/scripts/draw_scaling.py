"""TPAMI Fig. 3a and Table 2 from the times that were measured."""

from pathlib import Path

from toplabel._core.files import read_json
from toplabel.reproduction.compare.runtimes import projection_table
from toplabel.reproduction.compare.tables import write_tables
from toplabel.reproduction.jobs import checkout, run
from toplabel.reproduction.report.timing import draw_scaling
from toplabel.reproduction.tables.table import read_numbers

CAPTION = (
    "Time of 1000 projections of vectors from N(0, 1), radius 10: simplex, top-k simplices α, and the bipartite "
    "simplex, both sides of dimension d/2, by variable fixing and by sorting."
)


def main(snakemake):
    frame = read_numbers(snakemake.input.csv)
    conditions = read_json(snakemake.input.json, ["sentence"])["sentence"]
    draw_scaling(frame, snakemake.output.svg, caption=f"{CAPTION} {conditions}")
    printed = read_numbers(checkout(snakemake) / "data/published/tpami2017_table02.csv")
    table = projection_table(frame, printed, conditions)
    write_tables([table], Path(snakemake.output.table).parent)


if "snakemake" in globals():
    run(main, snakemake)
