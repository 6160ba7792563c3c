"""One row per registered data set: what it holds, what the papers print, or why it is missing."""

from toplabel.reproduction.data import DescribeTask
from toplabel.reproduction.data.checks import COLUMNS, describe_datasets
from toplabel.reproduction.frames import write_frame
from toplabel.reproduction.jobs import run


def main(task, snakemake):
    table = describe_datasets(task, snakemake.input.metas)
    write_frame(table, snakemake.output.datasets, COLUMNS)


if "snakemake" in globals():
    run(main, DescribeTask, snakemake)
