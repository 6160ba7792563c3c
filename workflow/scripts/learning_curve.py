"""Measure a method by shares of the training rows."""

from pathlib import Path

from toplabel.reproduction.data.prepared import load_prepared
from toplabel.reproduction.frames import write_rows
from toplabel.reproduction.jobs import run
from toplabel.reproduction.selection import CurveTask
from toplabel.reproduction.selection.rows import CurvePoint, learning_curve


def main(task, snakemake):
    prepared = load_prepared(Path(snakemake.input.meta).parent)
    write_rows(CurvePoint, learning_curve(prepared, task), snakemake.output.curve)


if "snakemake" in globals():
    run(main, CurveTask, snakemake)
