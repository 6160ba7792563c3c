"""Put the results of all cells beside the published numbers and those of the kept run."""

from pathlib import Path

from toplabel.reproduction.compare import CompareTask
from toplabel.reproduction.compare.cells import read_cells
from toplabel.reproduction.compare.comparison import compare_results, paths_of, write_comparison
from toplabel.reproduction.config.catalogue import load_catalogue
from toplabel.reproduction.files import SUMMARY
from toplabel.reproduction.frames import read_frame
from toplabel.reproduction.jobs import run


def main(task, snakemake):
    files = snakemake.input
    kept = Path(task.checkout) / SUMMARY / "cells.csv"
    comparison = compare_results(
        load_catalogue(task.checkout, task.own),
        files.evaluations,
        read_frame(files.datasets),
        ranks=files.ranks,
        selections=files.selections,
        metas=files.metas,
        kept=read_cells(kept) if kept.is_file() else None,
        studies=task.studies,
        threshold=task.threshold,
    )
    write_comparison(comparison, paths_of(snakemake.output))


if "snakemake" in globals():
    run(main, CompareTask, snakemake)
