"""How far each measured number lies from the printed one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd

from toplabel.metrics.names import is_fraction
from toplabel.reproduction.report import numbers
from toplabel.reproduction.report.kept import KEPT_EPS
from toplabel.reproduction.report.labels import table_label, table_order
from toplabel.reproduction.report.words import say

_COLUMNS = ["table", "points", "verdict", "loss", "stopped"]


def points_of(sections: Iterable[dict[str, Any]]) -> pd.DataFrame:
    """Return the measured cells of the tables of a report.

    Returns
    -------
    DataFrame
        ``table``; ``points``, ours minus published (a hundredth of a loss is a point);
        ``verdict``; ``loss``, whether it is one; ``stopped``, whether its fit did not converge.
    """
    rows = [
        (section["origin"], one["points"], one["verdict"], one["is_loss"], one["stopped"])
        for section in sections
        for one in section["records"]
        if one["verdict"]
    ]
    return pd.DataFrame(rows, columns=_COLUMNS)


def points_of_cells(cells: pd.DataFrame) -> pd.DataFrame:
    """Return the measured cells of the comparison.csv of a kept run, as `points_of` does."""
    rows = cells[cells["verdict"] != ""].to_dict("records")
    rows.sort(key=lambda row: table_order(row["source"], row["table"]))
    return pd.DataFrame(
        [
            (
                table_label(row["source"], row["table"]),
                numbers.in_points(row["metric"], float(row["difference"])),
                row["verdict"],
                is_fraction(row["metric"]),
                float(row["relative_gap"] or "nan") > KEPT_EPS,
            )
            for row in rows
        ],
        columns=_COLUMNS,
    )


def sentence(points: pd.DataFrame) -> str:
    """Say how near the percentages are; empty without any."""
    found = points.loc[~points["loss"].astype(bool), "points"].astype(float).abs()
    return say("agreement", len(found), found.quantile(0.5), found.quantile(0.9))
