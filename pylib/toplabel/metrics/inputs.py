"""Inputs of the measures: checked, with errors that name the argument."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from toplabel._core.arrays import MatrixLike, as_matrix, check_container, plain


def labels_and_scores(Y: MatrixLike, scores: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Check an indicator and scores of one shape; return them as bool and float64."""
    scores = as_matrix(scores, "scores")
    return as_indicator(Y, "Y", scores.shape, "scores"), scores


def as_indicator(
    value: Any, name: str, shape: tuple[int, ...] | None = None, like: str = "scores"
) -> np.ndarray:
    """Return an indicator as a bool array, (n, m)."""
    check_container(value, name)
    array = value.toarray() if sparse.issparse(value) else plain(value)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{name} must hold zeros and ones, got items of type {array.dtype}")
    if array.ndim != 2:
        raise ValueError(f"{name} must have two dimensions, got {array.ndim}")
    if shape is not None and array.shape != shape:
        raise ValueError(f"{name} must have the shape {shape} like {like}, got {array.shape}")
    if 0 in array.shape:
        raise ValueError(f"{name} is empty: its shape is {array.shape}")
    if array.dtype.kind == "b":
        return array
    chosen = array != 0
    wrong = chosen & (array != 1)
    if wrong.any():
        place = tuple(int(i) for i in np.argwhere(wrong)[0])
        raise ValueError(
            f"{name}[{', '.join(map(str, place))}] is {array[place]}: it must be 0 or 1"
        )
    return chosen


def as_class_indices(y: ArrayLike, shape: tuple[int, int], like: str = "scores") -> np.ndarray:
    """Return class indices for scores, or what errors call them, of this shape, (n,)."""
    check_container(y, "y")
    n, m = shape
    array = plain(y)
    if array.shape != (n,):
        raise ValueError(f"y must have the shape ({n},) like the rows of {like}, got {array.shape}")
    if array.dtype.kind not in "biuf":
        raise TypeError(f"y must hold class indices 0..{m - 1}, got items of type {array.dtype}")
    wrong = ~((array >= 0) & (array < m) & (array == np.floor(array)))  # NaN is wrong, too
    if wrong.any():
        i = int(np.argmax(wrong))
        raise ValueError(f"y[{i}] is {array[i]}: class indices are 0..{m - 1} for these {like}")
    return array.astype(np.intp)


def check_choice(value: object, name: str, choices: tuple[str, ...]) -> None:
    """Raise ``ValueError`` naming the argument unless the value is one of the choices."""
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(choices)}, got {value!r}")
