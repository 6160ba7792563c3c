"""Numbers under other readings of the protocols, beside those under the stated ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import Any

import pandas as pd

from toplabel.reproduction.config.readings import Reading
from toplabel.reproduction.config.studies import whole_table
from toplabel.reproduction.studies.comparison import verdict
from toplabel.reproduction.tables.collected import READINGS


def read_otherwise(
    comparison: pd.DataFrame, collected: pd.DataFrame, readings: Iterable[Reading]
) -> pd.DataFrame:
    """Put what other readings give beside the compared cells: `READINGS`.

    There is one row per compared cell with another reading that was measured, in the order of
    `comparison`; of several readings that were measured the first counts. The draws of a stated
    reading do not widen the tolerance of the found one.
    """
    readings = list(readings)
    measured = {
        (row["dataset"], row["method"], row["metric"]): row for row in collected.to_dict("records")
    }
    rows = []
    for cell in comparison[comparison["verdict"] != ""].to_dict("records"):
        for reading in readings:
            found = measured.get(_place(cell, reading))
            if found is not None:
                rows.append(_row(cell, reading, found))
                break
    return READINGS.frame(rows)


def _place(cell: Mapping[str, Any], reading: Reading) -> tuple[str, str, str] | None:
    if whole_table(cell["source"], cell["table"]) not in reading.tables:
        return None
    dataset, method, _ = PurePosixPath(cell["file"]).parts
    return reading.place(dataset, method, cell["metric"])


def _row(cell: Mapping[str, Any], reading: Reading, found: Mapping[str, Any]) -> dict[str, Any]:
    published = float(cell["published"])
    difference = float(found["measured"]) - published
    return {name: cell[name] for name in READINGS.names if name in cell} | {
        "published": published,
        "reading": reading.name,
        "found": found["measured"],
        "found_difference": difference,
        "found_verdict": verdict(cell["metric"], difference),
        "found_file": found["file"],
    }
