"""CSV files, written whole or not at all, with their sums beside them, and read back bit for bit.

A file holds a frame, whose columns are a mapping from their names to `str`, `float`, `int` or `bool`, or
the instances of a dataclass, whose fields are the columns. Numbers are written with as many digits as it
takes to get the same bits. An empty cell is a missing number or an empty text: in a frame NaN, in a field
that may be None that, in any other field of type float NaN.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, TypeVar

from toplabel.reproduction.files import FileError, PathLike, read_text, remade, result_path

if TYPE_CHECKING:  # pandas takes half a second to import, which the plan of a run does not need
    import pandas as pd
    from _typeshed import DataclassInstance

Columns = Mapping[str, type]
Row = TypeVar("Row", bound="DataclassInstance")

_PIECE = 1000  # rows of a frame


# ---- frames --------------------------------------------------------------------------------------


def write_frame(frame: pd.DataFrame, path: PathLike, columns: Columns | None = None) -> None:
    """Write a frame with these columns, in their order, or with all that it has.

    The index is not written. A FileError names the path and a column that is missing or unknown.
    """
    columns = dict.fromkeys(frame.columns, str) if columns is None else columns
    _check(frame.columns, columns, path)
    numbers = {float: "float64", int: "Int64"}  # with all digits of the same number in 64 bits
    kinds = {name: numbers[kind] for name, kind in columns.items() if kind in numbers}
    with result_path(path) as temporary:
        frame[[*columns]].astype(kinds).to_csv(
            temporary, index=False, lineterminator="\n", chunksize=_PIECE
        )


def read_frame(path: PathLike, columns: Columns | None = None) -> pd.DataFrame:
    """Read a file with exactly these columns, or with any, all as text.

    Numbers, whole ones too, become floats. A FileError of one line names the file: it is missing, not
    what was written, no CSV file, has other columns, or text where a number should be.
    """
    import pandas as pd

    header, rows = _read(path)
    columns = dict.fromkeys(header, str) if columns is None else columns
    _check(header, columns, path)
    kinds = {name: _OF_FRAMES[kind] for name, kind in columns.items()}
    values = _converted(header, rows, kinds, path)
    dtypes = {name: float if kind is int else kind for name, kind in columns.items()}
    return pd.DataFrame({name: pd.Series(values[name], dtype=dtypes[name]) for name in columns})


def join_names(names: Iterable[str]) -> str:
    """Return names with ";" between them; a name with that in it stands in quotation marks, as in CSV."""
    line = io.StringIO()
    csv.writer(line, delimiter=";", lineterminator="").writerow(names)
    return line.getvalue()


def split_names(text: str) -> list[str]:
    """Return the names that `join_names` joined."""
    return next(csv.reader([text], delimiter=";"), [])


def empty_frame(columns: Columns) -> pd.DataFrame:
    """Return a frame without rows."""
    import pandas as pd

    kinds = {name: str if kind is str else float for name, kind in columns.items()}
    return pd.DataFrame(columns=[*columns]).astype(kinds)


def _check(header: Iterable[str], columns: Columns, path: PathLike) -> None:
    header = [*header]
    wrong = [f"the column '{name}' is missing" for name in columns if name not in header]
    wrong += [f"the column '{name}' is unknown" for name in header if name not in columns]
    if wrong:
        raise FileError(f"{path}: {wrong[0]}")


# ---- rows ----------------------------------------------------------------------------------------


def write_rows(kind: type[Row], rows: Iterable[Row], path: PathLike) -> None:
    """Write instances of a dataclass, a row each."""
    import pandas as pd

    columns = {field.name: _KINDS[field.type] for field in fields(kind)}
    write_frame(pd.DataFrame([*rows], columns=[*columns]), path, columns)


def read_rows(kind: type[Row], path: PathLike) -> list[Row]:
    """Read what `write_rows` wrote; a FileError names the file, the line and the column."""
    header, rows = _read(path)
    kinds = {field.name: field.type for field in fields(kind)}
    if header != [*kinds]:
        raise FileError(f"{path}: columns of another version; {remade(path)}")
    values = _converted(header, rows, kinds, path)
    return [kind(*of_row) for of_row in zip(*values.values(), strict=True)]


def read_texts(path: PathLike, delimiter: str = ",") -> list[dict[str, str]]:
    """Return the rows of a file as mappings from the columns to text."""
    header, rows = _read(path, delimiter)
    return [dict(zip(header, row, strict=True)) for row in rows]


# ---- lines and cells -----------------------------------------------------------------------------


def _read(path: PathLike, delimiter: str = ",") -> tuple[list[str], list[list[str]]]:
    """Return the names of the columns and the rows of a file, all as text."""
    text = io.StringIO(read_text(path), newline="")
    try:
        lines = list(csv.reader(text, delimiter=delimiter, strict=True))
    except csv.Error as error:
        raise FileError(f"{path}: {error}") from None
    if not lines:
        raise FileError(f"{path}: the file is empty")
    header, *rows = lines
    for number, row in enumerate(rows, start=2):
        if len(row) != len(header):
            raise FileError(f"{path}:{number}: {len(row)} columns instead of {len(header)}")
    return header, rows


def _converted(
    header: list[str], rows: list[list[str]], kinds: Mapping[str, Any], path: PathLike
) -> dict[str, list[Any]]:
    """Return the values of each column, by the annotation of what it holds; a FileError names the file,
    the line and the column of a text that is none.
    """
    values: dict[str, list[Any]] = {name: [] for name in kinds}
    for number, row in enumerate(rows, start=2):
        for name, text in zip(header, row, strict=True):
            try:
                values[name].append(_CONVERTERS[kinds[name]](text))
            except (ValueError, KeyError):
                raise FileError(f"{path}:{number}: '{text}' in column '{name}'") from None
    return values


def _number(text: str) -> float:
    """Return a finite number, or NaN; Python's conversion is exact."""
    value = float(text) if text else math.nan
    if math.isinf(value):
        raise ValueError(text)
    return value


# The kind of a column by the annotation of a field, and the other way round.
_KINDS: dict[Any, type] = {"str": str, "int": int, "float": float, "bool": bool}
_KINDS |= {"int | None": int, "float | None": float}
_OF_FRAMES: dict[type, str] = {str: "str", float: "float", int: "int | None", bool: "bool"}
_CONVERTERS: dict[Any, Callable] = {  # by the annotation of a field
    "str": str,
    "int": int,
    "float": _number,
    "bool": {"True": True, "False": False}.__getitem__,
    "int | None": lambda text: int(text) if text else None,
    "float | None": lambda text: _number(text) if text else None,
}
