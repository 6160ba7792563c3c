"""One row per registered data set: what it holds, what the papers print, or why it is missing."""

from toplabel.reproduction.config.datasets import load_registry
from toplabel.reproduction.data.overview import COLUMNS, describe_datasets
from toplabel.reproduction.frames import write_frame
from toplabel.reproduction.jobs import checkout, run


def main(snakemake):
    root = checkout(snakemake)
    registry = load_registry(root / "config/datasets.yaml", snakemake.config)
    table = describe_datasets(registry, snakemake.input.metas, snakemake.params.reasons)
    write_frame(table, snakemake.output.datasets, COLUMNS)


if "snakemake" in globals():
    run(main, snakemake)
