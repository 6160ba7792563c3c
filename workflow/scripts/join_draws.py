"""Join the test metrics of the draws of a fine-tuned network."""

from toplabel.reproduction.jobs import run
from toplabel.reproduction.tables.cells import TEST_METRICS


def main(snakemake):
    TEST_METRICS.write(TEST_METRICS.read_all(snakemake.input.draws), snakemake.output.evaluation)


if "snakemake" in globals():
    run(main, snakemake)
