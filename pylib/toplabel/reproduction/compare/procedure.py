"""The procedure of a study on own data in words, as a paragraph for the method section of a paper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toplabel.reproduction.config.catalogue import Catalogue, Study
from toplabel.reproduction.config.entry import Entry
from toplabel.reproduction.config.methods import Method
from toplabel.reproduction.config.protocols import Axis, Budget, BudgetName

_TRANSFORMS = {
    "standardise": "Features are standardised by the training rows",
    "normalise": "Rows are scaled to norm 1",
    None: "Features are not transformed",
}


def procedure_of(study: Study, catalogue: Catalogue, budget_name: BudgetName) -> str:
    """Return how the data sets of a study were cut and its methods selected, in sentences.

    Data sets with the same procedure share their sentences.
    """
    alike: dict[tuple[str, str, str], list[str]] = {}
    methods = [catalogue.methods[name] for name in dict.fromkeys([*study.methods, *study.only])]
    for name in study.datasets:
        entry = catalogue.registry[name]
        budget = catalogue.protocols[entry.protocol].budgets[budget_name]
        sentences = _cut(entry), _features(entry), _selection(entry, budget, methods, budget_name)
        alike.setdefault(sentences, []).append(entry.title)
    texts = []
    for sentences, titles in alike.items():
        texts.append(f"{_listed(titles)}: {' '.join(sentences)}")
    return " ".join(texts)


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
    return f"{_TRANSFORMS[entry.transform]}{ones}."


def _selection(
    entry: Entry, budget: Budget, methods: Sequence[Method], budget_name: BudgetName
) -> str:
    """Return what is selected within each training part, by what."""
    has_val = any(split.val for split in entry.splits)
    by = "on the validation part" if has_val else f"by {budget.folds}-fold cross-validation"
    scaled = ", relative to the mean squared norm of the rows" if entry.C_scale else ""
    grids: dict[str, list[str]] = {}
    for method in methods:
        if method.estimator and method.grid:
            parts = [f"{name} in {_values(values)}" for name, values in method.grid.items()]
            grids.setdefault(" and ".join(parts), []).append(method.label)
        elif method.selects_C:
            grid = method.grid_of(budget, budget_name)
            axis = f"C in {_axis(grid.C)}{scaled}{_extended(grid.extend)}"
            grids.setdefault(axis, []).append(method.label)
    if not grids:
        return "Nothing is selected."
    words = "; ".join(f"{_listed(labels)} {grid}" for grid, labels in grids.items())
    return (
        f"Within each training part the parameters are selected {by}, for each metric by itself: {words}."
        " The model is then trained on the whole training part."
    )


def _extended(steps: int) -> str:
    if not steps:
        return ""
    return f", extended by up to {steps} {'step' if steps == 1 else 'steps'} beyond its edge"


def _axis(axis: Axis) -> str:
    exponents = axis.exponents()
    step = f" in steps of {axis.step:g}" if axis.step != 1 else ""
    return (
        f"{axis.base:g}^{{{exponents[0]:g}}}, ..., {axis.base:g}^{{{exponents[-1]:g}}}"
        f"{step and f' (exponents{step})'}"
    )


def _values(values: Any) -> str:
    return "{" + ", ".join(str(value) for value in values) + "}"


def _listed(names: Sequence[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
