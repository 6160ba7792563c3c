"""The files of a whole run."""

from __future__ import annotations

from toplabel.reproduction.tables.cells import BUDGET, DATASET, METHOD, METRIC, THETA, THRESHOLD, C
from toplabel.reproduction.tables.table import Column, Table

_DIGITS = 12

_SOURCE = Column("source", "text", "The paper: nips2012, nips2015, cvpr2016 or tpami2017.")
_TABLE = Column("table", "text", "The number of its table.")
_FEATURES = Column("features", "text", "The features of the data set; empty for its own vectors.")
_K = Column(
    "k", "text", "The k of the method as it is given, empty where it has none or selects it."
)
_GAMMA = Column(
    "gamma", "text", "The smoothing of a hinge loss, 0 for none; empty for other losses."
)
_KERNEL = Column(
    "kernel",
    "text",
    "linear, rbf or precomputed; so are linear methods on features that kernels gave.",
)
_MEASURED = Column("measured", "number", "The mean of the test values over the splits.")
_GAP = Column("relative_gap", "number", "The worst relative duality gap of the splits' models.")
_SECONDS = Column("seconds", "number", "The sum of tuning and training over the splits.")
_FILE = Column("file", "text", "Where the values are from, relative to the results folder.")
_SELECTED_K = Column(
    "selected_k", "number", "The k that was selected; empty where the method gives it."
)
_ROWS = (
    Column(
        "rows_low",
        "number",
        "The lower end of the 95 % interval over test rows (docs/metrics.md), of a top-k accuracy on one split.",
    ),
    Column("rows_high", "number", "Its upper end."),
)

