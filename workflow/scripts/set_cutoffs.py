"""Decide the cut-off of each metric that compares sets of labels, and measure what each strategy gives."""

from pathlib import Path

from toplabel.datasets.prepared import load_prepared
from toplabel.selection.cutoffs import cutoff_table
from toplabel.selection.final import Models
from toplabel.selection.strategies import compare_strategies
from toplabel.workflow.jobs import read_table, run, write_table


def main(snakemake):
    inputs = (
        load_prepared(Path(snakemake.input.meta).parent),
        snakemake.params.fit["protocol"],
        read_table(snakemake.input.selection),
        Models.load(snakemake.input.models),
    )
    table = cutoff_table(*inputs, **snakemake.params.threshold)
    constant = snakemake.params.threshold.get("constant", 0.0)
    compared = compare_strategies(*inputs, constant)
    write_table(compared, snakemake.output.strategies)
    write_table(table, snakemake.output.thresholds)


if "snakemake" in globals():
    run(main, snakemake)
