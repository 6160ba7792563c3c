"""Decide the cut-off of each metric that compares sets of labels."""

from pathlib import Path

from toplabel.datasets.prepared import load_prepared
from toplabel.selection.cutoffs import cutoff_table
from toplabel.selection.final import Models
from toplabel.workflow.jobs import read_table, run, write_table
from toplabel.workflow.params import protocol_of


def main(snakemake):
    protocol, _ = protocol_of(snakemake.params)
    table = cutoff_table(
        load_prepared(Path(snakemake.input.meta).parent),
        protocol,
        read_table(snakemake.input.selection),
        Models.load(snakemake.input.models),
        **snakemake.params.threshold,
    )
    write_table(table, snakemake.output.thresholds)


if "snakemake" in globals():
    run(main, snakemake)
