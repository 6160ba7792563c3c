"""The numbers that the papers print: ``data/published/*.csv``."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from toplabel._core.catalogue import LOSSES, parametrised
from toplabel.metrics.names import is_fraction
from toplabel.reproduction.compare.cells import PLACE
from toplabel.reproduction.config.keys import Key, key_of, number_text, published_tables, table_name
from toplabel.reproduction.frames import as_numbers, read_frame

OTHERS = "reference"
"""The method under which results of several other authors stand; only this key may repeat."""
_OTHER_LABELS = {OTHERS: "Another paper", "rf_pct": "RF-PCT", "homer": "HOMER", "br_svm": "BR"}
"""Methods that a paper quotes from others, and that this project has no code for."""
_MAX_DECIMALS = 4
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
    source, _, number = path.stem.partition("_table")
    return table_name(source, number) if number.isdigit() else path.stem


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


def method_label(row: Mapping[str, Any], labels: Mapping[Key, str]) -> str:
    """Return the papers' name of the method of a printed number, in the small markup of the report.

    Parameters
    ----------
    row : mapping
        `method`, `k`, `gamma` and `kernel`, as they stand in cells.csv; empty where they do not
        apply. A loss has the k and the gamma of the row, whatever other name it has; a kernel is
        named when it is not the linear one of the papers' defaults.
    labels : mapping
        The labels of methods.yaml by their keys, for methods that are no losses of the library. A
        method that is not there either is shown by its key.
    """
    method, kernel = row["method"], row["kernel"]
    if method not in LOSSES and (label := labels.get(key_of(row))):
        return label
    label = LOSSES[method].label if method in LOSSES else _OTHER_LABELS.get(method, method)
    label = parametrised(label, row["k"], row["gamma"])
    if kernel in ("", "linear", "precomputed"):
        return label
    return f"{label} ({'RBF' if kernel == 'rbf' else kernel})"


def decimals_of(metric: str, printed: str = "") -> int:
    """Return the number of decimals to show: as in the papers, one for percentages, three for fractions.

    A number that is printed with more decimals is shown with as many, four at most.
    """
    usual = 3 if is_fraction(metric) else 1
    _, _, fraction = printed.partition(".")
    if not fraction.isdigit() or len(fraction) > _MAX_DECIMALS:
        return usual
    return max(usual, len(fraction))
