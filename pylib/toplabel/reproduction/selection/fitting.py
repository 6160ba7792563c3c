"""Models of one method on some rows for many C, each with what it took."""

from __future__ import annotations

import logging
import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from toplabel._core.catalogue import LOSSES
from toplabel.kernels import rbf_gram
from toplabel.reproduction.methods import create
from toplabel.reproduction.methods.trained import dense
from toplabel.reproduction.seeds import seed_of
from toplabel.reproduction.selection.problems import Matrix
from toplabel.reproduction.selection.task import Task

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Fit:
    """A trained model, and what it took.

    `solution` is a `toplabel.Solution` or a `methods.trained.Trained`.
    """

    solution: Any
    C: float
    seconds: float


class Fitter:
    """Trains the method of a task on some rows, for one C after the other.

    X has the rows as the method takes them, or their Gram matrix for a kernel of width `theta`. The
    seed of a model depends on the names of the task, `fold`, theta and C. Each model may start from
    the one of the largest C so far, unless its own C is smaller; losses of the library do not.
    """

    def __init__(
        self,
        task: Task,
        X: Matrix,
        labels: np.ndarray,
        n_classes: int,
        theta: float,
        fold: int,
        final: bool = False,
    ) -> None:
        budget, settings = task.budget, task.settings
        self._task = task
        self._trainer = create(task.method)
        self._data = X, labels
        self._names = (*task.names, fold, repr(float(theta)))
        self._where = {"split": task.split, "fold": "all" if final else fold, "theta": theta}
        stage = "train" if final else "tune"
        loss = LOSSES.get(task.method.loss)
        is_certified = loss is not None and loss.convex
        eps = getattr(budget, f"eps_{stage}") or getattr(settings, f"eps_{stage}")
        self._fixed = {
            "n_classes": n_classes,
            "eps": eps if is_certified else max(eps, settings.eps_other),
            "max_epochs": getattr(settings, f"max_epochs_{stage}"),
        }
        self._largest: tuple[float, Any] = (-math.inf, None)

    def fit(self, C: float) -> Fit:
        """Train for one C, and log what came out."""
        begin = time.perf_counter()
        largest, start = self._largest
        solution = self._trainer.train(
            *self._data,
            C=C,
            seed=seed_of("solve" if self._task.method.loss else "baseline", *self._names, repr(C)),
            start=start if largest < C else None,
            **self._fixed,
        )
        if largest < C and not self._task.method.loss:
            self._largest = (C, solution)
        found = Fit(solution, C, time.perf_counter() - begin)
        self._log(found)
        return found

    def _log(self, fit: Fit) -> None:
        solution = fit.solution
        method = self._task.method
        facts = self._where | {"k": method.k, "C": fit.C}
        if method.estimator:
            facts |= method.candidates[round(math.log2(fit.C))]
        facts |= {"gap": solution.relative_gap, "gradient norm": solution.gradient_norm}
        known = [
            f"{name} {value:.4g}" if isinstance(value, float) else f"{name} {value}"
            for name, value in facts.items()
            if not (value is None or (isinstance(value, float) and not math.isfinite(value)))
        ]
        took = f"{solution.epochs} epochs, {fit.seconds:.3g} s"
        logger.info("%s, %s, %s", ", ".join(known), took, solution.status)


def solver_rows(X: Matrix, theta: float, gram_dtype: str) -> Matrix:
    """Return what a method is trained on: the rows, or with a kernel width their Gram matrix."""
    return X if np.isnan(theta) else rbf_gram(dense(X), theta, gram_dtype)


def pool(scores: np.ndarray, groups: np.ndarray | None) -> np.ndarray:
    """Return scores of instances: the maximum over an instance's rows (TPAMI section 6.3).

    `groups` has the instance 0..n-1 of each row, of every instance one; None: row i is instance i.
    """
    if groups is None:
        return scores
    order = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    return np.maximum.reduceat(scores[order], starts, axis=0)
