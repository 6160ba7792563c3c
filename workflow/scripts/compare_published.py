"""Collect the test metrics of all cells and put them beside the published numbers."""

from toplabel.studies.frames import write_csv
from toplabel.workflow.collecting.results import compare_results
from toplabel.workflow.jobs import checkout, run


def main(snakemake):
    paths = {*snakemake.input.evaluations, *snakemake.params.others}
    collected, comparison = compare_results(checkout(snakemake), paths)
    write_csv(collected, snakemake.output.evaluation)
    write_csv(comparison, snakemake.output.comparison)


if "snakemake" in globals():
    run(main, snakemake)
