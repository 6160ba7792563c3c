"""Views of the frame of a run (`compare.cells`): what tables, pages and counts are made of.

Every function takes the frame and returns a new one; none reads a file.
"""

from __future__ import annotations

import pandas as pd

from toplabel.reproduction.compare.cells import MEASURED, VARIANT
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


def variants(cells: pd.DataFrame, run: str = MEASURED) -> pd.DataFrame:
    """Return the numbers of variants of methods, beside what the papers print of the methods."""
    chosen = (cells["run"] == run) & (cells["reading"] == VARIANT)
    return cells[chosen].reset_index(drop=True)


def differing(cells: pd.DataFrame, run: str = MEASURED) -> pd.DataFrame:
    """Return the numbers of a run that are not reproduced."""
    rows = compared(cells, run)
    return rows[rows["verdict"].isin(NOT_REPRODUCED)].reset_index(drop=True)
