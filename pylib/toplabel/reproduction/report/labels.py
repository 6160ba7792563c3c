"""Names as the papers print them: methods, metrics, tables, verdicts.

Method labels use a small markup, ``^{..}`` for superscripts and ``_{..}`` for subscripts, so that
the HTML page, the PDF and plain text can each show them in their own way (`segments`, `plain`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from toplabel._core.catalogue import LOSSES, parametrised
from toplabel.reproduction.compare.published import OTHERS
from toplabel.reproduction.config.keys import Key, key_of
from toplabel.reproduction.report.words import read_template


@dataclass(frozen=True)
class Verdict:
    """A measured cell compared with the published one (docs/protocols.md, "Verdicts").

    `key` stands in files and in cells, `word` where there is room.
    """

    key: str
    mark: str
    word: str
    meaning: str


# toplabel.reproduction.compare applies the tolerances; here they are only put into words.
TOLERANCE = "0.5 points, 0.005 for rank and Hamming loss"
DRAWS = (
    "farther away, but within two standard deviations of our draws, or two standard errors where the"
    " paper prints a mean; this does not count as a match"
)
HIGHER = "farther away: a difference, although to the good side"
VERDICTS = {
    verdict.key: verdict
    for verdict in (
        Verdict("match", "✓", "match", f"within {TOLERANCE}"),
        Verdict("close", "≈", "close", "within three times that"),
        Verdict("spread", "○", "within spread", DRAWS),
        Verdict("higher", "▲", "higher than printed", HIGHER),
        Verdict("lower", "▼", "lower than printed", "the same, of a loss"),
        Verdict("off", "✗", "off", "farther away, to the bad side"),
    )
}
OUTCOMES = {
    "holds": "✓ confirmed",
    "consistent": "✓ consistent",
    "smaller": "↘ same direction, smaller",
    "undecided": "○ not decided by the test rows",
    "mixed": "≈ mixed",
    "fails": "✗ not confirmed",
    "printed": "= not so, nor in the paper’s own numbers",
    "few": "· too few comparisons",
}
"""What became of a claim, by the outcome in claims.csv."""


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
_OTHERS = {OTHERS: "Another paper", "rf_pct": "RF-PCT", "homer": "HOMER", "br_svm": "BR"}
"""Methods that a paper quotes from others, and that this project has no code for."""
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
"""What stands before the k of a metric, and before the label of an average precision."""
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


def method_label(row: Mapping[str, Any], labels: Mapping[Key, str]) -> str:
    """Return the papers' name of the method of a printed number, in the small markup.

    Parameters
    ----------
    row : mapping
        `method`, `k`, `gamma` and `kernel`, as they stand in cells.csv; empty where they do not
        apply. A loss has the k and the gamma of the row, whatever other name it has; a kernel is
        named when it is not the linear one of the papers' defaults.
    labels : mapping
        The labels of methods.yaml by their keys, for methods that are no losses of the library. A
        method that is not there either is shown by its key.
    """
    method, kernel = row["method"], row["kernel"]
    if method not in LOSSES and (label := labels.get(key_of(row))):
        return label
    label = LOSSES[method].label if method in LOSSES else _OTHERS.get(method, method)
    label = parametrised(label, row["k"], row["gamma"])
    if kernel in ("", "linear", "precomputed"):
        return label
    return f"{label} ({'RBF' if kernel == 'rbf' else kernel})"


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
