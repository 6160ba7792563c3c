"""The page of the data: what was there, what was not and why, sources and licences."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pandas as pd

from toplabel.reproduction.report import numbers
from toplabel.reproduction.report.inputs import Inputs
from toplabel.reproduction.report.labels import paper_label
from toplabel.reproduction.report.numbers import count
from toplabel.reproduction.report.run_page import web_address
from toplabel.reproduction.report.tables import table_of
from toplabel.reproduction.report.tree import Cell, Fold, Part, Section, Table, Text

NAME = "data"
#: Headings of the statistics: the measured column, and that of what the paper prints.
_STATISTICS = {
    "Classes": ("n_classes", "paper_n_classes"),
    "Train": ("n_train", "paper_n_train"),
    "Val": ("n_val", ""),
    "Test": ("n_test", ""),
    "Features": ("n_features", "paper_n_features"),
    "Cardinality": ("label_cardinality", "paper_label_cardinality"),
}
_AGREEMENT = {"True": "agrees", "False": "differs"}
_ODDITIES = {
    "zero_rows": "rows of zeros",
    "empty_label_sets": "empty label sets",
    "full_label_sets": "full label sets",
    "classes_without_example": "classes without an example",
}


def data_sections(inputs: Inputs) -> list[Section]:
    """Return the sections of the page."""
    sections = [
        Section("missing", "What is missing, and why", _missing(inputs)),
        Section("datasets", "Data sets", [*_data_sets(inputs.datasets), *_origins(inputs)]),
    ]
    if inputs.missing:
        rows = [[file, Cell(log, href=inputs.link(log))] for file, log in inputs.logs.items()]
        about = "The run asked for these results and did not get them. The same command goes on."
        table = table_of("Not finished", ["Result", "Last log"], rows)
        parts: list[Part] = [Text(about), table]
        sections.insert(0, Section("unfinished", "Not finished", parts))
    return sections


def _missing(inputs: Inputs) -> list[Part]:
    """Return why printed numbers have no measured one, the commonest reason first."""
    cells = inputs.cells[inputs.cells["state"] == "published"]
    if cells.empty:
        return [Text("Nothing: every printed number has a measured one.")]
    rows = []
    for why, number in cells["why"].value_counts().items():
        titles = cells.loc[cells["why"] == why, "dataset"].map(inputs.title)
        sets = titles.value_counts(sort=False).items()
        rows.append([why, count(number), ", ".join(f"{title} {count(n)}" for title, n in sets)])
    caption = "Printed numbers without a measured one"
    return [table_of(caption, ["Why", "Numbers", "Where"], rows)]


def _data_sets(datasets: pd.DataFrame) -> list[Part]:
    """Return the statistics of the data sets; those that are not available are folded."""
    how = (
        "Measured on the files, below it what the paper prints. Sets that are not available show the"
        " paper’s numbers alone."
    )
    ready = datasets["status"] == "ready"
    parts: list[Part] = [Text(how, style="note"), _statistics_table("Data sets", datasets[ready])]
    if not ready.all():
        title = "Statistics of data sets that are not available"
        parts.append(Fold(title, [_statistics_table(title, datasets[~ready])]))
    return parts


def _statistics_table(caption: str, datasets: pd.DataFrame) -> Table:
    rows = []
    for row in datasets.to_dict("records"):
        cells = [Cell(row["title"] or row["dataset"]), Cell(row["task"])]
        for ours, paper in _STATISTICS.values():
            printed = numbers.shown(row[paper]) if paper else ""
            dash = "–" if printed else ""
            cells.append(Cell(_statistic(row[ours]) or dash, small=printed))
        agreement = _AGREEMENT.get(row["agrees"], "")
        cells += [Cell(agreement, small=paper_of(row["paper_source"])), Cell(_oddities(row))]
        rows.append(cells)
    head = ["Data set", "Task", *_STATISTICS, "Paper", "Remarks"]
    return table_of(caption, head, rows)


def _oddities(row: Mapping[str, str]) -> str:
    """Return what is unusual about a data set, in words."""
    found = [
        f"{number} {words}"
        for name, words in _ODDITIES.items()
        if (number := _statistic(row[name])) not in ("", "0")
    ]
    if row["reason"]:
        found.append(row["reason"])
    return ", ".join(found)


def _statistic(text: str) -> str:
    """Return a statistic as it is to be read: counts whole, other numbers with two decimals."""
    try:
        value = float(text)
    except ValueError:
        return text
    return count(int(value)) if value == int(value) else numbers.fixed(value, 2)


def paper_of(sources: str) -> str:
    """Return the papers and places of a `paper_source` like tpami2017_table04;nips2015_sec5.1."""
    found = []
    for source in filter(None, sources.split(";")):
        paper, _, place = source.strip().partition("_")
        place = re.sub(r"^sec", "section ", re.sub(r"^table0*", "Table ", place))
        found.append(", ".join(filter(None, (paper_label(paper), place))))
    return "; ".join(found)


def _origins(inputs: Inputs) -> list[Part]:
    rows = []
    for row in inputs.datasets.to_dict("records"):
        url = web_address(row["url"])
        name = Cell(row["title"] or row["dataset"])
        rows.append([name, Cell(row["citation"] or url, href=url), Cell(row["licence"])])
    table = table_of("Origin and licence", ["Data set", "Source", "Licence"], rows)
    parts: list[Part] = [Fold("Origin and licence of each data set", [table])]
    raw = []
    for dataset, files in inputs.raw.items():
        for one in files:
            name = Cell(one["name"], href=web_address(str(one.get("url") or "")))
            sums = [str(one.get(key) or "") for key in ("size", "sha256")]
            raw.append([inputs.title(dataset), name, *sums])
    if raw:
        head = ["Data set", "File", "Bytes", "SHA-256"]
        parts.append(Fold("Raw files and their sums", [table_of("Raw files", head, raw)]))
    return parts
