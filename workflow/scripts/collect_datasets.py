"""One row a registered data set: what it holds, what the papers print, or why it is missing."""

from pathlib import Path

import pandas as pd

from toplabel.datasets.prepared import load_prepared
from toplabel.datasets.registry import load_registry
from toplabel.datasets.statistics import COLUMNS, dataset_row
from toplabel.workflow.jobs import checkout, run, write_table


def main(snakemake):
    root = checkout(snakemake)
    metas = [*snakemake.input.metas, *snakemake.params.others]
    folders = {Path(meta).parents[1].name: Path(meta).parent for meta in metas}
    rows = []
    for name, entry in load_registry(root / "config/datasets.yaml").items():
        prepared = load_prepared(folders[name]) if name in folders else None
        rows.append(dataset_row(entry, prepared, snakemake.params.reasons.get(name, "")))
    # Counts stay whole numbers although a missing set has none.
    table = pd.DataFrame(rows, columns=list(COLUMNS), dtype=object)
    write_table(table, snakemake.output.datasets)


if "snakemake" in globals():
    run(main, snakemake)
