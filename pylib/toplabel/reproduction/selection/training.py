"""Training: one final model for each distinct point of the choices."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from toplabel.reproduction.methods.recipe import Recipe
from toplabel.reproduction.methods.trained import Affine
from toplabel.reproduction.selection.choice import Choice
from toplabel.reproduction.selection.fitting import Fit, Fitter, solver_rows
from toplabel.reproduction.selection.models import Key, Model, key_of
from toplabel.reproduction.selection.problems import (
    Matrix,
    check_rows,
    labelled,
    split_named,
    training_labels,
)
from toplabel.reproduction.selection.scaling import Scaling
from toplabel.reproduction.selection.task import TrainTask

if TYPE_CHECKING:
    from toplabel.reproduction.data.parts import Prepared


def train_models(prepared: Prepared, task: TrainTask, choices: Iterable[Choice]) -> list[Model]:
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


def _train_path(prepared: Prepared, task: TrainTask, keys: Sequence[Key]) -> list[Model]:
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
        fit = fitter.fit_C(key.C) if key.candidate is None else fitter.fit_candidate(key.candidate)
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


def _kept(solution, recipe: Recipe, scaling: Scaling | None, test: Matrix) -> dict[str, np.ndarray]:
    """Return what is kept of a solution to score rows; see `Model`."""
    if recipe.tunes_width:
        return {"A": np.ascontiguousarray(solution.coefficients)}
    model = solution.W if recipe.loss else solution.model
    if scaling is not None:
        model = scaling.unfold(model)
    if isinstance(model, Affine):
        return {"W": model.W, "bias": model.bias}
    if isinstance(model, np.ndarray):
        return {"W": np.ascontiguousarray(model)}
    return {"test_scores": solution.decision_function(test)}
