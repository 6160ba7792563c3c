"""The report beside its tables: data sets, what is missing, certificates, the run."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import pandas as pd

from toplabel.reproduction.reporting import numbers
from toplabel.reproduction.reporting.inputs import ReportInputs
from toplabel.reproduction.reporting.labels import paper_label
from toplabel.reproduction.reporting.trace import NOT_REGISTERED, OF_OTHERS, Trace


@dataclass(frozen=True)
class Statistic:
    """A statistic of a data set: ours, and the paper's where it prints one."""

    ours: str
    paper: str


@dataclass(frozen=True)
class DatasetRow:
    title: str
    task: str
    ready: bool
    statistics: list[Statistic]
    oddities: str
    agreement: str
    source: str
    licence: str
    citation: str
    url: str


@dataclass(frozen=True)
class MissingSet:
    """A data set whose files are missing, and how many published cells wait for it."""

    title: str
    reason: str
    cells: int


@dataclass(frozen=True)
class MissingCells:
    """Published cells that share a reason, on data sets that are there or of other authors."""

    reason: str
    where: str
    cells: int


@dataclass(frozen=True)
class Reach:
    """A part of the published cells: measured, or why not."""

    key: str
    words: str
    cells: int


_REACH = {
    "measured": "measured",
    "kept": "shown from the kept run",
    "left": "not part of this run",
    "absent": "data not at hand",
    "others": "other people’s methods",
}


@dataclass(frozen=True)
class Certificates:
    """The largest relative gap of each method (rows) on each data set (columns).

    A method whose loss is not convex has none; its largest gradient norm stands there, as "‖∇P‖
    3.1e−04". A baseline may have neither: "—".
    """

    columns: list[str]
    rows: list[tuple[str, list[str]]]
    remark: str


@dataclass(frozen=True)
class Failure:
    """Results of a data set that a run did not get: the last stage of each, and why it ended."""

    dataset: str
    method: str
    count: int
    stage: str
    reason: str
    log: str
    link: str


STATISTICS = ("Classes", "Train", "Val", "Test", "Features", "Cardinality")
_COLUMNS = (
    ("n_classes", "paper_n_classes"),
    ("n_train", "paper_n_train"),
    ("n_val", ""),
    ("n_test", ""),
    ("n_features", "paper_n_features"),
    ("label_cardinality", "paper_label_cardinality"),
)
_ODDITIES = {
    "zero_rows": "rows of zeros",
    "empty_label_sets": "empty label sets",
    "full_label_sets": "full label sets",
    "classes_without_example": "classes without an example",
}
# C acts by C ||x||^2: beyond these norms the smallest values of the usual grids, or the largest,
# are no limit.
_LONGEST_ROWS, _SHORTEST_ROWS = 100.0, 0.01
_AGREEMENT = {"true": "agrees", "false": "differs", "1": "agrees", "0": "differs"}


def dataset_rows(inputs: ReportInputs) -> list[DatasetRow]:
    """Return the registered data sets, those that are there first."""
    rows = []
    frame = inputs.datasets
    ordered = pd.concat([frame[frame["status"] == status] for status in ("ready", "missing")])
    for _, row in ordered.iterrows():
        odd = [
            f"{_number(row[c])} {w}"
            for c, w in _ODDITIES.items()
            if _number(row[c]) not in ("", "0")
        ]
        odd += _norm_note(row["row_norm"])
        if row["status"] == "ready" and row["reason"]:
            odd.append(row["reason"])
        if row["status"] == "missing" and row["n_train"]:
            odd.append("counted in its label lists, without features")
        rows.append(
            DatasetRow(
                title=row["title"] or row["dataset"],
                task=row["task"],
                ready=row["status"] == "ready",
                statistics=[
                    Statistic(_number(row[ours]), numbers.shown(row[paper]) if paper else "")
                    for ours, paper in _COLUMNS
                ],
                oddities=", ".join(odd),
                agreement=_AGREEMENT.get(row["agrees"].strip().lower(), ""),
                source=row["paper_source"],
                licence=row["licence"],
                citation=row["citation"],
                url=row["url"] if urlsplit(row["url"]).scheme in ("http", "https") else "",
            )
        )
    return rows


def _norm_note(text: str) -> list[str]:
    """Return advice for rows so long, or so short, that the grid of C does not fit their loss."""
    norm = float(text) if text else 1.0
    if norm == 0.0 or _SHORTEST_ROWS <= norm <= _LONGEST_ROWS:
        return []
    return [
        f"rows of norm {numbers.compact(norm, 3)}, for which few values of C are of use: try features: standard"
    ]


def _number(text: str) -> str:
    """Tidy a number of a statistic: counts whole with thin spaces, others with two decimals."""
    try:
        value = float(text)
    except ValueError:
        return text
    return numbers.count(int(value)) if value == int(value) else numbers.fixed(value, 2)


