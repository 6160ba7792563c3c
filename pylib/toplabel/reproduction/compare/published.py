"""The numbers that the papers print: ``data/published/*.csv``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from toplabel._core.catalogue import LOSSES, parametrised
from toplabel.metrics.names import is_fraction
from toplabel.reproduction.compare.cells import PLACE
from toplabel.reproduction.config.keys import Key, key_of, number_text, published_tables, whole_name
from toplabel.reproduction.files import PathLike
from toplabel.reproduction.frames import read_frame

OTHERS = "reference"
"""The method under which results of several other authors stand; only this key may repeat."""
_OTHER_LABELS = {OTHERS: "Another paper", "rf_pct": "RF-PCT", "homer": "HOMER", "br_svm": "BR"}
"""Methods that a paper quotes from others, and that this project has no code for."""
_MAX_DECIMALS = 4
_COLUMNS = dict.fromkeys([*PLACE, "value", "std"], str)
_TEXTS = dict.fromkeys(["source", "table", "title", "caption"], str)


def load_published(folder: PathLike) -> pd.DataFrame:
    """Return all printed numbers of ``data/published``, in the order of the files and their rows.

    The columns are `PLACE`, `printed` (the number as text), `value` and `std` (NaN where none is
    printed). A ValueError names the file and the line of a number that is none, an empty key, a row
    of another table, or a number that stands twice.
    """
    tables = published_tables(folder)
    if not tables:
        raise ValueError(f"{folder}: no published table here")
    files = {Path(folder, f"{whole_name(name)}.csv"): place for name, place in tables.items()}
    parts = [_read_table(path, *place) for path, place in files.items()]
    return pd.concat(parts, ignore_index=True)


def _read_table(path: Path, source: str, table: str) -> pd.DataFrame:
    frame = read_frame(path, _COLUMNS)
    numbers = read_frame(path, _COLUMNS | dict.fromkeys(["value", "std"], float))
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
    return frame[PLACE].assign(printed=frame["value"], **numbers[["value", "std"]])


def _require(good: pd.Series, path: Path, complaint: str) -> None:
    """Raise for the first row that is not good."""
    wrong = np.flatnonzero(~good)
    if len(wrong):
        raise ValueError(f"{path}:{wrong[0] + 2}: {complaint}")


class TableText(NamedTuple):
    """The words of a published table."""

    title: str
    caption: str


def load_texts(path: PathLike) -> dict[tuple[str, str], TableText]:
    """Return the words of the published tables, the rows of tables.csv, by paper and number."""
    rows = read_frame(path, _TEXTS).itertuples(index=False)
    return {(row.source, row.table): TableText(row.title, row.caption) for row in rows}


def method_label(row: Mapping[str, Any], labels: Mapping[Key, str]) -> str:
    """Return the papers' name of the method of a printed number, in the small markup of the report.

    `row` has `method`, `k`, `gamma` and `kernel` as in cells.csv. A loss of the library has the k and
    the gamma of the row, whatever other name it has; any other method its label of methods.yaml
    (`labels`, by key), else its key. A kernel is named when it is not the linear one.
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
