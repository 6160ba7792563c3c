"""Make one table to print."""

from pathlib import Path

from toplabel.reproduction.compare.tables import write_tables
from toplabel.reproduction.config.catalogue import load_catalogue
from toplabel.reproduction.jobs import checkout, run
from toplabel.reproduction.tables.collected import COMPARISON, EVALUATION
from toplabel.reproduction.workflow.collecting.tables import printed_table


def main(snakemake):
    name = snakemake.wildcards.table
    comparison = COMPARISON.read(snakemake.input.comparison)
    collected = EVALUATION.read(snakemake.input.evaluation)
    table = printed_table(
        load_catalogue(checkout(snakemake), snakemake.config), name, comparison, collected
    )
    if table is None:
        raise ValueError(f"table '{name}': the study has no result that is in no paper")
    write_tables([table], Path(snakemake.output.csv).parent)


if "snakemake" in globals():
    run(main, snakemake)
