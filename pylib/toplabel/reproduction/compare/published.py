"""The numbers that the papers print: ``data/published/*.csv``."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from toplabel.reproduction.config.keys import number_text
from toplabel.reproduction.config.studies import published_tables, table_name
from toplabel.reproduction.frames import as_numbers, read_frame

PLACE = [
    *("source", "table", "dataset", "features"),
    *("method", "k", "gamma", "kernel", "metric"),
]
"""The columns that name a printed number."""
OTHERS = "reference"
"""The method under which results of several other authors stand; only this key may repeat."""
_COLUMNS = dict.fromkeys([*PLACE, "value", "std"], str)
_TEXTS = dict.fromkeys(["source", "table", "title", "caption"], str)


@dataclass(frozen=True)
class TableText:
    """Title and caption of a published table, in our words."""

    title: str
    caption: str


def load_published(folder: str | os.PathLike[str]) -> pd.DataFrame:
    """Read and check all printed numbers of ``data/published``.

    Returns
    -------
    DataFrame
        One row per number, in the order of the files' names and of the rows in them: `PLACE`,
        `printed` (the number as text), `value` and `std` (NaN where none is printed).

    Raises
    ------
    ValueError
        One line with the file and the line: a number that is none, an empty key, a row of another
        table, or a number that stands twice.
    """
    folder = Path(folder)
    tables = published_tables(folder)
    files = {_short(path): path for path in sorted(folder.glob("*.csv"))}
    parts = [_read_table(path, *tables[name]) for name, path in files.items() if name in tables]
    if not parts:
        raise ValueError(f"{folder}: no published table here")
    return pd.concat(parts, ignore_index=True)


def _short(path: Path) -> str:
    source, found, number = path.stem.partition("_table")
    return table_name(source, number) if found and number.isdigit() else path.stem


def _read_table(path: Path, source: str, table: str) -> pd.DataFrame:
    frame = read_frame(path, _COLUMNS)
    numbers = {name: as_numbers(frame[name], path) for name in ("value", "std")}
    for column in ("dataset", "method", "metric", "value"):
        _require(frame[column] != "", path, f"{column} is empty")
    of_table = (frame["source"] == source) & (frame["table"] == table)
    _require(of_table, path, f"source and table must be {source},{table}, as the file's name")
    for column in ("k", "gamma"):
        for i, text in enumerate(frame[column]):
            try:
                number_text(text, column)
            except ValueError as error:
                raise ValueError(f"{path}:{i + 2}: {error}") from None
    repeated = frame.duplicated(PLACE) & (frame["method"] != OTHERS)
    _require(~repeated, path, "this cell stands twice")
    return frame[PLACE].assign(printed=frame["value"], **numbers)


def _require(good: pd.Series, path: Path, complaint: str) -> None:
    """Raise for the first row that is not good."""
    wrong = np.flatnonzero(~good)
    if len(wrong):
        raise ValueError(f"{path}:{wrong[0] + 2}: {complaint}")


def load_texts(path: str | os.PathLike[str]) -> dict[str, TableText]:
    """Read title and caption of the published tables (tables.csv), by their short names."""
    return {
        table_name(row.source, row.table): TableText(row.title, row.caption)
        for row in read_frame(path, _TEXTS).itertuples(index=False)
    }
