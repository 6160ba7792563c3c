"""Final models as records of models.npz: what scores rows, and the certificate of the training."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from toplabel.reproduction.files import PathLike, read_records
from toplabel.reproduction.methods import Recipe
from toplabel.reproduction.methods.trained import (
    Affine,
    Matrix,
    TrainedMethod,
    dense,
    kernel_scores,
)
from toplabel.reproduction.selection import TrainTask
from toplabel.reproduction.selection.choice import Choice
from toplabel.reproduction.selection.fitting import Fit, Fitter, Scaling, pool, solver_rows
from toplabel.reproduction.selection.problems import (
    check_rows,
    labelled,
    split_named,
    training_labels,
)
from toplabel.solver import Solution

if TYPE_CHECKING:
    from toplabel.reproduction.data.parts import PreparedSet


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
    paths: dict[tuple[str, float, int], set[Key]] = {}
    for choice in choices:
        path = (choice.split, choice.theta or math.inf, choice.k or 0)
        paths.setdefault(path, set()).add(key_of(choice))
    models = []
    for path in sorted(paths):
        keys = sorted(
            paths[path], key=lambda key: key.C if key.candidate is None else key.candidate
        )
        models += _train_path(prepared, task, keys)
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
    rows = solver_rows(rows, first.theta, task.gram_dtype)
    fitter = Fitter(task, rows, labels, prepared.n_classes, first.theta, 0, is_final=True)
    test = prepared.parts[split.test].X
    models = []
    for key in keys:
        fit = fitter.fit(C=key.C, candidate=key.candidate)
        models.append(_model(fit, key, recipe, scaling, test))
    return models


def _model(fit: Fit, key: Key, recipe: Recipe, scaling: Scaling | None, test: Matrix) -> Model:
    solution = fit.solution
    norm = solution.gradient_norm
    return Model(
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