EVALUATION = Table(
    "results/evaluation.csv",
    "Every measured number: one row per data set, method and metric, in the order of the studies. "
    "C, theta, threshold and selected_k of several splits are the lower median, a value that was used.",
    (
        Column(
            "study",
            "text",
            "All studies that the data set and the method belong to, joined by ';'.",
        ),
        *(DATASET, _FEATURES, METHOD),
        Column("label", "text", "The method's label."),
        Column("loss", "text", "The method's loss, or its baseline."),
        *(_K, _GAMMA, _KERNEL, METRIC, _MEASURED),
        Column(
            "std", "number", "The standard deviation over the splits (n - 1); empty for one split."
        ),
        Column("splits", "whole", "How many there are."),
        *(BUDGET, C, THETA, THRESHOLD, _GAP),
        Column(
            "epochs", "whole", "The sum over the splits of the training's passes over the data."
        ),
        Column(
            "status",
            "text",
            "converged when every split's model is, else what the others are, joined by ';'.",
        ),
        *(_SECONDS, _FILE),
        Column("gradient_norm", "number", "The worst gradient norm, of a loss that is not convex."),
        _SELECTED_K,
        *_ROWS,
        Column(
            "variant_of",
            "text",
            "The name of the method that it is a variant of; empty for others.",
        ),
    ),
    _DIGITS,
)
KEYS = ("dataset", "features", "method", "k", "gamma", "kernel", "metric")
"""What names a cell of a published table."""
PUBLISHED_KEYS = ("source", "table", *KEYS)
"""What names a published number."""
NOT_REPRODUCED = ("higher", "lower", "off")
"""The verdicts of a number that is farther from print than close, whatever the direction."""
FEWEST_DRAWS = 5
"""Draws of the folds from which on their spread is evidence: with fewer the interval of a further
draw is too wide to say anything."""
COMPARISON = Table(
    "results/comparison.csv",
    "Every published number beside the measured one: one row per published cell, keys as printed in data/published. "
    "Measured cells are found by the canonical key (top-k losses with k = 1 are their multiclass ones).",
    (
        *(_SOURCE, _TABLE),
        Column("dataset", "text", "The data set's name in the papers."),
        _FEATURES,
        Column("method", "text", "The method's key in the papers: its loss, or a baseline."),
        *(_K, _GAMMA, _KERNEL, METRIC),
        Column("published", "text", "The number as printed."),
        Column("std", "text", "Its standard deviation as printed."),
        Column(
            "measured",
            "number",
            f"{_MEASURED.about} Without a measurement this and what follows is empty.",
        ),
        Column("difference", "number", "Measured minus published, with all digits."),
        Column(
            "verdict", "text", "match, close, spread, higher, lower or off (docs/architecture.md)."
        ),
        *(BUDGET, C, THETA, THRESHOLD, _GAP, _SECONDS),
        Column("measured_std", "number", "The standard deviation over the splits (n - 1)."),
        _FILE,
        Column("reason", "text", "Why the cell has no measurement, where the comparison knows it."),
        _SELECTED_K,
        Column("splits", "number", "How many splits the measured number is the mean of."),
        *_ROWS,
        Column(
            "in_rows",
            "text",
            "true where the printed number, as rounded, lies in this interval, else false; empty without one.",
        ),
        Column(
            "seeds",
            "number",
            "How often the folds were drawn again (fold_seeds of config/datasets.yaml), each with its own selection.",
        ),
        Column("seeds_mean", "number", "The mean over these draws."),
        Column("seeds_std", "number", "Their standard deviation (n - 1)."),
        Column(
            "in_seeds",
            "text",
            "true where the printed number, as rounded, lies in the 95 % prediction interval of a draw, else false.",
        ),
    ),
    _DIGITS,
)
GRID = Table(
    "results/tables/<name>.csv",
    "A table to print as a grid, beside its <name>.json: the columns of results/comparison.csv, one row per cell. "
    "Tables with other columns are printed as they stand.",
    (
        *COMPARISON.columns,
        Column("label", "text", "The method's label; empty where the paper's is used."),
    ),
    _DIGITS,
)
DATASETS = Table(
    "results/datasets.csv",
    "The data sets: one row per registered set. Sizes are those of the first split; zero rows, empty or full label "
    "sets and classes without example are counted in its training part.",
    (
        DATASET,
        Column("title", "text", "Its title."),
        Column("task", "text", "multiclass or multilabel."),
        Column("status", "text", "ready or missing."),
        Column("reason", "text", "Why it is missing, or why its results are not compared."),
        Column("n_classes", "whole", "Classes."),
        Column("n_train", "whole", "Training instances."),
        Column("n_val", "whole", "Validation instances; empty without such a part."),
        Column("n_test", "whole", "Test instances."),
        Column("n_features", "whole", "Features."),
        Column(
            "label_cardinality",
            "number",
            "Labels per instance, training and test together as in TPAMI Table 8.",
        ),
        Column("zero_rows", "whole", "Feature vectors that are 0."),
        Column("row_norm", "number", "Median norm of the training part's feature vectors."),
        Column("empty_label_sets", "whole", "Instances without a label."),
        Column("full_label_sets", "whole", "Instances with every label."),
        Column("classes_without_example", "whole", "Classes that no instance has."),
        Column("paper_n_classes", "text", "Classes, as the first of the papers prints it."),
        Column("paper_n_train", "text", "Training instances, likewise."),
        Column("paper_n_features", "text", "Features, likewise."),
        Column("paper_label_cardinality", "text", "Labels per instance, likewise."),
        Column("paper_source", "text", "Where the papers print it."),
        Column("agrees", "text", "True where everything printed is what was measured, else False."),
        Column("licence", "text", "The licence of the data."),
        Column("citation", "text", "What to cite."),
        Column("url", "text", "The official address."),
        Column("published_key", "text", "The set's name in the papers."),
        _FEATURES,
        Column(
            "published_sources",
            "text",
            "The papers that use it as it is here, joined by ';'; empty for all.",
        ),
    ),
)


