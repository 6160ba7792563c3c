"""What the reports are made from: the collected files of a results folder, read once.

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
from toplabel.reproduction.report.kept import (
    Kept,
    beside,
    chosen_for,
    load_kept,
    read_optional,
    with_found,
)
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
from toplabel.reproduction.tables.table import as_numbers, read_csv

#: What `snakemake verify_files` found.
VERIFIED = "verified.json"
RUN_KEYS = (
    *("created", "command", "config", "budget", "seeds", "machine", "versions", "git", "blas"),
    "wall_seconds",
)
#: A table with these is a grid of cells; what else `GRID` has may be left out of it.
GRID_COLUMNS = ("dataset", "method", "metric", "published", "measured", "difference", "verdict")
#: What the .json of a table, and of a figure, says.
TABLE_WORDS = ("name", "title", "caption", "source", "table", "study")
FIGURE_WORDS = ("name", "title", "caption", "alt", "source", "script")


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
        `label` is empty unless a printed table gives one. `toplabel.reproduction.report.kept`
        adds the columns `COLUMNS`, `FOUND` and `choice`.
    evaluation : DataFrame
        One row per data set, method and metric.
    datasets : DataFrame
        One row per registered set, all text.
    run : dict
        run.json.
    tables : tuple of dict
        Tables to print (results/tables/), in the order of their names: `TABLE_WORDS`, ``frame`` and
        ``is_grid``. A grid has the columns of `comparison`, any other table is text.
    figures : tuple of dict
        Figures, in the order of their names: `FIGURE_WORDS`, the texts of ``svg`` and ``csv``, and
        the ``page`` of the report that it belongs to, if its .json says so
        (`toplabel.reproduction.report.pages`).
    findings, winners, differences, headline, failures : DataFrame
        The collected files of these names, all text; without rows where a run has none.
    raw : dict of str to list of dict
        The raw files behind each prepared data set: name, address, sum and size, as its meta.json
        has them.
    collected : Path
        The folder of the collected files; `folder`, but for a run that did not finish.
    kept : Kept or None
        The kept run.
    """

    folder: Path
    comparison: pd.DataFrame
    evaluation: pd.DataFrame
    datasets: pd.DataFrame
    run: dict[str, Any]
    tables: tuple[dict[str, Any], ...]
    figures: tuple[dict[str, Any], ...]
    findings: pd.DataFrame
    winners: pd.DataFrame
    differences: pd.DataFrame
    headline: pd.DataFrame
    failures: pd.DataFrame
    raw: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    collected: Path = Path()
    kept: Kept | None = None


