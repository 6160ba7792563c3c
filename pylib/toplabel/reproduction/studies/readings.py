"""Numbers under other readings of the protocols, beside those under the stated ones."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from pathlib import PurePosixPath

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
        table = whole_table(cell["source"], cell["table"])
        dataset, method, _ = PurePosixPath(cell["file"]).parts
        others = (
            (one.name, measured[place])
            for one in readings
            if table in one.tables
            and (place := one.place(dataset, method, cell["metric"])) in measured
        )
        for name, found in itertools.islice(others, 1):
            published = float(cell["published"])
            difference = float(found["measured"]) - published
            cell |= {"published": published, "reading": name, "found": found["measured"]}
            cell |= {"found_difference": difference, "found_file": found["file"]}
            rows.append(cell | {"found_verdict": verdict(cell["metric"], difference)})
    return READINGS.frame(rows)
