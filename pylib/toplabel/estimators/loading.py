"""`load_model`: a fitted estimator from a file of the reproduction."""

from __future__ import annotations

import hashlib
import json
import math
import os
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
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
# A model of mostly zeros takes less room in the file, but not by more than this.
_LARGEST_RATIO, _ALWAYS_READ = 100, 1 << 26  # of sizes, and bytes


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
        order, with the categories of columns of words, and refuses other columns, and rows with gaps,
        also where `missing` filled those of the file. Fitted again, it is trained with the same
        parameters, unless its loss is one of your own, of which it has the name alone.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        One line with the file: if it is damaged, is not what the sum beside it was taken of, or has
        numbers that are not finite; for a split that is not there, or a method whose models were not
        kept. Nothing in a file is run, and no more is read than 100 times its size or 64 MiB.
    """
    with _named(path):
        arrays = _read(path)
        splits, reason = [str(name) for name in arrays["splits"]], arrays["reason"]
    if not splits:
        raise ValueError(f"{path}: {reason}")
    if split is not None and split not in splits:
        raise ValueError(f"split must be one of {', '.join(splits)}, got {split!r}")
    with _named(path):
        return _pipeline(arrays, f"{split or splits[0]}.")


@contextmanager
def _named(path: str | os.PathLike[str]) -> Iterator[None]:
    """Raise what a damaged file leads to as one ``ValueError`` that names it."""
    try:
        yield
    except (FileNotFoundError, PermissionError):
        raise
    except KeyError as error:
        raise ValueError(f"{path}: damaged: it has no array {error}") from None
    except Exception as error:  # of NumPy, of zipfile, or of what is made of the arrays
        said = " ".join(str(error).split())
        raise ValueError(f"{path}: damaged, or no .npz file of a model ({said})") from None


def _read(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the arrays of an .npz file by name, and those of no dimension as Python's numbers and
    strings.
    """
    beside = Path(f"{os.fspath(path)}.sha256")
    with open(path, "rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
        if beside.is_file() and beside.read_text(encoding="utf-8").split()[:1] != [digest]:
            raise ValueError(f"its SHA-256 is not that of {beside.name}")
        with zipfile.ZipFile(stream) as archive:
            members = archive.infolist()
            size, limit = sum(member.file_size for member in members), os.fstat(stream.fileno())
            if size > max(_ALWAYS_READ, _LARGEST_RATIO * limit.st_size):
                raise ValueError(f"it expands to {size} bytes")
            arrays = {member.filename: _array(archive, member) for member in members}
    return {name.removesuffix(".npy"): a if a.ndim else a.item() for name, a in arrays.items()}


def _array(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> np.ndarray:
    """Return an array whose shape is that of the numbers that are there."""
    with archive.open(member) as stream:
        if np.lib.format.read_magic(stream) != (1, 0):
            raise ValueError(f"{member.filename} is of another version of the format")
        shape, _, dtype = np.lib.format.read_array_header_1_0(stream)
        if math.prod(shape) * dtype.itemsize != member.file_size - stream.tell():
            raise ValueError(f"{member.filename} has not the numbers of its shape {shape}")
        stream.seek(0)
        return np.lib.format.read_array(stream, allow_pickle=False)


def _pipeline(arrays: dict[str, Any], prefix: str) -> Pipeline:
    kept = {name.removeprefix(prefix): a for name, a in arrays.items() if name.startswith(prefix)}
    width = kept["X"].shape[1] if "X" in kept else kept["W"].shape[0]
    _check(kept, width, len(arrays["classes"]))
    steps: list[tuple[str, Any]] = []
    if "columns" in arrays:
        columns = NamedColumns(**json.loads(arrays["columns"]))
        if columns.width != width:
            raise ValueError(f"columns has {columns.width} features, the model {width}")
        steps.append(("columns", columns))
    steps += [("scale", step) for step in _scaling(arrays["transform"], kept, width)]
    return Pipeline([*steps, ("classify", _classifier(arrays, kept, width))])


def _check(kept: dict[str, Any], width: int, m: int) -> None:
    """Refuse arrays of a model that do not fit each other, or have numbers that are not finite."""
    rows = len(kept["A"]) if "A" in kept else 0
    shapes = {
        "W": (width, m),
        "A": (rows, m),
        "X": (rows, width),
        "intercept": (m,),
        "shift": (width,),
        "scale": (width,),
        "threshold": (),
    }
    for name in shapes.keys() & kept.keys():
        numbers = np.asarray(kept[name])
        if numbers.dtype.kind not in "fiu" or numbers.shape != shapes[name]:
            shown = f"{numbers.dtype} {numbers.shape}"
            raise ValueError(f"{name} must be of numbers {shapes[name]}, is {shown}")
        if not np.isfinite(numbers).all():
            raise ValueError(f"{name} has numbers that are not finite")


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