def _counted(prefix: str, where: str) -> tuple[Column, ...]:
    """Return what a claim's comparisons give on one side of the report."""
    return (
        Column(f"{prefix}_comparisons", "whole", f"Comparisons in {where}."),
        Column(f"{prefix}_first", "whole", "Those of them that the first side wins."),
        Column(f"{prefix}_second", "whole", "Those that the second side wins."),
        Column(f"{prefix}_within", "whole", "Those that differ by no more than the margin."),
        Column(f"{prefix}_low", "number", "The lower quartile of the differences in points."),
        Column(f"{prefix}_median", "number", "Their median."),
        Column(f"{prefix}_high", "number", "Their upper quartile."),
        Column(
            f"{prefix}_outcome",
            "text",
            "holds, smaller (holds, by less than half), undecided (by the test rows), mixed, fails, few (too few "
            "comparisons), or empty without one.",
        ),
    )


def _ours(prefix: str, where: str) -> tuple[Column, ...]:
    """Return the same of what was measured, with the interval over test rows."""
    about = "end of the 95 % interval of the median over test rows; empty where they are not known."
    return (
        *_counted(prefix, where),
        Column(
            f"{prefix}_median_low",
            "number",
            "The lower end of the exact 95 % interval of the median over comparisons; empty for few.",
        ),
        Column(f"{prefix}_median_high", "number", "Its upper end."),
        Column(
            f"{prefix}_p",
            "number",
            "The p-value of a sign test over comparisons; of two at the margin where the sides are similar.",
        ),
        Column(f"{prefix}_adjusted", "number", "The same, corrected by Holm for all claims."),
        Column(f"{prefix}_rows_low", "number", f"The lower {about}"),
        Column(f"{prefix}_rows_high", "number", f"The upper {about}"),
    )


