"""Who wins where, in words and as a matrix."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from toplabel.reproduction.reporting.inputs import ReportInputs
from toplabel.reproduction.reporting.labels import (
    method_label,
    metric_label,
    paper_label,
    plain,
    table_order,
)
from toplabel.reproduction.reporting.trace import Trace


@dataclass(frozen=True)
class WinnerRow:
    """The best methods on a data set of a table: in this run or the kept one, and in the paper
    among the same.
    """

    table: str
    anchor: str
    title: str
    ours: str
    papers: str
    same: int
    columns: int
    kept: bool = False


def build_winners(inputs: ReportInputs, trace: Trace, anchors: dict[tuple, str]) -> list[WinnerRow]:
    """Return who wins where; `anchors` lead from (source, table) to the place of the table."""
    rows = _rows(inputs)
    found = []
    for key, group in groupby(rows, key=lambda r: tuple(r[c] for c in _BLOCK)):
        group = list(group)
        source, table, dataset, features = key
        found.append(
            WinnerRow(
                table=f"{paper_label(source)}, Table {table}",
                anchor=anchors.get((source, table), ""),
                title=trace.title(dataset) + (f", {features}" if features else ""),
                ours=_by_method(group, "ours"),
                papers=_by_method(group, "papers"),
                same=sum(row["same"] == "true" for row in group),
                columns=len(group),
                kept=group[0]["kept"],
            )
        )
    return found


_BLOCK = ("source", "table", "dataset", "features")


def _rows(inputs: ReportInputs) -> list[dict[str, Any]]:
    """Return rows of winners.csv in the papers' order, with those of the kept run where this one
    has none of a data set.
    """
    own = inputs.winners.to_dict("records")
    blocks = {tuple(row[c] for c in _BLOCK) for row in own}
    kept = inputs.kept.winners.to_dict("records") if inputs.kept else []
    rows = [row | {"kept": False} for row in own]
    rows += [row | {"kept": True} for row in kept if tuple(row[c] for c in _BLOCK) not in blocks]
    return sorted(rows, key=lambda row: table_order(row["source"], row["table"]))


@dataclass(frozen=True)
class WinnerMark:
    """Whether the best method of a column is the paper's too; `hint` names both, with their
    lead.
    """

    same: bool
    hint: str


@dataclass(frozen=True)
class WinnerMatrix:
    """Data sets by metrics, of tables with metrics of one kind.

    A row has the title, the table, the place of that, the marks (None where a table has no such
    metric), and whether they are the kept run's.
    """

    metrics: list[str]
    rows: list[tuple[str, str, str, list[WinnerMark | None], bool]]


def winner_matrices(
    inputs: ReportInputs, trace: Trace, anchors: dict[tuple, str]
) -> list[WinnerMatrix]:
    """Return who wins where at a glance: top-k accuracies apart from the other metrics."""
    rows = _rows(inputs)
    tops = [row for row in rows if _TOP.fullmatch(row["metric"])]
    others = [row for row in rows if not _TOP.fullmatch(row["metric"])]
    return [_matrix(part, trace, anchors) for part in (tops, others) if part]


_TOP = re.compile(r"top(\d+)")


def _matrix(rows: list[dict[str, str]], trace: Trace, anchors: dict[tuple, str]) -> WinnerMatrix:
    metrics = list(dict.fromkeys(row["metric"] for row in rows))
    if _TOP.fullmatch(metrics[0]):
        metrics.sort(key=lambda metric: int(_TOP.fullmatch(metric)[1]))
    found = []
    for key, group in groupby(rows, key=lambda row: tuple(row[c] for c in _BLOCK)):
        group = list(group)
        source, table, dataset, features = key
        marks = {row["metric"]: _mark(row) for row in group}
        title = trace.title(dataset) + (f", {features}" if features else "")
        place = f"{paper_label(source)}, Table {table}"
        anchor = anchors.get((source, table), "")
        of_metrics = [marks.get(metric) for metric in metrics]
        found.append((title, place, anchor, of_metrics, group[0]["kept"]))
    return WinnerMatrix([metric_label(metric) for metric in metrics], found)


def _mark(row: dict[str, str]) -> WinnerMark:
    ours, papers = (
        _named(row, *names) for names in (("ours", "margin"), ("papers", "published_margin"))
    )
    return WinnerMark(row["same"] == "true", f"Here {ours}, in the paper {papers}.")


def _named(row: dict[str, str], side: str, margin: str) -> str:
    methods = " and ".join(plain(method_label(*one.split(":"))) for one in row[side].split(";"))
    return f"{methods} ({row[margin]} ahead)" if row[margin] else methods


def _by_method(rows: list[dict[str, str]], side: str) -> str:
    """List the methods with the metrics that they win, those with the most first."""
    wins: dict[str, list[str]] = {}
    for row in rows:
        for method in row[side].split(";"):
            wins.setdefault(method, []).append(metric_label(row["metric"]))
    ordered = sorted(wins.items(), key=lambda one: -len(one[1]))
    return "; ".join(f"{method_label(*m.split(':'))}: {_listed(names)}" for m, names in ordered)


def _listed(names: list[str]) -> str:
    """Join metrics; top-k accuracies in a row share their first word."""
    tops = [name.removeprefix("Top-") for name in names if name.startswith("Top-")]
    others = [name for name in names if not name.startswith("Top-")]
    return ", ".join(([f"top-{'/'.join(tops)}"] if tops else []) + others)


def same_winners(rows: list[WinnerRow]) -> str:
    """Return the winners of this run, and those that the kept run adds, in a sentence each."""
    said = []
    for kept, where in ((False, "here"), (True, "in the kept run")):
        columns = sum(row.columns for row in rows if row.kept == kept)
        same = sum(row.same for row in rows if row.kept == kept)
        if columns:
            said.append(
                f"Among the methods that were measured {where}, the best is also the paper's best in {same} of"
                f" {columns} columns of the tables."
            )
    return " ".join(said)
