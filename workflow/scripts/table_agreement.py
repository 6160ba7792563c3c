"""The table that shows whether our own one-vs-all and LIBLINEAR agree."""

from pathlib import Path

from toplabel.studies import agreement
from toplabel.studies.tables import Table, write_tables
from toplabel.tables.cells import AGREEMENT
from toplabel.workflow.jobs import run


def main(snakemake):
    frame = AGREEMENT.read_all(snakemake.input.agreements)
    labels = dict(snakemake.params.labels)
    words = (agreement.NAME, agreement.TITLE, agreement.caption(frame, labels))
    table = Table(*words, "", "", "", agreement.printed(frame, labels))
    write_tables([table], Path(snakemake.output.csv).parent)


if "snakemake" in globals():
    run(main, snakemake)
