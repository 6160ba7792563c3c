"""What a prepared data set must be, before it is written or trained on."""

from __future__ import annotations

from collections import Counter
from typing import NoReturn

import numpy as np
from scipy import sparse

from toplabel.reproduction.datasets.parts import Part, Prepared
from toplabel.reproduction.datasets.rows import Rows, blocks


def validate_prepared(prepared: Prepared) -> None:
    """Check a data set for everything that would make a solver fail or a score meaningless.

    Raises
    ------
    ValueError
        One line with the data set, the part and what was found: m < 2, names of classes that
        repeat, n = 0, shapes that differ, NaN or infinity, labels out of range, a class of a
        multiclass set without an example in a training part.
    """
    where = f"data set '{prepared.name}'"
    if prepared.task not in ("multiclass", "multilabel"):
        raise ValueError(f"{where}: task must be multiclass or multilabel, not {prepared.task!r}")
    if prepared.n_classes < 2:
        raise ValueError(f"{where}: m = {prepared.n_classes} classes; at least 2 are needed")
    _check_class_names(where, prepared)
    _check_splits(where, prepared)
    for name, part in prepared.parts.items():
        _check_part(f"{where}, part '{name}'", prepared, part)
    widths = {name: part.n_features for name, part in prepared.parts.items()}
    if len(set(widths.values())) > 1:
        raise ValueError(f"{where}: the parts differ in their number of features: {widths}")
    for name in dict.fromkeys(split.train for split in prepared.splits):
        part = prepared.parts[name]
        if part.y is not None and prepared.task == "multiclass":
            _check_every_class(f"{where}, part '{name}'", prepared.class_names, part.y)


def _check_class_names(where: str, prepared: Prepared) -> None:
    if len(prepared.class_names) != prepared.n_classes:
        raise ValueError(
            f"{where}: {len(prepared.class_names)} class names for {prepared.n_classes} classes"
        )
    name, count = Counter(prepared.class_names).most_common(1)[0]
    if count > 1:
        raise ValueError(f"{where}: the class name {name!r} occurs {count} times")


def _check_splits(where: str, prepared: Prepared) -> None:
    if not prepared.splits:
        raise ValueError(f"{where}: no split says what to train and to test on")
    name, count = Counter(split.name for split in prepared.splits).most_common(1)[0]
    if count > 1:
        raise ValueError(f"{where}: the split name {name!r} occurs {count} times")
    for split in prepared.splits:
        for role in ("train", "val", "test"):
            part = getattr(split, role)
            if part is not None and part not in prepared.parts:
                known = ", ".join(prepared.parts)
                raise ValueError(
                    f"{where}, split '{split.name}': {role} names the part '{part}', "
                    f"but the parts are: {known}"
                )


def _check_part(where: str, prepared: Prepared, part: Part) -> None:
    if part.X.ndim != 2 or part.X.dtype not in (np.float64, np.float32):
        raise ValueError(
            f"{where}: X must be 2-D float64 or float32, not {part.X.ndim}-D {part.X.dtype}",
        )
    if part.n_rows == 0 or part.n_instances == 0:
        raise ValueError(f"{where}: n = 0, there is no row")
    if part.n_features == 0:
        raise ValueError(f"{where}: d = 0, there is no feature")
    _check_finite(where, part.X)
    if prepared.task == "multiclass" and part.y is None:
        raise ValueError(f"{where}: a multiclass part needs y")
    if prepared.task == "multilabel" and part.Y is None:
        raise ValueError(f"{where}: a multilabel part needs Y")
    if part.y is not None:
        _check_y(where, part.y, prepared.n_classes, part.Y)
    if part.Y is not None:
        _check_indicator(where, part.Y, prepared.n_classes)
    if part.y is not None and part.Y is not None and len(part.y) != len(part.Y):
        raise ValueError(f"{where}: {len(part.y)} class indices, but {len(part.Y)} label sets")
    _check_groups(where, part)


def _check_finite(where: str, X: Rows) -> None:
    if sparse.issparse(X):
        bad = np.flatnonzero(~np.isfinite(X.data))
        if bad.size:
            row = int(np.searchsorted(X.indptr, bad[0], side="right")) - 1
            _refuse_value(where, row, int(X.indices[bad[0]]), X.data[bad[0]])
        return
    for start, block in blocks(X):
        finite = np.isfinite(block)
        if not finite.all():
            row, column = (int(i) for i in np.argwhere(~finite)[0])
            _refuse_value(where, start + row, column, block[row, column])


def _refuse_value(where: str, row: int, column: int, value: float) -> NoReturn:
    raise ValueError(f"{where}: X[{row}, {column}] is {value}; features must be finite")


def _check_y(where: str, y: np.ndarray, n_classes: int, Y: np.ndarray | None) -> None:
    if y.ndim != 1 or y.dtype != np.int64:
        raise ValueError(f"{where}: y must be 1-D int64, not {y.ndim}-D {y.dtype}")
    wrong = (y < 0) | (y >= n_classes)
    if Y is not None and len(Y) == len(y):  # -1: the image has no object, so no prominent one
        wrong &= (y != -1) | Y.any(axis=1)
    bad = np.flatnonzero(wrong)
    if bad.size:
        raise ValueError(
            f"{where}: y[{bad[0]}] is {y[bad[0]]}; class indices are 0..{n_classes - 1}"
        )


def _check_indicator(where: str, Y: np.ndarray, n_classes: int) -> None:
    if Y.ndim != 2 or Y.dtype != np.uint8:
        raise ValueError(f"{where}: Y must be 2-D uint8, not {Y.ndim}-D {Y.dtype}")
    if Y.shape[1] != n_classes:
        raise ValueError(f"{where}: Y has {Y.shape[1]} columns for {n_classes} classes")
    bad = np.argwhere(Y > 1)
    if bad.size:
        row, column = bad[0]
        raise ValueError(
            f"{where}: Y[{row}, {column}] is {Y[row, column]}; an indicator holds 0 and 1"
        )


def _check_groups(where: str, part: Part) -> None:
    if part.groups is None:
        if part.n_rows != part.n_instances:
            raise ValueError(f"{where}: {part.n_rows} rows of X, {part.n_instances} of labels")
        return
    if part.groups.shape != (part.n_rows,) or part.groups.dtype != np.int64:
        raise ValueError(
            f"{where}: groups must be int64 with one entry a row of X ({part.n_rows}), "
            f"not {part.groups.dtype} of shape {part.groups.shape}"
        )
    bad = np.flatnonzero((part.groups < 0) | (part.groups >= part.n_instances))
    if bad.size:
        raise ValueError(
            f"{where}: groups[{bad[0]}] is {part.groups[bad[0]]}; "
            f"instances are 0..{part.n_instances - 1}"
        )
    missing = np.flatnonzero(np.bincount(part.groups, minlength=part.n_instances) == 0)
    if missing.size:
        raise ValueError(f"{where}: instance {missing[0]} has no row of X")


def _check_every_class(where: str, class_names: list[str], y: np.ndarray) -> None:
    missing = np.flatnonzero(np.bincount(y, minlength=len(class_names)) == 0)
    if missing.size:
        raise ValueError(
            f"{where}: class {class_names[missing[0]]!r} has no training example"
            + (f" (nor have {missing.size - 1} others)" if missing.size > 1 else "")
        )
