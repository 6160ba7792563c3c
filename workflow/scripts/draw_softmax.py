"""TPAMI Fig. 3d, and the times to three accuracies, from what was measured."""

import json
from pathlib import Path

import pandas as pd

from toplabel.reporting.timing import draw_race
from toplabel.studies.runtimes import race_table
from toplabel.studies.tables import write_tables
from toplabel.workflow.jobs import run

CAPTION = "All solvers are scored by the same objective; dotted: the accuracies of the table."


def main(snakemake):
    frame = pd.read_csv(snakemake.input.csv)
    about = json.loads(Path(snakemake.input.json).read_text(encoding="utf-8"))
    draw_race(frame, snakemake.output.svg, caption=f"{about['what']} {CAPTION} {about['sentence']}")
    ours = frame["solver"].iloc[0]
    table = race_table(frame, ours, about["what"], about["sentence"])
    write_tables([table], Path(snakemake.output.table).parent)


if "snakemake" in globals():
    run(main, snakemake)
