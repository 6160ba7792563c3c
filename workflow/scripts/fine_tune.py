"""Train the network of a draw further with a loss, and measure it on the test part."""

from pathlib import Path

from toplabel.reproduction.data.prepared import load_prepared
from toplabel.reproduction.frames import write_rows
from toplabel.reproduction.jobs import run
from toplabel.reproduction.networks import FineTuneTask
from toplabel.reproduction.networks.network import fine_tune
from toplabel.reproduction.selection.evaluation import TestMetric


def main(task, snakemake):
    images = load_prepared(Path(snakemake.input.meta).parent)
    rows = fine_tune(images, task, snakemake.input.weights)
    write_rows(TestMetric, rows, snakemake.output.draw)


if "snakemake" in globals():
    run(main, FineTuneTask, snakemake)
