"""What became of the papers' claims, and who wins where."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

import pandas as pd

from toplabel.reproduction.report.inputs import ReportInputs
from toplabel.reproduction.report.labels import (
    OUTCOMES,
    method_label,
    metric_label,
    plain,
    table_label,
    table_order,
)
from toplabel.reproduction.report.trace import Trace
from toplabel.reproduction.report.words import say

SIDES = ("published", "same", "other")


def build_findings(inputs: ReportInputs, trace: Trace) -> list[dict[str, Any]]:
    """Return the claims, those that this run can judge first.

    Returns
    -------
    list of dict
        ``anchor``, ``says``, ``source``, ``place``; ``rule``, from when on it counts as confirmed,
        where that is not the usual; ``papers``, what their tables say; ``sides``, what was measured
        on the same and on other data (``name``, ``state``, ``text``); ``tested``; ``kept``, what
        the kept run says of other data, where this one has none; ``drawn``, the quartiles of the
        differences in points (``key``, ``name``, ``low``, ``median``, ``high``) where there are
        any.
    """
    kept = inputs.kept.claims.set_index("claim").to_dict("index") if inputs.kept else {}
    found = [
        _finding(_typed(row), trace, kept.get(row["claim"], {}))
        for row in inputs.findings.to_dict("records")
    ]
    return sorted(found, key=lambda one: not one["tested"])


def _typed(row: dict[str, str]) -> dict[str, Any]:
    """Return a row of findings.csv with its numbers as numbers, NaN where there is none."""
    words = re.compile(r"claim|source|place|says|expects|first|second|.*_(outcome|datasets)")
    typed = {
        k: v if words.fullmatch(k) else float(v or "nan") for k, v in row.items() if k != "ties_win"
    }
    return typed | {"ties_win": row["ties_win"] == "true"}


def _finding(row: dict[str, Any], trace: Trace, kept: Mapping[str, str]) -> dict[str, Any]:
    sides = []
    for key, name in (("same", "same data"), ("other", "other data")):
        sets = [trace.title(one) for one in row[f"{key}_datasets"].split(";")]
        text = say("ours", row, side_of(row, key), key, ", ".join(sets))
        sides.append({"key": key, "name": name, "state": row[f"{key}_outcome"], "text": text})
    outcome = "" if row["other_outcome"] else kept.get("other_outcome", "")
    drawn = [
        {"key": key} | {end: row[f"{key}_{end}"] for end in ("low", "median", "high")}
        for key in SIDES
    ]
    says = row["says"]
    return {
        "anchor": f"claim-{row['claim'].replace('_', '-')}",
        "says": f"{says[:1].upper()}{says[1:]}.",
        "source": row["source"],
        "place": row["place"],
        "rule": say("rule", row),
        "papers": say("papers", row, side_of(row, "published")),
        "sides": sides,
        "tested": any(side["state"] for side in sides),
        "kept": say("kept_claim", outcome, kept.get("other_comparisons", 0)),
        "drawn": [one for one in drawn if not math.isnan(one["median"])],
    }


def side_of(row: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    """Return what a claim's comparisons give on one side, under names without the prefix."""
    names = ("comparisons", "first", "second", "within", "low", "median", "high")
    names += ("median_low", "median_high", "adjusted", "rows_low", "rows_high")
    return {name: row.get(f"{prefix}_{name}", math.nan) for name in names}


def summary(findings: list[dict[str, Any]]) -> str:
    """Return what became of the claims, in two sentences; empty without claims."""
    tested = {
        key: pd.Series(
            [side["state"] for one in findings for side in one["sides"] if side["key"] == key]
        )
        for key in ("same", "other")
    }
    counts = {
        key: {state: int((states == state).sum()) for state in OUTCOMES if state}
        for key, states in tested.items()
    }
    return say("claims", len(findings), counts) if findings else ""


_BLOCK = ["source", "table", "dataset", "features"]
_TOP = re.compile(r"top(\d+)")


def winner_rows(inputs: ReportInputs) -> pd.DataFrame:
    """Return rows of winners.csv in the papers' order, with those of the kept run where this one
    has none of a data set.
    """
    own = inputs.winners.assign(kept=False)
    kept = inputs.kept.winners if inputs.kept else own.iloc[:0]
    known = pd.MultiIndex.from_frame(kept[_BLOCK]).isin(pd.MultiIndex.from_frame(own[_BLOCK]))
    rows = pd.concat([own, kept[~known].assign(kept=True)], ignore_index=True)
    order = [table_order(*key) for key in rows[["source", "table"]].itertuples(index=False)]
    return rows.iloc[sorted(range(len(rows)), key=order.__getitem__)]


def build_winners(
    rows: pd.DataFrame, trace: Trace, places: Mapping[tuple[str, str], str]
) -> list[dict[str, Any]]:
    """Return who wins where: for each data set of a table the best methods by name, ours and the
    papers' among the same, and a mark by metric (`same`, and a `hint` that names both).
    """
    found = []
    for (source, table, dataset, features), part in rows.groupby(_BLOCK, sort=False):
        marks = {
            row["metric"]: {"same": row["same"] == "true", "hint": _hint(row)}
            for row in part.to_dict("records")
        }
        found.append(
            {
                "table": table_label(source, table),
                "address": places.get((source, table), ""),
                "title": trace.title(dataset) + (f", {features}" if features else ""),
                "ours": _by_method(part, "ours"),
                "papers": _by_method(part, "papers"),
                "same": sum(mark["same"] for mark in marks.values()),
                "columns": len(part),
                "kept": bool(part["kept"].iloc[0]),
                "marks": marks,
            }
        )
    return found


def winner_matrices(winners: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the columns and rows of who wins where at a glance: top-k accuracies apart from the
    other metrics.
    """
    metrics = list(dict.fromkeys(metric for row in winners for metric in row["marks"]))
    tops = sorted(filter(_TOP.fullmatch, metrics), key=lambda m: int(_TOP.fullmatch(m)[1]))
    others = [metric for metric in metrics if metric not in tops]
    return [
        {
            "metrics": {metric: metric_label(metric) for metric in part},
            "rows": [row for row in winners if set(part) & set(row["marks"])],
        }
        for part in (tops, others)
        if part
    ]


def _hint(row: Mapping[str, str]) -> str:
    sides = []
    for side, margin in (("ours", "margin"), ("papers", "published_margin")):
        names = [plain(method_label(*one.split(":"))) for one in row[side].split(";")]
        sides += [" and ".join(names), row[margin]]
    return say("winner_hint", *sides)


def _by_method(rows: pd.DataFrame, side: str) -> str:
    """List the methods with the metrics that they win, those with the most first; top-k accuracies
    in a row share their first word.
    """
    wins = rows.assign(method=rows[side].str.split(";")).explode("method")
    said = []
    for method, metrics in wins.groupby("method", sort=False)["metric"]:
        names = metrics.map(metric_label)
        is_top = names.str.startswith("Top-")
        tops = "/".join(names[is_top].str.removeprefix("Top-"))
        listed = [f"top-{tops}"] * bool(tops) + list(names[~is_top])
        said.append((len(names), f"{method_label(*method.split(':'))}: {', '.join(listed)}"))
    return "; ".join(text for _, text in sorted(said, key=lambda one: -one[0]))
