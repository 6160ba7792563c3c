"""Training: one final model for each distinct (split, C, theta, k) of the choices."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from toplabel.reproduction.config.method import Method
from toplabel.reproduction.methods.trained import Affine
from toplabel.reproduction.selection.choice import Choice
from toplabel.reproduction.selection.fitting import Fit, Fitter, solver_rows
from toplabel.reproduction.selection.models import Model
from toplabel.reproduction.selection.problems import (
    Matrix,
    check_rows,
    labelled,
    split_named,
    training_labels,
)
from toplabel.reproduction.selection.scaling import Scaling
from toplabel.reproduction.selection.task import Task

if TYPE_CHECKING:
    from toplabel.reproduction.data.parts import Prepared


def train_models(prepared: Prepared, task: Task, choices: Iterable[Choice]) -> list[Model]:
    """Train every model that a choice names, with C ascending on each (split, theta, k).

    The seeds are those of the first fold of tuning: where no rows are added, these are the models
    that were validated, within the two tolerances.
    """
    paths: dict[tuple, set[float]] = {}
    for choice in choices:
        at = tuple(np.inf if np.isnan(value) else value for value in (choice.theta, choice.k))
        paths.setdefault((choice.split, *at), set()).add(choice.C)
    return [
        model
        for split, *at in sorted(paths)
        for model in _train_path(
            prepared,
            replace(task, split=split),
            *(np.nan if np.isinf(value) else value for value in at),
            sorted(paths[split, *at]),
        )
    ]


def _train_path(
    prepared: Prepared, task: Task, theta: float, k: float, Cs: Iterable[float]
) -> list[Model]:
    split, method = split_named(prepared, task.split), task.method
    part = prepared.parts[split.train]
    check_rows(part, method, prepared.name)
    X, labels = labelled(part.X, training_labels(part, method))
    scaling = None if method.features == "raw" else Scaling.fit(X, method.features)
    rows = X if scaling is None else scaling.apply(X)
    rows = solver_rows(rows, theta, task.budget.gram_dtype)
    task = replace(task, method=method.at(k))
    fitter = Fitter(task, rows, labels, prepared.n_classes, theta, 0, final=True)
    test = prepared.parts[split.test].X
    return [_model(fitter.fit(C), task, theta, k, scaling, test) for C in Cs]


def _model(
    fit: Fit, task: Task, theta: float, k: float, scaling: Scaling | None, test: Matrix
) -> Model:
    solution = fit.solution
    norm = solution.gradient_norm
    return Model(
        *(task.split, fit.C, theta, k, float(solution.primal)),
        dual=float(solution.dual) if np.isfinite(solution.dual) else np.nan,
        relative_gap=float(solution.relative_gap),
        epochs=int(solution.epochs),
        status=solution.status,
        seconds=round(fit.seconds, 6),
        gradient_norm=np.nan if norm is None else float(norm),
        **_kept(solution, task.method, scaling, test),
    )


def _kept(solution, method: Method, scaling: Scaling | None, test: Matrix) -> dict[str, np.ndarray]:
    """Return what is kept of a solution to score rows; see `Model`."""
    if method.loss and method.tunes_width:
        return {"A": np.ascontiguousarray(solution.coefficients)}
    model = solution.W if method.loss else solution.model
    if scaling is not None:
        model = scaling.unfold(model)
    if isinstance(model, Affine):
        return {"W": model.W, "bias": model.bias}
    if isinstance(model, np.ndarray):
        return {"W": np.ascontiguousarray(model)}
    return {"test_scores": solution.decision_function(test)}
