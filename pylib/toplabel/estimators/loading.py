"""`load_model`: a fitted estimator from a file of the reproduction."""

from __future__ import annotations

import json
import os
import zipfile
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import Normalizer, StandardScaler

from toplabel.estimators.columns import NamedColumns
from toplabel.estimators.multilabel import MultilabelClassifier
from toplabel.estimators.topk import TopKClassifier
from toplabel.solver import Solution

__all__ = ["load_model"]

_OF_LOSS = ("loss", "k", "gamma", "kernel", "theta", "C")


def load_model(path: str | os.PathLike[str], split: str | None = None) -> Pipeline:
    """Return a model of your own data, trained by the reproduction, as a fitted pipeline.

    Parameters
    ----------
    path : path-like
        ``results/<set>/<method>/model.npz``.
    split : str, optional
        Whose training rows it was trained on, as the column `split` of ``predictions.csv`` beside
        it; the first by default.

    Returns
    -------
    sklearn.pipeline.Pipeline
        The scaling of the features and a `TopKClassifier` or `MultilabelClassifier`. It takes rows
        as the file of the data set has them, and gives the predictions and scores of
        ``predictions.csv``. A model of a table takes a data frame by the names of its columns, in any
        order, with the categories of columns of words, and refuses other columns. Fitted again, it is
        trained with the same parameters, unless its loss is one of your own, of which it has the name
        alone.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If it is damaged; for a split that is not there, or a method whose models were not kept.
    """
    arrays = {name: a if a.ndim else a.item() for name, a in _read(path).items()}
    splits = list(arrays["splits"])
    if not splits:
        raise ValueError(f"{path}: {arrays['reason']}")
    if split is not None and split not in splits:
        raise ValueError(f"split must be one of {', '.join(splits)}, got {split!r}")
    prefix = f"{split or splits[0]}."
    kept = {name.removeprefix(prefix): a for name, a in arrays.items() if name.startswith(prefix)}
    width = kept["X"].shape[1] if "X" in kept else kept["W"].shape[0]
    steps = (
        [("columns", NamedColumns(**json.loads(arrays["columns"])))] if "columns" in arrays else []
    )
    steps += [("scale", step) for step in _scaling(arrays["transform"], kept, width)]
    return Pipeline([*steps, ("classify", _classifier(arrays, kept, width))])


def _read(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the arrays of an .npz file by name."""
    try:
        with np.load(path) as arrays:
            return {name: arrays[name] for name in arrays.files}
    except (ValueError, EOFError, AttributeError, zipfile.BadZipFile) as error:
        raise ValueError(f"{path}: damaged, or no .npz file of arrays ({error})") from None


def _scaling(transform: str, kept: dict, width: int) -> list:
    """Return the step before the classifier, if there is one."""
    if transform == "normalise":
        return [Normalizer()]
    if transform != "standardise":
        return []
    scaler = StandardScaler(with_mean=bool(kept["shift"].any()))
    scaler.mean_, scaler.scale_, scaler.var_ = kept["shift"], kept["scale"], kept["scale"] ** 2
    scaler.n_features_in_, scaler.n_samples_seen_ = width, 0
    return [scaler]


def _classifier(arrays: dict, kept: dict[str, Any], width: int):
    """Return the classifier with the attributes of a fit."""
    of_loss = {name: kept[name] for name in _OF_LOSS}
    given = of_loss | {"intercept_scaling": 1.0, "fit_intercept": "intercept" in kept}
    if "threshold" in kept:
        del given["k"]
        model = MultilabelClassifier(**given, threshold=kept["threshold"])
        model.threshold_, model.multilabel_, model._sparse_output = kept["threshold"], True, False
    else:
        model = TopKClassifier(**given)
    # With the status of the file `_keep` would warn again of a fit that did not converge.
    solution = Solution(
        **of_loss,
        A=kept.get("A", np.empty(0)),  # scores of a linear model need none
        W=kept.get("W"),
        X=kept.get("X"),
        coefficients=kept.get("A"),
        intercept=kept.get("intercept"),
        primal=kept["primal"],
        dual=kept["dual"],
        relative_gap=kept["relative_gap"],
        epochs=kept["epochs"],
        status="converged",
        history=[],
        seconds=kept["seconds"],
    )
    classes = np.array(arrays["classes"])
    model._keep(solution, None, classes, binary=len(classes) == 2 and "threshold" not in kept)
    model.status_, model.n_features_in_ = kept["status"], width
    return model
