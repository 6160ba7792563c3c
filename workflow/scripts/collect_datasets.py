"""One row per registered data set: what it holds, what the papers print, or why it is missing."""

from toplabel.reproduction.config.datasets import load_registry
from toplabel.reproduction.data.locate import mirror_folders
from toplabel.reproduction.data.overview import describe_datasets
from toplabel.reproduction.jobs import checkout, run
from toplabel.reproduction.tables.collected import DATASETS


def main(snakemake):
    root = checkout(snakemake)
    registry = load_registry(root / "config/datasets.yaml", snakemake.config)
    mirrors = mirror_folders(snakemake.config["mirrors"], root)
    table = describe_datasets(
        registry, snakemake.input.metas, snakemake.params.reasons, "data/raw", mirrors
    )
    DATASETS.write(table, snakemake.output.datasets)


if "snakemake" in globals():
    run(main, snakemake)
