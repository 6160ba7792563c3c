"""Write the report: pages, document, data and crate."""

from pathlib import Path

from toplabel.reproduction.compare.comparison import paths_of, read_comparison
from toplabel.reproduction.files import read_json
from toplabel.reproduction.frames import read_frame
from toplabel.reproduction.jobs import run
from toplabel.reproduction.report import ReportTask
from toplabel.reproduction.report.write import write_report


def main(task, snakemake):
    files = snakemake.input
    write_report(
        read_comparison(paths_of(files)),
        read_frame(files.datasets),
        read_json(files.run),
        Path(snakemake.output.html).parent,
        checkout=task.checkout,
        shown=[path for path in (*files.tables, *files.figures) if path.endswith(".json")],
        metas=files.metas,
        workflow=files.workflow,
        own_code=files.get("own_code", ()),
        linked=[*files.evaluations, *files.predictions],
        missing=task.missing,
    )


if "snakemake" in globals():
    run(main, ReportTask, snakemake)
