"""Why numbers differ from the printed ones: the groups of cells that share a reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from toplabel.reproduction.reporting.inputs import ReportInputs
from toplabel.reproduction.reporting.labels import paper_label
from toplabel.reproduction.reporting.numbers import count
from toplabel.reproduction.tables.collected import PUBLISHED_KEYS


@dataclass(frozen=True)
class Group:
    """Cells with one reason; without a reason `why` says so.

    `counted` is how many there are, as "11 off, 2 higher"; `tables` are the labels of their tables
    with the addresses, empty where a table is not shown.
    """

    title: str
    why: str
    evidence: list[str]
    counted: str
    cells: int
    tables: list[tuple[str, str]]


_NO_REASON = "Without a known reason"
_UNEXPLAINED = "These cells were not looked into."


def build_groups(rows: pd.DataFrame, anchors: Mapping[tuple[str, str], str]) -> list[Group]:
    """Return the groups of cells that differ, the largest first, the unexplained last.

    Parameters
    ----------
    rows : DataFrame
        Rows of differences.csv.
    anchors : mapping
        From (source, table) to the place of the table.
    """
    groups = [_group(part, anchors) for _, part in rows.groupby("reason", sort=False)]
    return sorted(groups, key=lambda group: (group.title == _NO_REASON, -group.cells))


def _group(rows: pd.DataFrame, anchors: Mapping[tuple[str, str], str]) -> Group:
    first = rows.iloc[0]
    tables = rows[["source", "table"]].drop_duplicates().itertuples(index=False)
    return Group(
        title=first["title"] or _NO_REASON,
        why=first["why"] or _UNEXPLAINED,
        evidence=[
            " ".join(texts)
            for texts in dict.fromkeys(zip(rows["evidence"], rows["experiment"], strict=True))
            if texts[0]
        ],
        counted=_counted(rows["verdict"]),
        cells=len(rows),
        tables=[(f"{paper_label(s)}, Table {t}", anchors.get((s, t), "")) for s, t in tables],
    )


def _counted(verdicts: pd.Series) -> str:
    counts = {word: int((verdicts == word).sum()) for word in ("off", "higher", "lower")}
    return ", ".join(f"{count(n)} {word}" for word, n in counts.items() if n)


def of_kept(inputs: ReportInputs) -> pd.DataFrame:
    """Return the cells that differ in the kept run and were not measured in this one."""
    if inputs.kept is None:
        return inputs.differences.iloc[:0]
    keys = [*PUBLISHED_KEYS]
    rows = inputs.kept.differences
    shown = inputs.comparison.loc[inputs.comparison["kept"].notna(), keys]
    return rows[pd.MultiIndex.from_frame(rows[keys]).isin(pd.MultiIndex.from_frame(shown))]


def of_table(rows: pd.DataFrame, source: str, table: str) -> pd.DataFrame:
    """Return the rows of one published table."""
    return rows[(rows["source"] == source) & (rows["table"] == table)]


def summary(rows: pd.DataFrame) -> str:
    """Return how many cells differ and in how many groups, in one sentence; empty where none does."""
    if rows.empty:
        return ""
    known = rows["reason"] != ""
    groups = rows.loc[known, "reason"].nunique()
    text = _counted(rows["verdict"])
    if groups:
        text += f", in {groups} {'group' if groups == 1 else 'groups'}"
    if not known.all():
        text += f"; {_counted(rows.loc[~known, 'verdict'])} without a known reason"
    return f"{text}."
