"""The table that compares the ways of setting cut-offs."""

from pathlib import Path

from toplabel.reporting.labels import metric_label, plain
from toplabel.studies import cutoffs
from toplabel.studies.tables import Table, write_tables
from toplabel.tables.cells import STRATEGIES
from toplabel.workflow.jobs import run


def main(snakemake):
    cells = [
        {"dataset": Path(path).parts[-3], "label": plain(label), "frame": STRATEGIES.read(path)}
        for path, label in zip(snakemake.input.strategies, snakemake.params.labels, strict=True)
    ]
    frame = cutoffs.strategy_frame(cells)
    caption = cutoffs.caption(frame)
    table = Table(
        cutoffs.NAME, cutoffs.TITLE, caption, "", "", "", cutoffs.printed(frame, metric_label)
    )
    write_tables([table], Path(snakemake.output.csv).parent)


if "snakemake" in globals():
    run(main, snakemake)
