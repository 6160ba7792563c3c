"""Which instances train and which validate.

The folds are a function of (seed, data set, split, number of folds) and not of the method: all
methods of a set are compared on equal folds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from toplabel.reproduction.seeds import seed_of


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
