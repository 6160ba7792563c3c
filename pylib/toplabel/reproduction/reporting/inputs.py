"""What the reports are made from: the collected files of a results folder, read and checked.

The files and their columns are those of `toplabel.reproduction.tables.collected`. Every error is
one line that names the file, the line where there is one, and the column.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from toplabel._core.files import FileError, read_json, read_text
from toplabel.reproduction.reporting.choices import chosen_for
from toplabel.reproduction.reporting.kept import Kept, beside, load_kept, with_found
from toplabel.reproduction.tables.collected import (
    COMPARISON,
    DATASETS,
    DIFFERENCES,
    EVALUATION,
    FAILURES,
    FINDINGS,
    GRID,
    HEADLINE,
    READINGS,
    WINNERS,
)
from toplabel.reproduction.tables.table import Table, as_numbers, read_csv

#: What `snakemake verify_files` found.
VERIFIED = "verified.json"
RUN_KEYS = (
    *("created", "command", "config", "budget", "seeds", "machine", "versions", "git", "blas"),
    "wall_seconds",
)
#: A table with these is a grid of cells; what else `GRID` has may be left out of it.
GRID_COLUMNS = ("dataset", "method", "metric", "published", "measured", "difference", "verdict")


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
    """A figure: the text of its SVG, the text of its data, and its `.json`.

    `page` is the page of the report that it belongs to, if its `.json` says so
    (`toplabel.reproduction.reporting.places`).
    """

    name: str
    title: str
    caption: str
    alt: str
    source: str
    script: str
    svg: str
    csv: str
    page: str = ""


@dataclass(frozen=True)
class ReportInputs:
    """Everything that a report shows.

    Attributes
    ----------
    folder : Path
        The results folder.
    comparison : DataFrame
        One row per published cell. Keys and words are text ("" where empty), numbers float (NaN
        where empty); `published_text` and `std_text` keep the digits as they stand in the file.
        `label` is empty unless a printed table gives one.
    evaluation : DataFrame
        One row per data set, method and metric.
    datasets : DataFrame
        One row per registered set, all text.
    run : dict
        run.json.
    tables, figures : tuple
        In the order of their names.
    findings, winners, differences : DataFrame
        What became of the papers' claims, who wins where, which cells differ and why, all text;
        without rows where a run has no such file.
    headline : DataFrame
        What the score is worth, all text; without rows where a run has no such file.
    failures : DataFrame
        Cells of a run that did not finish, all text: how far each came, and why it ended.
    raw : dict of str to list of dict
        The raw files behind each prepared data set: name, address, sum and size, as its meta.json
        has them.
    collected : Path
        The folder of the collected files; `folder`, but for a run that did not finish.
    kept : Kept or None
        The kept run, whose numbers stand in `comparison` where this run has none
        (`toplabel.reproduction.reporting.kept.COLUMNS`). Numbers under other readings stand there,
        too (`toplabel.reproduction.reporting.kept.FOUND`), and as `choice` the title of the reading
        that a cell depends on and that printed test numbers had a part in; empty without one.
    """

    folder: Path
    comparison: pd.DataFrame
    evaluation: pd.DataFrame
    datasets: pd.DataFrame
    run: dict[str, Any]
    tables: tuple[TableInput, ...]
    figures: tuple[FigureInput, ...]
    findings: pd.DataFrame = field(default_factory=pd.DataFrame)
    winners: pd.DataFrame = field(default_factory=pd.DataFrame)
    differences: pd.DataFrame = field(default_factory=DIFFERENCES.frame)
    headline: pd.DataFrame = field(default_factory=HEADLINE.frame)
    failures: pd.DataFrame = field(default_factory=pd.DataFrame)
    raw: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    collected: Path = Path()
    kept: Kept | None = None


def load_inputs(
    results_folder: str | Path,
    collected_folder: str | Path | None = None,
    kept_folder: str | Path | None = None,
) -> ReportInputs:
    """Read and check the collected files of a results folder.

    Parameters
    ----------
    results_folder : path-like
        Holds comparison.csv, evaluation.csv, datasets.csv, run.json, and tables/, figures/,
        findings.csv winners.csv and differences.csv, which may be missing or empty.
    collected_folder : path-like, optional
        Where the collected files and tables stand when not there: those of a run that did not
        finish. Figures, raw files and tables that are no grids still come from the
        results folder, as far as they are whole.
    kept_folder : path-like, optional
        Where the files of the kept run stand (`toplabel.reproduction.config.run.SUMMARY` of the
        checkout).

    Raises
    ------
    FileError
        A file or column is missing, or a number is not one.
    """
    folder = Path(results_folder)
    collected = folder if collected_folder is None else Path(collected_folder)
    kept = load_kept(kept_folder) if kept_folder is not None else None
    readings = _read_optional(READINGS, collected)
    comparison = beside(_read_comparison(collected / "comparison.csv"), kept)
    comparison = with_found(comparison, readings, kept, collected / READINGS.file)
    run = read_json(collected / "run.json", RUN_KEYS)
    if (folder / VERIFIED).is_file():
        run["verified"] = read_json(folder / VERIFIED, ("said",))["said"]
    comparison = comparison.assign(choice=chosen_for(comparison, run.get("choices") or ()))
    tables = [_read_table(path) for path in sorted((collected / "tables").glob("*.json"))]
    each = _all if collected_folder is None else _whole
    if collected_folder is not None:
        tables += _other_tables(folder, {table.name for table in tables})
    known = {str(study.get("name")) for study in run.get("studies") or ()}
    if known:
        tables = [table for table in tables if _is_of(table, known)]
    return ReportInputs(
        folder=folder,
        comparison=comparison,
        evaluation=EVALUATION.read(collected / "evaluation.csv"),
        datasets=DATASETS.read_text(collected / "datasets.csv"),
        run=run,
        tables=tuple(tables),
        figures=tuple(each(_read_figure, sorted((folder / "figures").glob("*.json"))).values()),
        findings=_read_optional(FINDINGS, collected),
        winners=_read_optional(WINNERS, collected),
        differences=_read_optional(DIFFERENCES, collected),
        headline=_read_optional(HEADLINE, collected),
        failures=_read_optional(FAILURES, collected),
        raw={
            path.parents[1].name: files
            for path, files in each(_read_raw, sorted(folder.glob("*/data/meta.json"))).items()
        },
        collected=collected,
        kept=kept,
    )


def _is_of(table: TableInput, studies: set[str]) -> bool:
    """Return whether a table is of no study, or of one that exists; others are left over from a
    removed study.
    """
    return not table.study or not studies.isdisjoint(table.study.split(";"))


def _all(read: Callable[[Path], Any], paths: list[Path]) -> dict[Path, Any]:
    return {path: read(path) for path in paths}


def _whole(read: Callable[[Path], Any], paths: list[Path]) -> dict[Path, Any]:
    """Read what can be read: of an interrupted run a file may be missing or damaged."""
    found = {}
    for path in paths:
        with suppress(FileError):
            found[path] = read(path)
    return found


def _other_tables(folder: Path, known: set[str]) -> list[TableInput]:
    """Return tables of earlier stages that are no grids; grids could contradict what is collected
    now.
    """
    paths = [path for path in sorted((folder / "tables").glob("*.json")) if path.stem not in known]
    found = _whole(_read_table, paths).values()
    return [table for table in found if not table.is_grid]


def _read_optional(table: Table, folder: Path) -> pd.DataFrame:
    path = folder / table.file
    return table.read_text(path) if path.is_file() else table.frame().astype(str)


def _read_raw(path: Path) -> list[dict[str, Any]]:
    """Return the raw files of a prepared data set."""
    raw = read_json(path).get("raw") or {}
    return [{"name": name} | dict(facts) for name, facts in sorted(raw.items())]


def _read_comparison(path: Path) -> pd.DataFrame:
    return _as_cells(COMPARISON.read_text(path), path)


def _as_cells(frame: pd.DataFrame, path: Path) -> pd.DataFrame:
    """Return cells of comparison.csv or of a grid, all text, with their numbers and with the
    columns that may be left out.
    """
    frame = frame.assign(**{name: "" for name in GRID.names if name not in frame.columns})
    numbers = {name: as_numbers(frame[name], path) for name in (*GRID.numbers, "published", "std")}
    texts = {f"{name}_text": frame[name].str.strip() for name in ("published", "std")}
    return frame.assign(**texts, **numbers)


def _read_table(path: Path) -> TableInput:
    meta = read_json(path, ["name", "title", "caption", "source", "table", "study"])
    meta = {key: _text(value) for key, value in meta.items()}
    csv = path.with_suffix(".csv")
    frame = read_csv(csv)
    is_grid = set(GRID_COLUMNS) <= set(frame.columns)
    if is_grid:
        frame = beside(_as_cells(frame, csv), None)
        frame = with_found(frame, READINGS.frame().astype(str), None, csv)
        for column in ("source", "table"):
            frame[column] = frame[column].where(frame[column] != "", meta[column])
    fields = ("name", "title", "caption", "source", "table", "study")
    return TableInput(**{f: meta[f] for f in fields}, frame=frame, is_grid=is_grid)


def _text(value: object) -> str:
    """Return a value of a .json as text; a missing one is empty."""
    return "" if value is None else str(value)


def _read_figure(path: Path) -> FigureInput:
    fields = ("name", "title", "caption", "alt", "source", "script")
    meta = read_json(path, list(fields))
    svg = read_text(path.with_suffix(".svg"))
    csv = read_text(path.with_suffix(".csv"))
    texts = {field: _text(meta[field]) for field in fields}
    return FigureInput(**texts, svg=svg, csv=csv, page=_text(meta.get("page")))
