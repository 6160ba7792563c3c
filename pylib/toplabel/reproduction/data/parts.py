"""A data set as the stages see it: its parts and its splits."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from toplabel.reproduction.config.entry import Split
from toplabel.reproduction.data.rows import Rows

Task = Literal["multiclass", "multilabel"]


@dataclass(frozen=True)
class Part:
    """Rows that belong together: a training part, a test part.

    Attributes
    ----------
    X : ndarray or csr_matrix of shape (rows, d), float64 or float32
        One feature vector per row; a read-only memory map after `load_prepared`, maybe `RowsOf` a
        file before.
    y : ndarray of shape (n,), int64, or None
        Class indices 0..m-1; beside an empty label set -1, no single label.
    Y : ndarray of shape (n, m), uint8, or None
        0/1 indicator of the label sets.
    groups : ndarray of shape (rows,), int64, or None
        The instance 0..n-1 that a row belongs to; None: row i is instance i.
    """

    X: Rows
    y: np.ndarray | None = None
    Y: np.ndarray | None = None
    groups: np.ndarray | None = None

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


@dataclass(frozen=True)
class Loaded:
    """The parts that a reader or a generator returns, and the names of the classes by their indices.

    `splits` is empty where the registry says what is trained and tested on.
    """

    parts: dict[str, Part]
    class_names: list[str]
    splits: list[Split] = field(default_factory=list)


@dataclass(frozen=True)
class Prepared:
    """A data set ready to train on.

    `meta` is what else is known of it, as JSON: ``statistics`` and the sums of the raw files among
    others.
    """

    name: str
    task: Task
    n_classes: int
    class_names: list[str]
    parts: dict[str, Part]
    splits: list[Split]
    meta: dict[str, Any] = field(default_factory=dict)
