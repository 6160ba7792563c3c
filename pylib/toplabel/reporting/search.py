"""What the search field of the front page finds: tables, data sets, methods and figures of all pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from toplabel.reporting import labels, places
from toplabel.reporting.facts import DatasetRow
from toplabel.reporting.pages import Page
from toplabel.reporting.sections import Section


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
        The page and the place there.
    """

    kind: str
    name: str
    note: str
    words: str
    address: str


def targets(
    pages: Sequence[Page], untouched: Sequence[Section], datasets: Iterable[DatasetRow]
) -> list[Target]:
    """Return what there is to find: data sets and methods first, then tables and figures in the order of the pages."""
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
    sets = [
        Target("data set", row.title, row.task, "", f"{places.DATA}.html#datasets")
        for row in datasets
    ]
    return [*sets, *_methods(placed), *found]


def _table(address: str, section: Section) -> Target:
    blocks = [*section.blocks, *section.unmeasured]
    words = dict.fromkeys(word for block in blocks for word in (block.title, block.key))
    words |= dict.fromkeys(row.key for block in blocks for row in block.rows)
    words |= dict.fromkeys(labels.plain(row.label) for block in blocks for row in block.rows)
    title = section.title if section.origin else ""
    return Target("table", section.origin or section.title, title, " ".join(words), address)


def _methods(placed: Sequence[tuple[str, Section]]) -> list[Target]:
    """Each method that was measured, with the table that has most of its numbers."""
    counts: dict[str, dict[str, int]] = {}
    keys: dict[str, str] = {}
    names: dict[str, str] = {}
    for address, section in placed:
        names[address] = section.origin or section.title
        for row in (row for block in section.blocks for row in block.rows if row.measured):
            at = counts.setdefault(row.label, {})
            at[address] = at.get(address, 0) + sum(cell.state == "measured" for cell in row.cells)
            keys[row.label] = row.key
    found = []
    for label, at in counts.items():
        address = max(at, key=lambda one: at[one])
        words = f"{keys[label]} {label}"
        found.append(Target("method", label, f"most numbers in {names[address]}", words, address))
    return found
