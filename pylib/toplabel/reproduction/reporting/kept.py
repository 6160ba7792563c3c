"""The kept run: the last whole run of the project, whose numbers stand where a run has none of its
own.

Its files are in the repository (reports/summary; `toplabel.reproduction.workflow.summary` writes
them), so every report can show every table complete, whatever its run computed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from toplabel._core.files import FileError, read_json
from toplabel.reproduction.config.run import SUMMARY
from toplabel.reproduction.reporting.numbers import count
from toplabel.reproduction.reporting.score import Score, score_of
from toplabel.reproduction.tables.collected import (
    COMPARISON,
    DIFFERENCES,
    HEADLINE,
    PUBLISHED_KEYS,
    READINGS,
    WINNERS,
)
from toplabel.reproduction.tables.table import Table, as_numbers, read_csv

COLUMNS = ("kept", "kept_difference", "kept_std", "kept_verdict")
"""The columns of a cell that hold the kept run's measurement where the run has none."""
FOUND = ("reading", "found", "found_difference", "found_verdict")
"""The columns of a cell that hold a measurement under another reading than the stated one."""
_COMMIT_DIGITS = 12


@dataclass(frozen=True)
class Kept:
    """The kept run.

    Attributes
    ----------
    cells : DataFrame
        Its compared cells, the columns of `COMPARISON`; `published` as printed, `measured` and
        `difference` numbers.
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
    def score(self) -> Score:
        """The score of all its cells."""
        return score_of(self.cells)

    @property
    def name(self) -> str:
        """The name that stands beside its numbers: its date and commit."""
        commit = str(self.run["git"]["commit"] or "unknown")[:_COMMIT_DIGITS]
        return f"kept run, {str(self.run['created'])[:10]}, commit {commit}"

    def headline(self, published: int) -> str:
        """Return its score in one sentence, as a part of so many published numbers."""
        score = self.score
        return (
            f"The last whole run of the project ({self.name}) measured {count(score.comparable)} of"
            f" {count(published)}: {score.word}."
        )


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
        return _load(folder, path)
    except FileError as error:
        what = str(error).partition("; `snakemake")[0]
        raise FileError(f"{what}; `git checkout {SUMMARY}` brings the kept run back") from None


def _load(folder: Path, path: Path) -> Kept:
    cells = COMPARISON.read_text(path)
    named = ("measured", "difference", "measured_std", "splits")
    numbers = {name: as_numbers(cells[name], path) for name in named}
    return Kept(
        cells=cells.assign(**numbers),
        claims=_read_claims(folder / "claims.csv"),
        winners=_read(WINNERS, folder),
        differences=_read(DIFFERENCES, folder),
        readings=_read(READINGS, folder),
        worth=_read(HEADLINE, folder),
        run=read_json(folder / "run.json", ("created", "git")),
    )


def _read_claims(path: Path) -> pd.DataFrame:
    columns = ["claim", "other_outcome", "other_comparisons"]
    return read_csv(path, columns) if path.is_file() else pd.DataFrame(columns=columns)


def _read(table: Table, folder: Path) -> pd.DataFrame:
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
    empty = dict.fromkeys(COLUMNS, float("nan")) | {"kept_verdict": ""}
    if kept is None or cells.empty:
        return cells.assign(**empty)
    keys = [*PUBLISHED_KEYS]
    known = kept.cells.set_index(keys)[["measured", "difference", "measured_std", "verdict"]]
    found = known.reindex(pd.MultiIndex.from_frame(cells[keys]))
    own = cells["measured"].notna().to_numpy()
    return cells.assign(
        kept=found["measured"].mask(own).to_numpy(),
        kept_difference=found["difference"].mask(own).to_numpy(),
        kept_std=found["measured_std"].mask(own).to_numpy(),
        kept_verdict=found["verdict"].fillna("").mask(own, "").to_numpy(),
    )


def as_own(cells: pd.DataFrame) -> pd.DataFrame:
    """Return cells, which have the columns `COLUMNS`, with the kept measurement in place of a
    missing one.
    """
    kept = cells["kept"].notna()
    named = {"measured": "kept", "difference": "kept_difference", "measured_std": "kept_std"}
    named |= {"verdict": "kept_verdict"}
    return cells.assign(**{own: cells[own].mask(kept, cells[of]) for own, of in named.items()})


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
    keys = [*PUBLISHED_KEYS]
    parts = [readings] if kept is None else [readings, kept.readings]
    known = pd.concat(parts, ignore_index=True).drop_duplicates(keys)
    numbers = {name: as_numbers(known[name], path) for name in ("found", "found_difference")}
    known = known.assign(**numbers).set_index(keys)[[*FOUND]]
    found = known.reindex(pd.MultiIndex.from_frame(cells[keys])).set_index(cells.index)
    texts = {name: found[name].fillna("") for name in ("reading", "found_verdict")}
    return cells.assign(**found).assign(**texts)


def score_of_kept(cells: pd.DataFrame) -> Score:
    """Return the score of the kept measurements among some cells, which have the columns
    `COLUMNS`.
    """
    of_kept = cells[["published", "kept", "kept_verdict"]]
    return score_of(of_kept.set_axis(["published", "measured", "verdict"], axis="columns"))
