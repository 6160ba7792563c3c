"""The data sets: what there is, what is missing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from toplabel.reproduction.config.datasets import Registry
from toplabel.reproduction.config.entry import Entry
from toplabel.reproduction.data.fetch import read_raw
from toplabel.reproduction.data.formats import FormatError
from toplabel.reproduction.data.locate import FetchError, find, folders_of
from toplabel.reproduction.data.prepared import read_meta
from toplabel.reproduction.data.statistics import dataset_row, list_statistics
from toplabel.reproduction.tables.collected import DATASETS


def describe_datasets(
    registry: Registry,
    metas: Iterable[str | Path],
    reasons: Mapping[str, str],
    raw_folder: str | Path,
    mirrors: Sequence[str | Path],
) -> pd.DataFrame:
    """Return one row per registered data set: what it holds, what the papers print, or why it is
    missing.

    Parameters
    ----------
    registry : Registry
    metas : iterable of path-like
        The meta.json of the prepared sets.
    reasons : mapping of str to str
        Why the others are missing.
    raw_folder : path-like
    mirrors : sequence of path-like
        Where label lists of the others are looked for.
    """
    folders = {Path(meta).parents[1].name: Path(meta).parent for meta in metas}
    rows = []
    for name, entry in registry.items():
        meta = read_meta(folders[name]) if name in folders else None
        reason, listed = reasons.get(name, ""), None
        if meta is None:
            try:
                listed = _listed(entry, raw_folder, mirrors)
            except (
                FetchError,
                FormatError,
            ) as error:  # a set that is missing anyway must not end the run
                reason = "; ".join(filter(None, (reason, str(error))))
        rows.append(dataset_row(entry, meta, reason, listed))
    # Counts stay whole numbers although a missing set has none; what has no column is left out.
    return pd.DataFrame(rows, columns=DATASETS.names, dtype=object)


def _listed(
    entry: Entry, raw_folder: str | Path, mirrors: Sequence[str | Path]
) -> dict[str, Any] | None:
    """Return the statistics of a set's label lists, where it has some and their files are there."""
    if entry.label_lists is None:
        return None
    file = entry.label_lists.file
    path = find(file.name, folders_of(entry, raw_folder, mirrors))
    if path is None:
        return None
    read_raw(file, path)  # compares the sum
    return list_statistics(path, entry.label_lists)
