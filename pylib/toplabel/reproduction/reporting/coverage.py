"""Every table and figure of the papers: shown here, or why not."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pandas as pd

from toplabel.reproduction.figures import FIGURES
from toplabel.reproduction.reporting import places
from toplabel.reproduction.reporting.inputs import ReportInputs
from toplabel.reproduction.reporting.labels import paper_label, table_title
from toplabel.reproduction.reporting.numbers import count
from toplabel.reproduction.reporting.pages import Page
from toplabel.reproduction.reporting.sections import Section
from toplabel.reproduction.reporting.trace import OF_OTHERS, Trace

SHOWN = "shown"
MISSING = "missing"


@dataclass(frozen=True)
class Item:
    """A table or figure of a paper; `remark` says how much of it is there, or why it is not."""

    paper: str
    name: str
    title: str
    state: str
    remark: str
    link: str


@dataclass(frozen=True)
class _Other:
    """What is not a table of results: its name in results/, its page, or why it is not shown."""

    source: str
    title: str
    file: str = ""
    page: str = ""
    reason: str = ""


_NOT_RUN = "not part of this run"
_OTHERS = (
    _Other("TPAMI 2017, Table 1", "The losses", reason="an overview, without numbers"),
    _Other("TPAMI 2017, Table 2", "Time of the projections", "table02"),
    _Other("TPAMI 2017, Table 4", "Statistics of the multiclass sets", page=places.DATA),
    _Other("TPAMI 2017, Table 8", "Statistics of the multilabel sets", page=places.DATA),
    *(_Other(figure.source, figure.title, figure.name) for figure in FIGURES if figure.source),
)


def build_coverage(
    inputs: ReportInputs, trace: Trace, pages: list[Page], sections: list[Section]
) -> list[Item]:
    """Return all tables and figures of the papers in their order, with what became of them."""
    homes = {section.anchor: page.file for page in pages for section in page.sections}
    found = {name: link for page in pages for name, link in _names(page)}
    items = [_table(s, homes.get(s.anchor, ""), inputs, trace) for s in sections if s.source]
    items += [_other(one, found) for one in _OTHERS]
    papers = [
        paper_label(source) for source in dict.fromkeys(s.source for s in sections if s.source)
    ]
    rank = {paper: number for number, paper in enumerate(papers)}
    return sorted(items, key=lambda item: (rank.get(item.paper, len(rank)), _order(item.name)))


def _names(page: Page) -> list[tuple[str, str]]:
    """Return names of the figures and plain tables of a page, and where they stand."""
    figures = [(figure.name, f"{page.file}#figure-{figure.name}") for figure in page.figures]
    return figures + [(table.name, f"{page.file}#{table.anchor}") for table in page.plain]


def _table(section: Section, home: str, inputs: ReportInputs, trace: Trace) -> Item:
    state, remark, link = MISSING, _why(section, inputs, trace), f"{places.PUBLISHED}.html"
    if home:
        score = section.score
        remark = f"{count(score.comparable)} of {count(score.published)} cells measured"
        state, link = SHOWN, f"{home}#{section.anchor}"
    title = section.title or table_title(section.source, section.table, [])
    name = f"Table {section.table}"
    return Item(paper_label(section.source), name, title, state, remark, link)


def _why(section: Section, inputs: ReportInputs, trace: Trace) -> str:
    """Return why nothing of a table was measured: the commonest reason of the methods that we have."""
    cells = inputs.comparison
    cells = cells[(cells["source"] == section.source) & (cells["table"] == section.table)]
    cells = cells.drop_duplicates(["dataset", "method", "k", "gamma", "kernel"])
    reasons = pd.Series([trace.reason(row) for _, row in cells.iterrows()], index=cells.index)
    ours = reasons != OF_OTHERS
    if not ours.any():
        return OF_OTHERS
    waiting = {trace.waits_for(row) for _, row in cells[ours].iterrows()}
    if len(waiting) > 1 and "" not in waiting:
        return f"none of its {len(waiting)} data sets is available, see below"
    return str(reasons[ours].mode()[0])


def _other(one: _Other, found: dict[str, str]) -> Item:
    paper, name = one.source.split(", ")
    link = f"{one.page}.html" if one.page else found.get(one.file, "")
    if link:
        return Item(paper, name, one.title, SHOWN, "", link)
    return Item(paper, name, one.title, MISSING, one.reason or _NOT_RUN, "")


def _order(name: str) -> tuple[int, int, str]:
    """Return the place of a name: tables by number, then figures, then sections."""
    kind = ("Table", "Fig.", "section").index(name.split()[0])
    return kind, int(re.search(r"\d+", name)[0]), name
