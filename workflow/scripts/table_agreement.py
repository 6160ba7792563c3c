"""The table that shows whether our own one-vs-all and LIBLINEAR agree."""

import pandas as pd

from toplabel.reproduction.compare.liblinear_table import table_of
from toplabel.reproduction.compare.tables import write_table
from toplabel.reproduction.jobs import run
from toplabel.reproduction.methods.liblinear_agreement import Agreement
from toplabel.reproduction.selection.files import read_rows


def main(snakemake):
    paths, params = snakemake.input.agreements, snakemake.params
    frame = pd.DataFrame([row for path in paths for row in read_rows(Agreement, path)])
    write_table(table_of(frame, params.labels, params.titles), snakemake.output.csv)


if "snakemake" in globals():
    run(main, snakemake)
