"""Names, numbers and words as the report prints them.

Method labels use a small markup, ``^{..}`` for superscripts and ``_{..}`` for subscripts, so that
the HTML page, the PDF and plain text can each show them in their own way (`SEGMENT`, `plain`).
Numbers have the papers' decimals, real minus signs, thin spaces between thousands, and are empty
where they are missing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from importlib import resources
from typing import Any

import yaml


def read_template(name: str) -> str:
    """Return the text of a file of the folder ``templates``."""
    folder = resources.files("toplabel.reproduction.report").joinpath("templates")
    return folder.joinpath(name).read_text("utf-8")


WORDS: dict[str, Any] = yaml.safe_load(read_template("words.yml"))
"""The sentences of the report that no number changes (templates/words.yml)."""


PAPERS = {
    "tpami2017": "TPAMI 2017",
    "nips2015": "NIPS 2015",
    "cvpr2016": "CVPR 2016 suppl.",
    "nips2012": "NIPS 2012",
}
"""The short names of the papers whose numbers are compared; templates/references.yml has the rest."""
_METRICS = {
    "rank_loss": "Rank loss",
    "hamming_loss": "Hamming loss",
    "log_loss": "Log loss",
    "accuracy": "Accuracy",
    "balanced_accuracy": "Balanced acc.",
    "subset_accuracy": "Subset acc.",
    "f1_micro": "F1 micro",
    "macro_f1": "F1 macro",
    "f1_macro": "F1 macro",
    "f1_instance": "F1 instance",
    "map": "mAP",
    "label_ap": "Label AP",
    "coverage_loss": "Coverage",
    "one_error_loss": "One-error",
}
_BEFORE_K = {"top": "Top-", "ndcg_at_": "nDCG@", "p_at_": "P@", "r_at_": "R@", "ap_": ""}
"""The text before the k of a metric, and before the label of an average precision."""
THIN_SPACE = "\u202f"  # narrow, and no line breaks at it
_GROUPING = re.compile("[\u2009\u202f]")
# Sign, whole digits (perhaps grouped already), the rest of a number; then a deviation or a unit.
_NUMBER = re.compile(
    r"([-+−]?)(\d[\d\u2009\u202f]*)((?:\.\d+)?(?:e[-+−]?\d+)?)((?: ± [\d.]+)?(?: %)?)"
)
SEGMENT = re.compile(r"([\^_])\{([^{}]*)\}")
SCRIPTS = {"^": "sup", "_": "sub"}


def plain(label: str) -> str:
    """Return a label without its markup, as ``SVM Multi 1``, for alternative texts."""
    return SEGMENT.sub(r" \2", label)


def metric_label(metric: str) -> str:
    """Return the papers' name of a metric; an unknown one is shown by its key."""
    if metric in _METRICS:
        return _METRICS[metric]
    known = next((start for start in _BEFORE_K if metric.startswith(start)), "")
    return _BEFORE_K.get(known, "") + metric.removeprefix(known)


def table_order(source: str, table: str) -> tuple:
    """Return the sort key of published tables: papers in the order of `PAPERS`, tables by number."""
    return ([*PAPERS, source].index(source), source, int(table))


def table_label(source: str, table: str) -> str:
    """Return the name of a published table, as "TPAMI 2017, Table 5"."""
    return f"{PAPERS.get(source, source)}, Table {table}"


def slug(text: str) -> str:
    """Return `text` as the name of an anchor."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


# Numbers ------------------------------------------------------------------------------------------


def fixed(value: float, decimals: int) -> str:
    """Return a number with a fixed number of decimals; empty for NaN."""
    if math.isnan(value):
        return ""
    return f"{value:z.{decimals}f}".replace("-", "−")


def signed(value: float, decimals: int) -> str:
    """Return a number with its sign and a fixed number of decimals; empty for NaN."""
    text = fixed(value, decimals)
    if not text or text.startswith("−") or float(text) == 0:
        return text
    return f"+{text}"


def compact(value: float, digits: int = 4) -> str:
    """Return a number with at most `digits` significant digits; empty for NaN.

    Large numbers are written out; those below 1e-4 are written as 3.1e−05.
    """
    if math.isnan(value):
        return ""
    text = f"{value:.{digits}g}"
    return shown(f"{float(text):.0f}" if "e+" in text else text)


def small(value: float) -> str:
    """Return a duality gap as 3.1e−04; empty for NaN.

    Rounding can make a gap of 0 negative; that is 0 too.
    """
    if math.isnan(value):
        return ""
    return "0" if value <= 0 else f"{value:.1e}".replace("-", "−")


def p_value(p: float) -> str:
    """Return a p-value with three decimals, or that it is below .001; empty for NaN."""
    if math.isnan(p):
        return ""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def shown(text: str) -> str:
    """Return a number from a CSV file as it is to be read; any other text as it is."""
    match = _NUMBER.fullmatch(text)
    if not match:
        return text
    sign, whole, rest, more = match.groups()
    whole = f"{int(_GROUPING.sub('', whole)):,}".replace(",", THIN_SPACE)
    return f"{sign}{whole}{rest}".replace("-", "−") + more


def count(value: int) -> str:
    """Return a count with thin spaces between the thousands."""
    return shown(str(int(value)))


def are_numbers(column: Sequence[str]) -> bool:
    """Return whether the texts of a column are numbers, empty or dashes, and not all empty."""
    texts = [text for text in column if text not in ("", "–", "—")]
    return bool(texts) and all(_NUMBER.fullmatch(text) for text in texts)
