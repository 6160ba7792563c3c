"""Tune a method on one split: a warm-started path over C on each of its folds."""

from pathlib import Path

from toplabel.datasets.prepared import load_prepared
from toplabel.selection.fitting import default_solve
from toplabel.selection.grids import metrics_for
from toplabel.selection.problems import split_named, validation_problems
from toplabel.selection.tuning import tune_split
from toplabel.workflow.jobs import run
from toplabel.workflow.params import method_of, protocol_of, settings_of


def main(snakemake):
    prepared = load_prepared(Path(snakemake.input.meta).parent)
    protocol, budget = protocol_of(snakemake.params)
    method, settings = method_of(snakemake.params), settings_of(snakemake.params)
    split = split_named(prepared, snakemake.wildcards.split)
    problems = list(validation_problems(prepared, split, protocol, budget, method, settings.seed))
    result = tune_split(
        problems,
        method,
        budget,
        metrics_for(protocol, prepared.n_classes),
        settings,
        (prepared.name, method.name, split.name),
        default_solve(),
    )
    result.save(snakemake.output.unit)


if "snakemake" in globals():
    run(main, snakemake)
