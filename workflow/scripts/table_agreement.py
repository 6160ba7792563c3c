"""The table that shows whether our own one-vs-all and LIBLINEAR agree."""

from pathlib import Path

import pandas as pd

from toplabel.studies import agreement
from toplabel.studies.tables import Table, write_tables
from toplabel.workflow.jobs import read_table, run


def main(snakemake):
    frame = pd.concat(map(read_table, snakemake.input.agreements), ignore_index=True)
    labels = dict(snakemake.params.labels)
    words = (agreement.NAME, agreement.TITLE, agreement.caption(frame, labels))
    table = Table(*words, "", "", "", agreement.printed(frame, labels))
    write_tables([table], Path(snakemake.output.csv).parent)


if "snakemake" in globals():
    run(main, snakemake)
