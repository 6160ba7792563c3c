"""Numbers beside those of a run: of the kept run, where the run has none of its own, and under
other readings of the protocols.

The kept run is the last whole run of the project. Its files are in the repository (reports/summary;
`toplabel.reproduction.workflow.summary` writes them), so every report can show every table
complete, whatever its run computed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from toplabel._core.files import FileError, read_json
from toplabel.reproduction.config.notes import Choice
from toplabel.reproduction.config.run import SUMMARY
from toplabel.reproduction.report.score import Score, score_of
from toplabel.reproduction.tables.collected import (
    COMPARISON,
    DIFFERENCES,
    HEADLINE,
    PUBLISHED_KEYS,
    READINGS,
    WINNERS,
)
from toplabel.reproduction.tables.table import Table, as_numbers, read_csv

_KEYS = [*PUBLISHED_KEYS]
KEPT_EPS = 1e-3
"""The gap at which training stopped in the kept run: the default, which its run.json leaves out."""
_OWN = ("measured", "difference", "measured_std", "verdict", "relative_gap")
COLUMNS = ("kept", "kept_difference", "kept_std", "kept_verdict", "kept_gap")
"""The columns of a cell that hold the kept run's measurement where the run has none."""
FOUND = ("reading", "found", "found_difference", "found_verdict")
"""The columns of a cell that hold a measurement under another reading than the stated one."""


