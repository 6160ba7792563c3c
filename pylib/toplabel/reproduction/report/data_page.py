"""The page of the data: what was there, what was not and why, sources and licences."""

from __future__ import annotations

from collections.abc import Mapping

from toplabel.reproduction.report import numbers
from toplabel.reproduction.report.inputs import Inputs, web_address
from toplabel.reproduction.report.numbers import count
from toplabel.reproduction.report.tree import Entry, Fold, Part, Section, Text, table_of

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
    sections = [Section("datasets", "Data sets", _data_sets(inputs))]
    if inputs.of_papers:
        sections.insert(0, Section("missing", "What is missing, and why", _missing(inputs)))
    if inputs.missing:
        about = "The run asked for these results and did not get them; results/logs says why."
        about += " The same command goes on."
        table = table_of("Cells without results", ["Cell"], [[cell] for cell in inputs.missing])
        parts: list[Part] = [Text(about), table]
        sections.insert(0, Section("unfinished", "Not finished", parts))
    return sections


def _missing(inputs: Inputs) -> list[Part]:
    """Return the reasons why printed numbers have no measured one, the commonest first."""
    cells = inputs.cells_in("published")
    if cells.empty:
        return [Text("Nothing: every printed number has a measured one.")]
    rows = []
    for why, number in cells["why"].value_counts().items():
        titles = cells.loc[cells["why"] == why, "dataset"].map(inputs.title)
        sets = titles.value_counts(sort=False).items()
        rows.append([why, count(number), ", ".join(f"{title} {count(n)}" for title, n in sets)])
    caption = "Printed numbers without a measured one"
    return [table_of(caption, ["Why", "Numbers", "Where"], rows)]


def _data_sets(inputs: Inputs) -> list[Part]:
    """Return the statistics of the prepared data sets, where they are from, and why others are not
    there.
    """
    ready = inputs.datasets["status"] == "ready"
    statistics, origins = [], []
    for row in inputs.datasets[ready].to_dict("records"):
        name, url = row["title"] or row["dataset"], web_address(row["url"])
        entries = [Entry(name), Entry(row["task"])]
        for ours, printed in _STATISTICS.values():
            text = numbers.shown(row[printed]) if printed else ""
            entries.append(Entry(_statistic(row[ours]), small=text))
        if inputs.of_papers:
            entries.append(Entry(_AGREEMENT.get(row["agrees"], "")))
        statistics.append([*entries, Entry(_oddities(row))])
        raw = ", ".join(file["name"] for file in inputs.raw.get(row["dataset"], ()))
        origins.append([name, Entry(row["citation"] or url, href=url), row["licence"], raw])
    head = ["Data set", "Task", *_STATISTICS, *(["Paper"] if inputs.of_papers else []), "Remarks"]
    note = "Measured on the files"
    note += ", below it what the paper prints." if inputs.of_papers else ", of the first split."
    parts: list[Part] = [Text(note, style="note"), table_of("Data sets", head, statistics)]
    head = ["Data set", "Source", "Licence", "Raw files"]
    table = table_of("Origin and licence", head, origins)
    parts.append(Fold("Origin and licence of each data set", [table]))
    absent: list[Part] = []
    for why, rows in inputs.datasets[~ready].groupby("reason", sort=False):
        titles = ", ".join(rows["title"].where(rows["title"] != "", rows["dataset"]))
        absent.append(Text(f"{titles}.", lead=f"{str(why).capitalize()}:", style="item"))
    if absent:
        parts.append(
            Fold(f"Data sets that are not in this run ({len(inputs.datasets[~ready])})", absent)
        )
    return parts


def _oddities(row: Mapping[str, str]) -> str:
    """Return the oddities of a data set, in words."""
    counts = [(_statistic(row[name]), words) for name, words in _ODDITIES.items()]
    oddities = [f"{number} {words}" for number, words in counts if number not in ("", "0")]
    return ", ".join(filter(None, [*oddities, row["reason"]]))


def _statistic(text: str) -> str:
    """Return a statistic as it is to be read: counts whole, other numbers with two decimals."""
    try:
        value = float(text)
    except ValueError:
        return text
    return count(int(value)) if value == int(value) else numbers.fixed(value, 2)
