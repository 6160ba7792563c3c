"""The train stage: one final model for each distinct (split, C, theta, k) of the selection."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from toplabel._core.files import FileError, read_npz, remade, write_npz
from toplabel.kernels import rbf_gram
from toplabel.reproduction.config.methods import Method
from toplabel.reproduction.config.protocols import Budget
from toplabel.reproduction.methods.models import KINDS, Structured, arrays_of, scores_of
from toplabel.reproduction.selection.fitting import (
    FitResult,
    Solve,
    dense,
    fitter,
    log_fit,
    rbf_scores,
)
from toplabel.reproduction.selection.problems import (
    Matrix,
    check_rows,
    final_part,
    labelled,
    split_named,
    training_labels,
)
from toplabel.reproduction.selection.scaling import Scaling
from toplabel.reproduction.selection.task import Task
from toplabel.reproduction.tables.cells import CERTIFICATES

if TYPE_CHECKING:
    from toplabel.reproduction.data.parts import Prepared

Key = tuple[str, float, float | None, float | None]  # split, C, theta, k


def model_key(split: str, C: float, theta: float, k: float = np.nan) -> Key:
    """Return what names a model; NaN, which equals nothing, becomes None."""
    return split, float(C), *(None if np.isnan(value) else float(value) for value in (theta, k))


@dataclass(frozen=True)
class Models:
    """Trained models by `model_key`.

    A model is W of shape (d, m), or A of shape (rows, m) if there is a theta, or a model of
    `toplabel.reproduction.methods.models` that is not linear.
    """

    arrays: Mapping[Key, np.ndarray | Structured]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write ``split``, ``C``, ``theta``, ``k`` and ``model_<i>`` as an .npz file.

        The arrays of a model that is not linear are ``model_<i>.<kind>.<name>``.
        """
        keys = list(self.arrays)
        names = {
            "split": np.array([key[0] for key in keys]),
            "C": np.array([key[1] for key in keys], dtype=float),
            "theta": _or_nan(key[2] for key in keys),
            "k": _or_nan(key[3] for key in keys),
        }
        models = (_named(f"model_{i}", self.arrays[key]) for i, key in enumerate(keys))
        write_npz(path, names | {name: array for model in models for name, array in model.items()})

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Models:
        """Read what `save` wrote; raise FileError when it is damaged, or lacks an array."""
        stored = read_npz(path)
        try:
            names = zip(*(stored[name] for name in ("split", "C", "theta", "k")), strict=True)
            keys = [model_key(str(split), *numbers) for split, *numbers in names]
            return cls({key: _from_stored(f"model_{i}", stored) for i, key in enumerate(keys)})
        except (KeyError, IndexError) as error:
            raise FileError(f"{path}: lacks an array ({error}); {remade(path)}") from None

    def scores(self, key: Key, X: Matrix, X_train: Matrix) -> np.ndarray:
        """Return scores of rows, shape (rows, m); kernel models need the rows of their training."""
        model, theta = self.arrays[key], key[2]
        if theta is None:
            return scores_of(model, X)
        return rbf_scores(X, X_train, model, theta)


def _or_nan(values: Iterable[float | None]) -> np.ndarray:
    return np.array([np.nan if value is None else value for value in values])


def _named(name: str, model: np.ndarray | Structured) -> dict[str, np.ndarray]:
    if isinstance(model, np.ndarray):
        return {name: model}
    return {f"{name}.{model.kind}.{part}": array for part, array in arrays_of(model).items()}


def _from_stored(name: str, stored: Mapping[str, np.ndarray]) -> np.ndarray | Structured:
    if name in stored:
        return stored[name]
    parts = [key.split(".") for key in stored if key.startswith(f"{name}.")]
    kind = KINDS[parts[0][1]]
    return kind(**{part: stored[f"{name}.{kind.kind}.{part}"] for _, _, part in parts})


def train_models(
    prepared: Prepared, task: Task, selection: Iterable[Any], solve: Solve
) -> tuple[Models, list[Any]]:
    """Train every model that the rows of a selection name, and return them with their certificates.

    A loss that is not convex has a gradient norm and no dual or gap, others have a gap and no
    gradient norm, and baselines may have neither: NaN.
    """
    arrays: dict[Key, np.ndarray | Structured] = {}
    rows = []
    method = task.method
    for (split, theta, k), Cs in _paths(selection):
        part = final_part(prepared, split_named(prepared, split), task.protocol)
        check_rows(part, method, prepared.name)
        X, labels = labelled(part.X, training_labels(part, method))
        scaling = None if method.features == "raw" else Scaling.fit(X, method.features)
        # As the first fold of tuning: where no rows are added, these are the models that were
        # validated.
        fit = fitter(
            replace(task, split=split, method=method.at(k)),
            solve,
            _inputs(X, theta, scaling, task.budget),
            labels,
            *(prepared.n_classes, theta, 0),
            final=True,
        )
        for C in Cs:
            result = fit(C)
            log_fit(result, "max_epochs_train", split=split, theta=theta, k=k)
            key = model_key(split, C, theta, k)
            arrays[key] = _model_of(result.solution, method, theta, scaling)
            rows.append(_certificate(split, theta, k, result))
    return Models(arrays), rows


def _paths(selection: Iterable[Any]) -> list[tuple[tuple[str, float, float], list[float]]]:
    """Return the C that are selected at each (split, theta, k), both sorted, NaN last."""
    found: dict[tuple[str, float, float], set[float]] = {}
    for row in selection:
        split, C, theta, k = model_key(row.split, row.C, row.theta, row.k)
        at = (split, *(np.inf if value is None else value for value in (theta, k)))
        found.setdefault(at, set()).add(C)
    return [
        (
            (split, *(np.nan if np.isinf(value) else value for value in at)),
            sorted(found[split, *at]),
        )
        for split, *at in sorted(found)
    ]


def _inputs(X: Matrix, theta: float, scaling: Scaling | None, budget: Budget) -> Matrix:
    """Return what the solver gets: rows, or their Gram matrix."""
    if not np.isnan(theta):
        return rbf_gram(dense(X), theta, budget.gram_dtype)
    return X if scaling is None else scaling.apply(X)


def _model_of(
    solution: Any, method: Method, theta: float, scaling: Scaling | None
) -> np.ndarray | Structured:
    if method.baseline:
        return solution.model
    if scaling is not None:
        return scaling.unfold(solution.W)
    return np.ascontiguousarray(solution.W if np.isnan(theta) else solution.coefficients)


def _certificate(split: str, theta: float, k: float, result: FitResult) -> Any:
    solution = result.solution
    norm = solution.gradient_norm
    return CERTIFICATES.row(
        *(split, result.C, theta, k, solution.primal),
        dual=solution.dual if np.isfinite(solution.dual) else np.nan,
        relative_gap=solution.relative_gap,
        epochs=result.epochs,
        status=solution.status,
        seconds=round(result.seconds, 6),
        gradient_norm=np.nan if norm is None else norm,
    )
