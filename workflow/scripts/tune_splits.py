"""Tune a method on all folds of some splits: coarse grid, unless other jobs have visited it,
extension, refinement.
"""

from pathlib import Path

from toplabel._core.files import file_sum
from toplabel.reproduction.config.protocols import metrics_for
from toplabel.reproduction.datasets.prepared import load_prepared
from toplabel.reproduction.selection.checkpoints import Checkpoints
from toplabel.reproduction.selection.fitting import default_solve
from toplabel.reproduction.selection.problems import split_named, validation_problems
from toplabel.reproduction.selection.results import load_units, save_unit
from toplabel.reproduction.selection.tuning import tune_ks
from toplabel.reproduction.workflow.jobs import run


def main(snakemake):
    prepared = load_prepared(Path(snakemake.input.meta).parent)
    fit = snakemake.params.fit
    method, budget, settings = fit["method"], fit["budget"], fit["settings"]
    metrics = metrics_for(fit["protocol"], prepared.n_classes)
    blocks = list(load_units(snakemake.input.get("blocks", ())))
    # Screened results are kept for their times.
    results = blocks[:] if budget.screen_rows is not None else []
    checkpoints = Checkpoints(
        Path(snakemake.output.unit).with_suffix(".paths"),
        (fit, snakemake.params.get("fingerprint"), file_sum(snakemake.input.meta)),
    )
    for name in snakemake.params.splits:
        split = split_named(prepared, name)
        problems = validation_problems(
            prepared, split, fit["protocol"], budget, method, settings.seed
        )
        names = (prepared.name, method.name, name)
        fixed = (method, budget, metrics, settings, names, default_solve(), blocks)
        results += tune_ks(list(problems), *fixed, checkpoints)
    save_unit(results, snakemake.output.unit)
    checkpoints.remove()


if "snakemake" in globals():
    run(main, snakemake)
