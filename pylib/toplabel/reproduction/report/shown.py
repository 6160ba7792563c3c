"""The numbers that the tables of the report show: one row for each cell of a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from toplabel._core.catalogue import LOSSES
from toplabel.reproduction.compare import views
from toplabel.reproduction.compare.cells import KEPT, MEASURED, PUBLISHED
from toplabel.reproduction.compare.notes import explained
from toplabel.reproduction.compare.published import PLACE
from toplabel.reproduction.config.keys import Key
from toplabel.reproduction.config.notes import Notes
from toplabel.reproduction.report.labels import method_label

NOT_RUN = "not part of this run"
OF_OTHERS = "published by other authors, not measured by this project"
NOT_REGISTERED = "no registered data set has these features"
_OF_PRINT = ("printed", "value", "std", "choice", "note")
_FOUND = {"value": "found", "verdict": "found_verdict", "reading": "found_reading"}
_FOUND |= {"run": "found_run"}
_REASON = {"title": "reason_title", "why": "reason_why", "evidence": "evidence"}
_REASON |= {"experiment": "experiment"}
Row = Mapping[str, str]


def shown_cells(
    cells: pd.DataFrame, datasets: pd.DataFrame, notes: Notes, labels: Mapping[Key, str]
) -> pd.DataFrame:
    """Return a row for each printed number, and for each measured one that no paper prints.

    Parameters
    ----------
    cells : DataFrame
        The frame of a run (`toplabel.reproduction.compare.cells`).
    datasets : DataFrame
        The registered data sets (results/datasets.csv).
    notes : Notes
        The notes on the papers' cells.
    labels : mapping
        The labels of methods.yaml by the keys of the methods.

    Returns
    -------
    DataFrame
        The columns of the frame with these changes. `state` is "measured" (by this run), "kept"
        (by the kept run alone) or "published". `published` and `published_std` are the printed
        numbers; `measured` and the other columns are of the run that `state` names. `found`,
        `found_verdict`, `found_reading` and `found_run` are of another reading of the protocol.
        `choice` is the title of a reading that printed numbers had a part in. `file` is the file of
        the number; `stopped` says whether its fit did not converge, and `why` why there is no
        number. `reason_title`, `reason_why`, `evidence` and `experiment` say in words why a number
        is not reproduced.
    """
    shown = _printed(cells, notes)
    shown = pd.concat([shown, _unprinted(cells, shown, datasets)], ignore_index=True)
    texts = [name for name in shown if not pd.api.types.is_numeric_dtype(shown[name])]
    shown = shown.assign(**{name: shown[name].fillna("") for name in texts})
    file = shown["config_dataset"] + "/" + shown["config_method"] + "/evaluation.csv"
    ours = {*LOSSES} | {*cells.loc[cells["run"] != PUBLISHED, "method"]}
    sets: dict[tuple[str, str], list[Row]] = {}
    for one in datasets.to_dict("records"):
        sets.setdefault((one["published_key"], one["features"]), []).append(one)
    rows = shown.to_dict("records")
    return shown.assign(
        choice=[notes.choices[name].title if name else "" for name in shown["choice"]],
        label=[
            method_label(row, labels) if row["printed"] or not row["label"] else row["label"]
            for row in rows
        ],
        file=file.where(shown["state"] == MEASURED, ""),
        stopped=[is_stopped(row) for row in rows],
        why=[_cause(row, sets, ours) for row in rows],
    )


def _printed(cells: pd.DataFrame, notes: Notes) -> pd.DataFrame:
    """Return the printed numbers, each with the measured one, else the kept one, with the one under
    another reading, and with the reason why it is not reproduced.
    """
    shown = cells.loc[cells["run"] == PUBLISHED, [*PLACE, *_OF_PRINT]]
    shown = shown.rename(columns={"value": "published", "std": "published_std"})
    own, kept = views.compared(cells), views.compared(cells, KEPT)
    known = pd.MultiIndex.from_frame(own[PLACE])
    kept = kept[~pd.MultiIndex.from_frame(kept[PLACE]).isin(known)]
    numbers = pd.concat([own, kept]).drop(columns=["printed", "choice", "note", "reading"])
    found = pd.concat([views.found(cells), views.found(cells, KEPT)]).drop_duplicates(PLACE)
    reasons = pd.concat([explained(cells, notes), explained(cells, notes, KEPT)])
    numbers = numbers.rename(columns={"value": "measured", "run": "state"})
    found = found[[*PLACE, *_FOUND]].rename(columns=_FOUND)
    reasons = reasons.drop_duplicates(PLACE)[[*PLACE, *_REASON]].rename(columns=_REASON)
    for columns in (numbers, found, reasons):
        shown = shown.merge(columns, on=PLACE, how="left")
    return shown.assign(state=shown["state"].fillna(PUBLISHED))


def is_stopped(row: Mapping[str, Any]) -> bool:
    """Return whether a number comes from a fit that did not reach its tolerance.

    A printed number has no status.
    """
    return row["status"] not in ("", "converged", "uncertified")


def _unprinted(cells: pd.DataFrame, shown: pd.DataFrame, datasets: pd.DataFrame) -> pd.DataFrame:
    """Return the measured numbers that no paper prints.

    A number stands in the first published table that has measured numbers of its data set by its
    metric, else in a table of its study.
    """
    own = views.measurements(cells)
    own = own[(own["source"] == "") & (own["variant_of"] == "")].drop(columns=["source", "table"])
    alike = ["config_dataset", "features", "metric"]
    places = shown.loc[shown["state"] == MEASURED, [*alike, "source", "table"]]
    own = own.merge(places.drop_duplicates(alike), on=alike, how="left")
    keys = dict(zip(datasets["dataset"], datasets["published_key"], strict=True))
    key = own["dataset"].map(keys).fillna(own["dataset"])
    own = own.assign(dataset=key.where(own["source"].notna(), own["dataset"]), state=MEASURED)
    return own.rename(columns={"value": "measured"}).drop(columns=["run", "reading"])


def _cause(row: Row, sets: Mapping[tuple[str, str], list[Row]], ours: set[str]) -> str:
    """Return why a printed number has no measured one; empty where it has.

    `sets` are the rows of the data sets by the papers' name and the features.
    """
    if row["state"] != PUBLISHED:
        return ""
    if row["note"]:
        return row["note"]
    if row["method"] not in ours:
        return OF_OTHERS
    found = [
        one
        for one in sets.get((row["dataset"], row["features"]), ())
        if row["source"] in (one["published_sources"] or row["source"]).split(";")
    ]
    if not found:
        return NOT_REGISTERED
    if any(one["status"] != "missing" for one in found):
        return NOT_RUN
    return found[0]["reason"]
