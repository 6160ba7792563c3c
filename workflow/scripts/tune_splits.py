"""Tune a method on all folds of some splits: a warm-started path over C on each fold.

Where that is all the tuning there is, the choice is made at once.
"""

from pathlib import Path

from toplabel.config.protocols import metrics_for
from toplabel.datasets.prepared import load_prepared
from toplabel.selection.choice import edge_notes, select
from toplabel.selection.fitting import default_solve
from toplabel.selection.problems import split_named, validation_problems
from toplabel.selection.results import save_unit
from toplabel.selection.tuning import tune_ks
from toplabel.tables.cells import SELECTION
from toplabel.workflow.jobs import logger, run


def main(snakemake):
    prepared = load_prepared(Path(snakemake.input.meta).parent)
    fit = snakemake.params.fit
    method, budget, settings = fit["method"], fit["budget"], fit["settings"]
    metrics = metrics_for(fit["protocol"], prepared.n_classes)
    results = []
    for name in snakemake.params.splits:
        split = split_named(prepared, name)
        problems = validation_problems(
            prepared, split, fit["protocol"], budget, method, settings.seed
        )
        names = (prepared.name, method.name, name)
        results += tune_ks(
            list(problems), method, budget, metrics, settings, names, default_solve()
        )
    save_unit(results, snakemake.output.unit)
    if snakemake.output.get("selection"):
        table = select({result.name: result for result in results})
        for note in edge_notes(table):
            logger.warning(note)
        SELECTION.write(table, snakemake.output.selection)


if "snakemake" in globals():
    run(main, snakemake)
