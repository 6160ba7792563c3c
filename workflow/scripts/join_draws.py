"""Join the test metrics of the draws of a fine-tuned network."""

from toplabel.reproduction.jobs import run
from toplabel.reproduction.selection.evaluation import load_metrics, save_metrics


def main(task, snakemake):
    save_metrics(load_metrics(snakemake.input.draws), snakemake.output.evaluation)


if "snakemake" in globals():
    run(main, None, snakemake)