@dataclass(frozen=True)
class Kept:
    """The kept run.

    Attributes
    ----------
    cells : DataFrame
        Its compared cells, the columns of `COMPARISON`; `published` as printed, other numbers as
        numbers.
    claims, winners, differences, readings, worth : DataFrame
        What it says of the claims on other data, of the best methods, of the cells that differ, of
        cells under other readings, and of what its score is worth, all text.
    run : mapping
        Its run.json.
    """

    cells: pd.DataFrame
    claims: pd.DataFrame
    winners: pd.DataFrame
    differences: pd.DataFrame
    readings: pd.DataFrame
    worth: pd.DataFrame
    run: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The name that stands beside its numbers: its date and commit."""
        commit = str(self.run["git"]["commit"] or "unknown")[:12]
        return f"kept run, {str(self.run['created'])[:10]}, commit {commit}"


def load_kept(folder: str | Path) -> Kept | None:
    """Read the kept run; None where the folder has no comparison.csv or no run.json. Its other
    files may be missing.

    Raises
    ------
    FileError
        A file is damaged, or lacks a column.
    """
    folder = Path(folder)
    path = folder / "comparison.csv"
    if not (path.is_file() and (folder / "run.json").is_file()):
        return None
    try:
        cells = COMPARISON.read_text(path)
        named = ("measured", "difference", "measured_std", "splits", "relative_gap")
        return Kept(
            cells=cells.assign(**{name: as_numbers(cells[name], path) for name in named}),
            claims=_read_claims(folder / "claims.csv"),
            winners=read_optional(WINNERS, folder),
            differences=read_optional(DIFFERENCES, folder),
            readings=read_optional(READINGS, folder),
            worth=read_optional(HEADLINE, folder),
            run=read_json(folder / "run.json", ("created", "git")),
        )
    except FileError as error:
        what = str(error).partition("; `snakemake")[0]
        raise FileError(f"{what}; `git checkout {SUMMARY}` brings the kept run back") from None


def _read_claims(path: Path) -> pd.DataFrame:
    columns = ["claim", "other_outcome", "other_comparisons"]
    return read_csv(path, columns) if path.is_file() else pd.DataFrame(columns=columns)


def read_optional(table: Table, folder: Path) -> pd.DataFrame:
    """Read a file as text; without rows where it is missing."""
    path = folder / table.file
    return table.read_text(path) if path.is_file() else table.frame().astype(str)


def beside(cells: pd.DataFrame, kept: Kept | None) -> pd.DataFrame:
    """Return the cells with the columns `COLUMNS`, filled where the kept run alone has a
    measurement.

    Parameters
    ----------
    cells : DataFrame
        With `PUBLISHED_KEYS` and `measured` (NaN without one).
    kept : Kept or None
    """
    if kept is None or cells.empty:
        return cells.assign(**dict.fromkeys(COLUMNS, float("nan")) | {"kept_verdict": ""})
    known = kept.cells.set_index(_KEYS)[[*_OWN]]
    found = known.reindex(pd.MultiIndex.from_frame(cells[_KEYS])).set_index(cells.index)
    own = cells["measured"].notna()
    columns = {of: found[name].mask(own) for name, of in zip(_OWN, COLUMNS, strict=True)}
    columns["kept_verdict"] = columns["kept_verdict"].fillna("")
    return cells.assign(**columns)


def as_own(cells: pd.DataFrame) -> pd.DataFrame:
    """Return cells, which have the columns `COLUMNS`, with the kept measurement in place of a
    missing one.
    """
    kept = cells["kept"].notna()
    pairs = zip(_OWN, COLUMNS, strict=True)
    return cells.assign(**{own: cells[own].mask(kept, cells[of]) for own, of in pairs})


def score_of_kept(cells: pd.DataFrame) -> Score:
    """Return the score of the kept measurements among some cells, which have `COLUMNS`."""
    return score_of(
        cells[["published", "kept", "kept_verdict"]].set_axis(
            ["published", "measured", "verdict"], axis="columns"
        )
    )


def kept_differences(comparison: pd.DataFrame, kept: Kept | None) -> pd.DataFrame:
    """Return the cells that differ in the kept run and were not measured in this one."""
    if kept is None:
        return DIFFERENCES.frame().astype(str)
    shown = pd.MultiIndex.from_frame(comparison.loc[comparison["kept"].notna(), _KEYS])
    return kept.differences[pd.MultiIndex.from_frame(kept.differences[_KEYS]).isin(shown)]


def with_found(
    cells: pd.DataFrame, readings: pd.DataFrame, kept: Kept | None, path: Path
) -> pd.DataFrame:
    """Return the cells with the columns `FOUND`, of the run itself where it has them, else of the
    kept run.

    Parameters
    ----------
    cells : DataFrame
        With `PUBLISHED_KEYS`.
    readings : DataFrame
        The run's own readings.csv, all text.
    kept : Kept or None
    path : Path
        The file of the readings, for errors.
    """
    parts = [readings] if kept is None else [readings, kept.readings]
    known = pd.concat(parts, ignore_index=True).drop_duplicates(_KEYS)
    numbers = {name: as_numbers(known[name], path) for name in ("found", "found_difference")}
    known = known.assign(**numbers).set_index(_KEYS)[[*FOUND]]
    found = known.reindex(pd.MultiIndex.from_frame(cells[_KEYS])).set_index(cells.index)
    return cells.assign(**found.fillna({"reading": "", "found_verdict": ""}))


def under_found(cells: pd.DataFrame) -> pd.DataFrame:
    """Return cells with the number and the verdict of another reading where there is one."""
    has = cells["found"].notna()
    return cells.assign(
        measured=cells["found"].where(has, cells["measured"]),
        verdict=cells["found_verdict"].where(has, cells["verdict"]),
    )


def kept_with_found(summary: Path) -> pd.DataFrame:
    """Return the compared cells of a kept run with their numbers under other readings.

    Parameters
    ----------
    summary : Path
        The folder of comparison.csv and readings.csv.
    """
    path = summary / READINGS.file
    cells = COMPARISON.read(summary / "comparison.csv")
    return with_found(cells, READINGS.read_text(path), None, path)


def chosen_for(cells: pd.DataFrame, choices: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return for each cell the title of the first choice that it depends on: a reading in whose
    choice printed test numbers had a part; empty without one.

    Parameters
    ----------
    cells : DataFrame
        Rows of comparison.csv.
    choices : iterable of mapping
        The fields of `Choice`, as run.json has them.
    """
    known = [
        Choice(**{key: tuple(v) if isinstance(v, list) else v for key, v in one.items() if v})
        for one in choices
    ]
    return [
        next((one.title for one in known if one.names(cell)), "")
        for cell in cells.to_dict("records")
    ]
