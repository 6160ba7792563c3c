"""The files of a cell: rows as CSV and records of arrays as .npz, whole or not at all, with sums.

The columns of a CSV file, and the arrays of an .npz file, are the fields of a dataclass, in their
order.
"""

from __future__ import annotations

import csv
import io
import math
import os
from collections.abc import Callable, Iterable
from dataclasses import fields
from typing import Any, TypeVar

import numpy as np

from toplabel.reproduction.files import (
    FileError,
    read_npz,
    read_text,
    remade,
    result_path,
    write_npz,
)

Record = TypeVar("Record")
Path = str | os.PathLike[str]


def write_rows(kind: type[Record], rows: Iterable[Record], path: Path) -> None:
    """Write dataclass instances as CSV: numbers with all their digits, NaN and None as empty cells."""
    names = [field.name for field in fields(kind)]
    with (
        result_path(path) as temporary,
        open(temporary, "w", encoding="utf-8", newline="") as stream,
    ):
        lines = csv.writer(stream, lineterminator="\n")
        lines.writerow(names)
        lines.writerows([_text(getattr(row, name)) for name in names] for row in rows)


def read_rows(kind: type[Record], path: Path) -> list[Record]:
    """Read what `write_rows` wrote; a FileError names the file, the line and the column."""
    readers = {field.name: _READERS[field.type] for field in fields(kind)}
    header, *lines = csv.reader(io.StringIO(read_text(path))) or [[]]
    if header != list(readers):
        raise FileError(f"{path}: columns of another version; {remade(path)}")
    return [
        kind(**_parsed(readers, line, f"{path}:{number}"))
        for number, line in enumerate(lines, start=2)
    ]


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str | bool):
        return str(value)
    return "" if math.isnan(value) else repr(value)


def _parsed(readers: dict[str, Callable], line: list[str], place: str) -> dict[str, Any]:
    if len(line) != len(readers):
        raise FileError(f"{place}: {len(line)} columns instead of {len(readers)}")
    values = {}
    for (name, read), text in zip(readers.items(), line, strict=True):
        try:
            values[name] = read(text)
        except (ValueError, KeyError):
            raise FileError(f"{place}: '{text}' in column '{name}'") from None
    return values


def _number(text: str) -> float:
    value = float(text) if text else math.nan
    if math.isinf(value):
        raise ValueError(text)
    return value


_READERS: dict[Any, Callable] = {  # by the annotation of a field
    "str": str,
    "int": int,
    "float": _number,
    "int | None": lambda text: int(text) if text else None,
    "float | None": lambda text: _number(text) if text else None,
    "bool": {"True": True, "False": False}.__getitem__,
}


def write_records(records: Iterable[Any], path: Path) -> None:
    """Write the fields of the i-th record as the arrays ``<i>.<field>``; None is left out."""
    arrays = {
        f"{i}.{field.name}": np.asarray(getattr(record, field.name))
        for i, record in enumerate(records)
        for field in fields(record)
        if getattr(record, field.name) is not None
    }
    write_npz(path, arrays)


def read_records(kind: type[Record], path: Path) -> list[Record]:
    """Read what `write_records` wrote; a FileError names a file of another version."""
    found: dict[int, dict[str, Any]] = {}
    try:
        for key, array in read_npz(path).items():
            index, _, name = key.partition(".")
            found.setdefault(int(index), {})[name] = array if array.ndim else array.item()
        return [kind(**found[i]) for i in range(len(found))]
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"{path}: arrays of another version; {remade(path)}") from None
