"""Tables to print."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from toplabel.reproduction.config.datasets import load_registry
from toplabel.reproduction.config.studies import load_studies, published_tables
from toplabel.reproduction.studies.published import load_texts
from toplabel.reproduction.studies.tables import PrintedTable, own_table, published_table


def printed_table(
    root: Path, name: str, comparison: pd.DataFrame, collected: pd.DataFrame
) -> PrintedTable | None:
    """A published table with our numbers, or a study's own; None when that has no result of its
    own.
    """
    studies = load_studies(root / "config/studies")
    published = published_tables(root / "data/published")
    texts = load_texts(root / "data/published/tables.csv")
    if name not in published:
        ((study, layout),) = (
            (study, study.own_tables[name])
            for study in studies.values()
            if name in study.own_tables
        )
        return own_table(study, comparison, collected, published.get(layout), texts)
    registry = load_registry(root / "config/datasets.yaml")
    return published_table(
        *published[name],
        comparison,
        collected,
        studies.values(),
        texts,
        {key: entry.published_key for key, entry in registry.items()},
        {key: entry.published_sources for key, entry in registry.items()},
    )
