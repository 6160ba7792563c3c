"""Grids: a table as the papers print it, methods down, metrics across, one block per data set."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from toplabel.metrics.names import lower_is_better
from toplabel.reproduction.report import numbers
from toplabel.reproduction.report.kept import as_own
from toplabel.reproduction.report.labels import metric_label
from toplabel.reproduction.report.trace import Trace

Block = dict[str, Any]

ROW_KEYS = ["method", "k", "gamma", "kernel"]


def build_blocks(cells: pd.DataFrame, trace: Trace) -> list[Block]:
    """Arrange the cells of one table.

    Parameters
    ----------
    cells : DataFrame
        Rows of `ReportInputs.comparison` with the columns `record` (the anchor of a cell's record,
        or empty) and `stopped` (whether its fit did not converge), in the order in which they are
        printed.
    trace : Trace

    Returns
    -------
    list of dict
        One per data set (and features); a table with one metric for several data sets has these
        across, as NIPS 2012 prints its Table 2. ``title``, ``key``, ``columns`` (``label``,
        ``lower`` is better, ``interval``: one of its cells has one), ``rows`` (``label``, ``key``,
        ``state``, ``cells``, ``seconds``), ``state``; ``own`` without a published number;
        ``spread`` with a deviation. A state is "measured", "kept" (by the kept run alone),
        "published" or "empty", that of a row or block the first of these that a cell has.
    """
    cells = _with_lines(_with_references(as_own(cells)))
    metrics = cells.groupby(["dataset", "features"], sort=False)["metric"].unique()
    alike = {tuple(found) for found in metrics}
    if len(metrics) > 1 and len(alike) == 1 and len(next(iter(alike))) == 1:
        metric = str(cells["metric"].iloc[0])
        across = cells.assign(across=cells["dataset"] + " " + cells["features"])
        firsts = across.drop_duplicates("across").to_dict("records")
        columns = [_column(row["across"], _title(row, trace), metric) for row in firsts]
        return [_block(metric_label(metric), metric, across, columns, trace)]
    blocks = []
    for (dataset, features), part in cells.groupby(["dataset", "features"], sort=False):
        # In the order of the methods' rows: a reference may have but one of the metrics.
        of_methods = part.loc[part["method"] != "reference", "metric"]
        columns = [
            _column(metric, metric_label(metric), metric)
            for metric in dict.fromkeys([*of_methods, *part["metric"]])
        ]
        part = part.assign(across=part["metric"])
        title = _title({"dataset": dataset, "features": features}, trace)
        blocks.append(_block(title, dataset, part, columns, trace))
    return blocks


def _column(key: str, label: str, metric: str) -> dict[str, Any]:
    return {"key": key, "label": label, "lower": lower_is_better(metric)}


def _title(row: Mapping[str, Any], trace: Trace) -> str:
    title = trace.title(row["dataset"])
    return f"{title}, {row['features']}" if row["features"] else title


def _with_references(cells: pd.DataFrame) -> pd.DataFrame:
    """Put the references of a data set to its only features: results of others name none."""
    named = cells[cells["features"] != ""].groupby("dataset")["features"].unique()
    only = {dataset: found[0] for dataset, found in named.items() if len(found) == 1}
    lost = (cells["features"] == "") & (cells["method"] == "reference")
    features = cells["features"].mask(lost, [only.get(d, "") for d in cells["dataset"]])
    return cells.assign(features=features)


def _with_lines(cells: pd.DataFrame) -> pd.DataFrame:
    """Number cells that share a key, as the papers' several references for one data set do."""
    keys = ["dataset", "features", *ROW_KEYS, "metric"]
    return cells.assign(line=cells.groupby(keys, sort=False).cumcount())


