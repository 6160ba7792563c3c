"""Train the network of a draw with softmax."""

from pathlib import Path

from toplabel.reproduction.data.prepared import load_prepared
from toplabel.reproduction.jobs import run
from toplabel.reproduction.networks.stages import train_network


def main(snakemake):
    images = load_prepared(Path(snakemake.input.meta).parent)
    options, names = snakemake.params.options, snakemake.wildcards
    name = f"{names.dataset}/{names.part}"
    train_network(images, options["network"], name, options["seed"], snakemake.output.weights)


if "snakemake" in globals():
    run(main, snakemake)
