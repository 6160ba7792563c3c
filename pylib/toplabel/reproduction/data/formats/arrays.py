"""What the formats that hold whole arrays share: features and labels of a part, and the classes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import sparse

from toplabel.reproduction.data.formats.source import FormatError, Source, check_claim, damage
from toplabel.reproduction.data.parts import Loaded, Part, Task
from toplabel.reproduction.data.rows import Rows, RowsOf

_NUMBERS = "biuf"  # kinds of dtypes: boolean, integers, floating point


class PartArrays(NamedTuple):
    """The arrays of one part, as they stand in a file: features, and classes or an indicator."""

    path: Path  # of the features
    X: np.ndarray | sparse.spmatrix
    labels: np.ndarray | sparse.spmatrix
    labels_path: Path | None = None  # where they have a file of their own

    @property
    def place(self) -> Path:
        """The file of the labels, for messages."""
        return self.labels_path or self.path


def load(
    read: Callable[[Path, Sequence[str]], Sequence[np.ndarray]],
    source: Source,
    X: str = "X",
    labels: str | None = None,
) -> Loaded:
    """Read files that hold arrays under names.

    Parameters
    ----------
    read : callable
        Returns arrays of a file by their names.
    source : Source
        Several parts may share a file.
    X : str
        The name of the features, (n, d); "{part}" in it stands for the name of the part.
    labels : str, optional
        The name of the labels, likewise: classes (n,), whole numbers, or label sets (n, m) of 0 and
        1. By default ``y`` for classes and ``Y`` for label sets.

    Raises
    ------
    FormatError
        With the file, as `read` and `assemble` raise it.
    """
    names = X, labels or ("Y" if source.task == "multilabel" else "y")
    tables = {
        part: PartArrays(path, *read(path, [name.replace("{part}", part) for name in names]))
        for part, path in source.parts.items()
    }
    return assemble(tables, source.task)


def check_names(path: Path, names: Iterable[str], found: Iterable[str]) -> None:
    """Refuse a file that has no array of a name.

    Raises
    ------
    FormatError
        Naming the arrays that it has.
    """
    for name in names:
        if name not in found:
            there = ", ".join(map(str, found)) or "nothing"
            raise FormatError(path, None, f"{name!r} is not in it; it has: {there}")


def assemble(tables: Mapping[str, PartArrays], task: Task) -> Loaded:
    """Check the arrays of all parts and make one data set of them.

    Classes are the numbers that occur in any part, in ascending order; label sets have one class
    per column. Features that are float32 (or float16) become float32, all others float64; those of
    a memory map are neither read nor copied here.

    Raises
    ------
    FormatError
        With the file: features that are no table of numbers, labels that are no whole numbers or
        not 0 and 1, numbers of rows or of labels that differ.
    """
    features = {name: features_of(table.path, table.X) for name, table in tables.items()}
    if task == "multiclass":
        values = {name: _class_numbers(table) for name, table in tables.items()}
        classes = np.unique(np.concatenate(list(values.values())))
        labels = {key: {"y": np.searchsorted(classes, y)} for key, y in values.items()}
        names = [str(number) for number in classes]
    else:
        labels = {name: {"Y": _indicator(table)} for name, table in tables.items()}
        first, width = next((name, of["Y"].shape[1]) for name, of in labels.items())
        for name, table in tables.items():
            if (found := labels[name]["Y"].shape[1]) != width:
                message = f"{found} labels, but the part '{first}' has {width}"
                raise FormatError(table.place, None, message)
        names = [str(j) for j in range(width)]
    for name, table in tables.items():
        n = len(next(iter(labels[name].values())))
        if n != features[name].shape[0]:
            message = f"{n} labels for {features[name].shape[0]} rows of features"
            raise FormatError(table.place, None, message)
    parts = {name: Part(X=X, **labels[name]) for name, X in features.items()}
    return Loaded(parts=parts, class_names=names)


def features_of(path: Path, X: np.ndarray | sparse.spmatrix) -> Rows:
    """Return features of a file as a part holds them; those of a memory map stay there.

    Raises
    ------
    FormatError
        When they are no table of real numbers.
    """
    if X.ndim != 2 or 0 in X.shape:
        message = f"features of the shape {X.shape}; they must be (n, d) with n and d at least 1"
        raise FormatError(path, None, message)
    if X.dtype.kind not in _NUMBERS:
        raise FormatError(path, None, f"features of the type {X.dtype}; they must be real numbers")
    dtype = np.float32 if X.dtype in (np.float16, np.float32) else np.float64
    if sparse.issparse(X):
        with damage(path, "sparse matrix"):
            X.check_format(full_check=True)  # SciPy may crash on an index that is out of range
        return sparse.csr_matrix(X, dtype=dtype)
    if not isinstance(X, np.memmap):
        return np.ascontiguousarray(X, dtype=dtype)
    if X.dtype == dtype and X.flags.c_contiguous:
        return X
    return RowsOf(X, dtype=dtype)


def _class_numbers(table: PartArrays) -> np.ndarray:
    values = _dense(table, "labels", "classes must be whole numbers")
    if values.ndim == 2 and 1 in values.shape:
        values = values.ravel()
    if values.ndim != 1 or not len(values):
        message = f"labels of the shape {values.shape}; they must be (n,)"
        raise FormatError(table.place, None, message)
    if values.dtype.kind == "f":
        fractions = ~np.isfinite(values) | (values != np.floor(values))
        _refuse_label(table, values, fractions, "no whole number")
    _refuse_label(table, values, (values < -(2.0**63)) | (values >= 2.0**63), "beyond 64 bits")
    return values.astype(np.int64)


def _refuse_label(table: PartArrays, values: np.ndarray, bad: np.ndarray, why: str) -> None:
    if bad.any():
        row = int(np.argmax(bad))
        message = f"the label of row {row} (from 0) is {values[row]}, {why}"
        raise FormatError(table.place, None, message)


def _dense(table: PartArrays, what: str, wanted: str) -> np.ndarray:
    """Return the labels, which must be numbers, as an array."""
    values = table.labels
    if values.dtype.kind not in _NUMBERS:
        raise FormatError(table.place, None, f"{what} of the type {values.dtype}; {wanted}")
    if not sparse.issparse(values):
        return np.asarray(values)
    check_claim(table.place, math.prod(values.shape), "the labels, a sparse matrix:")
    with damage(table.place, "sparse matrix"):
        values.check_format(full_check=True)
    return values.toarray()


def _indicator(table: PartArrays) -> np.ndarray:
    Y = _dense(table, "label sets", "they must be 0 or 1")
    if Y.ndim != 2 or 0 in Y.shape:
        message = f"label sets of the shape {Y.shape}; they must be (n, m), 0 or 1 for each label"
        raise FormatError(table.place, None, message)
    bad = np.argwhere((Y != 0) & (Y != 1))
    if bad.size:
        row, column = bad[0]
        message = f"label {column} of row {row} (from 0) is {Y[row, column]}, not 0 or 1"
        raise FormatError(table.place, None, message)
    return Y.astype(np.uint8)
