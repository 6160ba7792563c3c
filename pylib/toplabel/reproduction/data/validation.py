"""The checks of a whole data set, whatever it was made of: files, a generator or a network.

They come after `formats.common.assemble`, which has checked the labels of files as they stand there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np
from scipy import sparse

from toplabel.reproduction.data.parts import Part, Prepared, Rows, blocks


def validate_prepared(prepared: Prepared) -> None:
    """Refuse a data set on which a solver would fail or a score would be meaningless.

    These have fewer than two classes, names of classes that repeat, a part without rows, shapes that
    differ, NaN or infinity, labels out of range, or a class of a multiclass set without an example in
    a training part. The ValueError is one line with the data set, the part and what was found.
    """
    for where, fault in _faults(prepared):
        raise ValueError(f"data set '{prepared.name}'{where}: {fault}")


def _faults(prepared: Prepared) -> Iterator[tuple[str, str]]:
    """Yield where a fault is, and what it is; a check may rely on those before it."""
    names, parts = prepared.class_names, prepared.parts
    if len(names) < 2:
        yield "", f"m = {len(names)} classes; at least 2 are needed"
    name, count = Counter(names).most_common(1)[0]
    if count > 1:
        yield "", f"the class name {name!r} occurs {count} times"
    for name, part in parts.items():
        for fault in _faults_of_part(part, prepared.n_classes):
            yield f", part '{name}'", fault
    widths = {name: part.n_features for name, part in parts.items()}
    if len(set(widths.values())) > 1:
        yield "", f"the parts differ in their number of features: {widths}"
    for name in dict.fromkeys(split.train for split in prepared.splits):
        if prepared.task == "multiclass":
            missing = np.flatnonzero(np.bincount(parts[name].y, minlength=len(names)) == 0)
            if missing.size:
                others = f" (nor have {missing.size - 1} others)" if missing.size > 1 else ""
                example = f"class {names[missing[0]]!r} has no training example{others}"
                yield f", part '{name}'", example


def _faults_of_part(part: Part, m: int) -> Iterator[str]:
    X, y, Y, n = part.X, part.y, part.Y, part.n_instances
    if 0 in X.shape or n == 0:
        yield f"X has the shape {X.shape}, there is no row or no feature"
    yield from _not_finite(X)
    if Y is not None and (Y.shape != (n, m) or (Y > 1).any()):
        yield f"Y must hold 0 and 1 in the shape ({n}, {m})"
    if y is not None:
        # Beside an empty label set, -1: the image has no object, so no prominent one.
        is_none = (y == -1) & ~Y.any(axis=1) if Y is not None else False
        if not (((y >= 0) & (y < m)) | is_none).all():
            yield f"y must hold class indices 0..{m - 1}"
    groups = np.arange(part.n_rows) if part.groups is None else part.groups
    if len(groups) != part.n_rows or not np.array_equal(np.unique(groups), np.arange(n)):
        yield f"{part.n_rows} rows of X do not belong to {n} instances"


def _not_finite(X: Rows) -> Iterator[str]:
    if sparse.issparse(X):
        stored = X.tocoo()
        bad = np.flatnonzero(~np.isfinite(stored.data))[:1]
        places: Iterable[tuple[int, int, float]] = [
            (stored.row[i], stored.col[i], stored.data[i]) for i in bad
        ]
    else:
        places = (
            (start + row, column, block[row, column])
            for start, block in blocks(X)
            for row, column in np.argwhere(~np.isfinite(block))[:1]
        )
    for row, column, value in places:
        yield f"X[{row}, {column}] is {value}; features must be finite, and none missing"
