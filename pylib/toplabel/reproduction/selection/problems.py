"""Training rows with the rows to validate on: a problem for a split, or for each of its folds.

The folds are a function of (seed, data set, split, number of folds) and not of the method: all
methods of a set are compared on equal folds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from toplabel.reproduction.config.methods import Method
from toplabel.reproduction.config.protocols import Budget, Protocol
from toplabel.reproduction.seeds import seed_of
from toplabel.reproduction.selection.task import Task

if TYPE_CHECKING:  # for annotations only
    from toplabel.reproduction.config.splits import Split
    from toplabel.reproduction.data.parts import Part, Prepared

Matrix = np.ndarray | sparse.csr_matrix


@dataclass(frozen=True)
class ValidationProblem:
    """Rows X to train on, and rows X_eval to measure on.

    `labels` are as the method's loss takes them. `truth` is what predictions are measured against:
    the label sets where there are some, whatever the method was trained on (TPAMI section 6.3),
    else the class indices. `groups` has the instance of each row to measure on. With
    `leave_one_out` these are the rows to train on, each by the model of all others.
    """

    X: Matrix
    labels: np.ndarray
    X_eval: Matrix
    truth: np.ndarray
    groups: np.ndarray | None
    n_classes: int
    leave_one_out: bool = False


def training_labels(part: Part, method: Method) -> np.ndarray:
    """Return labels of a part's rows as the method's loss takes them, or raise ValueError.

    A region gets the label, or the labels, of its image (TPAMI section 6.3).
    """
    labels = part.Y if method.task == "multilabel" else part.y
    if labels is None:
        kind = "label sets" if method.task == "multilabel" else "single labels"
        raise ValueError(f"method '{method.name}' needs {kind}, which the data set does not have")
    return labels if part.groups is None else labels[part.groups]


def labelled(X: Matrix, labels: np.ndarray) -> tuple[Matrix, np.ndarray]:
    """Return the rows that a method can be trained on: not those without a single label (-1)."""
    if labels.ndim == 2 or (labels >= 0).all():
        return X, labels
    kept = np.flatnonzero(labels >= 0)
    return X[kept], labels[kept]


def truth_of(part: Part) -> np.ndarray:
    """Return what predictions for a part are measured against."""
    return part.Y if part.Y is not None else part.y


def split_named(prepared: Prepared, name: str) -> Split:
    """Return the split of that name; a ValueError lists those that exist."""
    known = {split.name: split for split in prepared.splits}
    if name in known:
        return known[name]
    raise ValueError(
        f"data set '{prepared.name}': unknown split '{name}'; known: {', '.join(known)}"
    )


# ---- folds ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Fold:
    """Instances of a training part that train, and those that validate; both ascending."""

    train: np.ndarray
    val: np.ndarray


def stratified_folds(y: np.ndarray, count: int, *names: object) -> list[Fold]:
    """Return folds of nearly equal size in which every class is spread as evenly as it can be.

    The instances, of classes y (n,), are ordered by class, at random within a class, and dealt out
    in turn. The seed depends on `names`.
    """
    rng = np.random.default_rng(seed_of("folds", *names, count))
    shuffled = rng.permutation(len(y))
    order = shuffled[np.argsort(y[shuffled], kind="stable")]
    return _deal(order, count)


def random_folds(n: int, count: int, *names: object) -> list[Fold]:
    """Return folds of nearly equal size of 0..n-1 at random."""
    rng = np.random.default_rng(seed_of("folds", *names, count))
    return _deal(rng.permutation(n), count)


def half_fold(n: int, *names: object) -> Fold:
    """Return one half to train (the larger, if n is odd) and the other (TPAMI section 6.3)."""
    if n < 2:
        raise ValueError(f"folds: {n} instance cannot be split in half")
    order = np.random.default_rng(seed_of("half", *names)).permutation(n)
    cut = (n + 1) // 2
    return Fold(train=np.sort(order[:cut]), val=np.sort(order[cut:]))


def _deal(order: np.ndarray, count: int) -> list[Fold]:
    n = len(order)
    if not 2 <= count <= n:
        raise ValueError(f"folds: {count} folds of {n} instances; there must be 2 to n of them")
    of_instance = np.empty(n, dtype=np.int64)
    of_instance[order] = np.arange(n) % count
    return [
        Fold(train=np.flatnonzero(of_instance != i), val=np.flatnonzero(of_instance == i))
        for i in range(count)
    ]


def rows_of(instances: np.ndarray, groups: np.ndarray | None) -> np.ndarray:
    """Return the rows of the instances, which ascend: regions of one image stay together.

    `groups` has the instance of each row; None: row i is instance i.
    """
    if groups is None:
        return instances
    return np.flatnonzero(np.isin(groups, instances))


def folds_of(
    prepared: Prepared, split: Split, protocol: Protocol, budget: Budget, seed: int
) -> list[Fold]:
    """Return the folds of a split's training part; the same for all methods.

    Stratified by class for the multiclass protocols, at random where an example has several labels.
    """
    part = prepared.parts[split.train]
    names = (seed, prepared.name, split.name)
    if protocol.validation == "half":
        return [half_fold(part.n_instances, *names)]
    if protocol.validation == "fifth":
        return [stratified_folds(part.y, 5, *names)[0]]
    if budget.folds is None:
        raise ValueError(f"protocol '{protocol.name}': no number of folds")
    if protocol.validation == "holdout" and part.y is not None:
        return stratified_folds(part.y, budget.folds, *names)
    return random_folds(part.n_instances, budget.folds, *names)


def fold_problem(part: Part, fold: Fold, method: Method, n_classes: int) -> ValidationProblem:
    """Train on the fold's training instances, measure on the others of the same part."""
    train, val = rows_of(fold.train, part.groups), rows_of(fold.val, part.groups)
    groups = None if part.groups is None else np.searchsorted(fold.val, part.groups[val])
    X, labels = labelled(part.X[train], training_labels(part, method)[train])
    return ValidationProblem(X, labels, part.X[val], truth_of(part)[fold.val], groups, n_classes)


