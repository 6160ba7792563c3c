"""The problems of the benchmark: seeded synthetic ones of the shapes that the papers train on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from toplabel.seeds import seed_of


@dataclass(frozen=True)
class Shape:
    """A problem to train on.

    Attributes
    ----------
    name : str
    X : ndarray or csr_matrix, (n, d)
    y : ndarray of int64, (n,)
    n_classes : int
    C : float
    """

    name: str
    X: np.ndarray | sparse.csr_matrix
    y: np.ndarray
    n_classes: int
    C: float = 1.0

    @property
    def text(self) -> str:
        """Sizes in words."""
        n, d = self.X.shape
        return f"n {n}, d {d}, m {self.n_classes}"


def dense(name: str, n: int, d: int, m: int, noise: float = 1.0) -> Shape:
    """Rows of norm about 1, classes by a random linear map with Gumbel noise (a softmax model).

    Parameters
    ----------
    name : str
    n, d, m : int
    noise : float
        Of the labels, relative to the scores.

    Returns
    -------
    Shape
    """
    rng = np.random.default_rng(seed_of("bench", name))
    X = rng.normal(size=(n, d)) / np.sqrt(d)
    scores = X @ rng.normal(size=(d, m)) * 3.0
    y = np.argmax(scores + noise * rng.gumbel(size=(n, m)), axis=1)
    return Shape(name, X, _every_class(y, m), m)


def text(name: str, n: int, d: int, m: int, per_row: int) -> Shape:
    """Sparse rows with Zipf-distributed columns, of norm 1; classes prefer columns of their own.

    Parameters
    ----------
    name : str
    n, d, m : int
    per_row : int
        Non-zeros a row.

    Returns
    -------
    Shape
    """
    rng = np.random.default_rng(seed_of("bench", name))
    y = _every_class(rng.integers(0, m, n), m)
    common = np.minimum((d * rng.random((n, per_row)) ** 3).astype(np.int64), d - 1)
    own = (y[:, None] * 997 + rng.integers(0, 500, (n, per_row))) % d
    columns = np.where(rng.random((n, per_row)) < 0.1, own, common)
    values = rng.exponential(size=(n, per_row))
    X = sparse.csr_matrix(
        (values.ravel(), columns.ravel(), np.arange(0, n * per_row + 1, per_row)), shape=(n, d)
    )
    X.sum_duplicates()
    norms = np.sqrt(X.multiply(X).sum(1)).A1
    X = sparse.diags(1.0 / norms) @ X
    return Shape(name, X.tocsr(), y, m)


def _every_class(y: np.ndarray, m: int) -> np.ndarray:
    y[:m] = np.arange(m)
    return y.astype(np.int64)
