"""Where things stand in the report: every table and figure of the papers, and what the search
field of the front page finds.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import pandas as pd

from toplabel.reproduction.report import labels, pages
from toplabel.reproduction.report.figures.registry import FIGURES
from toplabel.reproduction.report.labels import paper_label, slug
from toplabel.reproduction.report.pages import Page
from toplabel.reproduction.report.sections import Section
from toplabel.reproduction.report.trace import NOT_RUN, OF_OTHERS
from toplabel.reproduction.report.words import say

# What is no table of results: its title, the page or the file in results/ that shows it, or why it
# is not shown.
_OTHERS = {
    "TPAMI 2017, Table 1": {"title": "The losses", "why": "an overview, without numbers"},
    "TPAMI 2017, Table 2": {"title": "Time of the projections", "file": "table02"},
    "TPAMI 2017, Table 4": {"title": "Statistics of the multiclass sets", "page": pages.DATA},
    "TPAMI 2017, Table 8": {"title": "Statistics of the multilabel sets", "page": pages.DATA},
    **{one.source: {"title": one.title, "file": one.name} for one in FIGURES if one.source},
}


def build_coverage(
    cells: pd.DataFrame, found: list[Page], sections: list[Section]
) -> list[dict[str, Any]]:
    """Return all tables and figures of the papers in their order, with what became of them.

    Parameters
    ----------
    cells : DataFrame
        The comparison, with the columns of `Trace.with_causes`.
    found : list of dict
        The pages.
    sections : list of dict
        All published tables.

    Returns
    -------
    list of dict
        ``paper``, ``name``, ``title``, ``address`` (empty where it is not shown), ``shown``, and a
        ``remark``: how much of it is there, or why it is not.
    """
    rows = [_table(one, cells) for one in sections if one["source"]]
    places = {
        one["name"]: f"{page['file']}#{prefix}{one.get('anchor', one['name'])}"
        for page in found
        for prefix, part in (("figure-", _figures(page)), ("", page["plain"]))
        for one in part
    }
    for source, other in _OTHERS.items():
        paper, name = source.split(", ")
        page = other.get("page", "")
        address = f"{page}.html" if page else places.get(other.get("file", ""), "")
        remark = "" if address else other.get("why", NOT_RUN)
        words = {"paper": paper, "name": name, "title": other["title"]}
        rows.append(words | {"address": address, "shown": bool(address), "remark": remark})
    papers = [paper_label(one["source"]) for one in sections if one["source"]]

    def place(one: dict[str, Any]) -> tuple:
        kind = ("Table", "Fig.", "section").index(one["name"].split()[0])
        number = int(re.search(r"\d+", one["name"])[0])
        return [*papers, one["paper"]].index(one["paper"]), kind, number, one["name"]

    return sorted(rows, key=place)


def _figures(page: Page) -> list[dict[str, Any]]:
    return page["figures"] + [one for section in page["sections"] for one in section["figures"]]


def _table(section: Section, cells: pd.DataFrame) -> dict[str, Any]:
    shown = bool(section["blocks"])
    home = f"{section['page']}.html#{section['anchor']}" if shown else f"{pages.PUBLISHED}.html"
    return {
        "paper": paper_label(section["source"]),
        "name": f"Table {section['table']}",
        "title": section["title"],
        "address": home,
        "shown": shown,
        "remark": say("covered", section["score"]) if shown else _why(section, cells),
    }


def _why(section: Section, cells: pd.DataFrame) -> str:
    """Return why nothing of a table was measured: the commonest reason of our own methods."""
    cells = cells[(cells["source"] == section["source"]) & (cells["table"] == section["table"])]
    cells = cells.drop_duplicates(["dataset", "method", "k", "gamma", "kernel"])
    ours = cells[cells["why"] != OF_OTHERS]
    if ours.empty:
        return OF_OTHERS
    waiting = set(ours["waits_for"])
    if len(waiting) > 1 and "" not in waiting:
        return say("no_set", len(waiting))
    return str(ours["why"].mode()[0])


def _target(kind: str, name: str, note: str, words: str, address: str) -> dict[str, str]:
    return {"kind": kind, "name": name, "note": note, "words": words, "address": address}


# What readers call things that have another name here.
_SYNONYMS = {
    "_ent_tr": "truncated nonconvex",
    "_ent": "entropy",
    "lr_": "entropy logistic",
    "lr_m": "softmax",  # of one label or of a set
    "svm": "hinge",
    "f1_": "F1",
    "rank_loss": "rank loss ranking",
    "hamming_loss": "hamming",
}
# The parts of pages that hold no tables: anchor, name, other words for it, and what of the tree
# must be there.
_PARTS = {
    pages.FRONT: (
        ("trust", "Can I trust it?", "verify sums checksum LIBLINEAR commit", "trust"),
        ("differences", "Why numbers differ", "reason off evidence", "differences"),
        ("readings", "Other readings", "protocol found stated choice", "readings choices"),
        ("findings", "Findings", "what the papers say claim confirmed hypothesis", "findings"),
        ("winners", "Who wins where", "best winner rank", "winners"),
        ("by-table", "Score by table", "verdict count", "touched"),
        ("pages", "All pages", "contents download", "pages"),
    ),
    pages.DATA: (
        ("failures", "What failed", "error log unfinished", "failures"),
        ("coverage", "Tables and figures", "coverage papers shown", "pages"),
        ("missing", "What is missing", "why reason not available", "pages"),
        ("datasets", "Data sets", "licence source citation statistics", "pages"),
    ),
    pages.RUN: (
        ("protocol", "Protocol", "selection budget threshold tolerance epsilon", "pages"),
        ("certificates", "Certificates", "certificate duality gap converged proof", "pages"),
        ("run", "Machine and config", "version command time seconds cores", "pages"),
    ),
}


def build_parts(tree: Mapping[str, Any]) -> dict[str, list[dict[str, str]]]:
    """Return the parts of each page that holds no tables (``anchor``, ``name``, ``words``)."""
    of_kept = bool(tree["kept"] and tree["kept"]["differences"])
    return {
        page: [
            {"anchor": anchor, "name": name, "words": words}
            for anchor, name, words, needs in parts
            if any(tree[one] for one in needs.split()) or (anchor == "differences" and of_kept)
        ]
        for page, parts in _PARTS.items()
    }


def search_targets(tree: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return what there is to find: data sets and methods first, then tables and figures in the
    order of the pages, then parts of pages.

    Returns
    -------
    list of dict
        ``kind``, ``name``, ``note``, ``words`` that it is found by besides, and ``address``; with
        `?find=` in it the filter of the page is filled.
    """
    found = tree["pages"]
    blocks = [
        (page, block)
        for page in found
        for section in page["sections"]
        for block in section["blocks"]
    ]
    methods: dict[str, Counter[str]] = {}
    keys: dict[str, str] = {}
    sets: dict[str, Counter[str]] = {}
    for page, block in blocks:
        for row in block["rows"]:
            shown = sum(cell["state"] in ("measured", "kept") for cell in row["cells"])
            if shown:
                sets.setdefault(block["title"], Counter())[page["name"]] += shown
                methods.setdefault(row["label"], Counter())[page["name"]] += shown
                keys[row["label"]] = row["key"]
    named = {page["name"]: page for page in found}
    targets = []
    for row in tree["datasets"]:
        title = row["title"]
        page = named[sets[title].most_common(1)[0][0]] if title in sets else None
        note = f"{row['task']}, on {page['title']}" if page else row["task"]
        address = _filtered(page, title) if page else f"{pages.DATA}.html#set-{slug(title)}"
        targets.append(_target("data set", title, note, "", address))
    for label, counts in methods.items():
        page = named[counts.most_common(1)[0][0]]
        joined = "".join(text for _, text in labels.segments(label))
        words = f"{keys[label]} {label} {_synonyms(keys[label])}"
        targets.append(_target("method", label, page["title"], words, _filtered(page, joined)))
    placed = [
        (one, f"{page['file']}#{one['anchor']}") for page in found for one in page["sections"]
    ]
    placed += [(one, f"{pages.PUBLISHED}.html#{one['anchor']}") for one in tree["untouched"]]
    targets += [_of_table(one, address) for one, address in placed]
    for page in found:
        for one in page["plain"]:
            address = f"{page['file']}#{one['anchor']}"
            words = " ".join([one["name"], *one["datasets"]])
            targets.append(_target("table", one["title"], page["title"], words, address))
        for one in _figures(page):
            address = f"{page['file']}#figure-{one['name']}"
            targets.append(_target("figure", one["title"], one["source"], one["name"], address))
    for page, parts in tree["parts"].items():
        for one in parts:
            address = f"{page}.html#{one['anchor']}"
            targets.append(_target("part", one["name"], "", one["words"], address))
    return targets


def _of_table(section: Section, address: str) -> dict[str, str]:
    blocks = [*section["blocks"], *section["unmeasured"]]
    rows = [row for block in blocks for row in block["rows"]]
    number = section["table"].zfill(2)
    words = dict.fromkeys([f"table{number}", f"{section['source']}_table{number}"])
    words |= dict.fromkeys(word for block in blocks for word in (block["title"], block["key"]))
    words |= dict.fromkeys(row["key"] for row in rows)
    words |= dict.fromkeys(labels.plain(row["label"]) for row in rows)
    words |= dict.fromkeys(column["key"] for block in blocks for column in block["columns"])
    words |= dict.fromkeys(column["label"] for block in blocks for column in block["columns"])
    text = " ".join(words)
    title = section["title"] if section["origin"] else ""
    name = section["origin"] or section["title"]
    return _target("table", name, title, f"{text} {_synonyms(text)}", address)


def _synonyms(text: str) -> str:
    return " ".join(words for part, words in _SYNONYMS.items() if part in text)


def _filtered(page: Page, words: str) -> str:
    """Return the address of the tables of a page with these words in its filter."""
    return f"{page['file']}?find={quote(words)}#tables"
