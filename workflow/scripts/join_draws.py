"""Join the test metrics of the draws of a fine-tuned network."""

from toplabel.reproduction.tables.cells import TEST_METRICS
from toplabel.reproduction.workflow.jobs import run


def main(snakemake):
    TEST_METRICS.write(TEST_METRICS.read_all(snakemake.input.draws), snakemake.output.evaluation)


if "snakemake" in globals():
    run(main, snakemake)