def _block(
    title: str, key: str, cells: pd.DataFrame, columns: list[dict[str, Any]], trace: Trace
) -> Block:
    cells = cells.assign(
        best_ours=_best(cells, "measured"),
        best_published=_best(cells, "published"),
        near=_near_best(cells),
    )
    known = cells.loc[cells["rows_low"].notna() & cells["measured"].notna(), "across"]
    for column in columns:
        column["interval"] = column["key"] in set(known)
    groups: dict[tuple, list[dict[str, Any]]] = {}
    for row in cells.to_dict("records"):
        groups.setdefault(tuple(row[key] for key in (*ROW_KEYS, "line")), []).append(row)
    rows = []
    for (method, k, gamma, kernel, _), part in groups.items():
        by_column = {row["across"]: row for row in part}
        found = [_cell(by_column.get(column["key"])) for column in columns]
        words = [method, f"k={k}" if k else "", f"gamma={gamma}" if gamma else "", kernel]
        seconds = max((row["seconds"] for row in part), key=lambda s: -1 if math.isnan(s) else s)
        rows.append(
            {
                "label": trace.label(part[0]),
                "key": " ".join(filter(None, words)),
                "state": _first_state(found),
                "cells": found,
                "seconds": numbers.compact(seconds, 3),
            }
        )
    own = bool(cells["published"].isna().all())
    deviations = cells["measured_std"].notna() & cells["measured"].notna()
    return {
        "title": title,
        "key": key,
        "columns": columns,
        "rows": rows,
        "state": _first_state(rows),
        "own": own,
        "compared": bool((cells["measured"].notna() & cells["published"].notna()).any()),
        "spread": bool(deviations.any()),
    }


_STATES = ("measured", "kept", "published", "empty")


def _first_state(parts: list[dict[str, Any]]) -> str:
    return min((part["state"] for part in parts), key=_STATES.index)


def _best(cells: pd.DataFrame, side: str) -> pd.Series:
    """Find the best of each column, ties at the printed digits included.

    The references, results of other authors, do not compete; the papers print them in the heading.
    """
    best = pd.Series(False, index=cells.index)
    competing = cells[(cells["method"] != "reference") & cells[side].notna()]
    for _, part in competing.groupby("across", sort=False):
        metric = part["metric"].iloc[0]
        digits = max(numbers.decimals_of(metric, text) for text in part["published_text"])
        values = part[side].round(digits)
        winner = values.min() if lower_is_better(metric) else values.max()
        best[values.index[values == winner]] = len(values) > 1
    return best


def _near_best(cells: pd.DataFrame) -> pd.Series:
    """Find the cells of each column that lie within the interval over test rows of its best one."""
    near = pd.Series(False, index=cells.index)
    for _, part in cells[cells["measured"].notna()].groupby("across", sort=False):
        lower = lower_is_better(part["metric"].iloc[0])
        best = part.loc[part["measured"].idxmin() if lower else part["measured"].idxmax()]
        near[part.index] = part["measured"].between(best["rows_low"], best["rows_high"])
    return near


_EMPTY = {"state": "empty", "ours": "", "published": "", "verdict": ""}


def _cell(row: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return a cell as text.

    `found` is the number under another reading of the protocol; `choice` is the title of the
    reading that the cell depends on and that printed test numbers had a part in.
    """
    if row is None:
        return _EMPTY
    texts = cell_texts(row)
    decimals = numbers.decimals_of(row["metric"], row["published_text"])
    state = "kept" if not math.isnan(row["kept"]) else "measured" if texts["ours"] else "published"
    return texts | {
        "state": state,
        "record": row["record"],
        "verdict": row["verdict"],
        "best_ours": row["best_ours"],
        "best_published": row["best_published"],
        "near": row["near"],
        "stopped": row["stopped"],
        "found": numbers.fixed(row["found"], decimals),
        "found_verdict": row["found_verdict"],
        "choice": row["choice"] if row["verdict"] else "",
    }


def cell_texts(row: Mapping[str, Any]) -> dict[str, str]:
    """Return the numbers of a cell as text: ours, published, their deviations, the difference, the
    interval over test rows.

    Of a cell within the spread the deviation, which decides its verdict, stands with the
    difference.
    """
    decimals = numbers.decimals_of(row["metric"], row["published_text"])
    deviation = numbers.fixed(row["measured_std"], decimals)
    difference = numbers.signed(row["difference"], decimals)
    spread = row["verdict"] == "spread"
    ends = (numbers.fixed(row[name], decimals) for name in ("rows_low", "rows_high"))
    return {
        "ours": numbers.fixed(row["measured"], decimals),
        "ours_std": "" if spread else deviation,
        "published": _as_printed(row["published_text"], row["published"], decimals),
        "published_std": _as_printed(row["std_text"], row["std"], decimals),
        "difference": f"{difference}, sd {deviation}" if spread else difference,
        "interval": " to ".join(filter(None, ends)),
    }


def _as_printed(text: str, value: float, decimals: int) -> str:
    """Keep the digits that stand in the file, unless a number was written with too many or too
    few.
    """
    _, point, fraction = text.partition(".")
    kept = text.isdigit() if not point else len(fraction) == decimals
    return text if kept else numbers.fixed(value, decimals)
