"""What the papers print of the results on one data set."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from toplabel.reproduction.compare.cells import build
from toplabel.reproduction.compare.views import compared
from toplabel.reproduction.config.catalogue import Catalogue
from toplabel.reproduction.report.labels import paper_label
from toplabel.reproduction.tables.cells import TEST_METRICS


def printed_beside(catalogue: Catalogue, paths: Iterable[str]) -> pd.DataFrame:
    """Return what the papers print of the cells of one data set, where several do, the first of
    them.

    Returns
    -------
    DataFrame
        Columns `method` (as here), `metric`, `published` (a number), `printed_in` (the table).
    """
    cells = compared(build(catalogue, TEST_METRICS.read_all(sorted(paths))))
    cells = cells.drop_duplicates(["config_method", "metric"])
    tables = zip(cells["source"], cells["table"], strict=True)
    return pd.DataFrame(
        {
            "method": cells["config_method"],
            "metric": cells["metric"],
            "published": cells["printed"].astype(float),
            "printed_in": [f"{paper_label(source)}, Table {table}" for source, table in tables],
        }
    )
