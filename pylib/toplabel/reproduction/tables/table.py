"""Tables with fixed columns: checked, written and read in one way."""

from __future__ import annotations

import csv
import io
import math
import os
import re
from collections import namedtuple
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from textwrap import dedent
from typing import TYPE_CHECKING, Any

from toplabel._core.files import FileError, read_text, result_path

if TYPE_CHECKING:
    import pandas as pd

_OTHER_VERSION = "; another version wrote it: delete it, to have it made again"
_CONVERT = {"number": float, "whole": int}
_KINDS = ("text", *_CONVERT)


@dataclass(frozen=True)
class Column:
    """A column of a result file; a name that ends in ``*`` is a prefix of any number of them.

    The kind is text, number or whole; a number is finite or, where the cell is empty, NaN.
    """

    name: str
    kind: str
    about: str


@dataclass(frozen=True)
class Table:
    """The description of a result file: its path, with ``<name>`` for what varies, and columns.

    Its numbers have so many significant digits, by default as many as give the same bits again.
    """

    path: str
    about: str
    columns: tuple[Column, ...]
    digits: int | None = None

    @property
    def file(self) -> str:
        """The file's own name."""
        return self.path.rpartition("/")[2]

    @property
    def names(self) -> list[str]:
        """The columns that the file always has, in their order."""
        return [column.name for column in self.columns if "*" not in column.name]

    @property
    def numbers(self) -> list[str]:
        """Those of them that are numbers."""
        return [name for name in self.names if self._column(name).kind != "text"]

    @cached_property
    def row(self) -> type[tuple[Any, ...]]:
        """The class of its rows, a named tuple: training needs no frames, and pandas takes time."""
        return namedtuple("Row", self.names)

    def write_rows(self, rows: Iterable[tuple[Any, ...]], path: str | os.PathLike[str]) -> None:
        """Write rows of the class `row`; the file has the bytes that `write` gives it."""
        kinds = [self._column(name).kind for name in self.names]
        with (
            result_path(path) as temporary,
            open(temporary, "w", encoding="utf-8", newline="") as stream,
        ):
            lines = csv.writer(stream, lineterminator="\n")
            lines.writerow(self.names)
            lines.writerows(map(_printed, kinds, row) for row in rows)

    def read_rows(self, path: str | os.PathLike[str]) -> list[Any]:
        """Read the file as rows of the class `row`; errors as for `read`."""
        names, *lines = csv.reader(io.StringIO(read_text(path))) or [[]]
        self._check(names, path, _OTHER_VERSION)
        kinds = [self._column(name).kind for name in names]
        found = []
        for number, line in enumerate(lines, start=2):
            if len(line) != len(names):
                raise FileError(f"{path}:{number}: {len(line)} columns instead of {len(names)}")
            cells = zip(names, kinds, line, strict=True)
            values = {
                name: text if kind == "text" else _number(text, kind, f"{path}:{number}", name)
                for name, kind, text in cells
            }
            found.append(self.row(**values))
        return found

    def frame(self, rows: Iterable = ()) -> pd.DataFrame:
        """Return rows as a DataFrame with the columns of the file."""
        import pandas as pd

        return pd.DataFrame(list(rows), columns=self.names)

    def write(self, frame: pd.DataFrame, path: str | os.PathLike[str]) -> None:
        """Write the file with its sum, whole or not at all; other columns are a FileError."""
        self._check(frame.columns, path)
        write_csv(frame, path, self.digits)

    def read(self, path: str | os.PathLike[str]) -> pd.DataFrame:
        """Read the file: text as it stands ("" where a cell is empty), numbers as float or int.

        A FileError is one line with the file, and the column or the line: it cannot be read or is
        not what was written, a column is missing or unknown, a number is not one.
        """
        frame = self.read_text(path)
        kinds = {name: self._column(name).kind for name in frame.columns}
        return frame.assign(
            **{n: as_numbers(frame[n], path, kind) for n, kind in kinds.items() if kind != "text"}
        )

    def read_text(self, path: str | os.PathLike[str]) -> pd.DataFrame:
        """Read the file with all columns as text; errors as for `read`."""
        frame = read_csv(path)
        self._check(frame.columns, path, _OTHER_VERSION)
        return frame

    def read_all(self, paths: Iterable[str | os.PathLike[str]]) -> pd.DataFrame:
        """Read several files of this kind and join their rows; without any, no row."""
        import pandas as pd

        parts = [self.read(path) for path in paths]
        return pd.concat(parts, ignore_index=True) if parts else self.frame()

    def _column(self, name: str) -> Column | None:
        return next((column for column in self.columns if fnmatchcase(name, column.name)), None)

    def _check(self, names: Iterable[str], path: str | os.PathLike[str], advice: str = "") -> None:
        names = list(names)
        wrong = [f"the column '{name}' is missing" for name in self.names if name not in names]
        wrong += [f"the column '{name}' is unknown" for name in names if not self._column(name)]
        if wrong:
            raise FileError(f"{path}: {wrong[0]}{advice}")


