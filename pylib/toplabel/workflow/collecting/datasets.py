"""The data sets: what there is, what is missing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import pandas as pd

from toplabel.datasets.prepared import load_prepared
from toplabel.datasets.registry import load_registry
from toplabel.datasets.statistics import COLUMNS, dataset_row


def describe_datasets(
    root: Path, metas: Iterable[str | Path], reasons: Mapping[str, str]
) -> pd.DataFrame:
    """One row a registered data set: what it holds, what the papers print, or why it is missing.

    Parameters
    ----------
    root : Path
        The checkout.
    metas : iterable of path-like
        The meta.json of the prepared sets.
    reasons : mapping of str to str
        Why the others are missing.
    """
    folders = {Path(meta).parents[1].name: Path(meta).parent for meta in metas}
    rows = []
    for name, entry in load_registry(root / "config/datasets.yaml").items():
        prepared = load_prepared(folders[name]) if name in folders else None
        rows.append(dataset_row(entry, prepared, reasons.get(name, "")))
    # Counts stay whole numbers although a missing set has none.
    return pd.DataFrame(rows, columns=list(COLUMNS), dtype=object)
