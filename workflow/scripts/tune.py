"""Tune a method on all folds of some splits."""

from pathlib import Path

from toplabel.reproduction.data.prepared import load_prepared
from toplabel.reproduction.files import file_sum, write_records
from toplabel.reproduction.jobs import run
from toplabel.reproduction.selection import TuneTask
from toplabel.reproduction.selection.tuning import Checkpoints, tune


def main(task, snakemake):
    checkpoints = Checkpoints(
        Path(snakemake.output.unit).with_suffix(".paths"),
        (task, snakemake.params.sources, file_sum(snakemake.input.meta)),
    )
    prepared = load_prepared(Path(snakemake.input.meta).parent)
    write_records(tune(prepared, task, checkpoints), snakemake.output.unit)
    checkpoints.remove()


if "snakemake" in globals():
    run(main, TuneTask, snakemake)
