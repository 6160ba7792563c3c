"""The wide frame of a run: a row for each cell of the report's tables, ``results/cells_wide.csv``.

A row has the printed number, the measured or kept one beside it, the one under another reading, why
they differ, and where they stand in the tables. The report prints it and computes none of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from toplabel._core.catalogue import LOSSES
from toplabel.metrics.names import lower_is_better
from toplabel.reproduction.compare.cells import (
    CELL,
    FIT,
    INTERVALS,
    KEPT,
    MEASURED,
    PLACE,
    PUBLISHED,
    VARIANT,
    measurements,
    with_columns,
)
from toplabel.reproduction.compare.published import OTHERS, decimals_of, method_label
from toplabel.reproduction.compare.verdicts import NOT_REPRODUCED
from toplabel.reproduction.config.keys import Key
from toplabel.reproduction.config.notes import Notes

COLUMNS: Mapping[str, type] = {
    # The place of the number, as in cells.csv, and in the tables of the report.
    **dict.fromkeys([*PLACE, "study", "own_table", "grid", "column", "label"], str),
    # The printed number, and the measured or kept one.
    **dict.fromkeys(["state", "printed"], str),
    **dict.fromkeys(["published", "published_std", "measured", "std"], float),
    "splits": int,
    "difference": float,
    "verdict": str,
    **INTERVALS,
    "best": bool,
    "best_published": bool,
    # The number under another reading of the protocol.
    "found": float,
    **dict.fromkeys(["found_verdict", "found_reading", "found_run"], str),
    # The number of the variant of the method that is nearest to the printed one.
    "variant": str,
    "variant_value": float,
    "variant_verdict": str,
    # What is said of it.
    **dict.fromkeys(["choice", "reason", "reason_title", "reason_why", "evidence", "why"], str),
    # How it was measured.
    **dict.fromkeys(["config_dataset", "config_method", "file", "budget", "selected"], str),
    **FIT,
    "row_seconds": float,
    "status": str,
    "stopped": bool,
}
"""The columns of the frame, which docs/files.md describes."""

NOT_RUN = "this run does not ask for this method"
OF_OTHERS = "they are of programs of other authors"
NOT_REGISTERED = "their images and networks are not here"
_REASON = ["reason_title", "reason_why", "evidence"]
_METHOD = ["method", "k", "gamma", "kernel"]
_TABLE = ["source", "table", "own_table"]
_OF_PRINT = {"value": "published", "std": "published_std"}
_FOUND = {
    "value": "found",
    "verdict": "found_verdict",
    "reading": "found_reading",
    "run": "found_run",
}
_VARIANT = {"label": "variant", "value": "variant_value", "verdict": "variant_verdict"}
Row = Mapping[str, Any]


def widen(
    cells: pd.DataFrame,
    datasets: pd.DataFrame,
    notes: Notes,
    labels: Mapping[Key, str],
    selected: Mapping[tuple[str, str, str], str],
    studies: Sequence[str] = (),
) -> pd.DataFrame:
    """Return the wide frame of a run.

    It has a row for each printed number, and for each measured one that no paper prints. `cells` is
    the long frame, `datasets` are the registered data sets, all text (results/datasets.csv), `labels`
    those of methods.yaml by the keys of the methods, `selected` what was selected, in words, by data
    set, method and metric, and `studies` those that the run asks for, in their order.
    """
    printed = _printed(cells)
    wide = pd.concat([printed, _unprinted(cells, printed, datasets, studies)], ignore_index=True)
    rows = wide.to_dict("records")
    sets = datasets.to_dict("records")
    methods = {*LOSSES} | {*cells.loc[cells["run"] != PUBLISHED, "method"]}
    wide[_REASON] = [_reason_texts(row, notes) for row in rows]
    is_measured = wide["state"] == MEASURED
    file = wide["config_dataset"] + "/" + wide["config_method"] + "/evaluation.csv"
    names = wide[CELL].itertuples(index=False, name=None)
    wide = wide.assign(
        label=[_label(row, labels) for row in rows],
        choice=[notes.choices[name].title if name else "" for name in wide["choice"]],
        why=[_cause(row, sets, methods) for row in rows],
        file=file.where(is_measured, ""),
        selected=pd.Series([selected.get(name, "") for name in names]).where(is_measured, ""),
        stopped=~wide["status"].isin(["", "converged", "uncertified"]),
        best=_are_best(wide, "measured"),
        best_published=_are_best(wide, "published"),
    )
    return _in_grids(wide)[[*COLUMNS]]


def _printed(cells: pd.DataFrame) -> pd.DataFrame:
    """Return the printed numbers, each with the measured one, else the kept one, with the one under
    another reading of the protocol, and with that of the nearest variant of the method.
    """
    printed = cells.loc[
        cells["run"] == PUBLISHED, [*PLACE, "printed", *_OF_PRINT, "choice", "note"]
    ]
    printed = printed.rename(columns=_OF_PRINT)
    ours = pd.concat([cells[cells["run"] == run] for run in (MEASURED, KEPT)])
    ours = ours[ours["source"] != ""]
    numbers = ours[ours["reading"] == ""].drop_duplicates(PLACE)
    numbers = numbers.drop(columns=["printed", "choice", "note", "reading"])
    numbers = numbers.rename(columns={"value": "measured", "run": "state"})
    others = ours[~ours["reading"].isin(["", VARIANT])]
    nearest = ours[ours["reading"] == VARIANT].sort_values("difference", key=abs, kind="stable")
    nearest = nearest.sort_values("run", key=lambda runs: runs == KEPT, kind="stable")
    for rows, names in ((others, _FOUND), (nearest, _VARIANT)):
        rows = rows.drop_duplicates(PLACE)[[*PLACE, *names]].rename(columns=names)
        numbers = numbers.merge(rows, on=PLACE, how="left")
    printed = printed.merge(numbers, on=PLACE, how="left")
    return _filled(printed.assign(state=printed["state"].fillna(PUBLISHED)))


def _unprinted(
    cells: pd.DataFrame, printed: pd.DataFrame, datasets: pd.DataFrame, studies: Sequence[str]
) -> pd.DataFrame:
    """Return the measured numbers that no paper prints.

    A number stands in the first published table that has measured numbers of its data set by its
    metric, else in a table of its study: of several studies the first that the run asks for.
    """
    own = measurements(cells)
    own = own[(own["source"] == "") & (own["variant_of"] == "")].drop(columns=["source", "table"])
    alike = ["config_dataset", "features", "metric"]
    places = printed.loc[printed["state"] == MEASURED, [*alike, "source", "table"]]
    own = own.merge(places.drop_duplicates(alike), on=alike, how="left")
    has_table = own["source"].notna()
    keys = dict(zip(datasets["dataset"], datasets["published_key"], strict=True))
    names = pd.Series([keys.get(name, name) for name in own["dataset"]], own.index, dtype=str)
    tables = own["study"].map(lambda names: _first_study(names.split(";"), studies))
    own = own.assign(
        dataset=names.where(has_table, own["dataset"]),
        own_table=tables.where(~has_table, ""),
        state=MEASURED,
    )
    return _filled(own.rename(columns={"value": "measured"}))


def _first_study(names: Sequence[str], studies: Sequence[str]) -> str:
    return next((name for name in names if name in studies), names[0])


def _filled(rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows with the columns `COLUMNS` and `note`; a text that is not there is empty."""
    columns = {**COLUMNS, "note": str}
    rows = with_columns(rows, columns)[[*columns]]
    texts = [name for name, kind in columns.items() if kind is str]
    return rows.assign(**{name: rows[name].fillna("").astype(str) for name in texts})


