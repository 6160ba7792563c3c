"""The table that compares the strategies for the threshold."""

from pathlib import Path

from toplabel.reproduction.compare import threshold_table
from toplabel.reproduction.compare.tables import PrintedTable, write_tables
from toplabel.reproduction.report.labels import metric_label
from toplabel.reproduction.tables.cells import THRESHOLD_STRATEGIES
from toplabel.reproduction.workflow.jobs import run


def main(snakemake):
    cells = [
        {
            "dataset": Path(path).parts[-3],
            "label": label,
            "frame": THRESHOLD_STRATEGIES.read(path),
        }
        for path, label in zip(snakemake.input.strategies, snakemake.params.labels, strict=True)
    ]
    frame = threshold_table.strategy_frame(cells)
    caption = threshold_table.caption(frame)
    table = PrintedTable(
        threshold_table.NAME,
        threshold_table.TITLE,
        caption,
        "",
        "",
        "",
        threshold_table.printed(frame, metric_label),
    )
    write_tables([table], Path(snakemake.output.csv).parent)


if "snakemake" in globals():
    run(main, snakemake)
