"""Collect the test metrics of all cells and put them beside the published numbers."""

from toplabel.reproduction.config.catalogue import load_catalogue
from toplabel.reproduction.jobs import checkout, run
from toplabel.reproduction.tables.collected import COMPARISON, EVALUATION
from toplabel.reproduction.workflow.collecting.results import compare_results


def main(snakemake):
    paths = snakemake.input.evaluations
    collected, comparison = compare_results(
        load_catalogue(checkout(snakemake), snakemake.config), paths
    )
    EVALUATION.write(collected, snakemake.output.evaluation)
    COMPARISON.write(comparison, snakemake.output.comparison)


if "snakemake" in globals():
    run(main, snakemake)
