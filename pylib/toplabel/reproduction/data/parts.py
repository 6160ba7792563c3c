"""A data set as the stages see it: its parts and its splits, and blocks of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np
from scipy import sparse

from toplabel.reproduction.config.entry import Split

Task = Literal["multiclass", "multilabel"]
Rows: TypeAlias = np.ndarray | sparse.csr_matrix

_BLOCK_BYTES = 1 << 26  # 64 MiB


@dataclass(frozen=True)
class Part:
    """Rows that belong together: a training part, a test part. There are n instances and m classes."""

    X: Rows  # (rows, d), float64 or float32; dense rows may be a read-only memory map
    y: np.ndarray | None = None  # (n,), int64: class indices; beside an empty label set -1
    Y: np.ndarray | None = None  # (n, m), uint8: the 0/1 indicator of the label sets
    groups: np.ndarray | None = None  # (rows,), int64: the instance of each row; None: row i is i
    # (d,): of a standardised training part what was subtracted from its columns, and divided by.
    shift: np.ndarray | None = None
    scale: np.ndarray | None = None
    rows: np.ndarray | None = None  # (n,), int64: the row of the raw file of each; None: row i is i
    # (n,), text: the values of a column of the raw file that is left out and tells the rows apart.
    ids: np.ndarray | None = None

    @property
    def n_rows(self) -> int:
        """Number of feature vectors."""
        return int(self.X.shape[0])

    @property
    def n_instances(self) -> int:
        """Number of labelled instances; fewer than rows when an instance has several regions."""
        labels = self.y if self.y is not None else self.Y
        return self.n_rows if labels is None else int(labels.shape[0])

    @property
    def n_features(self) -> int:
        """Length of a feature vector."""
        return int(self.X.shape[1])


class Folds(Mapping[str, Part]):
    """The parts of splits into folds, of which those of one split are in memory.

    `make` returns the parts of a split, again where those of another one were asked for since.
    """

    def __init__(self, splits: Sequence[Split], make: Callable[[Split], dict[str, Part]]) -> None:
        self._splits = {name: split for split in splits for name in (split.train, split.test)}
        self._make = make
        self._made: dict[str, Part] = {}

    def __getitem__(self, name: str) -> Part:
        split = self._splits[name]
        if name not in self._made:
            self._made = {}  # before others take memory
            self._made = self._make(split)
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._splits)

    def __len__(self) -> int:
        return len(self._splits)


@dataclass(frozen=True)
class Column:
    """A column of a raw table, and what its reader took it for; the numbers are of all parts together."""

    name: str
    kind: str  # what the values are: numbers, words, lists, or nothing
    distinct: int  # different values
    missing: int  # gaps
    first: str  # the first values
    use: str  # what becomes of it
    width: int = (
        0  # the number of features that it becomes; these stand in the order of the columns
    )


@dataclass(frozen=True)
class LoadedSet:
    """The parts that a reader or a generator returns, and the names of the classes by their indices.

    `splits` is empty where the registry says what is trained and tested on. `columns` are those of a
    table, first those that are features, with the `categories` of those of words by their names, and
    `notes` are sentences on what its reader decided. NaN in features are gaps, which the median or mean
    of a training part is to `fill`; `na_values` were taken for gaps.
    """

    parts: Mapping[str, Part]
    class_names: list[str]
    splits: list[Split] = field(default_factory=list)
    columns: list[Column] = field(default_factory=list)
    categories: dict[str, list[str]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    fill: str | None = None
    na_values: tuple[str, ...] = ()


@dataclass(frozen=True)
class PreparedSet:
    """A data set ready to train on.

    `meta` is what else is known of it, as JSON: ``statistics`` and the sums of the raw files among
    others. `columns` are those of the table that it was made of; they are written, and not read again.
    """

    name: str
    task: Task
    class_names: list[str]
    parts: Mapping[str, Part]
    splits: list[Split]
    meta: dict[str, Any] = field(default_factory=dict)
    columns: list[Column] = field(default_factory=list)

    @property
    def n_classes(self) -> int:
        """Number of classes, or of labels."""
        return len(self.class_names)


def blocks(X: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """Yield (number of the first row, rows) of dense features, a block at a time."""
    step = max(1, _BLOCK_BYTES // max(1, X.shape[1] * X.dtype.itemsize))
    for start in range(0, X.shape[0], step):
        yield start, X[start : start + step]


def dense(X: Rows) -> np.ndarray:
    """Return rows as an array."""
    return X.toarray() if sparse.issparse(X) else np.asarray(X)


def with_ones(X: Rows) -> Rows:
    """Return rows with a column of ones as the last."""
    ones = np.ones((X.shape[0], 1), dtype=X.dtype)
    return sparse.hstack([X, ones], "csr") if sparse.issparse(X) else np.hstack([X, ones])


def squared_norms(X: Rows) -> np.ndarray:
    """Return the squared Euclidean norm of each row."""
    if sparse.issparse(X):
        return np.asarray(X.multiply(X).sum(axis=1)).ravel()
    return np.concatenate([np.einsum("ij,ij->i", block, block) for _, block in blocks(X)])


def not_finite(X: Rows) -> tuple[int, int, float] | None:
    """Return row, column and value of the first entry that is NaN or infinite; None without any."""
    if sparse.issparse(X):
        X = X.tocsr()
        for entry in np.flatnonzero(~np.isfinite(X.data))[:1]:
            row = np.searchsorted(X.indptr, entry, side="right") - 1
            return int(row), int(X.indices[entry]), X.data[entry]
        return None
    for start, block in blocks(X):
        for row, column in np.argwhere(~np.isfinite(block))[:1]:
            return start + int(row), int(column), block[row, column]
    return None
