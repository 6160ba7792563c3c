"""Text tables without a header: numbers and a class a line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from toplabel._core.files import reason
from toplabel.reproduction.data.formats.source import FormatError, Source, shown
from toplabel.reproduction.data.formats.tables import Table, assemble
from toplabel.reproduction.data.parts import Loaded

_DELIMITERS = (";", "\t", ",", "|")


def load(source: Source, delimiter: str = ",", label: int = -1, skip_lines: int = 0) -> Loaded:
    """Read text tables with one class a row, in the column `label` (from 0, or from the last).

    Values may stand in double quotes; the delimiter "whitespace" is any number of blanks and tabs.
    """
    tables = {
        name: _read(path, delimiter, label, skip_lines) for name, path in source.parts.items()
    }
    return assemble(tables, source.task)


def _read(path: Path, delimiter: str, label: int, skip_lines: int) -> Table:
    try:
        frame = pd.read_csv(
            path,
            sep=r"\s+" if delimiter == "whitespace" else delimiter,
            header=None,
            skiprows=skip_lines,
            dtype=str,
            keep_default_na=False,
            skipinitialspace=True,
            encoding="utf-8-sig",
        )
    except pd.errors.EmptyDataError:
        raise FormatError(path, None, "no row in it") from None
    except ValueError as error:
        raise FormatError(path, None, reason(error)) from None
    width = frame.shape[1]
    if width < 2 or not -width <= label < width:
        message = f"{width} values a row; there is no column {label} for the class beside features"
        raise FormatError(path, None, message + _advice(path, delimiter, skip_lines))
    words = frame.pop(frame.columns[label]).fillna("").str.strip().to_numpy(str)
    numbers = frame.apply(pd.to_numeric, errors="coerce")
    for row, column in np.argwhere(numbers.isna())[:1]:
        value = frame.iloc[row, column]
        what = f"{shown(value)} is not a number" if value not in ("", "?") else "a missing value"
        message = f"row {row}, column {frame.columns[column]} (from 0): {what}"
        raise FormatError(path, None, message + _advice(path, delimiter, skip_lines))
    return Table(path, frame.to_numpy().astype(np.float64), words)


def _advice(path: Path, delimiter: str, skip_lines: int) -> str:
    """Return advice on a table that seems to have another delimiter, or a header."""
    with path.open(encoding="utf-8-sig", errors="replace") as stream:
        line = next((line for number, line in enumerate(stream) if number >= skip_lines), "")
    there = [other for other in _DELIMITERS if other in line]
    if there and delimiter not in there:
        return f"; is the option `delimiter` {there[0]!r}?"
    return "; the option `skip_lines` leaves a header out, `label` is the column of the class"
