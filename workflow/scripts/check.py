"""Print what data sets hold: sizes, rows of each class, the columns of tables, and advice."""

from toplabel.reproduction.data.checks import print_sets
from toplabel.reproduction.jobs import run


def main(task, snakemake):
    print_sets(snakemake.input.metas)


if "snakemake" in globals():
    run(main, None, snakemake)
