"""Why numbers differ from the printed ones, and what other readings of the protocols give."""

from __future__ import annotations

import pandas as pd

from toplabel.reproduction.compare.verdicts import NOT_REPRODUCED
from toplabel.reproduction.config.notes import Reading
from toplabel.reproduction.report.inputs import Inputs
from toplabel.reproduction.report.labels import VERDICTS, table_label
from toplabel.reproduction.report.numbers import count
from toplabel.reproduction.report.score import in_words, score_of
from toplabel.reproduction.report.tree import Fold, Part, Text
from toplabel.reproduction.report.words import WORDS

_UNKNOWN = "Without a known reason"


def reasons(cells: pd.DataFrame, with_tables: bool = False) -> list[Part]:
    """Return the reasons why cells are not reproduced, those of most cells first.

    Parameters
    ----------
    cells : DataFrame
        Rows of `toplabel.reproduction.report.shown.shown_cells`.
    with_tables : bool
        Name the tables of the cells.
    """
    missed = cells[cells["verdict"].isin(NOT_REPRODUCED)]
    groups = [part for _, part in missed.groupby("reason", sort=False)]
    groups.sort(key=lambda part: (part["reason"].iloc[0] == "", -len(part)))
    parts: list[Part] = []
    for part in groups:
        first = part.iloc[0]
        text = f"{first['reason_title'] or _UNKNOWN}."
        keys = part[["source", "table"]].drop_duplicates().itertuples(index=False, name=None)
        tables = "; ".join(table_label(*key) for key in keys)
        note = first["reason_why"] or "These cells were not looked into."
        note += f" ({tables})" if with_tables else ""
        parts.append(Text(text, lead=_counted(part["verdict"]), note=note, style="item"))
        evidence = part.loc[part["evidence"] != "", ["evidence", "experiment"]]
        said = [" ".join(texts).rstrip() for texts in evidence.drop_duplicates().to_numpy()]
        if said:
            parts.append(Fold("Evidence", [Text(one, style="note") for one in said]))
    return parts


def _counted(verdicts: pd.Series) -> str:
    counts = verdicts.value_counts()
    words = (f"{count(counts[key])} {VERDICTS[key].word}" for key in VERDICTS if key in counts)
    return ", ".join(words)


def readings(inputs: Inputs) -> list[Part]:
    """Return the readings of the protocols that printed numbers had a part in, and the readings
    that were found to fit better than the stated ones, each with the scores of its cells.
    """
    cells = inputs.cells[inputs.cells["verdict"] != ""]
    parts: list[Part] = []
    chosen = dict(iter(cells[cells["choice"] != ""].groupby("choice")))
    choices = [one for one in inputs.notes.choices.values() if one.title in chosen]
    if choices:
        parts.append(Text(WORDS["readings"]["choices"], style="note"))
    for one in choices:
        note = f"{in_words(score_of(chosen[one.title]))}."
        parts.append(Text(one.chosen, lead=f"{one.title}.", note=note, style="item"))
    found = dict(iter(cells[cells["found"].notna()].groupby("found_reading")))
    others = [one for one in inputs.notes.readings.values() if one.name in found]
    if others:
        parts.append(Text(WORDS["readings"]["found"], style="note"))
    for one in others:
        parts += _reading(one, found[one.name])
    return parts


def _reading(one: Reading, cells: pd.DataFrame) -> list[Part]:
    before, after = in_words(score_of(cells)), in_words(score_of(under_found(cells)))
    note = f"Stated: {before}. Found: {after}. Printed test numbers had a part in this choice."
    texts = [Text(text, style="note") for text in (one.stated, one.evidence)]
    return [
        Text(one.found, lead=f"{one.title}.", note=note, style="item"),
        Fold("What is stated, and the evidence", texts),
    ]


def under_found(cells: pd.DataFrame) -> pd.DataFrame:
    """Return cells with the verdict under the found reading where there is one."""
    return cells.assign(
        verdict=cells["found_verdict"].where(cells["found"].notna(), cells["verdict"])
    )
