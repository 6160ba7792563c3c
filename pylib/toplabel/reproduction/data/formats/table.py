"""Tables, as spreadsheets and pandas write them: CSV, TSV and Parquet, with or without a header."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import pandas as pd
from pydantic import BeforeValidator

from toplabel.reproduction.data.formats.cells import Reading
from toplabel.reproduction.data.formats.common import (
    ColumnName,
    ColumnPlace,
    FormatError,
    Source,
    Table,
    as_text,
    assemble,
    check_names,
    read_text,
    shown,
)
from toplabel.reproduction.data.formats.table_columns import (
    TableColumns,
    read_labels,
)
from toplabel.reproduction.data.parts import LoadedSet
from toplabel.reproduction.files import reason

_DELIMITERS = ",;\t|"
_SEP = re.compile(r"sep=(.)\s*", re.IGNORECASE)  # the first line of a CSV file of Excel


def _as_words(values: Any) -> Any:
    """Return words that stand for missing values as text, numbers among them."""
    values = [values] if isinstance(values, str | int | float) else values
    return [as_text(int(v) if isinstance(v, float) and v % 1 == 0 else v) for v in values]


def _as_tags(value: Any) -> Any:
    """Refuse the name of a column alone, with the form that is meant."""
    if isinstance(value, str):
        raise ValueError(
            f"{value!r} is a name alone; write `tags: {{column: {value}}}`, and where words with a separator "
            f'between them stand in the column, `tags: {{column: {value}, separator: ";"}}`'
        )
    return value


Tags = Annotated[
    Mapping[Literal["column", "separator"], ColumnName] | None, BeforeValidator(_as_tags)
]
Words = Annotated[tuple[Annotated[str, BeforeValidator(str)], ...], BeforeValidator(_as_words)]


def load(
    source: Source,
    label: ColumnPlace | None = None,
    labels: Sequence[ColumnName] = (),
    tags: Tags = None,
    drop: Sequence[ColumnName] = (),
    categorical: Sequence[ColumnName] = (),
    missing: Literal["error", "median", "mean", "drop"] = "error",
    header: bool = True,
    delimiter: str | None = None,
    decimal: Literal[".", ","] = ".",
    thousands: str | None = None,
    na_values: Words = (),
    keep_default_na: bool = True,
    encoding: str | None = None,
) -> LoadedSet:
    """Read tables; columns without a `header` have their numbers, from 0, as names.

    The labels are the column `label` (one class a row; a number counts from 0, or from the last
    column if it is negative), the columns `labels` of 0 and 1, or the column of `tags` that holds
    lists of words. All other columns but those of `drop` are features: numbers, or categories
    (`categorical`, and columns of words), which become a 0/1 column for each value. Gaps in numbers
    that `missing` fills stay NaN, since the median or mean is that of a training part. The other
    options are those of `pandas.read_csv`.
    """
    if (label is None) + (not labels) + (tags is None) != 2:
        raise ValueError("the format 'table' needs one of the options label, labels and tags")
    if thousands is not None and (len(thousands) != 1 or thousands == decimal):
        raise ValueError("`thousands` must be one character, and another one than `decimal`")
    how = Reading(decimal, thousands, tuple(map(str, na_values)), keep_default_na)
    frames = {part: _read(path, header, delimiter, encoding) for part, path in source.parts.items()}
    if isinstance(label, int):
        columns = next(iter(frames.values())).columns
        label = columns[label] if -len(columns) <= label < len(columns) else str(label)
    asked = [*labels] or [label if tags is None else tags.get("column")]
    every = dict.fromkeys(name for frame in frames.values() for name in frame)
    for part, path in source.parts.items():
        elsewhere = [name for name in every if name not in frames[part] and name not in drop]
        lacking = [name for name in elsewhere if not _is_empty(name, frames, how)]
        check_names(path, [*frames[part]], [*asked, *lacking])
        check_names(path, every, [*drop, *categorical])
    table = TableColumns(source.parts, frames, how, missing)
    for name in table.whole.columns:
        if name not in asked:
            table.take(name, name in drop, name in categorical)
    table.refuse_words()
    X = table.features()
    has_gaps = bool(X.isna().any(axis=None))
    names, labels_of_rows = read_labels(table, asked, label, tags, X.index)
    kept = table.places.loc[X.index]
    tables = {}
    for part, path in source.parts.items():
        is_own = (kept["part"] == part).to_numpy()
        places = kept[is_own]
        tables[part] = Table(
            path,
            X[is_own].to_numpy(np.float64),
            labels_of_rows[is_own],
            rows=places["row"].to_numpy() if len(places) < len(frames[part]) else None,
            ids=None if table.ids is None else table.ids[places.index].to_numpy(str),
        )
    loaded = assemble(tables, source.task, names, has_gaps)
    return replace(
        loaded,
        columns=table.described(),
        categories=table.categories,
        notes=table.notes,
        fill=missing if has_gaps else None,
        na_values=how.na_values,
    )


def _is_empty(name: str, frames: Mapping[str, pd.DataFrame], how: Reading) -> bool:
    """Return whether a column has no value in any of the files that have it."""
    return all(how.gaps(frame[name]).all() for frame in frames.values() if name in frame)


def _read(path: Path, header: bool, delimiter: str | None, encoding: str | None) -> pd.DataFrame:
    """Return a file as a frame of what stands in it, by the lines; those of a Parquet file are 0."""
    if path.suffix == ".parquet":
        return _read_parquet(path)
    delimiter = delimiter or ("\t" if path.suffix == ".tsv" else ",")
    return _read_delimited(path, header, delimiter, encoding)


def _read_delimited(path: Path, header: bool, delimiter: str, encoding: str | None) -> pd.DataFrame:
    """Return a delimited text file, whose rows must have as many values as the header has names.

    R writes no name above the names of the rows, all of which differ. A delimiter at the end of each
    row stands before an empty column.
    """
    rows, lines, delimiter = _split(path, read_text(path, encoding), delimiter)
    if not rows:
        raise FormatError(path, None, "no line with a value in it")
    first = rows.pop(0) if header else rows[0]
    if not rows:
        raise FormatError(path, lines[0], "this header is all there is: 0 rows")
    width = len(rows[0])
    if header and width == len(first) + 1:
        if not any(row[-1] for row in rows):
            first = [*first, ""]
        elif len({row[0] for row in rows}) == len(rows):
            first = ["", *first]
    if len(first) == 1 or any(len(row) != len(first) for row in rows):
        _refuse_ragged(path, rows, lines, first, header, delimiter)
    names = [name or f"Unnamed: {j}" for j, name in enumerate(first)]
    if not header:
        names = [*map(str, range(width))]
    if twice := [name for name in names if names.count(name) > 1]:
        places = " and ".join(str(j + 1) for j, name in enumerate(names) if name == twice[0])
        message = f"the name {shown(twice[0])} stands twice in the header, in the columns {places}"
        advice = "give each column a name of its own, or `header: false` where the file has none"
        raise FormatError(path, None, f"{message}; {advice}")
    return pd.DataFrame(rows, lines[1:] if header else lines, names, dtype=object)


def _split(path: Path, text: str, delimiter: str) -> tuple[list[list[str]], list[int], str]:
    """Return the rows that have a value, the line on which each ends, and the delimiter."""
    stream = io.StringIO(text, newline="")
    lines = iter(stream)
    skipped = 0
    if match := _SEP.fullmatch(text.partition("\n")[0]):
        delimiter, skipped = match[1], 1
        next(lines)
    if delimiter == "whitespace":
        lines = (re.sub(r"\s+", " ", line.strip()) for line in lines)
    elif len(delimiter) != 1:
        raise FormatError(
            path, None, f"`delimiter` is {shown(delimiter)}; it must be one character"
        )
    character = " " if delimiter == "whitespace" else delimiter
    reader = csv.reader(lines, delimiter=character, skipinitialspace=True, strict=True)
    rows, ends = [], []
    try:
        for row in reader:
            if any(row) or len(row) > 1:
                rows.append([value.strip() for value in row])
                ends.append(skipped + reader.line_num)
    except csv.Error as error:
        line = skipped + reader.line_num
        advice = "is a quotation mark open, or inside of a value?"
        raise FormatError(path, line, f"{error}; {advice}") from None
    while rows and not any(rows[-1]):  # as spreadsheets write them below the last row
        rows.pop()
    return rows, ends[: len(rows)], delimiter


def _refuse_ragged(
    path: Path,
    rows: list[list[str]],
    lines: list[int],
    first: list[str],
    header: bool,
    delimiter: str,
) -> None:
    """Say why not all rows have as many values as the first line, or why there is one column."""
    others = {mark: delimiter.join(first).count(mark) for mark in _DELIMITERS if mark != delimiter}
    likely = max(others, key=others.get)
    if others[likely] and (len(first) == 1 or len(first) != len(rows[0])):
        message = f"the line has {others[likely]} times {likely!r}; is it the `delimiter`?"
        if likely == ";" and delimiter == ",":
            message += " Where numbers have a comma as the point, give `decimal: ','`, too"
        raise FormatError(path, lines[0], message)
    if len(first) == 1 and len(rows[0]) == 1:
        message = f"{len(rows)} rows and 1 columns; is the `delimiter` {delimiter!r} right?"
        raise FormatError(path, lines[0], message)
    what = "the header has names:" if header else "the first row has"
    for row, line in zip(rows, lines[1:] if header else lines, strict=True):
        if len(row) != len(first):
            message = f"line {line} has {len(row)} values, but {what} {len(first)}"
            if len(first) == 1:
                message += "; is the first line a title, which must go?"
            raise FormatError(path, line, message)


def _read_parquet(path: Path) -> pd.DataFrame:
    """Return a Parquet file; a part of its index that has a name is a column, as in a CSV file."""
    try:
        frame = pd.read_parquet(path)
    except Exception as error:  # pyarrow, which reads Parquet, has errors of its own
        raise FormatError(path, None, reason(error)) from None
    named = [name for name in frame.index.names if name is not None]
    unnamed = [level for level, name in enumerate(frame.index.names) if name is None]
    if len(unnamed) < frame.index.nlevels and unnamed:
        frame = frame.reset_index(level=unnamed, drop=True)
    frame = frame.reset_index(drop=not named).rename(columns=str)
    if 0 in frame.shape:
        raise FormatError(path, None, f"{len(frame)} rows and {frame.shape[1]} columns")
    return frame.apply(_plain).set_axis([0] * len(frame))


def _plain(column: pd.Series) -> pd.Series:
    """Return a typed column as numbers, where all its values are some, or as objects."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.astype(object)
    if pd.api.types.is_bool_dtype(column) or pd.api.types.is_numeric_dtype(column):
        return column.astype(np.float64) if column.isna().any() else column
    column = column.astype(object)
    kind = pd.api.types.infer_dtype(column, skipna=True)
    if kind in ("decimal", "boolean", "integer", "floating", "mixed-integer-float"):
        return column.map(lambda value: np.nan if pd.isna(value) else float(value)).astype(float)
    return pd.Series([*map(_as_cell, column)], column.index, dtype=object)


def _as_cell(value: Any) -> Any:
    """Return a value as CSV would have it: text without blanks around it, numbers among text as text."""
    if isinstance(value, str):
        return value.strip()
    return str(value) if isinstance(value, int | float) and value == value else value
