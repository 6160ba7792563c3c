"""Tables to print."""

from __future__ import annotations

import pandas as pd

from toplabel.reproduction.compare.published import load_texts
from toplabel.reproduction.compare.tables import PrintedTable, own_table, published_table
from toplabel.reproduction.config.catalogue import Catalogue


def printed_table(
    catalogue: Catalogue, name: str, comparison: pd.DataFrame, collected: pd.DataFrame
) -> PrintedTable | None:
    """Return a published table with our numbers, or a study's own; None where that has no result of
    its own.
    """
    texts = load_texts(catalogue.published / "tables.csv")
    studies = catalogue.studies.values()
    if name in catalogue.tables:
        identity = catalogue.tables[name]
        return published_table(*identity, comparison, collected, studies, texts, catalogue.registry)
    ((study, layout),) = (
        (study, study.own_tables[name]) for study in studies if name in study.own_tables
    )
    return own_table(study, comparison, collected, catalogue.tables.get(layout), texts)
