"""The report as a tree of plain data: pages, sections, and what stands in them.

All numbers are text here, as they are to be read. The HTML pages, the PDF and report.json print the
same tree; none of them computes anything. A text may hold the small markup of
`toplabel.reproduction.report.text`, ``^{..}`` and ``_{..}``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from toplabel.reproduction.report.text import are_numbers

Tree = dict[str, Any]
"""The report as `toplabel.reproduction.report.write.build_report` returns it."""


@dataclass
class Text:
    """A paragraph: words in bold, the text itself, then muted words and a link.

    The style is "" for a paragraph, "note" for small muted text, "alert" for a warning, "item" for
    an entry of a list, and "code" for a block of code.
    """

    text: str
    lead: str = ""
    note: str = ""
    link: str = ""
    href: str = ""
    style: str = ""
    kind: str = field(default="text", init=False)


@dataclass
class Entry:
    """An entry of a `Table`: a text, which may be a link, and a second line.

    `verdict` is the key of a verdict, whose mark stands after the text; `stopped` marks a number
    from a fit that did not converge, `best` the best of a column, and `alike` what a test does not
    tell from it.
    """

    text: str
    small: str = ""
    href: str = ""
    verdict: str = ""
    stopped: bool = False
    best: bool = False
    alike: bool = False


@dataclass
class Row:
    """A row of a `Table`; the first cell names it."""

    cells: list[Entry]
    anchor: str = ""


@dataclass
class Table:
    """A table of words and numbers, and the file that it is printed from."""

    caption: str
    columns: list[str]
    numeric: list[bool]
    rows: list[Row]
    file: str = ""
    href: str = ""
    kind: str = field(default="table", init=False)


def table_of(
    caption: str,
    columns: Iterable[str],
    rows: Iterable[Iterable[str | Entry]],
    *,
    anchors: Iterable[str] = (),
    file: str = "",
    href: str = "",
) -> Table:
    """Return a table of texts and entries, its columns of numbers marked."""
    entries = [[Entry(value) if isinstance(value, str) else value for value in row] for row in rows]
    columns = list(columns)
    numeric = [are_numbers([row[i].text for row in entries]) for i in range(len(columns))]
    names = [*anchors] or [""] * len(entries)
    return Table(caption, columns, numeric, [*map(Row, entries, names)], file, href)


@dataclass
class Column:
    """A metric, or a data set, across; `lower` numbers are better, or higher ones.

    `interval` says whether the intervals over test rows stand beside the numbers.
    """

    label: str
    lower: bool
    interval: bool = False


@dataclass
class GridCell:
    """A number of ours, the printed one, and how they compare: a row of the wide frame as text.

    `state` is "measured" in this run, "kept" (measured by the kept run alone), "published" (never
    measured) or "empty". `reason` is the title of the reason why the number is
    not reproduced, `record` the anchor of the row with the parameters and the file.
    """

    state: str = "empty"
    ours: str = ""
    std: str = ""
    published: str = ""
    published_std: str = ""
    difference: str = ""
    interval: str = ""
    verdict: str = ""
    reason: str = ""
    found: str = ""
    found_verdict: str = ""
    choice: str = ""
    best: bool = False
    best_published: bool = False
    stopped: bool = False
    record: str = ""


@dataclass
class GridRow:
    """The numbers of a method; `state` is the best one of its cells."""

    label: str
    state: str
    cells: list[GridCell]
    seconds: str = ""


@dataclass
class Grid:
    """A table as the papers print it: methods down, metrics (or data sets) across.

    `printed` says whether a paper prints any of the numbers, `spread` whether numbers stand with a
    deviation.
    """

    title: str
    columns: list[Column]
    rows: list[GridRow]
    state: str
    printed: bool
    spread: bool
    kind: str = field(default="grid", init=False)


@dataclass
class Figure:
    """A figure; `share` is its width as a share of the page, `href` the address of its numbers."""

    name: str
    title: str
    caption: str
    alt: str
    source: str = ""
    share: float = 1.0
    file: str = ""
    href: str = ""
    kind: str = field(default="figure", init=False)


@dataclass
class Fold:
    """Parts that a reader opens; the PDF leaves them out."""

    title: str
    parts: list[Part]
    kind: str = field(default="fold", init=False)


Part = Text | Table | Grid | Figure | Fold


@dataclass
class Section:
    """A part of a page with a heading.

    `origin` names the published table that it shows, as "TPAMI 2017, Table 5"; `source` is the key
    of the paper.
    """

    anchor: str
    title: str
    parts: list[Part]
    origin: str = ""
    source: str = ""


@dataclass
class Page:
    """A page of the HTML report, ``<name>.html``, and a chapter of the PDF unless not `paper`.

    `tables` says whether the page has tables with a filter.
    """

    name: str
    title: str
    lead: str
    sections: list[Section] = field(default_factory=list)
    tables: bool = False
    paper: bool = True

    def add_table(self, section: Section) -> None:
        """Add a section with tables."""
        self.sections.append(section)
        self.tables = True
