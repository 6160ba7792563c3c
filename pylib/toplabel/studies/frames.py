"""The collected files (docs/architecture.md, "Collected"): their columns, read and written.

A file is a function of its content alone: rows come in a fixed order, and numbers are written with
twelve digits, so that a run repeated on the same machine gives the same bytes.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

import pandas as pd

from toplabel.files import atomic_path

#: Of results/<set>/<method>/evaluation.csv.
CELL_COLUMNS = [
    "dataset",
    "method",
    "split",
    "metric",
    "value",
    "C",
    "theta",
    "delta",
    "relative_gap",
    "epochs",
    "status",
    "seconds",
    "budget",
    "gradient_norm",
    "selected_k",
]
#: Of results/evaluation.csv.
EVALUATION_COLUMNS = [
    "study",
    "dataset",
    "features",
    "method",
    "label",
    "loss",
    "k",
    "gamma",
    "kernel",
    "metric",
    "measured",
    "std",
    "splits",
    "budget",
    "C",
    "theta",
    "delta",
    "relative_gap",
    "epochs",
    "status",
    "seconds",
    "file",
    "gradient_norm",
    "selected_k",
]
#: Of results/comparison.csv.
COMPARISON_COLUMNS = [
    "source",
    "table",
    "dataset",
    "features",
    "method",
    "k",
    "gamma",
    "kernel",
    "metric",
    "published",
    "std",
    "measured",
    "difference",
    "verdict",
    "budget",
    "C",
    "theta",
    "delta",
    "relative_gap",
    "seconds",
    "measured_std",
    "file",
    "reason",
    "selected_k",
]

_TRAINING = ["C", "theta", "delta", "relative_gap", "epochs", "seconds", "gradient_norm"]
_TRAINING += ["selected_k"]
_CELL_NUMBERS = ["value", *_TRAINING]
# `std` is a number in evaluation.csv, but a printed text in comparison.csv.
_EVALUATION_NUMBERS = ["measured", "std", "splits", *_TRAINING]
_COMPARISON_NUMBERS = [
    *("measured", "difference", "C", "theta", "delta", "relative_gap", "seconds", "measured_std"),
    "selected_k",
]


def read_evaluations(paths: Iterable[str | os.PathLike[str]]) -> pd.DataFrame:
    """Read and join the test metrics of many (data set, method) pairs.

    Parameters
    ----------
    paths : iterable of path-like
        Files results/<set>/<method>/evaluation.csv.

    Returns
    -------
    DataFrame
        The columns of `CELL_COLUMNS`; without any path, no row.

    Raises
    ------
    ValueError
        One line with the file, and the column or the line, when a column is missing or a number is
        not one.
    """
    parts = [_read(path, CELL_COLUMNS, _CELL_NUMBERS) for path in paths]
    if not parts:
        return pd.DataFrame(columns=CELL_COLUMNS)
    return pd.concat(parts, ignore_index=True)


def read_evaluation(path: str | os.PathLike[str]) -> pd.DataFrame:
    """Read results/evaluation.csv, as `collect` makes it."""
    return _read(path, EVALUATION_COLUMNS, _EVALUATION_NUMBERS)


def read_comparison(path: str | os.PathLike[str]) -> pd.DataFrame:
    """Read results/comparison.csv, as `compare` makes it; printed numbers stay text."""
    return _read(path, COMPARISON_COLUMNS, _COMPARISON_NUMBERS)


def read_text(path: str | os.PathLike[str], columns: Sequence[str]) -> pd.DataFrame:
    """Read a CSV file as text, "" where a cell is empty.

    Raises
    ------
    ValueError
        When it is no CSV file or lacks one of `columns`.
    """
    try:
        frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    except pd.errors.EmptyDataError:
        raise ValueError(f"{path}: the file is empty") from None
    except pd.errors.ParserError as error:
        raise ValueError(f"{path}: {' '.join(str(error).split())}") from None
    for column in columns:
        if column not in frame.columns:
            raise ValueError(f"{path}: the column '{column}' is missing")
    return frame


def as_numbers(text: pd.Series, path: str | os.PathLike[str]) -> pd.Series:
    """Turn a column of text into float; an empty cell is NaN.

    Raises
    ------
    ValueError
        One line with the file, the line, the column and what was found.
    """
    given = text.str.strip()
    numbers = pd.to_numeric(given.where(given != "", "nan"), errors="coerce").astype(float)
    wrong = numbers.isna() & ~given.str.lower().isin(["", "nan"])
    if wrong.any():
        row = int(wrong.to_numpy().argmax())
        raise ValueError(f"{path}:{row + 2}: {text.name} is not a number: '{text.iloc[row]}'")
    return numbers


def _read(
    path: str | os.PathLike[str], columns: Sequence[str], numbers: Sequence[str]
) -> pd.DataFrame:
    frame = read_text(path, columns)[list(columns)]
    return frame.assign(**{column: as_numbers(frame[column], path) for column in numbers})


def write_csv(frame: pd.DataFrame, path: str | os.PathLike[str]) -> None:
    """Write a table whole or not at all, always in the same form.

    Parameters
    ----------
    frame : DataFrame
        Its index is not written; NaN is an empty cell.
    path : path-like
    """
    with atomic_path(path) as temporary:
        frame.to_csv(temporary, index=False, float_format="%.12g", lineterminator="\n")
