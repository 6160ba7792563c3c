"""Put the results of all cells beside the published numbers and those of the kept run."""

from pathlib import Path

from toplabel.reproduction.compare import CompareTask
from toplabel.reproduction.compare.cells import write_cells
from toplabel.reproduction.compare.claims import COLUMNS
from toplabel.reproduction.compare.results import compare_results
from toplabel.reproduction.config.catalogue import load_catalogue
from toplabel.reproduction.config.run import SUMMARY
from toplabel.reproduction.frames import write_frame
from toplabel.reproduction.jobs import run


def main(task, snakemake):
    catalogue = load_catalogue(task.checkout, task.own)
    kept = Path(task.checkout) / SUMMARY / "cells.csv"
    cells, claims = compare_results(catalogue, snakemake.input.evaluations, kept)
    write_cells(cells, snakemake.output.cells)
    write_frame(claims, snakemake.output.claims, COLUMNS)


if "snakemake" in globals():
    run(main, CompareTask, snakemake)
