"""The findings in words: what the papers say, what their tables say, what this run says."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import groupby

from toplabel.reporting import numbers
from toplabel.reporting.inputs import ReportInputs
from toplabel.reporting.labels import method_label, metric_label, paper_label, table_order
from toplabel.reporting.trace import Trace


@dataclass(frozen=True)
class Finding:
    """One claim; texts are in the small markup of `toplabel.reporting.labels`.

    `state` is a key of `OUTCOMES`.
    """

    anchor: str
    says: str
    source: str
    place: str
    state: str
    papers: str
    ours: str


@dataclass(frozen=True)
class Outcome:
    """What became of a claim."""

    key: str
    mark: str
    word: str


OUTCOMES = {
    state.key: state
    for state in (
        Outcome("holds", "✓", "confirmed"),
        Outcome("mixed", "≈", "mixed"),
        Outcome("fails", "✗", "not confirmed"),
        Outcome("few", "·", "too few comparisons"),
        Outcome("", "·", "not tested"),
    )
}


@dataclass(frozen=True)
class WinnerRow:
    """The best methods on a data set of a table: in this run, and in the paper among the same methods."""

    table: str
    anchor: str
    title: str
    ours: str
    papers: str
    same: int
    columns: int


def build_findings(inputs: ReportInputs, trace: Trace) -> list[Finding]:
    """Return the claims, those that this run can judge first."""
    found = [_finding(row, trace) for row in inputs.findings.to_dict("records")]
    return sorted(found, key=lambda one: one.state == "")


def _finding(row: dict[str, str], trace: Trace) -> Finding:
    says = row["says"]
    return Finding(
        anchor=f"claim-{row['claim'].replace('_', '-')}",
        says=says[:1].upper() + says[1:] + ".",
        source=row["source"],
        place=f"{paper_label(row['source'])}, {row['place']}",
        state=row["outcome"],
        papers=_papers(row),
        ours=_ours(row, trace),
    )


def _papers(row: dict[str, str]) -> str:
    if row["published_comparisons"] == "0":
        return "The papers' tables have no number to compare."
    return f"In the papers' tables {_count(row, 'published_')}."


def _ours(row: dict[str, str], trace: Trace) -> str:
    if row["comparisons"] == "0":
        return "This run has no measurement to compare them."
    sets = ", ".join(trace.title(name) for name in row["datasets"].split(";"))
    text = f"In this run, on {sets}, {_count(row, '')}"
    if row["expects"] == "first" and int(row["both"]) > 1:
        text += f"; {row['same']} of {row['both']} agree with the papers"
    return text + "."


def _count(row: dict[str, str], prefix: str) -> str:
    """Say who is ahead how often and by how much, or how often the sides are close."""
    total = int(row[f"{prefix}comparisons"])
    sides = ("first", "second") if prefix else ("first_ahead", "second_ahead")
    first, second = (int(row[f"{prefix}{side}"]) for side in sides)
    median = float(row[f"{prefix}median"])
    if total == 1:
        return _single(row, first - second, median)
    if row["expects"] == "similar":
        margin = _points(float(row["margin"]), 0)
        within = row[f"{prefix}within"]
        text = f"{row['first']} and {row['second']} are within {margin} in {within} of {total} comparisons"
    else:
        text = f"{first} of {total} comparisons go to {row['first']}, {second} to {row['second']}"
        if total > first + second:
            text += f", {total - first - second} to neither"
    return f"{text} (median difference {numbers.signed(median, 1)} points)"


def _single(row: dict[str, str], sign: int, difference: float) -> str:
    ahead, behind = (row["first"], row["second"])[:: sign or (1 if difference > 0 else -1)]
    text = f"the difference is {_points(abs(difference), 1)} in favour of {ahead}, against {behind}"
    if sign:
        return text
    if round(abs(difference), 1) < 0.1:
        return f"{row['first']} and {row['second']} are level"
    return f"{text}, which is within two standard errors over the draws"


def _points(value: float, decimals: int) -> str:
    text = numbers.fixed(value, decimals)
    return f"{text} {'point' if text in ('1', '1.0') else 'points'}"


def summary(found: list[Finding]) -> str:
    """What became of the claims, in one sentence; empty without claims."""
    tested = Counter(one.state for one in found if one.state)
    if not found:
        return ""
    if not tested:
        return f"None of {len(found)} claims of the papers can be tested on what this run measured."
    words = [f"{tested[key]} {OUTCOMES[key].word}" for key in OUTCOMES if tested[key]]
    return (
        f"Of {len(found)} claims of the papers this run tests {sum(tested.values())}:"
        f" {', '.join(words)}."
    )


def build_winners(inputs: ReportInputs, trace: Trace, anchors: dict[tuple, str]) -> list[WinnerRow]:
    """Return who wins where; `anchors` lead from (source, table) to the place of the table."""
    rows = sorted(
        inputs.winners.to_dict("records"), key=lambda row: table_order(row["source"], row["table"])
    )
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
            )
        )
    return found


_BLOCK = ("source", "table", "dataset", "features")


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
    """The winners in one sentence."""
    columns, same = sum(row.columns for row in rows), sum(row.same for row in rows)
    if not columns:
        return ""
    return (
        f"Among the methods that were measured, the same one is best here and in the papers in {same} of"
        f" {columns} columns of their tables."
    )
