"""Tune a method on all folds of some splits."""

from dataclasses import replace
from pathlib import Path

from toplabel.reproduction.data.prepared import load_prepared
from toplabel.reproduction.files import file_sum
from toplabel.reproduction.jobs import run
from toplabel.reproduction.selection.problems import validation_problems
from toplabel.reproduction.selection.task import TuneTask
from toplabel.reproduction.selection.tuned import save_tuned
from toplabel.reproduction.selection.tuning import Checkpoints, tune_split


def main(task, snakemake):
    prepared = load_prepared(Path(snakemake.input.meta).parent)
    checkpoints = Checkpoints(
        Path(snakemake.output.unit).with_suffix(".paths"),
        (task, snakemake.params.sources, file_sum(snakemake.input.meta)),
    )
    results = []
    for split in task.splits:
        of_split = replace(task, split=split)
        problems = list(validation_problems(prepared, of_split))
        results += tune_split(problems, of_split, checkpoints)
    save_tuned(results, snakemake.output.unit)
    checkpoints.remove()


if "snakemake" in globals():
    run(main, TuneTask, snakemake)
