"""The table that shows whether our own one-vs-all and LIBLINEAR agree."""

from pathlib import Path

import pandas as pd

from toplabel.reproduction.compare import liblinear_table
from toplabel.reproduction.compare.tables import PrintedTable, write_tables
from toplabel.reproduction.jobs import run
from toplabel.reproduction.methods.liblinear_agreement import Agreement
from toplabel.reproduction.selection.files import read_rows


def main(snakemake):
    paths = snakemake.input.agreements
    frame = pd.DataFrame([row for path in paths for row in read_rows(Agreement, path)])
    labels = dict(snakemake.params.labels)
    caption = liblinear_table.caption(frame, labels, dict(snakemake.params.titles))
    words = (liblinear_table.NAME, liblinear_table.TITLE, caption)
    table = PrintedTable(*words, "", "", "", liblinear_table.printed(frame, labels))
    write_tables([table], Path(snakemake.output.csv).parent)


if "snakemake" in globals():
    run(main, snakemake)
