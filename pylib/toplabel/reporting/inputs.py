"""What the reports are made from: the collected files of a results folder, read and checked.

The files and their columns are those of docs/architecture.md, "Collected". Every error is one line
that names the file, the line where there is one, and the column.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from toplabel.reporting.columns import (
    COMPARISON_COLUMNS,
    DATASETS_COLUMNS,
    EVALUATION_COLUMNS,
    GRID_COLUMNS,
    KEYS,
    NUMBERS,
    RUN_KEYS,
)
from toplabel.reporting.labels import VERDICTS, is_loss


class ReportInputError(ValueError):
    """A collected file is missing, lacks a column, or contradicts itself."""


@dataclass(frozen=True)
class TableInput:
    """A table to print: `results/tables/<name>.csv` and its `.json`.

    `frame` is a grid (`is_grid`; columns as in `ReportInputs.comparison`) or any table, as text.
    """

    name: str
    title: str
    caption: str
    source: str
    table: str
    study: str
    frame: pd.DataFrame
    is_grid: bool


@dataclass(frozen=True)
class FigureInput:
    """A figure: the text of its SVG, the text of its data, and its `.json`."""

    name: str
    title: str
    caption: str
    alt: str
    source: str
    script: str
    svg: str
    csv: str


@dataclass(frozen=True)
class ReportInputs:
    """Everything that a report shows.

    Attributes
    ----------
    folder : Path
        The results folder.
    comparison : DataFrame
        One row a published cell. Keys and words are text ("" where empty), numbers float (NaN where
        empty); `published_text` and `std_text` keep the digits as they stand in the file. `label` is empty
        unless a printed table gives one.
    evaluation : DataFrame
        One row a data set, method and metric.
    datasets : DataFrame
        One row a registered set, all text.
    run : dict
        run.json.
    tables, figures : tuple
        In the order of their names.
    bench : dict of str to DataFrame
        The tables of the benchmark that are there, all text.
    """

    folder: Path
    comparison: pd.DataFrame
    evaluation: pd.DataFrame
    datasets: pd.DataFrame
    run: dict[str, Any]
    tables: tuple[TableInput, ...]
    figures: tuple[FigureInput, ...]
    bench: dict[str, pd.DataFrame] = field(default_factory=dict)


def load_inputs(results_folder: str | Path) -> ReportInputs:
    """Read and check the collected files of a results folder.

    Parameters
    ----------
    results_folder : path-like
        Holds comparison.csv, evaluation.csv, datasets.csv, run.json, and tables/, figures/ and bench/,
        which may be missing or empty.

    Raises
    ------
    ReportInputError
        A file or column is missing, a number is not one, a verdict is unknown, or the numbers of a
        row contradict each other.
    """
    folder = Path(results_folder)
    comparison = _read_comparison(folder / "comparison.csv", COMPARISON_COLUMNS)
    return ReportInputs(
        folder=folder,
        comparison=comparison,
        evaluation=_read_evaluation(folder / "evaluation.csv"),
        datasets=_read_datasets(folder / "datasets.csv"),
        run=_read_json(folder / "run.json", RUN_KEYS),
        tables=tuple(
            _read_table(path, comparison) for path in sorted((folder / "tables").glob("*.json"))
        ),
        figures=tuple(_read_figure(path) for path in sorted((folder / "figures").glob("*.json"))),
        bench={path.stem: _read_csv(path, []) for path in sorted((folder / "bench").glob("*.csv"))},
    )


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ReportInputError(f"{_name(path)}: the file is missing") from None
    except UnicodeDecodeError as error:
        raise ReportInputError(f"{_name(path)}: not UTF-8 at byte {error.start}") from None


def _name(path: Path) -> str:
    """Name a file with its folder, since a run has many of one name."""
    return f"{path.parent.name}/{path.name}"


def _read_json(path: Path, keys: list[str]) -> dict[str, Any]:
    try:
        content = json.loads(_read_text(path))
    except json.JSONDecodeError as error:
        raise ReportInputError(f"{_name(path)}, line {error.lineno}: {error.msg}") from None
    if not isinstance(content, dict):
        raise ReportInputError(f"{_name(path)}: expected an object")
    for key in keys:
        if key not in content:
            raise ReportInputError(f"{_name(path)}: the key '{key}' is missing")
    return content


def _read_csv(path: Path, columns: list[str]) -> pd.DataFrame:
    """Read a CSV file as text; `columns` must be there, others may."""
    _read_text(path)
    try:
        frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    except pd.errors.EmptyDataError:
        raise ReportInputError(f"{_name(path)}: the file is empty") from None
    except pd.errors.ParserError as error:
        reason = str(error).strip().splitlines()[-1]
        raise ReportInputError(f"{_name(path)}: {reason}") from None
    for column in columns:
        if column not in frame.columns:
            raise ReportInputError(f"{_name(path)}: the column '{column}' is missing")
    return frame


def _to_numbers(frame: pd.DataFrame, columns: list[str], path: Path) -> pd.DataFrame:
    """Return `frame` with these columns as float; an empty cell is NaN, infinity an error."""
    frame = frame.copy()
    for column in columns:
        text = frame[column].str.strip()
        numbers = pd.to_numeric(text.where(text != "", "nan"), errors="coerce").astype(float)
        wrong = (numbers.isna() & ~text.str.lower().isin(["", "nan"])) | np.isinf(numbers)
        if wrong.any():
            row = int(np.flatnonzero(wrong)[0])
            raise ReportInputError(
                f"{_name(path)}, line {row + 2}: '{text.iloc[row]}' in column '{column}' is not a"
                " finite number"
            )
        frame[column] = numbers
    return frame


def _read_comparison(path: Path, columns: list[str]) -> pd.DataFrame:
    frame = _read_csv(path, columns)
    for column in [*COMPARISON_COLUMNS, "label"]:
        if column not in frame.columns:
            frame[column] = ""
    frame["published_text"] = frame["published"].str.strip()
    frame["std_text"] = frame["std"].str.strip()
    frame = _to_numbers(frame, NUMBERS, path)
    _check_cells(frame, path)
    if columns == COMPARISON_COLUMNS:
        _require(frame["published"].notna(), frame, path, "the column 'published' is empty")
        traced = frame["measured"].isna() | (frame["file"] != "")
        _require(traced, frame, path, "a measured number without its file")
    return frame


def _require(good: pd.Series, frame: pd.DataFrame, path: Path, complaint: str) -> None:
    """Raise for the first row that is not `good`, naming its line and cell."""
    if good.all():
        return
    row = int(np.flatnonzero(~good)[0])
    cell = ", ".join(frame.iloc[row][c] for c in ("dataset", "method", "metric"))
    raise ReportInputError(f"{_name(path)}, line {row + 2} ({cell}): {complaint}")


def _check_cells(frame: pd.DataFrame, path: Path) -> None:
    """Check that the numbers and the verdict of each cell fit together."""
    unknown = frame["verdict"][~frame["verdict"].isin(["", *VERDICTS])]
    if len(unknown):
        complaint = f"the verdict '{unknown.iloc[0]}' is none of {', '.join(VERDICTS)}"
        _require(frame["verdict"].isin(["", *VERDICTS]), frame, path, complaint)
    comparable = frame["measured"].notna() & frame["published"].notna()
    _require(
        comparable == (frame["verdict"] != ""),
        frame,
        path,
        "a verdict belongs exactly to a cell with a measured and a published number",
    )
    _require(
        comparable == frame["difference"].notna(),
        frame,
        path,
        "a difference belongs exactly to a cell with a measured and a published number",
    )
    # Half a unit of the last digit shown, since the file may hold a rounded difference.
    slack = np.where(frame["metric"].map(is_loss).astype(bool), 0.00051, 0.051)
    error = (frame["difference"] - (frame["measured"] - frame["published"])).abs()
    _require(
        ~comparable | (error <= slack),
        frame,
        path,
        "the difference is not measured minus published",
    )
    keyed = [c for c in ("source", "table", *KEYS) if c in frame.columns]
    repeated = frame.duplicated(keyed, keep=False) & frame["measured"].notna()
    _require(~repeated, frame, path, "a measured cell stands twice")


def _read_evaluation(path: Path) -> pd.DataFrame:
    frame = _read_csv(path, EVALUATION_COLUMNS)
    numbers = ["measured", "std", "C", "theta", "delta", "relative_gap", "seconds", "gradient_norm"]
    frame = _to_numbers(frame, numbers, path)
    _require(frame["measured"].notna(), frame, path, "the column 'measured' is empty")
    proved = frame["relative_gap"].notna() | frame["gradient_norm"].notna()
    proved |= frame["status"] != "converged"
    _require(proved, frame, path, "converged, with neither a relative gap nor a gradient norm")
    return frame


def _read_datasets(path: Path) -> pd.DataFrame:
    frame = _read_csv(path, DATASETS_COLUMNS)
    for row, (status, reason) in enumerate(zip(frame["status"], frame["reason"], strict=True)):
        if status not in ("ready", "missing"):
            raise ReportInputError(
                f"{_name(path)}, line {row + 2}: the status '{status}' is neither ready nor missing"
            )
        if status == "missing" and not reason:
            raise ReportInputError(f"{_name(path)}, line {row + 2}: missing without a reason")
    if frame["dataset"].duplicated().any():
        twice = frame.loc[frame["dataset"].duplicated(), "dataset"].iloc[0]
        raise ReportInputError(f"{_name(path)}: the data set '{twice}' stands twice")
    return frame


def _read_table(path: Path, comparison: pd.DataFrame) -> TableInput:
    meta = _read_json(path, ["name", "title", "caption", "source", "table", "study"])
    meta = {key: _text(value) for key, value in meta.items()}
    csv = path.with_suffix(".csv")
    frame = _read_csv(csv, [])
    is_grid = set(GRID_COLUMNS) <= set(frame.columns)
    if is_grid:
        frame = _read_comparison(csv, GRID_COLUMNS)
        for column in ("source", "table"):
            frame[column] = frame[column].where(frame[column] != "", meta[column])
        _check_against(frame, comparison, csv)
    fields = ("name", "title", "caption", "source", "table", "study")
    return TableInput(**{f: meta[f] for f in fields}, frame=frame, is_grid=is_grid)


def _check_against(frame: pd.DataFrame, comparison: pd.DataFrame, path: Path) -> None:
    """Check that a printed table says of a cell what comparison.csv says."""
    keyed = ["source", "table", *KEYS]
    known = comparison.dropna(subset="measured").set_index(keyed)["measured"]
    ours = pd.MultiIndex.from_frame(frame[keyed])
    other = known.reindex(ours).to_numpy()
    agree = np.isnan(other) | frame["measured"].isna() | np.isclose(frame["measured"], other)
    _require(agree, frame, path, "comparison.csv has another measured number for this cell")


def _text(value: object) -> str:
    """Return a value of a .json as text; a missing one is empty."""
    return "" if value is None else str(value)


def _read_figure(path: Path) -> FigureInput:
    fields = ("name", "title", "caption", "alt", "source", "script")
    meta = _read_json(path, list(fields))
    svg = _read_text(path.with_suffix(".svg"))
    csv = _read_text(path.with_suffix(".csv"))
    return FigureInput(**{field: _text(meta[field]) for field in fields}, svg=svg, csv=csv)
