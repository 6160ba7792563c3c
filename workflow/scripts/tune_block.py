"""Visit a block of kernel widths of the coarse grid, on the folds of a split."""

from dataclasses import replace
from pathlib import Path

from toplabel._core.files import file_sum
from toplabel.reproduction.data.prepared import load_prepared
from toplabel.reproduction.jobs import run
from toplabel.reproduction.selection.checkpoints import Checkpoints
from toplabel.reproduction.selection.fitting import default_solve
from toplabel.reproduction.selection.problems import validation_problems
from toplabel.reproduction.selection.results import save_unit
from toplabel.reproduction.selection.task import Task
from toplabel.reproduction.selection.tuning import tune_block


def main(snakemake):
    prepared = load_prepared(Path(snakemake.input.meta).parent)
    task = replace(Task(**snakemake.params.task), split=snakemake.wildcards.part)
    checkpoints = Checkpoints(
        Path(snakemake.output.unit).with_suffix(".paths"),
        (task, snakemake.params.get("sources"), file_sum(snakemake.input.meta)),
    )
    results = tune_block(
        validation_problems(prepared, task),
        task,
        default_solve(),
        int(snakemake.wildcards.block),
        checkpoints,
    )
    save_unit(results, snakemake.output.unit)
    checkpoints.remove()


if "snakemake" in globals():
    run(main, snakemake)
