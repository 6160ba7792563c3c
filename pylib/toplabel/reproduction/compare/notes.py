"""Why numbers are not reproduced: the reasons of config/notes.yaml, with what experiments gave."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from toplabel.metrics.names import is_fraction
from toplabel.reproduction.compare.cells import MEASURED
from toplabel.reproduction.compare.published import PLACE
from toplabel.reproduction.compare.verdicts import VERDICTS
from toplabel.reproduction.compare.views import differing, variants
from toplabel.reproduction.config.notes import Notes

FEWEST_DRAWS = 5
"""Draws of the folds from which on their spread is evidence: with fewer the interval of a further
draw is too wide to say anything."""
_FEW = 3  # cells whose numbers a sentence can hold


def explained(cells: pd.DataFrame, notes: Notes, run: str = MEASURED) -> pd.DataFrame:
    """Return the numbers of a run that are not reproduced, each with its reason in words.

    Added are `title` and `why` of the reason, the `evidence` for the cell, and `experiment`: what
    variants of the method and further draws of the folds give on the cells of that evidence. All
    are empty without a known reason.
    """
    rows = differing(cells, run)
    texts = pd.DataFrame(
        [_texts(row, notes) for row in rows.to_dict("records")],
        rows.index,
        ["title", "why", "evidence"],
        dtype=str,
    )
    rows = rows.join(texts).assign(experiment="")
    tried = variants(cells, run)
    for _, part in rows[rows["reason"] != ""].groupby(["reason", "evidence"]):
        said = filter(None, (_experiment(part, tried), _draws(part)))
        rows.loc[part.index, "experiment"] = " ".join(said)
    return rows


def _texts(row: Mapping[str, Any], notes: Notes) -> tuple[str, str, str]:
    if row["reason"] not in notes.reasons:
        return "", "", ""
    reason = notes.reasons[row["reason"]]
    evidence = next((one.evidence for one in reason.cells if one.names(row)), "")
    return reason.title, reason.why, evidence


def _experiment(cells: pd.DataFrame, tried: pd.DataFrame) -> str:
    """Say in a sentence or two what variants give on some cells; empty where none was measured.

    Of several variants of a cell the one that is nearest to the printed number counts.
    """
    nearest = _nearest(tried)
    found = _at_places_of(nearest, cells)
    if found.empty:
        return ""
    labels = [*dict.fromkeys(_at_places_of(tried, cells)["label"])]
    which = labels[0] if len(labels) == 1 else f"the nearest of {len(labels)} ({'; '.join(labels)})"
    these = "this cell" if len(cells) == 1 else f"these {len(cells)} cells"
    text = f"Experiment: {which} gives {_counted(found)} of {these}"
    if len(found) <= _FEW:
        return f"{text} ({', '.join(_numbers(row) for row in found.to_dict('records'))})."
    in_row = PLACE[:-1]
    same = nearest.merge(found[in_row].drop_duplicates(), on=in_row)
    return f"{text}; of all {len(same)} cells in their rows: {_counted(same)}."


def _nearest(tried: pd.DataFrame) -> pd.DataFrame:
    order = tried["difference"].abs().sort_values(kind="stable").index
    return tried.loc[order].drop_duplicates(PLACE).sort_index()


def _at_places_of(rows: pd.DataFrame, cells: pd.DataFrame) -> pd.DataFrame:
    places = pd.MultiIndex.from_frame(cells[PLACE])
    return rows[pd.MultiIndex.from_frame(rows[PLACE]).isin(places)]


def _counted(rows: pd.DataFrame) -> str:
    counts = rows["verdict"].value_counts()
    return ", ".join(f"{counts[name]} {name}" for name in _ORDER if name in counts)


_ORDER = sorted(VERDICTS, key=["match", "spread", "close", "off", "higher", "lower"].index)


def _numbers(row: Mapping[str, Any]) -> str:
    digits = 3 if is_fraction(row["metric"]) else 1
    return f"{row['value']:.{digits}f} where {float(row['printed']):.{digits}f} is printed"


def _draws(cells: pd.DataFrame) -> str:
    """Say how many printed numbers could be a draw of the folds; empty with too few draws."""
    drawn = cells[(cells["in_seeds"] != "") & (cells["seeds"] >= FEWEST_DRAWS)]
    if drawn.empty:
        return ""
    counts = "/".join(f"{n:.0f}" for n in sorted({*drawn["seeds"]}))
    inside = int((drawn["in_seeds"] == "true").sum())
    verb = "lies" if inside == 1 else "lie"
    which = f"{inside} of these {len(drawn)} printed numbers {verb}"
    if len(drawn) == 1:
        which = f"This printed number {'lies' if inside else 'does not lie'}"
    return f"{which} in the 95 % interval of a further draw of the folds, after {counts} draws."
