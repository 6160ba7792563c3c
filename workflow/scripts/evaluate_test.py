"""Measure the chosen models on the test part."""

from pathlib import Path

from toplabel.datasets.prepared import load_prepared
from toplabel.selection.evaluation import evaluate
from toplabel.selection.final import Models
from toplabel.selection.results import load_units, seconds_by_split
from toplabel.workflow.jobs import read_table, run, write_table


def main(snakemake):
    table = evaluate(
        load_prepared(Path(snakemake.input.meta).parent),
        snakemake.wildcards.method,
        snakemake.params.fit["protocol"],
        snakemake.params.budget,
        read_table(snakemake.input.cutoffs),
        read_table(snakemake.input.certificates),
        Models.load(snakemake.input.models),
        seconds_by_split(load_units(snakemake.input.units)),
    )
    write_table(table, snakemake.output.evaluation)


if "snakemake" in globals():
    run(main, snakemake)
