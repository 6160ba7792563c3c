"""What the user of an own data set should know before the numbers are read."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from toplabel.reproduction.data.parts import Part, Prepared
from toplabel.reproduction.data.rows import Rows, blocks
from toplabel.reproduction.data.statistics import zero_rows

_NAMED = 5  # of many names, so many


def advice(prepared: Prepared) -> list[str]:
    """Return what is peculiar about a prepared data set, a sentence each.

    The first split is looked at: columns that are constant in its training part, rows that are 0,
    classes and labels without a training row, and test rows that stand in the training part too.
    """
    split = prepared.splits[0]
    train, test = prepared.parts[split.train], prepared.parts[split.test]
    found = []
    if constant := _constant_columns(train.X):
        found.append(f"{constant} of {train.n_features} columns are constant in the training part.")
    if zero := zero_rows(train.X):
        found.append(f"{zero} of {train.n_rows} training rows are 0.")
    if names := [prepared.class_names[j] for j in np.flatnonzero(class_counts(prepared) == 0)]:
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        found.append(f"No training row has {', '.join(names[:_NAMED])}{more}.")
    if train is not test and (twice := _repeated(train.X, test.X)):
        found.append(f"{twice} of {test.n_rows} test rows stand in the training part, too.")
    return found


def class_counts(prepared: Prepared, part: str = "") -> np.ndarray:
    """Return the rows of each class or label, (m,), in a part; by default the training part."""
    rows: Part = prepared.parts[part or prepared.splits[0].train]
    if rows.Y is not None:
        return np.asarray(rows.Y.sum(axis=0), dtype=np.int64).ravel()
    return np.bincount(rows.y, minlength=prepared.n_classes)


def _constant_columns(X: Rows) -> int:
    """Return how many columns have one value, but for a column of ones, which is a bias."""
    if sparse.issparse(X):
        low, high = (np.asarray(end(axis=0).todense()).ravel() for end in (X.min, X.max))
    else:
        ends = [(block.min(axis=0), block.max(axis=0)) for _, block in blocks(X)]
        low, high = np.min([a for a, _ in ends], axis=0), np.max([b for _, b in ends], axis=0)
    return int(np.sum((low == high) & (low != 1)))


def _repeated(train: Rows, test: Rows) -> int:
    """Return how many rows of the second matrix stand in the first one."""
    known = {*_rows(train)}
    return sum(row in known for row in _rows(test))


def _rows(X: Rows):
    """Yield each row as bytes."""
    if sparse.issparse(X):
        X = X.tocsr()
        for start, end in zip(X.indptr[:-1], X.indptr[1:], strict=True):
            yield X.indices[start:end].tobytes() + X.data[start:end].tobytes()
    else:
        for _, block in blocks(X):
            yield from (row.tobytes() for row in block)
