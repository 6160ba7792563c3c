"""Collect the test metrics of all cells and put them beside the published numbers."""

from pathlib import Path

from toplabel.datasets.prepared import not_comparable
from toplabel.datasets.registry import load_registry
from toplabel.studies.compare import collect, compare
from toplabel.studies.frames import read_evaluations, write_csv
from toplabel.studies.methods import load_methods
from toplabel.studies.published import load_published
from toplabel.studies.study import load_studies
from toplabel.workflow.jobs import checkout, run


def main(snakemake):
    root = checkout(snakemake)
    registry = load_registry(root / "config/datasets.yaml")
    paths = sorted({*snakemake.input.evaluations, *snakemake.params.others})
    collected = collect(
        read_evaluations(paths),
        load_methods(root / "config/methods.yaml"),
        load_studies(root / "config/studies").values(),
        {name: entry.features for name, entry in registry.items()},
    )
    names = {name: entry.published_key for name, entry in registry.items()}
    folders = {path.parts[-3]: path.parents[1] / "data" for path in map(Path, paths)}
    why = {name: text for name, folder in folders.items() if (text := not_comparable(folder))}
    comparison = compare(collected, load_published(root / "data/published"), names, why)
    write_csv(collected, snakemake.output.evaluation)
    write_csv(comparison, snakemake.output.comparison)


if "snakemake" in globals():
    run(main, snakemake)
