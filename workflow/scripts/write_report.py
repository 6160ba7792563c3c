"""Write the report: pages, document, data and crate."""

from pathlib import Path

import pandas as pd

from toplabel.reproduction.compare.cells import read_cells
from toplabel.reproduction.compare.claims import COLUMNS
from toplabel.reproduction.files import read_json
from toplabel.reproduction.frames import read_frame
from toplabel.reproduction.jobs import run
from toplabel.reproduction.report import ReportTask
from toplabel.reproduction.report.write import write_report


def main(task, snakemake):
    given = snakemake.input
    write_report(
        read_cells(given.cells),
        read_frame(given.claims, COLUMNS),
        pd.read_csv(given.datasets, dtype=str, keep_default_na=False),
        read_json(given.run),
        Path(snakemake.output.html).parent,
        checkout=task.checkout,
        shown=[path for path in (*given.tables, *given.figures) if path.endswith(".json")],
        missing=task.missing,
    )


if "snakemake" in globals():
    run(main, ReportTask, snakemake)
