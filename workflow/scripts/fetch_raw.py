"""Bring a raw file of a data set to data/raw."""

from pathlib import Path

from toplabel.reproduction.config.datasets import load_registry
from toplabel.reproduction.data.fetch import fetch_file, mirror_folders
from toplabel.reproduction.jobs import checkout, run


def main(snakemake):
    root, target = checkout(snakemake), Path(snakemake.output[0])
    registry = load_registry(root / "config/datasets.yaml", snakemake.config)
    mirrors = mirror_folders(snakemake.config["mirrors"], root)
    entry = registry[snakemake.params.dataset]
    fetch_file(entry, entry.file(target.name), target, mirrors, snakemake.config["download"])


if "snakemake" in globals():
    run(main, snakemake)
