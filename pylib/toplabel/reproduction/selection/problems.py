"""Rows that a method is trained and measured on, of a split and of each of its folds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from toplabel.reproduction.config.protocols import Grid
from toplabel.reproduction.jobs import seed_of
from toplabel.reproduction.methods import Recipe
from toplabel.reproduction.methods.trained import Matrix
from toplabel.reproduction.selection import TuneTask

if TYPE_CHECKING:
    from toplabel.reproduction.config.entry import Split
    from toplabel.reproduction.data.parts import Part, PreparedSet


@dataclass(frozen=True)
class ValidationProblem:
    """Rows X to train on, with labels as the method takes them, and rows X_eval to measure on.

    `truth` is what predictions are measured against: label sets where the data have them, whatever
    the method was trained on (TPAMI section 6.3), else class indices. `groups` has the instance of
    each row to measure on. For leave-one-out validation these rows are those to train on.
    """

    X: Matrix
    labels: np.ndarray
    X_eval: Matrix
    truth: np.ndarray
    groups: np.ndarray | None
    n_classes: int


# ---- labels and parts ------------------------------------------------------------------------------


def training_labels(part: Part, recipe: Recipe) -> np.ndarray:
    """Return the label, or label set, of each row; a region has those of its image."""
    labels = part.Y if recipe.takes == "set" else part.y
    if labels is None:
        kind = "label sets" if recipe.takes == "set" else "single labels"
        raise ValueError(f"the method needs {kind}, which the data set does not have")
    return labels if part.groups is None else labels[part.groups]


def labelled(X: Matrix, labels: np.ndarray) -> tuple[Matrix, np.ndarray]:
    """Return the rows that have a label; the class index -1 is none."""
    if labels.ndim == 2 or (labels >= 0).all():
        return X, labels
    kept = np.flatnonzero(labels >= 0)
    return X[kept], labels[kept]


def truth_of(part: Part) -> np.ndarray:
    """Return the labels that predictions for a part are measured against."""
    return part.Y if part.Y is not None else part.y


def split_named(prepared: PreparedSet, name: str) -> Split:
    """Return the split of that name; a ValueError lists those that exist."""
    known = {split.name: split for split in prepared.splits}
    if name not in known:
        raise ValueError(
            f"data set '{prepared.name}': unknown split '{name}'; known: {', '.join(known)}"
        )
    return known[name]


def check_rows(part: Part, recipe: Recipe, dataset: str) -> None:
    """Refuse a part with rows that a method cannot train on.

    A kernel method, and leave-one-out validation, cannot leave out images without a label; for
    leave-one-out an image must not have several rows, of which the others would tell its label.
    """
    if not (recipe.tunes_width or recipe.leave_one_out):
        return
    if labelled(part.X, training_labels(part, recipe))[0].shape[0] != part.n_rows:
        raise ValueError(
            f"data set '{dataset}': images without a label, which a method with a kernel or "
            "leave-one-out validation, trained on one label per image, cannot leave out"
        )
    if recipe.leave_one_out and part.n_rows != part.n_instances:
        raise ValueError(
            f"data set '{dataset}': several rows per image, of which leave-one-out scores "
            "leave out one alone"
        )


# ---- validation ------------------------------------------------------------------------------------


def validation_problems(prepared: PreparedSet, task: TuneTask) -> Iterator[ValidationProblem]:
    """Yield the problems that validate the split of a task, one for each fold.

    There is one only where the split has a validation part, or the method leaves one out. A method
    with a kernel may have fewer rows to train on.
    """
    split, recipe, m = split_named(prepared, task.split), task.recipe, prepared.n_classes
    train = prepared.parts[split.train]
    check_rows(train, recipe, prepared.name)
    problems: Iterable[ValidationProblem]
    if recipe.leave_one_out:
        problems = [holdout_problem(train, train, recipe, m)]
    elif task.validation == "holdout" and split.val is not None:
        problems = [holdout_problem(train, prepared.parts[split.val], recipe, m)]
    else:
        folds = folds_of(prepared, split, task.validation, task.grid.folds, task.seed)
        folds = folds[: _fold_count(task.grid, train.n_instances)]
        problems = (fold_problem(train, fold, recipe, m) for fold in folds)
    most = task.grid.kernel_rows
    for fold, problem in enumerate(problems):
        names = (task.seed, task.dataset, task.split, fold)
        same = recipe.leave_one_out
        yield problem if most is None else fewer_rows(problem, most, names, same_rows=same)


def holdout_problem(
    train: Part, held_out: Part, recipe: Recipe, n_classes: int
) -> ValidationProblem:
    """Train on one part, measure on another."""
    X, labels = labelled(train.X, training_labels(train, recipe))
    truth = truth_of(held_out)
    return ValidationProblem(X, labels, held_out.X, truth, held_out.groups, n_classes)


def fold_problem(part: Part, fold: Fold, recipe: Recipe, n_classes: int) -> ValidationProblem:
    """Train on the training instances of a fold, measure on its validation instances."""
    train, val = _rows_of(fold.train, part.groups), _rows_of(fold.val, part.groups)
    groups = None if part.groups is None else np.searchsorted(fold.val, part.groups[val])
    X, labels = labelled(part.X[train], training_labels(part, recipe)[train])
    return ValidationProblem(X, labels, part.X[val], truth_of(part)[fold.val], groups, n_classes)


def _rows_of(instances: np.ndarray, groups: np.ndarray | None) -> np.ndarray:
    """Return the rows of instances; the regions of an image stay together."""
    return instances if groups is None else np.flatnonzero(np.isin(groups, instances))


def fewer_rows(
    problem: ValidationProblem, most: int, names: tuple[object, ...], *, same_rows: bool = False
) -> ValidationProblem:
    """Return the problem with at most so many training rows, drawn by a seed of `names`.

    With `same_rows` they are the rows to measure on, too.
    """
    n = problem.X.shape[0]
    if n <= most:
        return problem
    rng = np.random.default_rng(seed_of("screen", *names, most))
    kept = np.sort(rng.choice(n, most, replace=False))
    fewer = replace(problem, X=problem.X[kept], labels=problem.labels[kept])
    return replace(fewer, X_eval=fewer.X, truth=problem.truth[kept]) if same_rows else fewer


def _fold_count(grid: Grid, rows: int) -> int | None:
    """Return the number of folds that suffice to validate, of so many rows; None stands for all."""
    if grid.folds is None or grid.validation_rows is None:
        return grid.folds
    return -(-grid.validation_rows * grid.folds // rows)


@dataclass(frozen=True)
class Fold:
    """The instances of a training part that train and those that validate, both ascending."""

    train: np.ndarray
    val: np.ndarray


def folds_of(
    prepared: PreparedSet, split: Split, validation: str, count: int | None, seed: int
) -> list[Fold]:
    """Return the folds of a split's training part.

    `validation` is that of the protocol, `count` the number of folds where it asks for folds. They
    are stratified by class where the set's own part would be taken, and random where an instance has
    several labels.
    """
    part = prepared.parts[split.train]
    names = (seed, prepared.name, split.name)
    if validation == "half":
        return [half_fold(part.n_instances, *names)]
    if validation == "fifth":
        return [stratified_folds(part.y, 5, *names)[0]]
    is_stratified = validation == "holdout" and prepared.task == "multiclass"
    return stratified_folds(part.y if is_stratified else np.zeros(part.n_instances), count, *names)


def stratified_folds(y: np.ndarray, count: int, *names: object) -> list[Fold]:
    """Return folds of nearly equal size over which each class of y (n,) is spread evenly; with one class
    they are random.

    The instances are shuffled by a seed of `names`, sorted by class and dealt out in turn.
    """
    n = len(y)
    if not 2 <= count <= n:
        raise ValueError(f"folds: {count} folds of {n} instances; there must be 2 to n of them")
    shuffled = np.random.default_rng(seed_of("folds", *names, count)).permutation(n)
    of_instance = np.empty(n, dtype=np.int64)
    of_instance[shuffled[np.argsort(y[shuffled], kind="stable")]] = np.arange(n) % count
    return [
        Fold(train=np.flatnonzero(of_instance != i), val=np.flatnonzero(of_instance == i))
        for i in range(count)
    ]


def half_fold(n: int, *names: object) -> Fold:
    """Return one half to train (the larger, if n is odd) and the other (TPAMI section 6.3)."""
    if n < 2:
        raise ValueError(f"folds: {n} instance cannot be split in half")
    order = np.random.default_rng(seed_of("half", *names)).permutation(n)
    cut = (n + 1) // 2
    return Fold(train=np.sort(order[:cut]), val=np.sort(order[cut:]))
