"""Tune a method on all folds of some splits: a warm-started path over C on each fold.

Where that is all the tuning there is, the choice is made at once.
"""

from pathlib import Path

from toplabel.datasets.prepared import load_prepared
from toplabel.selection.choice import edge_notes, select
from toplabel.selection.fitting import default_solve
from toplabel.selection.grids import metrics_for
from toplabel.selection.problems import split_named, validation_problems
from toplabel.selection.results import save_unit
from toplabel.selection.tuning import tune_ks
from toplabel.workflow.jobs import logger, run, write_table
from toplabel.workflow.params import method_of, protocol_of, settings_of


def main(snakemake):
    prepared = load_prepared(Path(snakemake.input.meta).parent)
    protocol, budget = protocol_of(snakemake.params)
    method, settings = method_of(snakemake.params), settings_of(snakemake.params)
    metrics = metrics_for(protocol, prepared.n_classes)
    results = []
    for name in snakemake.params.splits:
        split = split_named(prepared, name)
        problems = validation_problems(prepared, split, protocol, budget, method, settings.seed)
        names = (prepared.name, method.name, name)
        results += tune_ks(
            list(problems), method, budget, metrics, settings, names, default_solve()
        )
    save_unit(results, snakemake.output.unit)
    if snakemake.output.get("selection"):
        table = select({result.name: result for result in results})
        for note in edge_notes(table):
            logger.warning(note)
        write_table(table, snakemake.output.selection)


if "snakemake" in globals():
    run(main, snakemake)
