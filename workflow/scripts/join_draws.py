"""Join the test metrics of the draws of a fine-tuned network."""

from toplabel.reproduction.frames import write_rows
from toplabel.reproduction.jobs import run
from toplabel.reproduction.selection.evaluation import TestMetric, load_metrics


def main(task, snakemake):
    write_rows(TestMetric, load_metrics(snakemake.input.draws), snakemake.output.evaluation)


if "snakemake" in globals():
    run(main, None, snakemake)