def _reason_texts(row: Row, notes: Notes) -> tuple[str, str, str]:
    """Return title and sentence of the reason why a number is not reproduced, and its evidence."""
    if row["verdict"] not in NOT_REPRODUCED or row["reason"] not in notes.reasons:
        return "", "", ""
    reason = notes.reasons[row["reason"]]
    evidence = [cells.evidence for cells in reason.cells if cells.names(row)]
    return reason.title, reason.why, evidence[0] if evidence else ""


def _label(row: Row, labels: Mapping[Key, str]) -> str:
    """Return the name of the method: the papers' one where they print the number."""
    is_own = row["label"] and not row["printed"]
    return row["label"] if is_own else method_label(row, labels)


def _cause(row: Row, datasets: Sequence[Row], methods: set[str]) -> str:
    """Return the cause why a printed number has no measured one; "" where it has one.

    `methods` are those that can be measured: the losses, and those of measured and kept numbers.
    """
    if row["state"] != PUBLISHED:
        return ""
    if row["note"]:
        return row["note"]
    if row["method"] not in methods:
        return OF_OTHERS
    place, source = (row["dataset"], row["features"]), row["source"]
    alike = [entry for entry in datasets if (entry["published_key"], entry["features"]) == place]
    used = [entry for entry in alike if source in (entry["published_sources"] or source).split(";")]
    if not used:
        return NOT_REGISTERED
    if any(entry["status"] != "missing" for entry in used):
        return NOT_RUN
    return used[0]["reason"]


def _are_best(wide: pd.DataFrame, side: str) -> pd.Series:
    """Return the mask of the best numbers of each column, ties at the printed digits included.

    A number that stands alone is not the best, and numbers of other authors do not count.
    """
    best = pd.Series(False, index=wide.index)
    numbers = wide[wide[side].notna() & (wide["method"] != OTHERS)]
    for (*_, metric), part in numbers.groupby([*_TABLE, "dataset", "features", "metric"]):
        digits = max(decimals_of(metric, printed) for printed in part["printed"])
        values = part[side].round(digits)
        winner = values.min() if lower_is_better(metric) else values.max()
        best[values.index[values == winner]] = len(values) > 1
    return best


def _in_grids(wide: pd.DataFrame) -> pd.DataFrame:
    """Return rows with their grid and their column in it, and the seconds of the slowest number of
    their line.

    There is a grid for each data set and its features, with the metrics across. A table with a
    single metric for several data sets has these across, as NIPS 2012 prints its Table 2.
    """
    names = (wide["dataset"] + " " + wide["features"]).str.rstrip()
    ours = wide.assign(name=names)[wide["method"] != OTHERS]
    tables = ours.groupby(_TABLE)
    across = (tables["metric"].transform("nunique") == 1) & (
        tables["name"].transform("nunique") > 1
    )
    across = across.reindex(wide.index, fill_value=False)
    wide = wide.assign(grid=names.mask(across, ""), column=wide["metric"].mask(across, names))
    line = [*_TABLE, "grid", *_METHOD]
    return wide.assign(row_seconds=wide.groupby(line)["seconds"].transform("max"))
