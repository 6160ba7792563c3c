"""One row per registered data set: what it holds, what the papers print, or why it is missing."""

from toplabel.reproduction.tables.collected import DATASETS
from toplabel.reproduction.workflow.collecting.datasets import describe_datasets
from toplabel.reproduction.workflow.jobs import checkout, run


def main(snakemake):
    metas = [*snakemake.input.metas, *snakemake.input.others]
    params = snakemake.params
    table = describe_datasets(
        checkout(snakemake), metas, params.reasons, params.raw_folder, params.mirrors
    )
    DATASETS.write(table, snakemake.output.datasets)


if "snakemake" in globals():
    run(main, snakemake)
