"""Names as the papers print them, metrics, tables, papers, and the words of the report.

Method labels use a small markup, ``^{..}`` for superscripts and ``_{..}`` for subscripts, so that
the HTML page, the PDF and plain text can each show them in their own way (`segments`, `plain`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import resources
from typing import Any

import yaml

from toplabel.reproduction.compare.outcomes import FAILS, HOLDS, UNDECIDED


def read_template(name: str) -> str:
    """Return the text of a file of the folder ``templates``."""
    folder = resources.files("toplabel.reproduction.report").joinpath("templates")
    return folder.joinpath(name).read_text("utf-8")


WORDS: dict[str, Any] = yaml.safe_load(read_template("words.yml"))
"""The sentences of the report that no number changes (templates/words.yml)."""
OUTCOMES = {HOLDS: "✓ holds", FAILS: "✗ fails", UNDECIDED: "○ undecided"}
"""The words of the outcomes of claims."""


@dataclass(frozen=True)
class Paper:
    """A paper whose numbers are compared."""

    short: str
    url: str


_SHORT = {
    "tpami2017": "TPAMI 2017",
    "nips2015": "NIPS 2015",
    "cvpr2016": "CVPR 2016 suppl.",
    "nips2012": "NIPS 2012",
}


def _papers() -> dict[str, Paper]:
    """Return the papers, described by what the documents cite."""
    entries = yaml.safe_load(read_template("references.yml"))
    return {key: Paper(short, entries[key]["url"]) for key, short in _SHORT.items()}


PAPERS = _papers()
_METRICS = {
    "rank_loss": "Rank loss",
    "hamming_loss": "Hamming loss",
    "accuracy": "Accuracy",
    "balanced_accuracy": "Balanced acc.",
    "subset_accuracy": "Subset acc.",
    "f1_micro": "F1 micro",
    "f1_macro": "F1 macro",
    "f1_instance": "F1 instance",
    "map": "mAP",
    "label_ap": "Label AP",
    "coverage_loss": "Coverage",
    "one_error_loss": "One-error",
}
_BEFORE_K = {"top": "Top-", "ndcg_at_": "nDCG@", "p_at_": "P@", "r_at_": "R@", "ap_": ""}
"""The text before the k of a metric, and before the label of an average precision."""
_SEGMENT = re.compile(r"([\^_])\{([^{}]*)\}")
_STYLES = {"^": "sup", "_": "sub"}


def segments(label: str) -> list[tuple[str, str]]:
    """Cut a label in the small markup into (style, text) pairs; styles are "text", "sup", "sub".

    Anything that is not a complete ``^{..}`` or ``_{..}`` stays as it is.
    """
    first, *rest = _SEGMENT.split(label)
    pairs = [("text", first)]
    for sign, inner, text in zip(rest[::3], rest[1::3], rest[2::3], strict=True):
        pairs += [(_STYLES[sign], inner), ("text", text)]
    return [pair for pair in pairs if pair != ("text", "")]


def plain(label: str) -> str:
    """Return a label without its markup, as ``SVM Multi 1``, for alternative texts."""
    return _SEGMENT.sub(r" \2", label)


def metric_label(metric: str) -> str:
    """Return the papers' name of a metric; an unknown one is shown by its key."""
    if metric in _METRICS:
        return _METRICS[metric]
    known = next((start for start in _BEFORE_K if metric.startswith(start)), "")
    return _BEFORE_K.get(known, "") + metric.removeprefix(known)


def paper_label(source: str) -> str:
    """Return the short name of a paper; an unknown key is shown as it is."""
    return PAPERS[source].short if source in PAPERS else source


def table_order(source: str, table: str) -> tuple:
    """Sort key of published tables: papers in the order of `PAPERS`, tables by number."""
    rank = [*PAPERS, source].index(source)
    number = int(table) if table.isdigit() else 10**6
    return (rank, source, number, table)


def table_label(source: str, table: str) -> str:
    """Return the name of a published table, as "TPAMI 2017, Table 5"."""
    return f"{paper_label(source)}, Table {table}"


def slug(text: str) -> str:
    """Return `text` as the name of an anchor."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
