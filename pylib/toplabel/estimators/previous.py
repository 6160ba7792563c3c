"""The last fit of an estimator, from which a warm start begins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from toplabel._core.arrays import Labels

__all__ = ["Previous", "check_same_classes"]


@dataclass(frozen=True)
class Previous:
    """A solution and the problem whose dual variables it has: they are feasible for the same loss,
    labels and weights alone.

    `problem` is all else that must be the same: the loss, its k, the number of columns.
    """

    solution: Any
    problem: tuple[Any, ...]
    labels: Labels
    weights: np.ndarray | None

    def suits(self, problem: tuple[Any, ...], labels: Labels, weights: np.ndarray | None) -> bool:
        """Return whether training may start from the solution."""
        mine = self.labels
        return (
            _is_same(self.problem, problem)
            and (mine.n, mine.m) == (labels.n, labels.m)
            and np.array_equal(mine.start, labels.start)
            and np.array_equal(mine.label, labels.label)
            and _are_equal(weights, self.weights)
        )


def _is_same(a: tuple[Any, ...], b: tuple[Any, ...]) -> bool:
    try:
        return a == b
    except ValueError:  # of losses of the user that have arrays
        return False


def _are_equal(a: np.ndarray | None, b: np.ndarray | None) -> bool:
    return a is b if a is None or b is None else np.array_equal(a, b)


def check_same_classes(estimator: Any, classes: np.ndarray) -> None:
    """Refuse a warm start for other classes than those of the previous fit."""
    if not estimator.warm_start or getattr(estimator, "_previous", None) is None:
        return
    known = getattr(estimator, "classes_", classes)  # the first fit may have ended by Ctrl-C
    if not np.array_equal(known, classes):
        raise ValueError(
            "warm_start=True needs the classes of the previous fit; they were "
            f"{known}, now y has {classes}"
        )