FINDINGS = Table(
    "results/findings.csv",
    "The outcome of the papers' claims: one row per entry of config/findings.yaml (docs/results.md). A comparison is "
    "one data set, features and metric; differences are first minus second, positive when the first side is better.",
    (
        Column("claim", "text", "The name of the entry."),
        _SOURCE,
        Column("place", "text", "Where the paper says it."),
        Column("says", "text", "The claim as a sentence."),
        Column("expects", "text", "first, similar or neither."),
        Column("least", "number", "The share of comparisons that must speak for the claim."),
        Column(
            "margin",
            "number",
            "The points within which the sides are similar; empty for other claims.",
        ),
        Column("ties_win", "text", "true where ties count for the first side, else false."),
        Column("first", "text", "The label of the first side."),
        Column("second", "text", "The label of the second side."),
        *_counted("published", "the papers' tables"),
        *_ours("same", "what was measured on the data of these tables"),
        Column("same_datasets", "text", "The data sets of these comparisons, joined by ';'."),
        *_ours("other", "what was measured on other data"),
        Column("other_datasets", "text", "The data sets of these comparisons, joined by ';'."),
        Column("both", "whole", "Comparisons that are decided in the papers' tables and in ours."),
        Column("agree", "whole", "Those of them that go the same way."),
    ),
    _DIGITS,
)
WINNERS = Table(
    "results/winners.csv",
    "The best methods of each column of the published tables: one row per data set and metric of a table with two "
    "measured methods or more; only these count. Methods are method:k:gamma:kernel, ties joined by ';'.",
    (
        *(_SOURCE, _TABLE, COMPARISON.columns[2], _FEATURES, METRIC),
        Column("methods", "whole", "How many were measured."),
        Column("ours", "text", "The best of what was measured, at the printed digits."),
        Column("measured", "number", "Their value."),
        Column("margin", "number", "How far the next best is behind; empty where all are level."),
        Column("papers", "text", "The best of what is published."),
        Column("published", "number", "Their value."),
        Column("published_margin", "number", "How far the next best is behind, likewise."),
        Column("same", "text", "true where the two share a method, else false."),
    ),
    _DIGITS,
)
_PUBLISHED_CELL = (_SOURCE, _TABLE, *COMPARISON.columns[2:5], _K, _GAMMA, _KERNEL, METRIC)
DIFFERENCES = Table(
    "results/differences.csv",
    "The cells that differ from the printed ones, and why (config/differences.yaml): one row per cell that is off, "
    "higher or lower. Without a known reason the last five columns are empty.",
    (
        *_PUBLISHED_CELL,
        Column("verdict", "text", "off, higher or lower."),
        Column("reason", "text", "The name of the reason."),
        Column("title", "text", "It in a few words."),
        Column("why", "text", "It in one sentence."),
        Column("evidence", "text", "What it is known from."),
        Column(
            "experiment",
            "text",
            "What variants of the method, and draws of the folds, give on the cells of that evidence.",
        ),
    ),
    _DIGITS,
)
VARIANTS = Table(
    "results/variants.csv",
    "Variants of methods (`variant_of` in config/methods.yaml) beside the printed numbers of these methods: one row "
    "per published cell that was measured, and variant that was measured on the same data set.",
    (
        *_PUBLISHED_CELL,
        Column("published", "number", "The printed number."),
        Column("measured", "number", "That of the method itself."),
        Column("verdict", "text", "Of the method itself."),
        Column("variant", "text", "The name of the variant."),
        Column("label", "text", "Its label."),
        Column("variant_measured", "number", "Its number."),
        Column("variant_verdict", "text", "The verdict that this would have."),
    ),
    _DIGITS,
)
READINGS = Table(
    "results/readings.csv",
    "Cells under other readings of the protocols (config/readings.yaml): one row per published cell that was measured "
    "under the stated reading and under another one.",
    (
        *_PUBLISHED_CELL,
        Column("published", "number", "The printed number."),
        Column("measured", "number", "The number under the stated reading."),
        Column("verdict", "text", "The verdict under the stated reading."),
        Column("reading", "text", "The name of the other reading."),
        Column("found", "number", "The number under it."),
        Column("found_difference", "number", "That minus the published number, with all digits."),
        Column("found_verdict", "text", "The verdict under it."),
        Column("found_file", "text", "Where that is from, relative to the results folder."),
    ),
    _DIGITS,
)
HEADLINE = Table(
    "results/headline.csv",
    "What the score is worth: one row per metric, one named `all`, and one named `unflagged`, without the cells that "
    "depend on a choice of config/readings.yaml. A measurement that is printed in several places is counted once.",
    (
        Column("metric", "text", "The metric, or all, or unflagged."),
        Column("places", "whole", "Printed numbers that were measured."),
        Column("distinct", "whole", "Distinct measurements among them."),
        *(
            Column(name, "whole", f"Distinct measurements with the verdict {name}.")
            for name in ("match", "close", "spread", "higher", "lower", "off")
        ),
        Column("not_reproduced", "whole", "Those that are off, higher or lower."),
        Column(
            "chance",
            "number",
            "Percent that would match if methods were shuffled within data set and metric.",
        ),
        Column("digits", "whole", "Those that, rounded, have the printed digits."),
        Column(
            "convex",
            "whole",
            "Those of convex losses on one split, so on the rows of the papers: top-k accuracies.",
        ),
        Column("convex_median", "number", "Their median difference from print, in points."),
        Column("convex_mean", "number", "Their mean signed difference, in points."),
    ),
    _DIGITS,
)
FAILURES = Table(
    "results/partial/failures.csv",
    "The results that an unfinished run did not get: one row per data set and method, or a job that belongs to none.",
    (
        Column("dataset", "text", "The data set; empty for other jobs."),
        Column("method", "text", "The method; empty for other jobs."),
        Column("label", "text", "The method's label, or the name of the job."),
        Column("stage", "text", "The last stage that began."),
        Column("reason", "text", "Why it ended."),
        Column("log", "text", "The log of the job, relative to the results folder."),
    ),
    _DIGITS,
)
COLLECTED = {
    "comparison": COMPARISON,
    "evaluation": EVALUATION,
    "datasets": DATASETS,
    "findings": FINDINGS,
    "winners": WINNERS,
    "differences": DIFFERENCES,
    "variants": VARIANTS,
    "readings": READINGS,
    "headline": HEADLINE,
    "failures": FAILURES,
}
"""What a report is made from, by the names of the files."""
