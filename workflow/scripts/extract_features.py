"""Make the features of the networks of all draws a data set."""

import shutil
from pathlib import Path

from toplabel.reproduction.data.prepared import load_prepared, save_prepared
from toplabel.reproduction.jobs import logger, run
from toplabel.reproduction.networks import FeaturesTask
from toplabel.reproduction.networks.extraction import extract_features


def main(task, snakemake):
    images = load_prepared(Path(snakemake.input.meta).parent)
    weights = {Path(path).stem: path for path in snakemake.input.weights}
    rows = Path(snakemake.input.weights[0]).parent / "rows"
    prepared = extract_features(images, task, weights, rows)
    save_prepared(prepared, Path(snakemake.output.meta).parent)
    shutil.rmtree(rows)
    logger.info("%s: %s", task.dataset, prepared.meta["statistics"])


if "snakemake" in globals():
    run(main, FeaturesTask, snakemake)
