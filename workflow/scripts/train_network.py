"""Train the network of a draw with softmax."""

from pathlib import Path

from toplabel.reproduction.data.prepared import load_prepared
from toplabel.reproduction.jobs import run
from toplabel.reproduction.networks import NetworkTask
from toplabel.reproduction.networks.network import train_network


def main(task, snakemake):
    images = load_prepared(Path(snakemake.input.meta).parent)
    train_network(images, task, snakemake.output.weights)


if "snakemake" in globals():
    run(main, NetworkTask, snakemake)
