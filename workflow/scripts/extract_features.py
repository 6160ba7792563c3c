"""Make the features of the networks of all draws a data set."""

from pathlib import Path

from toplabel.reproduction.data.prepared import load_prepared, save_prepared
from toplabel.reproduction.jobs import logger, run
from toplabel.reproduction.networks import FeaturesTask
from toplabel.reproduction.networks.extraction import extract_features


def main(task, snakemake):
    images = load_prepared(Path(snakemake.input.meta).parent)
    weights = {Path(path).stem: path for path in snakemake.input.weights}
    prepared = extract_features(images, task, weights)
    save_prepared(prepared, Path(snakemake.output.meta).parent)
    logger.info("%s: %s", task.dataset, prepared.meta["statistics"])


if "snakemake" in globals():
    run(main, FeaturesTask, snakemake)
