"""Test the papers' claims on the numbers, find the best methods, say why numbers differ, read
protocols otherwise.
"""

from toplabel.reproduction.config.catalogue import load_catalogue
from toplabel.reproduction.jobs import checkout, run
from toplabel.reproduction.tables.collected import COLLECTED, COMPARISON, EVALUATION
from toplabel.reproduction.workflow.collecting.claims import judge


def main(snakemake):
    comparison = COMPARISON.read(snakemake.input.comparison)
    evaluation = EVALUATION.read(snakemake.input.evaluation)
    tables = judge(load_catalogue(checkout(snakemake), snakemake.config), comparison, evaluation)
    for name, table in tables.items():
        COLLECTED[name].write(table, snakemake.output[name])


if "snakemake" in globals():
    run(main, snakemake)
