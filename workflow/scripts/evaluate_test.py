"""Measure the chosen models on the test part, and keep where the true class of each row ranks."""

from pathlib import Path

from toplabel.datasets.prepared import load_prepared
from toplabel.selection.evaluation import evaluate
from toplabel.selection.final import Models
from toplabel.selection.ranks import save_ranks
from toplabel.selection.results import load_units, seconds_by_split
from toplabel.tables.cells import CERTIFICATES, SELECTION, TEST_METRICS, THRESHOLDS
from toplabel.workflow.jobs import run


def main(snakemake):
    has_thresholds = Path(snakemake.input.thresholds).name == THRESHOLDS.file
    thresholds = THRESHOLDS if has_thresholds else SELECTION
    table, ranks = evaluate(
        load_prepared(Path(snakemake.input.meta).parent),
        snakemake.wildcards.method,
        snakemake.params.fit["protocol"],
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
