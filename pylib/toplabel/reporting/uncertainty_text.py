"""How far a number depends on the rows that were there to test on, in words."""

from __future__ import annotations

import pandas as pd

from toplabel.reporting import numbers

_SAID = {"true": ", printed number inside", "false": ", printed number outside", "": ""}


def rows_interval(row: pd.Series) -> str:
    """Where our number lies on 95 % of draws of the test rows, and whether the printed one does; "" if not known."""
    if pd.isna(row["rows_low"]):
        return ""
    decimals = numbers.decimals_of(row["metric"], row["published_text"])
    low, high = (numbers.fixed(row[name], decimals) for name in ("rows_low", "rows_high"))
    return f"{low} to {high}{_SAID[row['in_rows']]}"


def rows_sentence(cells: pd.DataFrame) -> str:
    """Say how many printed numbers lie in these intervals; empty without any."""
    known, inside = (int(cells["in_rows"].isin(w).sum()) for w in (["true", "false"], ["true"]))
    if not known:
        return ""
    return (
        f"{numbers.count(inside)} of {numbers.count(known)} printed numbers lie in the interval that has our number on"
        " 95 % of draws of the test rows."
    )