def load_inputs(
    results_folder: str | Path,
    collected_folder: str | Path | None = None,
    kept_folder: str | Path | None = None,
) -> ReportInputs:
    """Read the collected files of a results folder.

    Parameters
    ----------
    results_folder : path-like
        Holds comparison.csv, evaluation.csv, datasets.csv, run.json, and tables/, figures/ and
        the other collected files, which may be missing or empty.
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
    path = collected / "comparison.csv"
    comparison = beside(_as_cells(COMPARISON.read_text(path), path), kept)
    readings = read_optional(READINGS, collected)
    comparison = with_found(comparison, readings, kept, collected / READINGS.file)
    run = read_json(collected / "run.json", RUN_KEYS)
    if (folder / VERIFIED).is_file():
        run["verified"] = read_json(folder / VERIFIED, ("said",))["said"]
    comparison = comparison.assign(choice=chosen_for(comparison, run.get("choices") or ()))
    tables = [_read_table(path) for path in sorted((collected / "tables").glob("*.json"))]
    each = _all if collected_folder is None else _whole
    if collected_folder is not None:
        # Of earlier stages those that are no grids: grids could contradict what is collected now.
        known = {table["name"] for table in tables}
        others = _whole(_read_table, sorted((folder / "tables").glob("*.json"))).values()
        tables += [table for table in others if table["name"] not in known and not table["is_grid"]]
    studies = {str(study.get("name")) for study in run.get("studies") or ()}
    return ReportInputs(
        folder=folder,
        comparison=comparison,
        evaluation=EVALUATION.read(collected / "evaluation.csv"),
        datasets=DATASETS.read_text(collected / "datasets.csv"),
        run=run,
        # Others are left over from a study that was removed.
        tables=tuple(
            table
            for table in tables
            if not studies or not table["study"] or studies & {*table["study"].split(";")}
        ),
        figures=tuple(each(_read_figure, sorted((folder / "figures").glob("*.json"))).values()),
        **{
            name: read_optional(table, collected)
            for name, table in (
                ("findings", FINDINGS),
                ("winners", WINNERS),
                ("differences", DIFFERENCES),
                ("headline", HEADLINE),
                ("failures", FAILURES),
            )
        },
        raw={
            path.parents[1].name: files
            for path, files in each(_read_raw, sorted(folder.glob("*/data/meta.json"))).items()
        },
        collected=collected,
        kept=kept,
    )


def _all(read: Callable[[Path], Any], paths: list[Path]) -> dict[Path, Any]:
    return {path: read(path) for path in paths}


def _whole(read: Callable[[Path], Any], paths: list[Path]) -> dict[Path, Any]:
    """Read what can be read: of an interrupted run a file may be missing or damaged."""
    found = {}
    for path in paths:
        with suppress(FileError):
            found[path] = read(path)
    return found


def _read_raw(path: Path) -> list[dict[str, Any]]:
    """Return the raw files of a prepared data set."""
    raw = read_json(path).get("raw") or {}
    return [{"name": name} | dict(facts) for name, facts in sorted(raw.items())]


def _as_cells(frame: pd.DataFrame, path: Path) -> pd.DataFrame:
    """Return cells of comparison.csv or of a grid, all text, with their numbers and with the
    columns that may be left out.
    """
    frame = frame.assign(**{name: "" for name in GRID.names if name not in frame.columns})
    numbers = {name: as_numbers(frame[name], path) for name in (*GRID.numbers, "published", "std")}
    texts = {f"{name}_text": frame[name].str.strip() for name in ("published", "std")}
    return frame.assign(**texts, **numbers)


def _read_table(path: Path) -> dict[str, Any]:
    meta = _words(path, TABLE_WORDS)
    csv = path.with_suffix(".csv")
    frame = read_csv(csv)
    is_grid = set(GRID_COLUMNS) <= set(frame.columns)
    if is_grid:
        frame = of_no_paper(_as_cells(frame, csv))
        for column in ("source", "table"):
            frame[column] = frame[column].where(frame[column] != "", meta[column])
    return meta | {"frame": frame, "is_grid": is_grid}


def of_no_paper(cells: pd.DataFrame) -> pd.DataFrame:
    """Return cells with what the comparison adds to those of the papers, all of it missing."""
    cells = beside(cells, None).assign(choice="")
    return with_found(cells, READINGS.frame().astype(str), None, Path(READINGS.file))


def cells_of_evaluation(rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows of evaluation.csv as cells that no paper prints."""
    named = rows.rename(columns={"std": "measured_std"}).reset_index(drop=True)
    texts = {name: "" for name in GRID.names if name not in named and name not in GRID.numbers}
    numbers = {name: float("nan") for name in GRID.numbers if name not in named}
    nothing = {"published": float("nan"), "std": float("nan"), "std_text": "", "published_text": ""}
    return of_no_paper(named.assign(**texts | numbers | nothing))


def _words(path: Path, names: tuple[str, ...]) -> dict[str, str]:
    """Return the words of a .json; a missing value is empty."""
    meta = read_json(path, list(names))
    return {name: _text(meta[name]) for name in names}


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _read_figure(path: Path) -> dict[str, Any]:
    return _words(path, FIGURE_WORDS) | {
        "svg": read_text(path.with_suffix(".svg")),
        "csv": read_text(path.with_suffix(".csv")),
        "page": _text(read_json(path).get("page")),
    }
