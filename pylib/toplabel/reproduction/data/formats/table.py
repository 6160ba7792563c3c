"""Tables, as spreadsheets and pandas write them: CSV, TSV and Parquet, with or without a header."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import pandas as pd
from pydantic import BeforeValidator
from sklearn.preprocessing import MultiLabelBinarizer

from toplabel.reproduction.data.formats.cells import Reading, as_truth, is_list, words_of_list
from toplabel.reproduction.data.formats.common import (
    ColumnName,
    ColumnPlace,
    FormatError,
    Source,
    Table,
    as_text,
    assemble,
    shown,
)
from toplabel.reproduction.data.formats.table_columns import (
    RawTable,
    TableColumns,
    looks_like_a_value,
)
from toplabel.reproduction.data.formats.text import read_values
from toplabel.reproduction.data.parts import LoadedSet
from toplabel.reproduction.files import reason


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
_IF_INFINITE = (
    "; `na_values: [inf]` takes it for a gap, which `missing: median` fills, and `missing: drop` leaves "
    "the row out"
)
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
    raws = {part: _read(path, header, delimiter, encoding) for part, path in source.parts.items()}
    if isinstance(label, int):
        columns = next(iter(raws.values())).frame.columns
        label = columns[label] if -len(columns) <= label < len(columns) else str(label)
    asked = [*labels] or [label if tags is None else tags.get("column")]
    _check_names(raws, [*asked, *drop, *categorical])
    table = TableColumns(raws, how, missing)
    for name in table.whole.columns:
        if name not in asked:
            table.take(name, name in drop, name in categorical)
    table.refuse_words()
    X = table.features()
    has_gaps = bool(X.isna().any(axis=None))
    names, labels_of_rows = read_labels(table, asked, label, tags, X.index)
    tables = {}
    for part, raw in raws.items():
        rows = X.index.get_level_values("part") == part
        numbers = X.index[rows].get_level_values("row").to_numpy(np.int64)
        tables[part] = Table(
            raw.path,
            X[rows].to_numpy(np.float64),
            labels_of_rows[rows],
            names=[*X],
            lines=None if raw.lines is None else raw.lines[numbers],
            rows=numbers if len(numbers) < len(raw.frame) else None,
            ids=None if table.ids is None else table.ids[X.index][rows].to_numpy(str),
            if_infinite=_IF_INFINITE,
            has_gaps=has_gaps,
        )
    loaded = assemble(tables, source.task, names)
    return replace(
        loaded,
        columns=table.described(),
        categories=table.categories,
        notes=table.notes,
        fill=missing if has_gaps else None,
    )


def _read(path: Path, header: bool, delimiter: str | None, encoding: str | None) -> RawTable:
    """Return a file as a table, with names for its columns."""
    if path.suffix == ".parquet":
        return _read_parquet(path)
    delimiter = delimiter or ("\t" if path.suffix == ".tsv" else ",")
    values = read_values(path, delimiter, header, encoding)
    if values.names is None:
        names = [*map(str, range(values.cells.shape[1]))]
        return RawTable(path, pd.DataFrame(values.cells, columns=names, dtype=object), values.lines)
    names = [name.strip() or f"Unnamed: {j}" for j, name in enumerate(values.names)]
    if twice := [name for name in names if names.count(name) > 1]:
        places = " and ".join(str(j + 1) for j, name in enumerate(names) if name == twice[0])
        message = f"the name {shown(twice[0])} stands twice in the header, in the columns {places}"
        advice = "give each column a name of its own, or `header: false` where the file has none"
        raise FormatError(path, None, f"{message}; {advice}")
    unnamed = names[0] if not values.names[0].strip() else None
    return RawTable(
        path, pd.DataFrame(values.cells, columns=names, dtype=object), values.lines, unnamed
    )


def _read_parquet(path: Path) -> RawTable:
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
    return RawTable(path, frame.apply(_plain))


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


def _check_names(raws: Mapping[str, RawTable], names: Sequence[str]) -> None:
    for raw in raws.values():
        for name in names:
            if name not in raw.frame:
                near = difflib.get_close_matches(name, [*raw.frame], n=1, cutoff=0.7)
                hint = f" (did you mean {shown(near[0])}?)" if near else ""
                message = f"no column {shown(name)}{hint}; it has: {', '.join(raw.frame)}"
                if all(map(looks_like_a_value, raw.frame)) and not name.isdecimal():
                    message += "; `header: false` is for files whose first line is a row"
                raise FormatError(raw.path, None, message)


def read_labels(
    table: TableColumns,
    asked: Sequence[str],
    label: str | None,
    tags: Mapping[Literal["column", "separator"], str] | None,
    rows: pd.MultiIndex,
) -> tuple[list[str] | None, np.ndarray]:
    """Return the names of the labels, None for classes, and the labels of some rows as they stand."""
    if label is not None:
        return None, _classes(table, label)[rows].to_numpy(str)
    if tags is not None:
        return _tags(table, asked[0], tags.get("separator"), rows)
    return [*asked], np.column_stack([_indicator(table, name)[rows] for name in asked])


def _classes(table: TableColumns, name: str) -> pd.Series:
    """Return the class of each row as a word."""
    column = table.whole[name]
    gaps = table.how.gaps(column)
    if gaps.any():
        row = gaps.idxmax()
        advice = "leave the row out of the file"
        if word := str(column[row] or "").strip():
            advice = f"`keep_default_na: false` takes {word} for a word; or {advice}"
        message = f"the label of row {row[1]} (from 0), {shown(column[row])}, is a missing value"
        table.refuse(row, f"{message}; {advice}")
    text = column.astype(str).str.strip()
    lists = text.map(is_list)
    if lists.all():
        advice = f"a set of labels: `task: multilabel` and `tags: {{column: {name}}}` read it"
        table.refuse(lists.idxmax(), f"the label is a list, as {shown(text.iloc[0])}; {advice}")
    others = [other for other in table.whole.columns if other != name]
    if name in {*text} and any(map(looks_like_a_value, others)) and not name.isdecimal():
        message = f"the header has {shown(name)} above the classes, which is a class itself"
        table.refuse(text.index[0], f"{message}; `header: false` where the file has no header")
    table.tell(name, "words", gaps, f"{text.nunique()} classes")
    return text


def _indicator(table: TableColumns, name: str) -> pd.Series:
    """Return which rows have a label, by its column of 0 and 1, or of true and false."""
    column = as_truth(table.whole[name])
    gaps = table.how.gaps(column)
    numbers = table.how.numbers(column, gaps)
    wrong = ~numbers.isin([0.0, 1.0])
    if wrong.any():
        row = wrong.idxmax()
        message = f"the label {shown(name)} of row {row[1]} (from 0) is {shown(column[row])}"
        table.refuse(row, f"{message}; labels must be 0 or 1")
    table.tell(name, "numbers", gaps, "a label")
    return numbers


def _tags(
    table: TableColumns, name: str, separator: str | None, rows: pd.MultiIndex
) -> tuple[list[str], np.ndarray]:
    """Return the names of all tags, and which rows have which.

    A value is a list of words, or words with the separator between them. NA is a word: a row without
    tags has an empty value.
    """
    column = table.whole[name]
    gaps = table.how.gaps(column, is_word=True) if column.dtype == object else column.isna()
    values = column[~gaps]
    are_lists = values.map(is_list)
    if len(values) and are_lists.all():
        sets, kind = pd.Series([[]] * len(column), column.index, dtype=object), "lists"
        for row, value in values.items():
            try:
                sets[row] = words_of_list(value)
            except ValueError as error:
                table.refuse(row, f"{shown(str(value))} is no list of words ({reason(error)})")
    else:
        _check_words(table, name, values.astype(str), are_lists, separator)
        text = column.astype(str).mask(gaps, "")
        sets, kind = text.str.split(separator or ";"), "words"
    sets = sets.map(lambda words: {word.strip() for word in words} - {""})
    coder = MultiLabelBinarizer().fit(sets[rows])
    table.tell(name, kind, gaps, f"{len(coder.classes_)} labels")
    if words := sorted({*coder.classes_} & {"NA", "N/A", "None", "nan", "NaN", "null", "NULL"}):
        table.notes.append(
            f"{', '.join(words)} is taken for a tag; `na_values: [{words[0]}]` takes a row with it alone "
            "for one without tags."
        )
    return [*coder.classes_], coder.transform(sets[rows])


def _check_words(
    table: TableColumns, name: str, values: pd.Series, are_lists: pd.Series, separator: str | None
) -> None:
    """Refuse lists among words, and another separator than the one that is taken."""
    quoted = values.str.match(r"""\s*[\[({]\s*['"]""") & are_lists
    if quoted.any():
        row = (~are_lists).idxmax()
        message = f"{shown(values[row])} is no list as others of `tags` are"
        table.refuse(row, f"{message}, such as {shown(values[quoted].iloc[0])}")
    if separator is not None or values.str.contains(";", regex=False).any():
        return
    counts = {mark: int(values.str.contains(mark, regex=False).sum()) for mark in ",|/"}
    likely = max(counts, key=counts.get)
    if counts[likely] > len(values) / 4:
        message = (
            f"no value of {shown(name)} has the separator ';', but {counts[likely]} have {likely!r}"
        )
        row = values.str.contains(likely, regex=False).idxmax()
        advice = f'`tags: {{column: {name}, separator: "{likely}"}}` separates them, ";" does not'
        table.refuse(row, f"{message}; {advice}")
