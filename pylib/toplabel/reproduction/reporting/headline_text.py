"""Put into sentences what a score is worth: distinct measurements, chance, digits, convex
losses.
"""

from __future__ import annotations

import pandas as pd

from toplabel.reproduction.reporting import numbers
from toplabel.reproduction.reporting.labels import metric_label

HEAD = ("Metric", "Printed", "Distinct", "Match", "Close", "Not reproduced", "By chance", "Digits")
ALL, UNFLAGGED = "all", "unflagged"
_NAMES = {ALL: "All", UNFLAGGED: "All but flagged"}


def sentences(headline: pd.DataFrame) -> str:
    """Return what the row of all metrics of headline.csv says; empty without one."""
    rows = headline.set_index("metric")
    if ALL not in rows.index:
        return ""
    row, rest = rows.loc[ALL], rows.loc[UNFLAGGED]
    distinct, match = int(row["distinct"]), int(row["match"])
    near = match + int(row["close"])
    text = (
        f"These are {numbers.count(distinct)} distinct measurements: {_share(match, distinct)} match,"
        f" {_share(near, distinct)} match or are close, {numbers.count(int(row['not_reproduced']))} are not reproduced."
        f" With the methods shuffled within each data set and metric,"
        f" {numbers.fixed(float(row['chance']), 0)} % would match."
        f" {numbers.count(int(row['digits']))} have the printed digits."
    )
    if int(row["convex"]):
        median, mean = float(row["convex_median"]), float(row["convex_mean"])
        text += (
            f" The {numbers.count(int(row['convex']))} top-k accuracies of convex losses on the papers' own rows differ"
            f" from print by {numbers.fixed(median, 2)} points in the median, and by"
            f" {numbers.signed(mean, 2)} in the mean."
        )
    flagged, free = distinct - int(rest["distinct"]), int(rest["distinct"])
    if flagged and free:
        text += (
            f" Without the {numbers.count(flagged)} that depend on a reading in whose choice printed test numbers had a"
            f" part, {_share(int(rest['match']), free)} match."
        )
    return text


def rows(headline: pd.DataFrame) -> list[list[str]]:
    """Return a row for each metric, with the columns `HEAD`."""
    counted = ("places", "distinct", "match", "close", "not_reproduced")
    return [
        [
            _NAMES.get(row["metric"]) or metric_label(row["metric"]),
            *(numbers.count(int(row[name])) for name in counted),
            f"{numbers.fixed(float(row['chance']), 0)} %",
            numbers.count(int(row["digits"])),
        ]
        for row in headline.to_dict("records")
    ]


def _share(part: int, whole: int) -> str:
    return f"{numbers.fixed(100.0 * part / whole, 1)} %"
