"""Make a data set that is another one with a split for each draw of its folds."""

from pathlib import Path

from toplabel.reproduction.config.datasets import load_registry
from toplabel.reproduction.data.redrawn import redraw
from toplabel.reproduction.jobs import checkout, run


def main(snakemake):
    entry = load_registry(checkout(snakemake) / "config/datasets.yaml", snakemake.config)[
        snakemake.wildcards.dataset
    ]
    base, folder = (Path(path).parent for path in (snakemake.input.meta, snakemake.output.meta))
    redraw(base, folder, entry.name, entry.title, entry.splits)


if "snakemake" in globals():
    run(main, snakemake)
