"""The numbers that the papers print: ``data/published/*.csv``."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from toplabel.reproduction.config.keys import number_text
from toplabel.reproduction.config.studies import published_tables, table_name
from toplabel.reproduction.tables.collected import PUBLISHED_KEYS
from toplabel.reproduction.tables.table import as_numbers, read_csv

_KEYS = [*PUBLISHED_KEYS]
FILE_COLUMNS = [*_KEYS, "value", "std"]

OTHERS = "reference"
"""The method under which results of several other authors stand; only its key may repeat."""


@dataclass(frozen=True)
class TableText:
    """Title and caption of a published table, in our words."""

    title: str
    caption: str


def load_published(folder: str | os.PathLike[str]) -> pd.DataFrame:
    """Read and check all published cells of ``data/published``.

    There is one row per cell, in the order of the files' names and of the rows in them: the names
    of a cell, ``published`` and ``std`` as printed (text), and ``value``, the printed number. A
    missing column, a number that is not one, an empty key, a row of another table and a repeated
    cell are ValueErrors of one line with the file and the line.
    """
    folder = Path(folder)
    files = sorted(folder.glob("*.csv"))
    tables = published_tables(folder)
    parts = [_read_table(path, tables[name]) for path in files if (name := _short(path)) in tables]
    if not parts:
        raise ValueError(f"{folder}: no published table here")
    return pd.concat(parts, ignore_index=True)


def _short(path: Path) -> str:
    source, found, number = path.stem.partition("_table")
    return table_name(source, number) if found and number.isdigit() else path.stem


def _read_table(path: Path, identity: tuple[str, str]) -> pd.DataFrame:
    frame = read_csv(path, FILE_COLUMNS)[FILE_COLUMNS]
    value = as_numbers(frame["value"], path)
    as_numbers(frame["std"], path)
    for column in ("dataset", "method", "metric"):
        _require(frame[column] != "", path, f"{column} is empty")
    _require(value.notna(), path, "value is empty")
    same = (frame["source"] == identity[0]) & (frame["table"] == identity[1])
    _require(
        same, path, f"source and table must be {identity[0]},{identity[1]}, as the file's name"
    )
    for column in ("k", "gamma"):
        for row, text in enumerate(frame[column]):
            try:
                number_text(text, column)
            except ValueError as error:
                raise ValueError(f"{path}:{row + 2}: {error}") from None
    repeated = frame.duplicated(_KEYS) & (frame["method"] != OTHERS)
    _require(~repeated, path, "this cell stands twice")
    return frame.rename(columns={"value": "published"}).assign(value=value)


def _require(good: pd.Series, path: Path, complaint: str) -> None:
    """Raise for the first row that is not good."""
    if not good.all():
        raise ValueError(f"{path}:{int((~good).to_numpy().argmax()) + 2}: {complaint}")


def load_texts(path: str | os.PathLike[str]) -> dict[str, TableText]:
    """Read title and caption of the published tables (tables.csv), by their short names."""
    frame = read_csv(path, ["source", "table", "title", "caption"])
    return {
        table_name(row.source, row.table): TableText(row.title, row.caption)
        for row in frame.itertuples(index=False)
    }
