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
    """Read text tables with one class a row.

    Values may stand in double quotes. Classes are the labels as written, or the numbers that they
    are where all are whole numbers.

    Parameters
    ----------
    source : Source
        Multiclass.
    delimiter : str
        Between the values of a row; "whitespace" is any number of blanks and tabs.
    label : int
        The column of the class, from 0; a negative one counts from the last.
    skip_lines : int
        Lines before the first row: a header.
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
    except (ValueError, pd.errors.ParserError) as error:
        raise FormatError(path, None, reason(error)) from None
    width = frame.shape[1]
    if width < 2 or not -width <= label < width:
        message = f"{width} values a row; there is no column {label} for the class beside features"
        raise FormatError(path, None, message + _advice(path, delimiter, skip_lines))
    words = frame.pop(frame.columns[label]).fillna("").str.strip().to_numpy(str)
    return Table(path, _numbers(path, frame, delimiter, skip_lines), words)


def _numbers(path: Path, frame: pd.DataFrame, delimiter: str, skip_lines: int) -> np.ndarray:
    try:
        return frame.to_numpy().astype(np.float64)
    except ValueError:
        pass
    for column, values in frame.items():
        bad = pd.to_numeric(values, errors="coerce").isna().to_numpy()
        if bad.any():
            row = int(np.argmax(bad))
            value = values.iloc[row]
            what = "a missing value" if value in ("", "?") else f"{shown(value)} is not a number"
            message = f"row {row}, column {column} (from 0): {what}"
            raise FormatError(path, None, message + _advice(path, delimiter, skip_lines))
    raise FormatError(path, None, "a value that is no number")


def _advice(path: Path, delimiter: str, skip_lines: int) -> str:
    """Return advice on a table that seems to have another delimiter, or a header."""
    with path.open(encoding="utf-8-sig", errors="replace") as stream:
        line = next((line for number, line in enumerate(stream) if number >= skip_lines), "")
    there = [other for other in _DELIMITERS if other in line]
    if there and delimiter not in there:
        return f"; is the option `delimiter` {there[0]!r}?"
    return "; the option `skip_lines` leaves a header out, `label` is the column of the class"
