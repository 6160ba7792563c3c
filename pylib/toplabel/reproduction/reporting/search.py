"""What the search field of the front page finds: tables, data sets, methods and figures of all
pages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from toplabel.reproduction.reporting import labels, places
from toplabel.reproduction.reporting.facts import DatasetRow
from toplabel.reproduction.reporting.grid import GridRow
from toplabel.reproduction.reporting.pages import Page
from toplabel.reproduction.reporting.sections import Section, slug


@dataclass(frozen=True)
class Target:
    """Something that can be found.

    Attributes
    ----------
    kind : str
        "table", "data set", "method" or "figure".
    name, note : str
        What to call it, and a few words more.
    words : str
        What else it is found by, such as the data sets of a table.
    address : str
        The page and the place there; with `?find=`, what the filter of the page is filled with.
    """

    kind: str
    name: str
    note: str
    words: str
    address: str


def targets(
    pages: Sequence[Page], untouched: Sequence[Section], datasets: Iterable[DatasetRow]
) -> list[Target]:
    """Return what there is to find: data sets and methods first, then tables and figures in the
    order of the pages.
    """
    placed = [
        (f"{page.file}#{section.anchor}", section) for page in pages for section in page.sections
    ]
    unmeasured = [(f"{places.PUBLISHED}.html#{section.anchor}", section) for section in untouched]
    found = [_table(address, section) for address, section in placed + unmeasured]
    for page in pages:
        found += [
            Target(
                "table",
                table.title,
                page.title,
                " ".join(table.datasets),
                f"{page.file}#{table.anchor}",
            )
            for table in page.plain
        ]
        found += [
            Target("figure", one.title, one.source, one.name, f"{page.file}#figure-{one.name}")
            for one in page.figures
        ]
    sets = [_dataset(row, pages) for row in datasets]
    return [*sets, *_methods(pages), *found]


def _table(address: str, section: Section) -> Target:
    blocks = [*section.blocks, *section.unmeasured]
    words = dict.fromkeys(word for block in blocks for word in (block.title, block.key))
    words |= dict.fromkeys(row.key for block in blocks for row in block.rows)
    words |= dict.fromkeys(labels.plain(row.label) for block in blocks for row in block.rows)
    title = section.title if section.origin else ""
    return Target("table", section.origin or section.title, title, " ".join(words), address)


def _dataset(row: DatasetRow, pages: Sequence[Page]) -> Target:
    """Return a data set: the page with most of its numbers, without any its row among the data
    sets.
    """
    counts: Counter[str] = Counter()
    for page in pages:
        for block in (block for section in page.sections for block in section.blocks):
            counts[page.name] += _measured(block.rows) if block.title == row.title else 0
    address = f"{places.DATA}.html#set-{slug(row.title)}"
    where = ""
    if counts.total():
        page = _with_most(counts, pages)
        address, where = _filtered(page, row.title), f", on {page.title}"
    return Target("data set", row.title, row.task + where, "", address)


def _methods(pages: Sequence[Page]) -> list[Target]:
    """Return each method that was measured, with the page that has most of its numbers."""
    counts: dict[str, Counter[str]] = {}
    keys: dict[str, str] = {}
    for page in pages:
        for block in (block for section in page.sections for block in section.blocks):
            for row in (row for row in block.rows if row.measured or row.kept):
                counts.setdefault(row.label, Counter())[page.name] += _measured([row])
                keys[row.label] = row.key
    found = []
    for label, of_pages in counts.items():
        page = _with_most(of_pages, pages)
        shown = "".join(text for _, text in labels.segments(label))
        words = f"{keys[label]} {label}"
        found.append(Target("method", label, page.title, words, _filtered(page, shown)))
    return found


def _measured(rows: Iterable[GridRow]) -> int:
    return sum(cell.state in ("measured", "kept") for row in rows for cell in row.cells)


def _with_most(counts: Counter[str], pages: Sequence[Page]) -> Page:
    name = max(counts, key=lambda one: counts[one])
    return next(page for page in pages if page.name == name)


def _filtered(page: Page, words: str) -> str:
    """Return the address of the tables of a page with these words in its filter."""
    return f"{page.file}?find={quote(words)}#tables"
