"""Views of the frame of a run (`compare.cells`): what tables, pages and counts are made of.

Every function takes the frame and returns a new one; none reads a file.
"""

from __future__ import annotations

import pandas as pd

from toplabel.reproduction.compare.cells import KEPT, MEASURED, PUBLISHED, VARIANT
from toplabel.reproduction.compare.published import PLACE
from toplabel.reproduction.compare.verdicts import NOT_REPRODUCED

CELL = ["config_dataset", "config_method", "metric"]
"""The columns that name a measurement, wherever it is printed."""


def compared(cells: pd.DataFrame, run: str = MEASURED) -> pd.DataFrame:
    """Return the numbers of a run, as the protocol states, that a paper prints."""
    chosen = (cells["run"] == run) & (cells["reading"] == "") & (cells["source"] != "")
    return cells[chosen].reset_index(drop=True)


def measurements(cells: pd.DataFrame, run: str = MEASURED) -> pd.DataFrame:
    """Return each number of a run once, printed or not, at the first place that prints it."""
    chosen = cells[(cells["run"] == run) & (cells["reading"] == "")]
    return chosen.drop_duplicates(CELL).reset_index(drop=True)


def found(cells: pd.DataFrame, run: str = MEASURED) -> pd.DataFrame:
    """Return the numbers of a run under other readings of the protocols."""
    chosen = (cells["run"] == run) & ~cells["reading"].isin(["", VARIANT])
    return cells[chosen].reset_index(drop=True)


def under_found(cells: pd.DataFrame, run: str = MEASURED) -> pd.DataFrame:
    """Return the numbers of a run that a paper prints, under another reading where there is one."""
    stated, other = compared(cells, run), found(cells, run)
    return pd.concat([other, stated]).drop_duplicates(PLACE).reset_index(drop=True)


def variants(cells: pd.DataFrame, run: str = MEASURED) -> pd.DataFrame:
    """Return the numbers of variants of methods, beside what the papers print of the methods."""
    chosen = (cells["run"] == run) & (cells["reading"] == VARIANT)
    return cells[chosen].reset_index(drop=True)


def differing(cells: pd.DataFrame, run: str = MEASURED) -> pd.DataFrame:
    """Return the numbers of a run that are not reproduced."""
    rows = compared(cells, run)
    return rows[rows["verdict"].isin(NOT_REPRODUCED)].reset_index(drop=True)


def side_by_side(cells: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each printed number, with all that is known of it.

    The columns are `PLACE`, `printed` and `published` (as text and as a number), `std` (as printed),
    `choice` and `note`; of the run's number all columns of the frame, with `measured` in place of
    `value` and `measured_std` in place of `std`, empty where it has none; `kept`, `kept_std`,
    `kept_difference`, `kept_verdict` and `kept_gap` of the kept run, where this run has no number;
    and `found`, `found_difference`, `found_verdict` and `reading`, the number under another reading,
    of this run or else of the kept one. Numbers that several rows of a table share as their place,
    results of others, are not measured.
    """
    printed = cells[cells["run"] == PUBLISHED].reset_index(drop=True)
    shown = printed[[*PLACE, "printed", "value", "std", "choice", "note"]]
    shown = shown.rename(columns={"value": "published"})
    own = compared(cells).drop(columns=["printed", "choice", "note", "run", "reading"])
    shown = _joined(shown, own.rename(columns={"value": "measured", "std": "measured_std"}))
    old = {"value": "kept", "std": "kept_std", "difference": "kept_difference"}
    old |= {"verdict": "kept_verdict", "relative_gap": "kept_gap"}
    shown = _joined(shown, compared(cells, KEPT).rename(columns=old)[[*PLACE, *old.values()]])
    has_own = shown["measured"].notna()
    shown[[*old.values()]] = shown[[*old.values()]].mask(has_own)
    shown["kept_verdict"] = shown["kept_verdict"].fillna("")
    names = {"value": "found", "difference": "found_difference", "verdict": "found_verdict"}
    other = pd.concat([found(cells), found(cells, KEPT)]).drop_duplicates(PLACE)
    return _joined(shown, other.rename(columns=names)[[*PLACE, *names.values(), "reading"]])


def _joined(left: pd.DataFrame, right: pd.DataFrame) -> pd.DataFrame:
    """Add columns at the same places; text is empty where there is nothing."""
    joined = left.merge(right, on=PLACE, how="left")
    texts = [name for name in right if not pd.api.types.is_numeric_dtype(right[name])]
    return joined.assign(**{name: joined[name].fillna("") for name in texts})


def comparison(cells: pd.DataFrame) -> pd.DataFrame:
    """Return the columns that results/comparison.csv had, for those who still use them."""
    rows = side_by_side(cells)
    std = rows["std"].map(lambda value: "" if pd.isna(value) else f"{value:g}")
    published = rows["printed"]
    file = _file(rows)
    return rows.assign(published=published, std=std, file=file, reason=rows["note"])


def evaluation(cells: pd.DataFrame) -> pd.DataFrame:
    """Return the columns that results/evaluation.csv had, for those who still use them."""
    rows = measurements(cells)
    names = {"value": "measured", "config_dataset": "dataset", "config_method": "method"}
    rows = rows.assign(file=_file(rows), loss=rows["method"]).drop(columns=["dataset", "method"])
    return rows.rename(columns=names)


def _file(rows: pd.DataFrame) -> pd.Series:
    file = rows["config_dataset"] + "/" + rows["config_method"] + "/evaluation.csv"
    return file.where(rows["config_dataset"] != "", "")
