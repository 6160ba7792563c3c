"""Models of one method on some rows for many C, each with what it took."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from toplabel.kernels import rbf_gram
from toplabel.reproduction.data.parts import with_ones
from toplabel.reproduction.jobs import seed_of
from toplabel.reproduction.methods import create
from toplabel.reproduction.methods.trained import Affine, Matrix, TrainedMethod, dense
from toplabel.reproduction.selection import Task
from toplabel.solver import Solution

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Fit:
    """A trained model, the value of C or the index of the candidate, and the seconds that it took."""

    solution: Solution | TrainedMethod
    C: float | None
    candidate: int | None
    seconds: float


class Fitter:
    """Trains the method of a task on some rows, for one C or candidate after the other.

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
        theta: float | None,
        fold: int,
        is_final: bool = False,
    ) -> None:
        self._task = task
        self._trainer = create(task.recipe)
        self._X, self._labels, self._n_classes = X, labels, n_classes
        self._seed_names = (
            "solve" if task.recipe.loss else "baseline",
            *task.names,
            fold,
            repr(math.nan if theta is None else float(theta)),
        )
        self._place: dict[str, Any] = {
            "split": task.split,
            "fold": "all" if is_final else fold,
            "theta": theta,
            "k": task.recipe.k,
        }
        self._largest: tuple[float, TrainedMethod | None] = (-math.inf, None)

    def fit(self, *, C: float | None = None, candidate: int | None = None) -> Fit:
        """Train for one value of C, or a candidate of an estimator by its index, and log the result."""
        # Seeds are kept from when the i-th candidate was called C = 2^i.
        seed_name = repr(C if candidate is None else 2.0**candidate)
        largest, start = self._largest
        is_larger = candidate is None and largest < C
        begin = time.perf_counter()
        try:
            solution = self._trainer.train(
                self._X,
                self._labels,
                n_classes=self._n_classes,
                C=C,
                candidate=candidate,
                seed=seed_of(*self._seed_names, seed_name),
                tol=self._task.tol,
                max_iter=self._task.max_iter,
                start=start if is_larger else None,
            )
        except Exception as error:
            from toplabel.reproduction.methods.estimator import raised_in  # few jobs need it

            of_user = raised_in(self._task.recipe.loss.rpartition(".")[0], error)
            if not (of_user or isinstance(error, ValueError)):
                raise
            place = "split {split}, fold {fold}".format_map(self._place)
            raise ValueError(f"{place}: {of_user or error}") from error
        fit = Fit(solution, C, candidate, time.perf_counter() - begin)
        if is_larger and isinstance(solution, TrainedMethod):
            self._largest = (C, solution)
        self._log(fit, {"C": C} if candidate is None else self._task.recipe.candidates[candidate])
        return fit

    def _log(self, fit: Fit, chosen: Mapping[str, Any]) -> None:
        solution = fit.solution
        certificate = {"gap": solution.relative_gap, "gradient norm": solution.gradient_norm}
        known = [
            f"{name} {value:.4g}" if isinstance(value, float) else f"{name} {value}"
            for name, value in {**self._place, **chosen, **certificate}.items()
            if not (value is None or (isinstance(value, float) and not math.isfinite(value)))
        ]
        took = f"{solution.epochs} epochs, {fit.seconds:.3g} s"
        logger.info("%s, %s, %s", ", ".join(known), took, solution.status)


def solver_rows(X: Matrix, theta: float | None, gram_dtype: str) -> Matrix:
    """Return the rows that a method is trained on, or with a kernel width their Gram matrix."""
    return X if theta is None else rbf_gram(dense(X), theta, gram_dtype)


def pool(scores: np.ndarray, groups: np.ndarray | None) -> np.ndarray:
    """Return scores of instances: the maximum over an instance's rows (TPAMI section 6.3).

    `groups` has the instance 0..n-1 of each row, of every instance one; None: row i is instance i.
    """
    if groups is None:
        return scores
    order = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    return np.maximum.reduceat(scores[order], starts, axis=0)


@dataclass(frozen=True)
class Scaling:
    """The map from x to ((x - shift) / scale, 1); both have the shape (d,)."""

    shift: np.ndarray
    scale: np.ndarray

    @classmethod
    def fit(cls, X: Matrix, kind: str) -> Scaling:
        """Return the map for some training rows, of shape (rows, d).

        bias: only the constant column. standardise: mean zero and variance one before; sparse rows,
        which would not stay sparse, are divided by the root of the mean square and not shifted. A
        constant column is not divided.
        """
        d = X.shape[1]
        if kind == "bias":
            return cls(np.zeros(d), np.ones(d))
        if sparse.issparse(X):
            shift = np.zeros(d)
            scale = np.sqrt(np.asarray(X.multiply(X).mean(axis=0)).ravel())
        else:
            shift, scale = X.mean(axis=0, dtype=np.float64), X.std(axis=0, dtype=np.float64)
        # The computed deviation of a constant column is its rounding error.
        flat = scale <= 1e-12 * np.maximum(1.0, np.abs(shift))
        return cls(shift, np.where(flat, 1.0, scale))

    def apply(self, X: Matrix) -> Matrix:
        """Return rows in the changed space, shape (rows, d + 1)."""
        if sparse.issparse(X):
            return with_ones(X @ sparse.diags_array(1.0 / self.scale))
        return with_ones((X - self.shift) / self.scale)

    def unfold(self, W: np.ndarray) -> Affine:
        """Return weights of shape (d + 1, m) in the changed space, as a model of the raw features."""
        raw = W[:-1] / self.scale[:, None]
        return Affine(np.ascontiguousarray(raw), W[-1] - self.shift @ raw)
