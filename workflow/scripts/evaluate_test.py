"""Measure the chosen models on the test part, and keep where the true class of each row ranks."""

from pathlib import Path

from toplabel.reproduction.data.prepared import load_prepared
from toplabel.reproduction.jobs import run
from toplabel.reproduction.selection.evaluation import evaluate
from toplabel.reproduction.selection.final import Models
from toplabel.reproduction.selection.ranks import save_ranks
from toplabel.reproduction.selection.results import load_units, seconds_by_split
from toplabel.reproduction.selection.task import Task
from toplabel.reproduction.tables.cells import CERTIFICATES, SELECTION, TEST_METRICS, THRESHOLDS


def main(snakemake):
    has_thresholds = Path(snakemake.input.thresholds).name == THRESHOLDS.file
    thresholds = THRESHOLDS if has_thresholds else SELECTION
    table, ranks = evaluate(
        load_prepared(Path(snakemake.input.meta).parent),
        snakemake.wildcards.method,
        Task(**snakemake.params.task).protocol,
        snakemake.params.budget,
        thresholds.read_rows(snakemake.input.thresholds),
        CERTIFICATES.read_rows(snakemake.input.certificates),
        Models.load(snakemake.input.models),
        seconds_by_split(load_units(snakemake.input.units)),
    )
    save_ranks(ranks, snakemake.output.ranks)
    TEST_METRICS.write_rows(table, snakemake.output.evaluation)


if "snakemake" in globals():
    run(main, snakemake)
