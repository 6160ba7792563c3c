"""Tables, as spreadsheets and pandas write them: CSV, TSV and Parquet, with or without a header."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
from sklearn.preprocessing import MultiLabelBinarizer

from toplabel.reproduction.data.formats.common import FormatError, Source, Table, assemble, shown
from toplabel.reproduction.data.parts import Loaded
from toplabel.reproduction.files import reason

_MANY = 50  # values of a column of words, which are more than half the rows: no category
_SEPARATED = r"[+-]?[0-9][0-9.,]*"  # 5,1 or 1.234,5


def load(
    source: Source,
    label: str | int | None = None,
    labels: Sequence[str] = (),
    tags: Mapping[Literal["column", "separator"], str] | None = None,
    drop: Sequence[str] = (),
    categorical: Sequence[str] = (),
    missing: Literal["error", "median", "mean", "drop"] = "error",
    header: bool = True,
    delimiter: str | None = None,
    decimal: Literal[".", ","] = ".",
) -> Loaded:
    """Read tables; columns without a `header` have their numbers, from 0, as names.

    The labels are the column `label` (one class a row; a number counts from 0, or from the last
    column if it is negative), the columns `labels` of 0 and 1, or the column of `tags` that holds a
    list of words. All other columns but those of `drop` are features: numbers, or categories
    (`categorical`, and columns of words), which become a 0/1 column for each value. What fills a
    gap, the median or mean, is that of the first part.
    """
    if (label is None) + (not labels) + (tags is None) != 2:
        raise ValueError("the format 'table' needs one of the options label, labels and tags")
    frames = {part: _read(path, header, delimiter) for part, path in source.parts.items()}
    if isinstance(label, int):
        columns = next(iter(frames.values())).columns
        label = columns[label] if -len(columns) <= label < len(columns) else str(label)
    asked = [*labels] or [label if tags is None else tags.get("column")]
    for part, path in source.parts.items():
        for column in (*asked, *drop, *categorical):
            if column not in frames[part]:
                message = f"no column {shown(column)}; it has: {', '.join(frames[part])}"
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


def _read(path: Path, header: bool, delimiter: str | None) -> pd.DataFrame:
    """Return a file as a table of words (Parquet: of what it holds), with names for its columns."""
    delimiter = delimiter or ("\t" if path.suffix == ".tsv" else ",")
    try:
        if path.suffix == ".parquet":
            frame = pd.read_parquet(path)
        else:
            frame = pd.read_csv(
                path,
                sep=r"\s+" if delimiter == "whitespace" else delimiter,
                header=0 if header else None,
                dtype=str,
                na_values="?",
                encoding="utf-8-sig",
                skipinitialspace=True,
            )
    except Exception as error:  # pyarrow, which reads Parquet, has errors of its own
        raise FormatError(path, None, reason(error)) from None
    if not isinstance(frame.index, pd.RangeIndex):
        raise FormatError(path, None, "a row has more values than the header has names")
    if 0 in frame.shape or frame.shape[1] == 1:
        message = f"{len(frame)} rows and {frame.shape[1]} columns; is the `delimiter` right?"
        raise FormatError(path, None, message)
    return frame.rename(columns=str)


def _as_numbers(column: pd.Series, decimal: str = ".") -> pd.Series:
    """Return a column of text as numbers, if all of it are some; Python's conversion is exact."""
    if isinstance(column.dtype, pd.CategoricalDtype) or pd.api.types.is_numeric_dtype(column):
        return column
    text = column.fillna("nan").str.replace(decimal, ".")
    if text.str.contains("_", regex=False).any():  # 1_2, which Python reads as 12
        return column
    try:
        numbers = text.to_numpy(object).astype(np.float64)
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
    """Return features as numbers, with a 0/1 column for each category; a gap is in none.

    A column of words is refused where it seems to be none of categories: most of its values are
    numbers, or there are very many different ones.
    """
    words = [column for column in X if not pd.api.types.is_numeric_dtype(X[column])]
    for column in words:
        if isinstance(X[column].dtype, pd.CategoricalDtype):
            continue
        is_word = pd.to_numeric(X[column], errors="coerce").isna() & X[column].notna()
        texts = X[column][is_word].astype(str)
        advice = "leave it out with `drop`, or name it in `categorical`"
        if len(texts) and texts.str.fullmatch(_SEPARATED).all():
            what = (
                f"has numbers as {shown(texts.iloc[0])}; `decimal: ','` takes a comma as the point"
            )
        elif (count := X[column].nunique()) > max(_MANY, len(X) / 2):
            what = f"has {count} different words"
        elif is_word.mean() < 0.5:
            what = f"has numbers, but also {shown(texts.iloc[0])}"
        else:
            continue
        raise FormatError(path, None, f"column {shown(column)} {what}; {advice}")
    return pd.get_dummies(X, columns=words, dtype=np.float64).to_numpy(np.float64)


def _labels(
    path: Path,
    answers: pd.DataFrame,
    label: str | None,
    tags: Mapping[Literal["column", "separator"], str] | None,
) -> tuple[list[str] | None, np.ndarray]:
    """Return the names of the labels, None for classes, and the labels as they stand."""
    if label is not None:
        return None, _words(answers[label]).str.strip().to_numpy(str)
    if tags is None:
        try:
            numbers = answers.apply(_as_numbers).to_numpy(np.float64)
            return [*answers], numbers
        except ValueError as error:
            raise FormatError(path, None, f"labels must be 0 or 1 ({reason(error)})") from None
    lists = _words(answers[tags["column"]]).str.split(tags.get("separator", ";"))
    sets = [{word.strip() for word in words} - {""} for words in lists]
    coder = MultiLabelBinarizer().fit(sets)
    return [*coder.classes_], coder.transform(sets)


def _words(column: pd.Series) -> pd.Series:
    """Return a column as text, with "" for what is missing."""
    return column.astype(object).fillna("").astype(str)
