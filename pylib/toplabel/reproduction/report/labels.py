"""Names as the papers print them: methods, metrics, tables, verdicts.

Method labels use a small markup, ``^{..}`` for superscripts and ``_{..}`` for subscripts, so that
the HTML page, the PDF and plain text can each show them in their own way (`segments`, `plain`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import resources

import yaml

from toplabel._core.catalogue import LOSSES, parametrised


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
    "farther away, but within two standard deviations over our draws, where the paper prints one"
    " draw (two standard errors, where it prints a mean): no match"
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


@dataclass(frozen=True)
class Outcome:
    """What became of a claim."""

    mark: str
    word: str


OUTCOMES = {
    "holds": Outcome("✓", "confirmed"),
    "consistent": Outcome("✓", "consistent"),
    "smaller": Outcome("↘", "same direction, smaller"),
    "undecided": Outcome("○", "not decided by the test rows"),
    "mixed": Outcome("≈", "mixed"),
    "fails": Outcome("✗", "not confirmed"),
    "printed": Outcome("=", "not so, nor in the paper’s own numbers"),
    "few": Outcome("·", "too few comparisons"),
    "": Outcome("·", "not tested"),
}


@dataclass(frozen=True)
class Paper:
    """A paper whose numbers are compared."""

    short: str
    reference: str
    url: str


_SHORT = {
    "tpami2017": "TPAMI 2017",
    "nips2015": "NIPS 2015",
    "cvpr2016": "CVPR 2016 suppl.",
    "nips2012": "NIPS 2012",
}


def _papers() -> dict[str, Paper]:
    """Return the papers, described by what the documents cite."""
    file = resources.files("toplabel.reproduction.report").joinpath("templates/references.yml")
    entries = yaml.safe_load(file.read_text("utf-8"))
    found = {}
    for key, short in _SHORT.items():
        entry = entries[key]
        names = (author.split(", ") for author in entry["author"])
        authors = ", ".join(f"{first[0]}. {last}" for last, first in names)
        words = f"{authors}: {entry['title']}. {entry['parent']['title']}, {entry['date']}."
        doi = entry.get("serial-number", {}).get("doi")
        found[key] = Paper(short, words, entry.get("url") or f"https://doi.org/{doi}")
    return found


PAPERS = _papers()

_METHODS = {
    **{key: loss.label for key, loss in LOSSES.items()},
    "lr_multi_ft": "LR^{Multi} fine-tuned",
    "topk_svm_alpha_ft": "top-k SVM^{α} fine-tuned",
    "topk_ent_tr_ft": "top-k Ent_{tr} fine-tuned",
    "reference": "Another paper",
    "rf_pct": "RF-PCT",
    "homer": "HOMER",
    "br_svm": "BR",
    "toppush": "TopPush",
    "toppush_ova": "TopPush^{OVA}",
    "recall_at_k": "Recall@k",
    "recall_at_k_ova": "Recall@k^{OVA}",
    "wsabie_pp_0": "W_{++, 0/256}",
    "wsabie_pp_1": "W_{++, 1/256}",
    "wsabie_pp_2": "W_{++, 2/256}",
    "sc_svm_online": "SC-SVM online",
    "sh_svm_online": "SH-SVM online",
    "s_ls_online": "S-LS online",
    "s_ls_batch": "S-LS batch",
    "s_ls_rbf_batch": "S-LS batch",
    "svm_ova_batch": "SVM^{OVA} batch",
    "svm_rbf_ova_batch": "SVM^{OVA} batch",
    "simplex_boosting": "Simplex boosting",
}

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
_METRIC_PATTERNS = (
    (re.compile(r"top(\d+)"), "Top-{}"),
    (re.compile(r"ndcg_at_(\d+)"), "nDCG@{}"),
    (re.compile(r"p_at_(\d+)"), "P@{}"),
    (re.compile(r"r_at_(\d+)"), "R@{}"),
    (re.compile(r"ap_(\w+)"), "{}"),
)
_SEGMENT = re.compile(r"([\^_])\{([^{}]*)\}")
_STYLES = {"^": "sup", "_": "sub"}


def segments(label: str) -> list[tuple[str, str]]:
    """Cut a label in the small markup into (style, text) pairs; styles are "text", "sup", "sub".

    Anything that is not a complete ``^{..}`` or ``_{..}`` stays as it is.
    """
    pairs, position = [], 0
    for found in _SEGMENT.finditer(label):
        if found.start() > position:
            pairs.append(("text", label[position : found.start()]))
        pairs.append((_STYLES[found[1]], found[2]))
        position = found.end()
    if position < len(label):
        pairs.append(("text", label[position:]))
    return pairs


def plain(label: str) -> str:
    """Return a label without its markup, as ``SVM Multi 1``, for alternative texts."""
    return "".join(text if style == "text" else f" {text}" for style, text in segments(label))


def method_label(method: str, k: str = "", gamma: str = "", kernel: str = "") -> str:
    """Return the papers' name of a method, in the small markup.

    Parameters
    ----------
    method, k, gamma, kernel : str
        The keys as they stand in cells.csv; empty where they do not apply. An unknown method
        is shown by its key. A positive gamma is the subscript of the smoothed hinge (TPAMI Table
        3); a kernel is named when it is not the linear one of the papers' defaults.
    """
    if method == "reference":
        return f"Top-{k} of another paper" if k else "Another paper"
    label = parametrised(_METHODS.get(method, method), k, gamma)
    if kernel == "rbf":
        label += " (RBF)"
    elif kernel not in ("", "linear", "precomputed"):
        label += f" ({kernel})"
    return label


def metric_label(metric: str) -> str:
    """Return the papers' name of a metric; an unknown one is shown by its key."""
    for pattern, form in _METRIC_PATTERNS:
        if found := pattern.fullmatch(metric):
            return form.format(found[1])
    return _METRICS.get(metric, metric)


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