def missing(inputs: ReportInputs, trace: Trace) -> tuple[list[MissingSet], list[MissingCells]]:
    """Return the data sets whose files are missing, and the cells that have no measurement for
    another reason.

    The sets and the reasons that most cells are of come first.
    """
    bare = inputs.comparison[inputs.comparison["measured"].isna()]
    waiting: Counter[str] = Counter()
    by_reason: dict[str, Counter[str]] = {}
    for row in bare.to_dict("records"):
        dataset, reason = trace.cause(row)
        if dataset:
            waiting[dataset] += 1
        else:
            by_reason.setdefault(reason, Counter())[trace.title(row["dataset"])] += 1
    absent = inputs.datasets[inputs.datasets["status"] == "missing"]
    sets = [
        MissingSet(row["title"] or row["dataset"], row["reason"], waiting[row["dataset"]])
        for _, row in absent.iterrows()
    ]
    cells = [
        MissingCells(
            reason, ", ".join(f"{t} {numbers.count(n)}" for t, n in counts.items()), counts.total()
        )
        for reason, counts in by_reason.items()
    ]
    return sorted(sets, key=lambda one: -one.cells), sorted(cells, key=lambda one: -one.cells)


def reach(inputs: ReportInputs, trace: Trace) -> list[Reach]:
    """Divide the published cells by where their numbers come from, or why there is none."""
    counts = Counter(_origin(row, trace) for row in inputs.comparison.to_dict("records"))
    return [Reach(key, words, counts[key]) for key, words in _REACH.items() if counts[key]]


def _origin(row: Mapping[str, Any], trace: Trace) -> str:
    if not math.isnan(row["measured"]):
        return "measured"
    if not math.isnan(row["kept"]):
        return "kept"
    dataset, reason = trace.cause(row)
    if reason == OF_OTHERS:
        return "others"
    return "absent" if dataset or reason == NOT_REGISTERED else "left"


def failures(inputs: ReportInputs, trace: Trace) -> list[Failure]:
    """Return the results that an unfinished run did not get, grouped by how they ended."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for row in inputs.failures.to_dict("records"):
        key = tuple(row[name] for name in ("dataset", "stage", "reason", "log"))
        alike.setdefault(key, []).append(row["label"] or row["method"])
    return [
        Failure(
            dataset=trace.title(dataset),
            method=", ".join(methods),
            count=len(methods),
            stage=stage,
            reason=reason,
            log=log,
            link=trace.link(log),
        )
        for (dataset, stage, reason, log), methods in alike.items()
    ]


def certificates(inputs: ReportInputs, trace: Trace) -> Certificates:
    """Arrange the largest relative gap, or gradient norm, by method and data set."""
    frame = inputs.evaluation
    labels = pd.Series(
        [trace.label(row) for _, row in frame.iterrows()], index=frame.index, dtype=str
    )
    sets = frame["dataset"] + frame["features"].where(
        frame["features"] == "", " " + frame["features"]
    )
    proofs = frame.groupby([labels, sets], sort=False)[["relative_gap", "gradient_norm"]].max()
    worst = {
        pair: _proof(*proof) for pair, proof in zip(proofs.index, proofs.to_numpy(), strict=True)
    }
    columns = list(dict.fromkeys(sets))
    titles = dict(zip(sets, frame["dataset"], strict=True))
    rows = [
        (label, [worst.get((label, column), "") for column in columns])
        for label in dict.fromkeys(labels)
    ]
    names = [c.replace(titles[c], trace.title(titles[c]), 1) for c in columns]
    return Certificates(names, rows, _remark(frame))


def _proof(gap: float, gradient_norm: float) -> str:
    """Return the gap; where there is none, the gradient norm; where there is neither, a dash."""
    norm = numbers.small(gradient_norm)
    return numbers.small(gap) or (f"‖∇P‖ {norm}" if norm else "—")


def _remark(frame: pd.DataFrame) -> str:
    """Say how many evaluated cells come from models that did not converge, and which have no
    gap.
    """
    if frame.empty:
        return "No model was trained in this run."
    bare = frame["relative_gap"].isna() & frame["gradient_norm"].isna()
    remark = _convergence(frame[~bare])
    if frame["gradient_norm"].notna().any():
        remark += _NOT_CONVEX
    return remark + (_uncertified(frame[bare]) if bare.any() else "")


def _uncertified(frame: pd.DataFrame) -> str:
    count = numbers.count(len(frame))
    unfinished = int(frame["status"].str.contains("max_epochs").sum())
    ends = (
        f", and {numbers.count(unfinished)} of them reached the limit of passes"
        if unfinished
        else ""
    )
    return f" {count} more come from baselines or networks, which bound no distance to an optimum (—){ends}."


_NOT_CONVEX = (
    " The truncated top-k entropy is not convex and has no duality gap: the norm ‖∇P‖ of the gradient stands in its"
    " place, and the tolerance is on the gap of the convex problem in which each row keeps the classes that it drops,"
    " ‖∇P‖²/(2λ)."
)


def _convergence(frame: pd.DataFrame) -> str:
    if frame.empty:
        return "No measured number comes from a model with a duality gap."
    stopped = frame[frame["status"] != "converged"]
    if stopped.empty:
        return (
            "Every measured number comes from models that reached the tolerance on the duality gap."
        )
    causes = ", ".join(sorted(set(stopped["status"]) - {""})) or "no status"
    return (
        f"{numbers.count(len(stopped))} of {numbers.count(len(frame))} measured numbers come from a"
        f" model that stopped before it reached the tolerance ({causes})."
    )


def paper_of(sources: str) -> str:
    """Name the papers and places of a `paper_source` like tpami2017_table04;nips2015_sec5.1."""
    return "; ".join(_place(source) for source in sources.split(";") if source)


def _place(source: str) -> str:
    paper, _, place = source.strip().partition("_")
    place = re.sub(r"^table0*", "Table ", place)
    place = re.sub(r"^sec", "section ", place)
    return f"{paper_label(paper)}, {place}" if place else paper_label(paper)