def fewer_rows(
    problem: ValidationProblem, most: int, names: tuple[object, ...]
) -> ValidationProblem:
    """Return the problem with at most so many training rows, drawn by a seed of `names`."""
    n = problem.X.shape[0]
    if n <= most:
        return problem
    rng = np.random.default_rng(seed_of("screen", *names, most))
    kept = np.sort(rng.choice(n, most, replace=False))
    return replace(problem, X=problem.X[kept], labels=problem.labels[kept])


def holdout_problem(
    train: Part, held_out: Part, method: Method, n_classes: int
) -> ValidationProblem:
    """Train on one part, measure on another."""
    X, labels = labelled(train.X, training_labels(train, method))
    truth = truth_of(held_out)
    return ValidationProblem(X, labels, held_out.X, truth, held_out.groups, n_classes)


def check_rows(part: Part, method: Method, dataset: str) -> None:
    """Refuse a part whose rows a method cannot train on.

    That is where an image has no label, for a kernel method or leave-one-out validation; for the
    latter also where images have several rows, of which the others would reveal the label.
    """
    if not (method.tunes_width or method.leave_one_out):
        return
    labels = training_labels(part, method)
    if labelled(part.X, labels)[0].shape[0] != part.n_rows:
        raise ValueError(
            f"data set '{dataset}': images without a label, which the method '{method.name}', "
            "trained on one label per image, cannot leave out"
        )
    if method.leave_one_out and part.n_rows != part.n_instances:
        raise ValueError(
            f"data set '{dataset}': several rows per image, of which the leave-one-out scores of "
            f"the method '{method.name}' leave out one alone"
        )


def validation_problems(prepared: Prepared, task: Task) -> Iterator[ValidationProblem]:
    """Yield the problems that validate the split of a task, in the order of the folds."""
    split, method, protocol = split_named(prepared, task.split), task.method, task.protocol
    train = prepared.parts[split.train]
    check_rows(train, method, prepared.name)
    if method.leave_one_out:
        yield replace(holdout_problem(train, train, method, prepared.n_classes), leave_one_out=True)
        return
    if protocol.validation == "holdout" and split.val is not None:
        yield holdout_problem(train, prepared.parts[split.val], method, prepared.n_classes)
        return
    count = task.budget.fold_count(train.n_instances)
    for fold in folds_of(prepared, split, protocol, task.budget, task.settings.seed)[:count]:
        yield fold_problem(train, fold, method, prepared.n_classes)


def join_parts(first: Part, second: Part) -> Part:
    """Return the instances of two parts as one, in that order."""

    def both(name: str) -> Any:
        a, b = getattr(first, name), getattr(second, name)
        return None if a is None or b is None else np.concatenate([a, b])

    groups = None
    if first.groups is not None or second.groups is not None:
        groups = np.concatenate([_groups(first), _groups(second) + first.n_instances])
    is_sparse, rows = sparse.issparse(first.X), [first.X, second.X]
    X = sparse.vstack(rows, format="csr") if is_sparse else np.concatenate(rows)
    return replace(first, X=X, y=both("y"), Y=both("Y"), groups=groups)


def _groups(part: Part) -> np.ndarray:
    return part.groups if part.groups is not None else np.arange(part.n_rows)


def final_part(prepared: Prepared, split: Split, protocol: Protocol) -> Part:
    """Return what the final models are trained on, with the validation part if it is retrained on."""
    train = prepared.parts[split.train]
    if protocol.retrain_on == "train_val" and split.val is not None:
        return join_parts(train, prepared.parts[split.val])
    return train
