"""Other readings of the protocols: their numbers beside those of the stated readings, and what they
change.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from toplabel.metrics.names import counts_rows, is_share_of
from toplabel.reproduction.reporting.inputs import ReportInputs
from toplabel.reproduction.reporting.kept import as_own
from toplabel.reproduction.reporting.score import Score, score_of
from toplabel.reproduction.tables.collected import COMPARISON, PUBLISHED_KEYS, READINGS
from toplabel.reproduction.tables.table import as_numbers


@dataclass(frozen=True)
class FoundReading:
    """A reading in words, and the cells that it says something of, under the stated reading and
    under it.
    """

    title: str
    stated: str
    found: str
    evidence: str
    chosen_on_test: bool
    impossible: str
    before: Score
    after: Score


@dataclass(frozen=True)
class FollowedChoice:
    """A reading that our numbers follow and that printed test numbers had a part in, with the score
    of its cells.
    """

    title: str
    chosen: str
    score: Score


def followed_choices(inputs: ReportInputs) -> list[FollowedChoice]:
    """Return the choices that measured cells depend on, in the order of the config."""
    groups = dict(iter(as_own(inputs.comparison).groupby("choice")))
    scores = {
        str(one["title"]): (str(one["chosen"]), score_of(groups[one["title"]]))
        for one in inputs.run.get("choices") or ()
        if one["title"] in groups
    }
    return [
        FollowedChoice(title, chosen, score)
        for title, (chosen, score) in scores.items()
        if score.comparable
    ]


def found_readings(inputs: ReportInputs) -> list[FoundReading]:
    """Return the readings that numbers were measured under, in the order of the config."""
    cells = inputs.comparison[inputs.comparison["found"].notna()]
    groups = dict(iter(cells.groupby("reading")))
    texts = {str(one["name"]): one for one in inputs.run.get("readings") or ()}
    rows = as_numbers(inputs.datasets.set_index("dataset")["n_test"], inputs.folder)
    return [_reading(text, groups[name], rows) for name, text in texts.items() if name in groups]


def _reading(text: Mapping[str, object], cells: pd.DataFrame, rows: pd.Series) -> FoundReading:
    words = {key: str(text[key]) for key in ("title", "stated", "found", "evidence")}
    return FoundReading(
        **words,
        chosen_on_test=bool(text["chosen_on_test"]),
        impossible=_impossible(as_own(cells), rows),
        before=score_of(as_own(cells)),
        after=score_of(under_found(cells)),
    )


def _impossible(cells: pd.DataFrame, rows: pd.Series) -> str:
    """Say how many printed accuracies no number of test rows gives, which is `rows` for a split;
    empty without one.
    """
    known = cells.assign(rows=cells["file"].str.partition("/")[0].map(rows) * cells["splits"])
    known = known[known["metric"].map(counts_rows) & known["rows"].notna()]
    numbers = zip(known["published_text"], known["rows"].astype(int), strict=True)
    wrong = known[[not is_share_of(text, n) for text, n in numbers]]
    if wrong.empty:
        return ""
    match = int((wrong["verdict"] == "match").sum())
    return (
        f"No whole number of the test rows gives {len(wrong)} of the {len(known)} printed accuracies;"
        f" under the stated reading {match} of these match."
    )


def with_found(summary: Path) -> pd.DataFrame:
    """Return the compared cells of a kept run with their numbers under other readings.

    Parameters
    ----------
    summary : Path
        The folder of comparison.csv and readings.csv.
    """
    key = [*PUBLISHED_KEYS]
    columns = ["found", "found_verdict", "reading"]
    readings = READINGS.read_text(summary / "readings.csv")[[*key, *columns]]
    found = COMPARISON.read_text(summary / "comparison.csv").merge(readings, how="left", on=key)
    found["found"] = pd.to_numeric(found["found"])
    return COMPARISON.read(summary / "comparison.csv").assign(**found[columns])


def under_found(cells: pd.DataFrame) -> pd.DataFrame:
    """Return cells with the number and the verdict of another reading where there is one."""
    has = cells["found"].notna()
    return cells.assign(
        measured=cells["found"].where(has, cells["measured"]),
        verdict=cells["found_verdict"].where(has, cells["verdict"]),
    )


def score_under_found(inputs: ReportInputs) -> Score | None:
    """Return the score of the run's own cells under the found readings; None where it has none of
    these.
    """
    cells = inputs.comparison[inputs.comparison["verdict"] != ""]
    return score_of(under_found(cells)) if cells["found"].notna().any() else None
