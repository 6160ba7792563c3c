"""One row per registered data set: what it holds, what the papers print, or why it is missing."""

from toplabel.reproduction.config.datasets import load_registry
from toplabel.reproduction.tables.collected import DATASETS
from toplabel.reproduction.workflow.collecting.datasets import describe_datasets
from toplabel.reproduction.workflow.jobs import checkout, run


def main(snakemake):
    metas = [*snakemake.input.metas, *snakemake.input.others]
    params = snakemake.params
    registry = load_registry(checkout(snakemake) / "config/datasets.yaml", snakemake.config)
    table = describe_datasets(registry, metas, params.reasons, params.raw_folder, params.mirrors)
    DATASETS.write(table, snakemake.output.datasets)


if "snakemake" in globals():
    run(main, snakemake)
