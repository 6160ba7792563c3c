"""How far a number depends on the test rows, and on the folds that its parameters were selected on,
in words.
"""

from __future__ import annotations

import pandas as pd

from toplabel.reproduction.reporting import numbers
from toplabel.reproduction.tables.collected import FEWEST_DRAWS

_SAID = {"true": ", printed number inside", "false": ", printed number outside", "": ""}


def rows_interval(row: pd.Series) -> str:
    """Return where our number lies on 95 % of draws of the test rows, and whether the printed one
    does; "" if not known.
    """
    if pd.isna(row["rows_low"]):
        return ""
    decimals = numbers.decimals_of(row["metric"], row["published_text"])
    low, high = (numbers.fixed(row[name], decimals) for name in ("rows_low", "rows_high"))
    return f"{low} to {high}{_SAID[row['in_rows']]}"


def seeds_spread(row: pd.Series) -> str:
    """Return the mean and deviation over draws of the folds, and whether the printed number could
    be one; "" if not known.
    """
    if pd.isna(row["seeds"]):
        return ""
    decimals = numbers.decimals_of(row["metric"], row["published_text"])
    mean, std = (numbers.fixed(row[name], decimals) for name in ("seeds_mean", "seeds_std"))
    said = _SAID[row["in_seeds"]] if row["seeds"] >= FEWEST_DRAWS else ", too few to judge by"
    return f"{mean} ± {std} ({row['seeds']:.0f} seeds){said}"


def spread_sentence(cells: pd.DataFrame) -> str:
    """Say how many printed numbers lie within what test rows, and what draws of the folds give;
    empty without any.
    """
    parts = (
        ("in_rows", "in the interval that has our number on 95 % of draws of the test rows"),
        ("in_seeds", "in the 95 % interval of a further draw of the folds"),
    )
    cells = cells.assign(in_seeds=cells["in_seeds"].where(cells["seeds"] >= FEWEST_DRAWS, ""))
    return " ".join(filter(None, (_counted(cells[column], words) for column, words in parts)))


def _counted(inside: pd.Series, words: str) -> str:
    known, found = (int(inside.isin(values).sum()) for values in (["true", "false"], ["true"]))
    return (
        f"{numbers.count(found)} of {numbers.count(known)} printed numbers lie {words}."
        if known
        else ""
    )
