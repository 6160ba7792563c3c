"""Measure the chosen models on the test part, and keep where the true class of each row ranks."""

from pathlib import Path

from toplabel.reproduction.data.prepared import load_prepared
from toplabel.reproduction.files import write_records
from toplabel.reproduction.frames import write_rows
from toplabel.reproduction.jobs import run
from toplabel.reproduction.selection import EvaluateTask
from toplabel.reproduction.selection.choice import load_choices, load_grids, seconds_by_split
from toplabel.reproduction.selection.evaluation import TestMetric, evaluate
from toplabel.reproduction.selection.models import load_models


def main(task, snakemake):
    rows, ranks = evaluate(
        load_prepared(Path(snakemake.input.meta).parent),
        task,
        load_choices(snakemake.input.selection),
        load_models(snakemake.input.models),
        seconds_by_split(load_grids(snakemake.input.units)),
    )
    write_records(ranks, snakemake.output.ranks)
    write_rows(TestMetric, rows, snakemake.output.evaluation)


if "snakemake" in globals():
    run(main, EvaluateTask, snakemake)
