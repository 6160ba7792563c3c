"""Make the features of the networks of all draws a data set."""

import shutil
from pathlib import Path

from toplabel.reproduction.config.datasets import load_registry
from toplabel.reproduction.data.prepared import load_prepared, save_prepared
from toplabel.reproduction.jobs import checkout, logger, run
from toplabel.reproduction.networks.features import extract_features


def main(snakemake):
    registry = load_registry(checkout(snakemake) / "config/datasets.yaml", snakemake.config)
    entry = registry[snakemake.wildcards.dataset]
    images = load_prepared(Path(snakemake.input.meta).parent)
    weights = {Path(path).stem: path for path in snakemake.input.weights}
    rows = Path(snakemake.input.weights[0]).parent / "rows"
    seed = snakemake.params.options["seed"]
    prepared = extract_features(images, entry, weights, seed, rows)
    save_prepared(prepared, Path(snakemake.output.meta).parent)
    shutil.rmtree(rows)
    logger.info("%s: %s", entry.name, prepared.meta["statistics"])


if "snakemake" in globals():
    run(main, snakemake)
