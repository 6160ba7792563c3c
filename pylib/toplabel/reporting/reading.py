"""Reading collected files; every error is one line that names the file, the line and the column."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd


class ReportInputError(ValueError):
    """A collected file is missing, lacks a column, or contradicts itself."""


def read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ReportInputError(f"{short_name(path)}: the file is missing") from None
    except UnicodeDecodeError as error:
        raise ReportInputError(f"{short_name(path)}: not UTF-8 at byte {error.start}") from None


def short_name(path: Path) -> str:
    """Name a file with its folder, since a run has many of one name."""
    return f"{path.parent.name}/{path.name}"


def read_json(path: Path, keys: list[str]) -> dict[str, Any]:
    try:
        content = json.loads(read_text(path))
    except json.JSONDecodeError as error:
        raise ReportInputError(f"{short_name(path)}, line {error.lineno}: {error.msg}") from None
    if not isinstance(content, dict):
        raise ReportInputError(f"{short_name(path)}: expected an object")
    for key in keys:
        if key not in content:
            raise ReportInputError(f"{short_name(path)}: the key '{key}' is missing")
    return content


def read_csv(path: Path, columns: list[str]) -> pd.DataFrame:
    """Read a CSV file as text; `columns` must be there, others may."""
    read_text(path)
    try:
        frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    except pd.errors.EmptyDataError:
        raise ReportInputError(f"{short_name(path)}: the file is empty") from None
    except pd.errors.ParserError as error:
        reason = str(error).strip().splitlines()[-1]
        raise ReportInputError(f"{short_name(path)}: {reason}") from None
    for column in columns:
        if column not in frame.columns:
            raise ReportInputError(f"{short_name(path)}: the column '{column}' is missing")
    return frame


def to_numbers(frame: pd.DataFrame, columns: list[str], path: Path) -> pd.DataFrame:
    """Return `frame` with these columns as float; an empty cell is NaN, infinity an error."""
    frame = frame.copy()
    for column in columns:
        text = frame[column].str.strip()
        numbers = pd.to_numeric(text.where(text != "", "nan"), errors="coerce").astype(float)
        wrong = (numbers.isna() & ~text.str.lower().isin(["", "nan"])) | np.isinf(numbers)
        if wrong.any():
            row = int(np.flatnonzero(wrong)[0])
            raise ReportInputError(
                f"{short_name(path)}, line {row + 2}: '{text.iloc[row]}' in column '{column}' is not a"
                " finite number"
            )
        frame[column] = numbers
    return frame


def require(good: pd.Series, frame: pd.DataFrame, path: Path, complaint: str) -> None:
    """Raise for the first row that is not `good`, naming its line and cell."""
    if good.all():
        return
    row = int(np.flatnonzero(~good)[0])
    cell = ", ".join(frame.iloc[row][c] for c in ("dataset", "method", "metric"))
    raise ReportInputError(f"{short_name(path)}, line {row + 2} ({cell}): {complaint}")
