"""Tune a method on all folds of some splits: coarse grid, unless other jobs have visited it,
extension, refinement.
"""

from dataclasses import replace
from pathlib import Path

from toplabel._core.files import file_sum
from toplabel.reproduction.data.prepared import load_prepared
from toplabel.reproduction.jobs import run
from toplabel.reproduction.selection.checkpoints import Checkpoints
from toplabel.reproduction.selection.fitting import default_solve
from toplabel.reproduction.selection.problems import validation_problems
from toplabel.reproduction.selection.results import load_units, save_unit
from toplabel.reproduction.selection.task import Task
from toplabel.reproduction.selection.tuning import tune_ks


def main(snakemake):
    prepared = load_prepared(Path(snakemake.input.meta).parent)
    task = Task(**snakemake.params.task)
    blocks = list(load_units(snakemake.input.get("blocks", ())))
    results = []
    checkpoints = Checkpoints(
        Path(snakemake.output.unit).with_suffix(".paths"),
        (task, snakemake.params.get("sources"), file_sum(snakemake.input.meta)),
    )
    for name in snakemake.params.splits:
        of_split = replace(task, split=name)
        problems = list(validation_problems(prepared, of_split))
        results += tune_ks(problems, of_split, default_solve(), blocks, checkpoints)
    save_unit(results, snakemake.output.unit)
    checkpoints.remove()


if "snakemake" in globals():
    run(main, snakemake)
