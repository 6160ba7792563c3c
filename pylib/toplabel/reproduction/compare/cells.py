"""The long frame of a run: every printed, measured and kept number as a row, ``results/cells.csv``.

A row is a number beside a place in the papers' tables. `compare.build` makes the frame, and
`compare.wide` makes of it the wide frame that the report prints. docs/files.md describes its columns.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping

import pandas as pd

from toplabel.reproduction.frames import read_frame, write_frame

PLACE = ["source", "table", "dataset", "features", "method", "k", "gamma", "kernel", "metric"]
"""The columns that name a printed number."""
INTERVALS: Mapping[str, type] = {
    "rows_low": float,
    "rows_high": float,
    "in_rows": str,
    "seeds": int,
    "seeds_mean": float,
    "seeds_std": float,
    "in_seeds": str,
}
"""The columns of the intervals of a measured number; the wide frame has them, too."""
FIT: Mapping[str, type] = {
    "C": float,
    "theta": float,
    "threshold": float,
    "selected_k": int,
    "relative_gap": float,
    "gradient_norm": float,
    "epochs": int,
    "seconds": float,
}
"""The columns of how it was trained, which the wide frame has, too."""
COLUMNS: Mapping[str, type] = {
    **dict.fromkeys([*PLACE, "run", "reading"], str),
    "value": float,
    "std": float,
    "splits": int,
    "printed": str,
    "difference": float,
    "verdict": str,
    **INTERVALS,
    **dict.fromkeys(["reason", "choice", "note", "config_dataset", "config_method"], str),
    **dict.fromkeys(["label", "variant_of", "study", "budget"], str),
    **FIT,
    "status": str,
}
"""The columns of the frame."""
PUBLISHED, MEASURED, KEPT = "published", "measured", "kept"
VARIANT = "variant"
CELL = ["config_dataset", "config_method", "metric"]
"""The columns that name a measurement, wherever it is printed."""


def write_cells(cells: pd.DataFrame, path: str | os.PathLike[str]) -> None:
    """Write a frame with the columns `COLUMNS`."""
    write_frame(cells, path, COLUMNS)


def read_cells(path: str | os.PathLike[str]) -> pd.DataFrame:
    """Read what `write_cells` wrote: text, "" where empty, and numbers, NaN where empty."""
    return read_frame(path, COLUMNS)


def with_columns(frame: pd.DataFrame, columns: Mapping[str, type] = COLUMNS) -> pd.DataFrame:
    """Return a frame with all columns; those that it lacks are empty."""
    missing = {name: kind for name, kind in columns.items() if name not in frame}
    return frame.assign(**{name: "" if kind is str else math.nan for name, kind in missing.items()})


def compared(cells: pd.DataFrame, run: str = MEASURED) -> pd.DataFrame:
    """Return the numbers of a run, as the protocol states, that a paper prints."""
    chosen = (cells["run"] == run) & (cells["reading"] == "") & (cells["source"] != "")
    return cells[chosen].reset_index(drop=True)


def measurements(cells: pd.DataFrame, run: str = MEASURED) -> pd.DataFrame:
    """Return each number of a run once, printed or not, at the first place that prints it."""
    chosen = cells[(cells["run"] == run) & (cells["reading"] == "")]
    return chosen.drop_duplicates(CELL).reset_index(drop=True)


def are_among(rows: pd.DataFrame, others: pd.DataFrame, columns: list[str]) -> pd.Series:
    """Return the mask of the rows whose entries in some columns are those of any other row."""
    known = {*others[columns].itertuples(index=False, name=None)}
    among = [names in known for names in rows[columns].itertuples(index=False, name=None)]
    return pd.Series(among, rows.index, dtype=bool)
