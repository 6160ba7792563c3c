"""What a prepared data set must be, before it is written or trained on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
from scipy import sparse

from toplabel.reproduction.data.parts import Part, Prepared
from toplabel.reproduction.data.rows import Rows, blocks


def validate_prepared(prepared: Prepared) -> None:
    """Check a data set for everything that would make a solver fail or a score meaningless.

    Raises
    ------
    ValueError
        One line with the data set, the part and what was found: m < 2, names of classes that
        repeat, n = 0, shapes that differ, NaN or infinity, labels out of range, a class of a
        multiclass set without an example in a training part.
    """
    for where, fault in _faults(prepared):
        raise ValueError(f"data set '{prepared.name}'{where}: {fault}")


def _faults(prepared: Prepared) -> Iterator[tuple[str, str]]:
    """Yield what is wrong, and where; a check may rely on those before it."""
    names, m, parts = prepared.class_names, prepared.n_classes, prepared.parts
    if prepared.task not in ("multiclass", "multilabel"):
        yield "", f"task must be multiclass or multilabel, not {prepared.task!r}"
    if m < 2:
        yield "", f"m = {m} classes; at least 2 are needed"
    if len(names) != m:
        yield "", f"{len(names)} class names for {m} classes"
    if not prepared.splits:
        yield "", "no split says what to train and to test on"
    splits = [split.name for split in prepared.splits]
    for kind, listed in (("class", names), ("split", splits)):
        name, count = Counter(listed).most_common(1)[0]
        if count > 1:
            yield "", f"the {kind} name {name!r} occurs {count} times"
    for split in prepared.splits:
        for role in ("train", "val", "test"):
            if (part := getattr(split, role)) not in (None, *parts):
                there = f"but the parts are: {', '.join(parts)}"
                yield f", split '{split.name}'", f"{role} names the part '{part}', {there}"
    for name, part in parts.items():
        for fault in _faults_of_part(prepared, part):
            yield f", part '{name}'", fault
    widths = {name: part.n_features for name, part in parts.items()}
    if len(set(widths.values())) > 1:
        yield "", f"the parts differ in their number of features: {widths}"
    for name in dict.fromkeys(split.train for split in prepared.splits):
        if prepared.task == "multiclass":
            for fault in _missing_classes(names, parts[name].y):
                yield f", part '{name}'", fault


def _faults_of_part(prepared: Prepared, part: Part) -> Iterator[str]:
    X, y, Y = part.X, part.y, part.Y
    if X.ndim != 2 or X.dtype not in (np.float64, np.float32):
        yield f"X must be 2-D float64 or float32, not {X.ndim}-D {X.dtype}"
    if part.n_rows == 0 or part.n_instances == 0:
        yield "n = 0, there is no row"
    if part.n_features == 0:
        yield "d = 0, there is no feature"
    yield from _not_finite(X)
    if prepared.task == "multiclass" and y is None:
        yield "a multiclass part needs y"
    if prepared.task == "multilabel" and Y is None:
        yield "a multilabel part needs Y"
    if y is not None:
        yield from _faults_of_y(y, prepared.n_classes, Y)
    if Y is not None:
        yield from _faults_of_indicator(Y, prepared.n_classes)
    if y is not None and Y is not None and len(y) != len(Y):
        yield f"{len(y)} class indices, but {len(Y)} label sets"
    yield from _faults_of_groups(part)


def _not_finite(X: Rows) -> Iterator[str]:
    message = "X[{}, {}] is {}; features must be finite"
    if sparse.issparse(X):
        for i in np.flatnonzero(~np.isfinite(X.data)):
            row = int(np.searchsorted(X.indptr, i, side="right")) - 1
            yield message.format(row, int(X.indices[i]), X.data[i])
        return
    for start, block in blocks(X):
        if not (finite := np.isfinite(block)).all():
            row, column = np.argwhere(~finite)[0]
            yield message.format(start + row, column, block[row, column])


def _faults_of_y(y: np.ndarray, n_classes: int, Y: np.ndarray | None) -> Iterator[str]:
    if y.ndim != 1 or y.dtype != np.int64:
        yield f"y must be 1-D int64, not {y.ndim}-D {y.dtype}"
    wrong = (y < 0) | (y >= n_classes)
    if Y is not None and len(Y) == len(y):  # -1: the image has no object, so no prominent one
        wrong &= (y != -1) | Y.any(axis=1)
    for i in np.flatnonzero(wrong):
        yield f"y[{i}] is {y[i]}; class indices are 0..{n_classes - 1}"


def _faults_of_indicator(Y: np.ndarray, n_classes: int) -> Iterator[str]:
    if Y.ndim != 2 or Y.dtype != np.uint8:
        yield f"Y must be 2-D uint8, not {Y.ndim}-D {Y.dtype}"
    if Y.shape[1] != n_classes:
        yield f"Y has {Y.shape[1]} columns for {n_classes} classes"
    for row, column in np.argwhere(Y > 1):
        yield f"Y[{row}, {column}] is {Y[row, column]}; an indicator holds 0 and 1"


def _faults_of_groups(part: Part) -> Iterator[str]:
    groups, n = part.groups, part.n_instances
    if groups is None:
        if part.n_rows != n:
            yield f"{part.n_rows} rows of X, {n} of labels"
        return
    if groups.shape != (part.n_rows,) or groups.dtype != np.int64:
        found = f"{groups.dtype} of shape {groups.shape}"
        yield f"groups must be int64 with one entry a row of X ({part.n_rows}), not {found}"
    for i in np.flatnonzero((groups < 0) | (groups >= n)):
        yield f"groups[{i}] is {groups[i]}; instances are 0..{n - 1}"
    for instance in np.flatnonzero(np.bincount(groups, minlength=n) == 0):
        yield f"instance {instance} has no row of X"


def _missing_classes(class_names: list[str], y: np.ndarray) -> Iterator[str]:
    missing = np.flatnonzero(np.bincount(y, minlength=len(class_names)) == 0)
    if missing.size:
        others = f" (nor have {missing.size - 1} others)" if missing.size > 1 else ""
        yield f"class {class_names[missing[0]]!r} has no training example{others}"
