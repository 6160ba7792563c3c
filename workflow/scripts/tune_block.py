"""Visit a block of kernel widths of the coarse grid, on the folds of a split."""

from pathlib import Path

from toplabel._core.files import file_sum
from toplabel.reproduction.config.protocols import metrics_for
from toplabel.reproduction.datasets.prepared import load_prepared
from toplabel.reproduction.selection.checkpoints import Checkpoints
from toplabel.reproduction.selection.fitting import default_solve
from toplabel.reproduction.selection.problems import split_named, validation_problems
from toplabel.reproduction.selection.results import save_unit
from toplabel.reproduction.selection.tuning import tune_block
from toplabel.reproduction.workflow.jobs import run


def main(snakemake):
    prepared = load_prepared(Path(snakemake.input.meta).parent)
    fit = snakemake.params.fit
    method, budget, settings = fit["method"], fit["budget"], fit["settings"]
    split = split_named(prepared, snakemake.wildcards.part)
    checkpoints = Checkpoints(
        Path(snakemake.output.unit).with_suffix(".paths"),
        (fit, snakemake.params.get("fingerprint"), file_sum(snakemake.input.meta)),
    )
    results = tune_block(
        validation_problems(prepared, split, fit["protocol"], budget, method, settings.seed),
        method,
        budget,
        metrics_for(fit["protocol"], prepared.n_classes),
        settings,
        (prepared.name, method.name, split.name),
        default_solve(),
        int(snakemake.wildcards.block),
        checkpoints,
    )
    save_unit(results, snakemake.output.unit)
    checkpoints.remove()


if "snakemake" in globals():
    run(main, snakemake)
