"""Make one table to print."""

from pathlib import Path

from toplabel.datasets.registry import load_registry
from toplabel.studies.frames import read_comparison, read_evaluation
from toplabel.studies.published import load_texts
from toplabel.studies.study import load_studies, published_tables
from toplabel.studies.tables import own_table, published_table, write_tables
from toplabel.workflow.jobs import checkout, run


def main(snakemake):
    root = checkout(snakemake)
    name = snakemake.wildcards.table
    comparison = read_comparison(snakemake.input.comparison)
    collected = read_evaluation(snakemake.input.evaluation)
    studies = load_studies(root / "config/studies")
    published = published_tables(root / "data/published")
    if name in published:
        registry = load_registry(root / "config/datasets.yaml")
        table = published_table(
            *published[name],
            comparison,
            collected,
            studies.values(),
            load_texts(root / "data/published/tables.csv"),
            {key: entry.published_key for key, entry in registry.items()},
        )
    else:
        table = own_table(studies[name], comparison, collected)
        if table is None:
            raise ValueError(f"table '{name}': the study has no result that is in no paper")
    write_tables([table], Path(snakemake.output.csv).parent)


if "snakemake" in globals():
    run(main, snakemake)
