"""Folds of a training part, which depend on the run's seed, the data set and the split alone.

All methods of a data set are compared on equal folds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from toplabel.reproduction.seeds import seed_of

if TYPE_CHECKING:
    from toplabel.reproduction.config.entry import Split
    from toplabel.reproduction.data.parts import Prepared


@dataclass(frozen=True)
class Fold:
    """The instances of a training part that train and those that validate, both ascending."""

    train: np.ndarray
    val: np.ndarray


def folds_of(
    prepared: Prepared, split: Split, validation: str, count: int | None, seed: int
) -> list[Fold]:
    """Return the folds of a split's training part.

    `validation` is that of the protocol, `count` the number of folds where it asks for folds. They
    are stratified by class for multiclass protocols, and random where an instance has several labels.
    """
    part = prepared.parts[split.train]
    names = (seed, prepared.name, split.name)
    if validation == "half":
        return [half_fold(part.n_instances, *names)]
    if validation == "fifth":
        return [stratified_folds(part.y, 5, *names)[0]]
    if count is None:
        raise ValueError(f"validation by {validation}: no number of folds")
    if validation == "holdout" and part.y is not None:
        return stratified_folds(part.y, count, *names)
    return random_folds(part.n_instances, count, *names)


def stratified_folds(y: np.ndarray, count: int, *names: object) -> list[Fold]:
    """Return folds of nearly equal size over which each class of y (n,) is spread evenly.

    The instances are shuffled by a seed of `names`, sorted by class and dealt out in turn.
    """
    rng = np.random.default_rng(seed_of("folds", *names, count))
    shuffled = rng.permutation(len(y))
    return _deal(shuffled[np.argsort(y[shuffled], kind="stable")], count)


def random_folds(n: int, count: int, *names: object) -> list[Fold]:
    """Return random folds of nearly equal size of the instances 0..n-1."""
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
