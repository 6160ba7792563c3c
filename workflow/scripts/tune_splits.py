"""Tune a method on all folds of some splits: coarse grid, unless other jobs have visited it, extension, refinement."""

from pathlib import Path

from toplabel.config.protocols import metrics_for
from toplabel.datasets.prepared import load_prepared
from toplabel.selection.fitting import default_solve
from toplabel.selection.problems import split_named, validation_problems
from toplabel.selection.results import load_units, save_unit
from toplabel.selection.tuning import tune_ks
from toplabel.workflow.jobs import run


def main(snakemake):
    prepared = load_prepared(Path(snakemake.input.meta).parent)
    fit = snakemake.params.fit
    method, budget, settings = fit["method"], fit["budget"], fit["settings"]
    metrics = metrics_for(fit["protocol"], prepared.n_classes)
    blocks = list(load_units(snakemake.input.get("blocks", ())))
    # Screened results are kept for their times.
    results = blocks[:] if budget.screen_rows is not None else []
    for name in snakemake.params.splits:
        split = split_named(prepared, name)
        problems = validation_problems(
            prepared, split, fit["protocol"], budget, method, settings.seed
        )
        names = (prepared.name, method.name, name)
        results += tune_ks(
            list(problems), method, budget, metrics, settings, names, default_solve(), blocks
        )
    save_unit(results, snakemake.output.unit)


if "snakemake" in globals():
    run(main, snakemake)
