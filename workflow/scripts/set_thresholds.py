"""Set the threshold of each metric that compares sets of labels, and measure what each strategy
gives.
"""

from pathlib import Path

from toplabel.reproduction.data.prepared import load_prepared
from toplabel.reproduction.jobs import run
from toplabel.reproduction.selection.final import Models
from toplabel.reproduction.selection.task import Task
from toplabel.reproduction.selection.thresholding import compare_strategies, set_thresholds
from toplabel.reproduction.tables.cells import SELECTION, THRESHOLD_STRATEGIES, THRESHOLDS


def main(snakemake):
    inputs = (
        load_prepared(Path(snakemake.input.meta).parent),
        Task(**snakemake.params.task).protocol,
        SELECTION.read_rows(snakemake.input.selection),
        Models.load(snakemake.input.models),
    )
    table = set_thresholds(*inputs, **snakemake.params.threshold)
    constant = snakemake.params.threshold.get("constant", 0.0)
    compared = compare_strategies(*inputs, constant)
    THRESHOLD_STRATEGIES.write_rows(compared, snakemake.output.strategies)
    THRESHOLDS.write_rows(table, snakemake.output.thresholds)


if "snakemake" in globals():
    run(main, snakemake)
