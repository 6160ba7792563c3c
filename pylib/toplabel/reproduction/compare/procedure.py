"""The procedure of a study on own data in words, as a paragraph for the method section of a paper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toplabel.reproduction.config.catalogue import Catalogue, Study
from toplabel.reproduction.config.entry import Entry
from toplabel.reproduction.config.keys import COMPETITORS
from toplabel.reproduction.config.methods import Method
from toplabel.reproduction.config.protocols import Axis, BudgetName, Grid, Protocol, Threshold
from toplabel.reproduction.selection.measures import needs_threshold

_TRANSFORMS = {
    "standardise": (
        "Features are standardised by the training rows (divided only, where at most a fifth of all"
        " values is not 0)"
    ),
    "normalise": "Rows are scaled to norm 1",
    None: "Features are not transformed",
}
_MISSING = {
    "median": "Missing values are replaced by the median of the training rows. ",
    "mean": "Missing values are replaced by the mean of the training rows. ",
    "drop": "Rows with a missing value are left out. ",
}
_FEATURES = {
    "raw": "",
    "bias": " (with a constant column)",
    "standardise": " (on standardised features with a constant column)",
}
_LIMITS = {
    "extend": "extended beyond its edge up to {} times",
    "refine": "refined in steps of {:g} around each best value",
    "patience": "left after {} values without a better one",
    "screen_rows": "of which the coarse one is tried on at most {} rows",
    "kernel_rows": "on at most {} rows",
    "validation_rows": "on as many folds as have {} rows together",
}


def procedure_of(
    study: Study, catalogue: Catalogue, budget_name: BudgetName, threshold: Threshold = "tune"
) -> str:
    """Return how the data sets of a study were cut and its methods selected, in sentences.

    Data sets with the same procedure share their sentences.
    """
    alike: dict[tuple[str, ...], list[str]] = {}
    for name in study.datasets:
        entry = catalogue.registry[name]
        selection = _selection(entry, study, catalogue, budget_name, threshold)
        sentences = _cut(entry), _features(entry), *selection
        alike.setdefault(sentences, []).append(entry.title)
    return " ".join(
        f"{_listed(titles)}: {' '.join(sentences)}" for sentences, titles in alike.items()
    )


def _cut(entry: Entry) -> str:
    """Return how a data set is cut into training and test parts."""
    if entry.folds is None:
        splits = "one split" if len(entry.splits) < 2 else f"{len(entry.splits)} splits"
        return f"models are trained and tested on the parts of {splits}."
    stratified = ", stratified by the classes" if entry.task == "multiclass" else ""
    draws = f", drawn {entry.repeats} times" if entry.repeats > 1 else ""
    return (
        f"nested cross-validation with {entry.folds} folds{stratified}{draws}, each the test part of a"
        " model that is trained on the others."
    )


def _features(entry: Entry) -> str:
    ones = " and have a constant column as intercept" if entry.bias else ""
    return f"{_MISSING.get(entry.options.get('missing'), '')}{_TRANSFORMS[entry.transform]}{ones}."


def _selection(
    entry: Entry,
    study: Study,
    catalogue: Catalogue,
    budget_name: BudgetName,
    threshold: Threshold,
) -> list[str]:
    """Return a sentence for each way of validation, and how thresholds are set without it."""
    metrics = study.metrics or catalogue.protocols[entry.protocol].metrics
    rule = threshold if any(map(needs_threshold, metrics)) else None
    ways: dict[str, dict[str, list[str]]] = {}
    for name in [method for dataset, method in study.pairs if dataset == entry.name]:
        method = catalogue.methods[name]
        if method.variant_of:  # no table of the study has it
            continue
        protocol = catalogue.protocols[method.protocol or entry.protocol]
        grid = method.grid_of(protocol.budgets[budget_name], budget_name)
        words = " and ".join(_parameters(entry, method, grid, rule))
        if words:
            labels = ways.setdefault(_validation(entry, method, protocol, grid), {})
            labels.setdefault(words, []).append(f"{method.label}{_FEATURES[method.features]}")
    sentences = []
    for by, grids in ways.items():
        words = "; ".join(f"{_listed(labels)} {grid}" for grid, labels in grids.items())
        sentences.append(f"Parameters are selected {by}, for each metric by itself: {words}.")
    whole = "The model is then trained on the whole training part."
    sentences.append(whole if ways else "Nothing is selected.")
    if rule == "cardinality":
        sentences.append("Test rows get as many labels on average as training rows have.")
    elif rule not in ("tune", None):
        sentences.append(f"Labels with a score of {float(rule):g} or more are predicted.")
    return sentences


def _parameters(entry: Entry, method: Method, grid: Grid, threshold: Threshold | None) -> list[str]:
    """Return what a method selects, each with its values."""
    axes: dict[str, str] = {}
    if method.estimator:
        axes = {name: _values(values) for name, values in method.grid.items()}
    elif method.competitor and COMPETITORS[method.competitor].leave_one_out:
        axes["C"] = "values between those of the outermost eigenvalues of the kernel matrix"
    elif grid.C:
        name = COMPETITORS[method.competitor].parameter if method.competitor else "C"
        is_scaled = method.scales_C and entry.C_scale
        scaled = ", relative to the mean squared norm of the rows" if is_scaled else ""
        axes[name] = f"{_axis(grid.C)}{scaled}{_limits(grid)}"
    if method.ks:
        axes["k"] = _values(method.ks)
    if grid.theta:
        axes["θ"] = _axis(grid.theta)
    if threshold == "tune":
        cuts = grid.threshold_values()
        axes["the threshold"] = f"{len(cuts)} values from {cuts[0]:.3g} to {cuts[-1]:.3g}"
    return [f"{name} in {values}" for name, values in axes.items()]


def _validation(entry: Entry, method: Method, protocol: Protocol, grid: Grid) -> str:
    """Return the rows that a method is validated on."""
    has_val = any(split.val for split in entry.splits)
    if method.competitor and COMPETITORS[method.competitor].leave_one_out:
        by = "by leaving out each training row"
    elif protocol.validation == "holdout" and has_val:
        return "on the validation part"
    elif protocol.validation in ("half", "fifth"):
        by = f"on a {protocol.validation} of the training part"
    else:
        by = f"by {grid.folds}-fold cross-validation within the training part"
    return f"{by}, without the validation part" if has_val else by


def _limits(grid: Grid) -> str:
    """Return how a grid grows, and which rows and values it leaves out."""
    limits = {text: getattr(grid, name) for name, text in _LIMITS.items()}
    return "".join(f", {text.format(limit)}" for text, limit in limits.items() if limit)


def _axis(axis: Axis) -> str:
    exponents = axis.exponents()
    ends = dict.fromkeys((exponents[0], exponents[-1]))
    step = f" (exponents in steps of {axis.step:g})" if axis.step != 1 else ""
    return ", ..., ".join(f"{axis.base:g}^{{{end:g}}}" for end in ends) + step


def _values(values: Any) -> str:
    return "{" + ", ".join(str(value) for value in values) + "}"


def _listed(names: Sequence[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
