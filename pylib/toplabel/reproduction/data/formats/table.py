"""Tables with a header, as spreadsheets and pandas write them: CSV, TSV and Parquet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
from sklearn.preprocessing import MultiLabelBinarizer

from toplabel._core.files import reason
from toplabel.reproduction.data.formats.source import FormatError, Source, shown
from toplabel.reproduction.data.formats.tables import Table, assemble
from toplabel.reproduction.data.parts import Loaded

_MANY = 50  # values of a column of words, which are more than half the rows: no category


def load(
    source: Source,
    label: str | None = None,
    labels: Sequence[str] = (),
    tags: Mapping[Literal["column", "separator"], str] | None = None,
    drop: Sequence[str] = (),
    categorical: Sequence[str] = (),
    missing: Literal["error", "median", "mean", "drop"] = "error",
    delimiter: str | None = None,
    decimal: Literal[".", ","] = ".",
) -> Loaded:
    """Read tables with a header.

    The labels are the column `label` (one class a row), the columns `labels` of 0 and 1, or the
    column of `tags` that holds a list of words. All other columns but those of `drop` are features:
    numbers, or categories (`categorical`, and columns of words), which become a 0/1 column for each
    value. What fills a gap, the median or mean, is that of the first part.
    """
    if (label is None) + (not labels) + (tags is None) != 2:
        raise ValueError("the format 'table' needs one of the options label, labels and tags")
    asked = [label] if label else [*labels] or [tags.get("column")]
    frames = {}
    for part, path in source.parts.items():
        frame = frames[part] = _read(path, delimiter)
        if not isinstance(frame.index, pd.RangeIndex):
            raise FormatError(path, None, "a row has more values than the header has names")
        for column in (*asked, *drop, *categorical):
            if column not in frame:
                message = f"no column {shown(column)}; it has: {', '.join(map(str, frame))}"
                raise FormatError(path, None, message)
    path = next(iter(source.parts.values()))
    whole = pd.concat(frames, names=["part", "row"])
    X = whole.drop(columns=[*asked, *drop])
    X = X.astype(dict.fromkeys(categorical, "category")).apply(_as_numbers, decimal=decimal)
    X = _filled(path, X, missing, next(iter(frames)))
    features = _coded(path, X)
    answers = whole.loc[X.index, asked]
    names, found = _labels(path, answers, label, tags)
    tables = {}
    for part, place in source.parts.items():
        rows = X.index.get_level_values("part") == part
        tables[part] = Table(place, features[rows], found[rows])
    return assemble(tables, source.task, names)


def _read(path: Path, delimiter: str | None) -> pd.DataFrame:
    try:
        if path.suffix == ".parquet":
            return pd.read_parquet(path)
        separator = delimiter or ("\t" if path.suffix == ".tsv" else ",")
        return pd.read_csv(
            path, sep=separator, dtype=str, encoding="utf-8-sig", skipinitialspace=True
        )
    except Exception as error:  # pyarrow, which reads Parquet, has errors of its own
        raise FormatError(path, None, reason(error)) from None


def _as_numbers(column: pd.Series, decimal: str = ".") -> pd.Series:
    """Return a column of text as numbers, if all of it are some; Python's conversion is exact."""
    if isinstance(column.dtype, pd.CategoricalDtype) or pd.api.types.is_numeric_dtype(column):
        return column
    try:
        numbers = column.fillna("nan").str.replace(decimal, ".").to_numpy(object).astype(np.float64)
    except ValueError:
        return column
    return pd.Series(numbers, column.index)


def _filled(path: Path, X: pd.DataFrame, missing: str, first: str) -> pd.DataFrame:
    """Return features without gaps: rows dropped, or numbers filled in; by default an error."""
    gaps = X.isna().sum()
    gaps = gaps[gaps > 0]
    if gaps.empty:
        return X
    if missing == "drop":
        return X.dropna()
    if missing == "error":
        listed = ", ".join(f"{shown(column)} ({count})" for column, count in gaps.items())
        advice = "`missing: median`, mean or drop fills them or drops the rows"
        raise FormatError(path, None, f"missing values in the columns {listed}; {advice}")
    numbers = X.loc[[first]].select_dtypes("number")
    return X.fillna(numbers.median() if missing == "median" else numbers.mean())


def _coded(path: Path, X: pd.DataFrame) -> np.ndarray:
    """Return features as numbers, with a 0/1 column for each category; a gap is in none."""
    words = [column for column in X if not pd.api.types.is_numeric_dtype(X[column])]
    for column in words:
        if isinstance(X[column].dtype, pd.CategoricalDtype):
            continue
        if (count := X[column].nunique()) > max(_MANY, len(X) / 2):
            message = f"column {shown(column)} has {count} different words"
            advice = "leave it out with `drop`, or name it in `categorical`"
            raise FormatError(path, None, f"{message}; {advice}")
    return pd.get_dummies(X, columns=words, dtype=np.float64).to_numpy(np.float64)


def _labels(
    path: Path, answers: pd.DataFrame, label: str | None, tags: Mapping[str, str] | None
) -> tuple[list[str] | None, np.ndarray]:
    """Return the names of the labels, None for classes, and the labels as they stand."""
    if label is not None:
        return None, answers[label].astype(object).fillna("").astype(str).str.strip().to_numpy(str)
    if tags is None:
        try:
            numbers = answers.apply(_as_numbers).to_numpy(np.float64)
            return [str(column) for column in answers], numbers
        except ValueError as error:
            raise FormatError(path, None, f"labels must be 0 or 1 ({reason(error)})") from None
    lists = (
        answers[tags["column"]]
        .astype(object)
        .fillna("")
        .astype(str)
        .str.split(tags.get("separator", ";"))
    )
    sets = [{word.strip() for word in words} - {""} for words in lists]
    coder = MultiLabelBinarizer().fit(sets)
    return [*coder.classes_], coder.transform(sets)
