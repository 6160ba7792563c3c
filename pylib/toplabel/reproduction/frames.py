"""CSV files between the stages: written whole or not at all, with their sums beside them, and read
back bit for bit.

The columns of a file are a mapping from their names to `str`, `float`, `int` or `bool`, in their order.
Text is read as it stands, "" where a cell is empty. Numbers, whole ones too, are read as floats,
NaN where a cell is empty; they are written with as many digits as it takes to get the same bits.
"""

from __future__ import annotations

import io
import math
import os
from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd

from toplabel.reproduction.files import FileError, read_text, result_path

Columns = Mapping[str, type]


def write_frame(
    frame: pd.DataFrame, path: str | os.PathLike[str], columns: Columns | None = None
) -> None:
    """Write a frame with these columns, in their order, or with all that it has.

    The index is not written. A FileError names the path and a column that is missing or unknown.
    """
    columns = dict.fromkeys(frame.columns, str) if columns is None else columns
    _check(frame.columns, columns, path)
    whole = {name: "Int64" for name, kind in columns.items() if kind is int}
    with result_path(path) as temporary:
        frame[[*columns]].astype(whole).to_csv(temporary, index=False, lineterminator="\n")


def read_frame(path: str | os.PathLike[str], columns: Columns | None = None) -> pd.DataFrame:
    """Read a file with exactly these columns, or with any, all as text.

    A FileError of one line names the file: it is missing, not what was written, no CSV file, has
    other columns, or text where a number should be.
    """
    text = read_text(path)
    try:
        frame = pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False)
    except ValueError as error:  # pandas' own errors are ValueErrors
        raise FileError(f"{path}: {' '.join(str(error).split())}") from None
    columns = dict.fromkeys(frame.columns, str) if columns is None else columns
    _check(frame.columns, columns, path)
    numbers = [name for name, kind in columns.items() if kind in (float, int)]
    frame = frame.assign(**{name: as_numbers(frame[name], path) for name in numbers})
    frame = frame.assign(
        **{name: frame[name] == "True" for name in columns if columns[name] is bool}
    )
    return frame[[*columns]]


def as_numbers(column: pd.Series, path: str | os.PathLike[str]) -> np.ndarray:
    """Turn a column of text into numbers, an empty cell into NaN.

    Python's conversion is exact, which that of pandas is not in all of its versions. A FileError
    names the file, the line and the column of what is no finite number.
    """
    values = np.full(len(column), math.nan)
    for i, text in enumerate(column):
        try:
            values[i] = float(text or "nan")
        except ValueError:
            values[i] = math.inf
        if math.isinf(values[i]):
            raise FileError(f"{path}:{i + 2}: '{text}' in column '{column.name}' is not a number")
    return values


def empty_frame(columns: Columns) -> pd.DataFrame:
    """Return a frame without rows."""
    kinds = {name: str if kind is str else float for name, kind in columns.items()}
    return pd.DataFrame(columns=[*columns]).astype(kinds)


def _check(found: Iterable[str], columns: Columns, path: str | os.PathLike[str]) -> None:
    found = [*found]
    wrong = [f"the column '{name}' is missing" for name in columns if name not in found]
    wrong += [f"the column '{name}' is unknown" for name in found if name not in columns]
    if wrong:
        raise FileError(f"{path}: {wrong[0]}")
