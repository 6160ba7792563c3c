"""Models of one method on some rows for many C, and the final ones as records of models.npz."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import sparse

from toplabel.kernels import rbf_gram
from toplabel.reproduction.data.parts import with_ones
from toplabel.reproduction.files import PathLike, read_records
from toplabel.reproduction.jobs import seed_of
from toplabel.reproduction.methods import Recipe, create
from toplabel.reproduction.methods.trained import (
    Affine,
    Matrix,
    TrainedMethod,
    dense,
    kernel_scores,
)
from toplabel.reproduction.selection import Task, TrainTask
from toplabel.reproduction.selection.choice import Choice
from toplabel.reproduction.selection.problems import (
    check_rows,
    labelled,
    split_named,
    training_labels,
)
from toplabel.solver import Solution

if TYPE_CHECKING:
    from toplabel.reproduction.data.parts import PreparedSet

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

    X has the rows with features as the method takes them; with a width `theta` it is trained on their
    Gram matrix. The seed of a model depends on the names of the task, `fold`, theta and C. Each model
    may start from the one of the largest C so far, unless its own C is smaller; losses of the library
    do not.
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
        self._labels, self._n_classes = labels, n_classes
        self._X = X if theta is None else rbf_gram(dense(X), theta, task.gram_dtype)
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
        flat = scale <= 1e-12 * np.abs(shift)
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


# ---- final models --------------------------------------------------------------------------------


class Key(NamedTuple):
    """Name of a model of a cell."""

    split: str
    C: float | None
    candidate: int | None
    theta: float | None
    k: int | None


@dataclass(frozen=True, eq=False)
class Model:
    """A model that was trained on the whole training part of a split.

    A linear model has its weights W (d, m), and with a bias that of each class (m,). A kernel model
    has its coefficients A (training rows, m). Any other model is kept as its scores of the rows of
    the test part, so no object is pickled. An estimator has a candidate in place of C, and theta and
    k are None where they play no role. A loss that is not convex has a gradient norm and no dual or
    gap, others have a gap and no gradient norm, and competitors and estimators may have neither: NaN.
    """

    split: str
    primal: float
    dual: float
    relative_gap: float
    epochs: int
    status: str
    seconds: float
    gradient_norm: float
    C: float | None = None
    candidate: int | None = None
    theta: float | None = None
    k: int | None = None
    W: np.ndarray | None = None
    bias: np.ndarray | None = None
    A: np.ndarray | None = None
    test_scores: np.ndarray | None = None

    def scores(self, X: Matrix, X_train: Matrix | None = None) -> np.ndarray:
        """Return scores of rows, shape (rows, m); a kernel model needs its training rows.

        A model that is kept as scores of the test part knows no other rows.
        """
        if self.test_scores is not None:
            return self.test_scores
        if self.A is not None:
            return kernel_scores(X, dense(X_train), self.A, self.theta)
        scores = np.asarray(X @ self.W)
        return scores if self.bias is None else scores + self.bias


def key_of(model: Model | Choice) -> Key:
    """Return the key of a model, or of the model of a choice."""
    return Key(model.split, model.C, model.candidate, model.theta, model.k)


def instance_scores(prepared: PreparedSet, model: Model) -> np.ndarray:
    """Return a model's scores of the test instances of its split, shape (n, m).

    The score of an image is the maximum over its regions.
    """
    split = split_named(prepared, model.split)
    test = prepared.parts[split.test]
    X_train = None if model.A is None else prepared.parts[split.train].X
    return pool(model.scores(test.X, X_train), test.groups)


def load_models(path: PathLike) -> dict[Key, Model]:
    """Read models.npz; a FileError names a file that is damaged or of another version."""
    return {key_of(model): model for model in read_records(Model, path)}


def train_models(prepared: PreparedSet, task: TrainTask, choices: Iterable[Choice]) -> list[Model]:
    """Train every model that a choice names, with C ascending on each split, theta and k.

    The seeds are those of the first fold of tuning: where no rows are added, these are the models
    that were validated, within the two tolerances.
    """

    def path(key: Key) -> tuple[str, float, int]:
        return key.split, key.theta or math.inf, key.k or 0

    keys = {key_of(choice) for choice in choices}
    ascending = sorted(keys, key=lambda key: key.C if key.candidate is None else key.candidate)
    models = []
    for _, of_path in groupby(sorted(ascending, key=path), key=path):
        models += _train_path(prepared, task, [*of_path])
    return models


def _train_path(prepared: PreparedSet, task: TrainTask, keys: Sequence[Key]) -> list[Model]:
    """Train models of one split, theta and k."""
    first = keys[0]
    task = replace(task, split=first.split, recipe=task.recipe.at(first.k))
    split, recipe = split_named(prepared, task.split), task.recipe
    part = prepared.parts[split.train]
    check_rows(part, recipe, prepared.name)
    X, labels = labelled(part.X, training_labels(part, recipe))
    scaling = None if recipe.features == "raw" else Scaling.fit(X, recipe.features)
    rows = X if scaling is None else scaling.apply(X)
    fitter = Fitter(task, rows, labels, prepared.n_classes, first.theta, 0, is_final=True)
    test = prepared.parts[split.test].X
    models = []
    for key in keys:
        fit = fitter.fit(C=key.C, candidate=key.candidate)
        solution, norm = fit.solution, fit.solution.gradient_norm
        models.append(
            Model(
                **key._asdict(),
                primal=float(solution.primal),
                dual=float(solution.dual) if np.isfinite(solution.dual) else np.nan,
                relative_gap=float(solution.relative_gap),
                epochs=int(solution.epochs),
                status=solution.status,
                seconds=round(fit.seconds, 6),
                gradient_norm=np.nan if norm is None else float(norm),
                **_kept(solution, recipe, scaling, test),
            )
        )
    return models


def _kept(
    solution: Solution | TrainedMethod, recipe: Recipe, scaling: Scaling | None, test: Matrix
) -> dict[str, Any]:
    """Return the arrays of a solution that score rows; see `Model`."""
    if isinstance(solution, TrainedMethod):
        model = solution.model
    elif recipe.tunes_width:
        return {"A": np.ascontiguousarray(solution.coefficients)}
    else:
        model = solution.W if scaling is None else scaling.unfold(solution.W)
    if isinstance(model, Affine):
        return {"W": model.W, "bias": model.bias}
    if isinstance(model, np.ndarray):
        return {"W": np.ascontiguousarray(model)}
    return {"test_scores": solution.decision_function(test)}
