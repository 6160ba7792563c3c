"""Tune a method on the folds of a split: on a block of the coarse grid, or on the fine grid."""

from pathlib import Path

from toplabel.config.protocols import metrics_for
from toplabel.datasets.prepared import load_prepared
from toplabel.selection.fitting import default_solve
from toplabel.selection.problems import split_named, validation_problems
from toplabel.selection.results import save_unit
from toplabel.selection.tuning import coarse_points, read_points, tune_fold
from toplabel.workflow.jobs import run


def main(snakemake):
    prepared = load_prepared(Path(snakemake.input.meta).parent)
    fit = snakemake.params.fit
    method, budget, settings = fit["method"], fit["budget"], fit["settings"]
    split = split_named(prepared, snakemake.wildcards.split)
    coarse = not snakemake.input.get("grid")
    if not coarse:
        points = read_points(snakemake.input.grid)
    else:
        points = coarse_points(method, budget, int(snakemake.wildcards.block))
    problems = validation_problems(prepared, split, fit["protocol"], budget, method, settings.seed)
    results = [
        tune_fold(
            problem,
            method,
            budget,
            metrics_for(fit["protocol"], prepared.n_classes),
            settings,
            (prepared.name, method.name, split.name, fold),
            points,
            default_solve(),
            coarse,
        )
        for fold, problem in enumerate(problems)
    ]
    save_unit(results, snakemake.output.unit)


if "snakemake" in globals():
    run(main, snakemake)