def columns(text: str, known: Iterable[Column] = ()) -> tuple[Column, ...]:
    """Read lines of a name, a kind and what the column holds, or of names of `known` columns.

    A line that begins with a space goes on with the one before it.
    """
    by_name = {column.name: column for column in known}
    found: list[Column] = []
    for line in re.sub(r"\n +", " ", dedent(text).strip()).splitlines():
        name, *rest = line.split(maxsplit=2)
        is_new = rest and rest[0] in _KINDS
        found += [Column(name, *rest)] if is_new else [by_name[one] for one in line.split()]
    return tuple(found)


def described(
    path: str,
    text: str,
    known: Iterable[Column] = (),
    digits: int | None = None,
    before: tuple[Column, ...] = (),
) -> Table:
    """Return a file by a text: what it holds, an empty line, and its `columns`."""
    about, _, lines = dedent(text).strip().partition("\n\n")
    return Table(path, " ".join(about.split()), (*before, *columns(lines, known)), digits)


def write_csv(frame: pd.DataFrame, path: str | os.PathLike[str], digits: int | None = 12) -> None:
    """Write a CSV file with its sum, whole or not at all, the same bytes for the same rows.

    The index is not written; NaN is an empty cell. Without a number of `digits` there are as many
    as it takes to get the very same bits back.
    """
    form = None if digits is None else f"%.{digits}g"
    with result_path(path) as temporary:
        frame.to_csv(temporary, index=False, float_format=form, lineterminator="\n")


def read_csv(
    path: str | os.PathLike[str], columns: Sequence[str] = (), target: str | None = None
) -> pd.DataFrame:
    """Read a CSV file as text, "" where a cell is empty; `target` as in `_core.files.check_file`.

    A file that is missing, not what was written, no CSV file, or lacks one of `columns` is a
    FileError.
    """
    return _parsed(path, columns, target, dtype=str, keep_default_na=False)


def read_numbers(path: str | os.PathLike[str], columns: Sequence[str] = ()) -> pd.DataFrame:
    """Read a CSV file with what pandas takes for numbers as numbers; errors as for `read_csv`."""
    return _parsed(path, columns)


def _parsed(
    path: str | os.PathLike[str], columns: Sequence[str], target: str | None = None, **how: Any
) -> pd.DataFrame:
    import pandas as pd

    text = read_text(path, target)
    try:
        frame = pd.read_csv(io.StringIO(text), **how)
    except pd.errors.EmptyDataError:
        raise FileError(f"{path}: the file is empty") from None
    except pd.errors.ParserError as error:
        raise FileError(f"{path}: {' '.join(str(error).split())}") from None
    for column in columns:
        if column not in frame.columns:
            raise FileError(f"{path}: the column '{column}' is missing")
    return frame


def as_numbers(column: pd.Series, path: str | os.PathLike[str], kind: str = "number") -> pd.Series:
    """Turn a column of text into numbers of a kind; an empty cell is NaN.

    By Python's own conversion: that of pandas has rounded differently from version to version. A
    FileError names the file that it is from, the line, the column and what was found.
    """
    import pandas as pd

    values = [
        _number(text, kind, f"{path}:{line}", column.name)
        for line, text in enumerate(column, start=2)
    ]
    return pd.Series(values, column.index, dtype=None if values else float, name=column.name)


def _number(text: str, kind: str, place: str, column: str) -> float | int:
    try:
        value = _CONVERT[kind](text) if text.strip() else math.nan
        good = not math.isinf(value)
    except ValueError:
        good = False
    if not good:
        what = "whole" if kind == "whole" else "finite"
        raise FileError(f"{place}: '{text}' in column '{column}' is not a {what} number")
    return value


def _printed(kind: str, value: Any) -> str:
    """Print a value, a number with as many digits as it takes to get the same bits back."""
    if kind == "text":
        return str(value)
    return "" if math.isnan(value) else repr(_CONVERT[kind](value))
