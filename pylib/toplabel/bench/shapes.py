"""The problems of the benchmark: seeded synthetic ones of the shapes that the papers train on.

Each imitates a data set of TPAMI Table 5: its noise is such that the multiclass SVM does about as well on rows
held out as printed there, and C is the power of ten with the best held-out accuracy (docs/benchmarks.md,
`toplabel.bench.calibrate`). Both were fixed before any time was measured.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from toplabel import kernels
from toplabel.seeds import seed_of


@dataclass(frozen=True)
class Shape:
    """A problem to train on.

    Attributes
    ----------
    name : str
    X : ndarray or csr_matrix, (n, d)
        Features for linear solvers; of a Gram problem a factor of it, K = X X^T.
    y : ndarray
        Classes, int64 (n,), or label sets, uint8 (n, m).
    n_classes : int
    C : float
    gram : ndarray, (n, n), or None
    """

    name: str
    X: np.ndarray | sparse.csr_matrix
    y: np.ndarray
    n_classes: int
    C: float
    gram: np.ndarray | None = None

    @property
    def n(self) -> int:
        """Rows."""
        return self.X.shape[0]

    @property
    def sizes(self) -> str:
        """Sizes in words."""
        d = "Gram" if self.gram is not None else f"d {self.X.shape[1]}"
        if sparse.issparse(self.X):
            d += f", {self.X.nnz / self.n:.0f} non-zeros a row"
        return f"n {self.n}, {d}, m {self.n_classes}"


def letter_like(name: str, n: int, d: int, m: int, spread: float = 0.245):
    """Return few features in [-1, 1] in steps of 1/7.5; a class is three overlapping clusters.

    Parameters
    ----------
    name : str
        Of the seed.
    n, d, m : int
        Rows, features, classes.
    spread : float
        Of the classes' centres; the noise has the deviation 0.3.

    Returns
    -------
    X : ndarray, (n, d)
    y : ndarray of int64, (n,)
    """
    rng = np.random.default_rng(seed_of("bench", name))
    y = _every_class(rng.integers(0, m, n), m)
    centres = spread * (rng.normal(size=(m, 1, d)) + 0.5 * rng.normal(size=(m, 3, d)))
    X = centres[y, rng.integers(0, 3, n)] + 0.3 * rng.normal(size=(n, d))
    return np.clip(np.round(X * 7.5) / 7.5, -1, 1), y


def activations(name: str, n: int, d: int, m: int, spread: float = 0.2, active: float = 0.25):
    """Return rectified features of norm 1, like the last layers of a convolutional network.

    A row is its class's mean, plus a variation of rank 64 that all classes share, plus noise; below a threshold,
    which leaves the share `active` of the features, it is 0. Otherwise as `letter_like`.
    """
    rng = np.random.default_rng(seed_of("bench", name))
    y = _every_class(rng.integers(0, m, n), m)
    means = spread * rng.normal(size=(m, d))
    rank = min(64, d)
    variation = rng.normal(size=(rank, d)) * (1.5 / np.sqrt(rank))
    X = means[y] + rng.normal(size=(n, rank)) @ variation + rng.normal(size=(n, d))
    X = np.maximum(X - np.quantile(X[:200], 1 - active), 0)
    return _normalised(X), y


def decaying(name: str, n: int, d: int, m: int, spread: float = 0.39):
    """Return signed features of norm 1 whose deviation falls like 1/sqrt(j), as after PCA; few rows a class.

    Otherwise as `letter_like`; the noise has the deviation 1.
    """
    rng = np.random.default_rng(seed_of("bench", name))
    y = rng.permutation(np.arange(n) % m)
    centres = spread * rng.normal(size=(m, d))
    X = (centres[y] + rng.normal(size=(n, d))) / np.sqrt(np.arange(1, d + 1))
    return _normalised(X), y.astype(np.int64)


def topics(name: str, n: int, d: int, m: int, tokens: int = 90, tilted: float = 0.15):
    """Return tf-idf rows of norm 1 over a Zipf vocabulary, CSR.

    Each class draws its words with odds of its own (log-odds from N(0, 1)) for the share `tilted` of them.

    Parameters
    ----------
    name : str
    n, d, m : int
    tokens : int
        Median length of a text.
    tilted : float

    Returns
    -------
    X : csr_matrix, (n, d)
    y : ndarray of int64, (n,)
    """
    rng = np.random.default_rng(seed_of("bench", name))
    y = _every_class(rng.integers(0, m, n), m)
    common = 1.0 / (np.arange(d) + 20.0)
    lengths = np.maximum(rng.lognormal(np.log(tokens), 0.6, n).astype(np.int64), 10)
    rows, words = [], []
    for label in range(m):
        weights = common * np.exp(rng.normal(size=d) * (rng.random(d) < tilted))
        ends = np.cumsum(weights)
        members = np.flatnonzero(y == label)
        rows.append(np.repeat(members, lengths[members]))
        drawn = rng.random(len(rows[-1])) * ends[-1]
        words.append(np.minimum(np.searchsorted(ends, drawn), d - 1))
    row, word = np.concatenate(rows), np.concatenate(words)
    X = sparse.csr_matrix((np.ones(len(row)), (row, word)), shape=(n, d))
    X.sum_duplicates()
    idf = np.log(n / (1.0 + np.bincount(X.indices, minlength=d)))
    X.data = (1.0 + np.log(X.data)) * np.maximum(idf[X.indices], 0.0)
    norms = np.sqrt(X.multiply(X).sum(axis=1)).A1
    return (sparse.diags(1.0 / norms) @ X).tocsr(), y


def tagged(name: str, n: int, d: int, m: int, cardinality: float = 2.4):
    """Return binary rows of norm 1 and label sets, like bibtex, stored dense.

    Parameters
    ----------
    name : str
    n, d, m : int
    cardinality : float
        Mean size of a label set; sizes are 1 + Poisson.

    Returns
    -------
    X : ndarray, (n, d)
    Y : ndarray of uint8, (n, m)
    """
    rng = np.random.default_rng(seed_of("bench", name))
    X = (rng.random((n, d)) < np.minimum(20.0 / (np.arange(d) + 50.0), 0.5)).astype(np.float64)
    X[np.arange(n), rng.integers(0, d, n)] = 1.0  # no row of zeros
    X = _normalised(X)
    scores = X @ rng.normal(size=(d, m)) + 0.3 * rng.gumbel(size=(n, m))
    sizes = np.minimum(1 + rng.poisson(cardinality - 1, n), m - 1)
    ranks = np.argsort(np.argsort(-scores, axis=1), axis=1)
    return X, (ranks < sizes[:, None]).astype(np.uint8)


def tabular(name: str, n: int, d: int, m: int):
    """Return few correlated features of mean 0 and deviation 1; a class is three clusters.

    Otherwise as `letter_like`.
    """
    rng = np.random.default_rng(seed_of("bench", name))
    y = _every_class(rng.integers(0, m, n), m)
    centres = rng.normal(size=(m, 3, d))
    mixing = rng.normal(size=(d, d))
    X = (centres[y, rng.integers(0, 3, n)] + 0.9 * rng.normal(size=(n, d))) @ mixing
    return (X - X.mean(axis=0)) / X.std(axis=0), y


def _normalised(X: np.ndarray) -> np.ndarray:
    return X / np.linalg.norm(X, axis=1, keepdims=True)


def _every_class(y: np.ndarray, m: int) -> np.ndarray:
    y[:m] = np.arange(m)
    return y.astype(np.int64)


@dataclass(frozen=True)
class Recipe:
    """A synthetic problem: generator, its sizes (full and quick), C, and theta of an RBF kernel."""

    make: Callable
    sizes: tuple[int, int, int]
    quick: tuple[int, int, int]
    C: float
    theta: float | None = None


RECIPES = {
    "a": Recipe(letter_like, (10500, 16, 26), (600, 16, 26), 1.0),
    "b": Recipe(activations, (5354, 4096, 67), (300, 256, 20), 10.0),
    "c": Recipe(decaying, (5000, 1000, 1000), (300, 80, 100), 10.0),
    "text": Recipe(topics, (15935, 62060, 20), (500, 2000, 20), 1.0),
    "gram": Recipe(
        lambda name, n, d, m: decaying(name, n, d, m, 0.3), (1500, 103, 14), (150, 30, 14), 1.0, 0.5
    ),
    "tabular": Recipe(tabular, (7494, 16, 10), (400, 16, 10), 10.0),
    "tags": Recipe(tagged, (4880, 1836, 159), (300, 150, 40), 10.0),
}


def synthetic(name: str, quick: bool = False, held_out: int = 0) -> Shape:
    """Make a problem of `RECIPES`.

    Parameters
    ----------
    name : str
    quick : bool
        The small one.
    held_out : int
        More rows of the same kind, behind the others.
    """
    recipe = RECIPES[name]
    n, d, m = recipe.quick if quick else recipe.sizes
    X, y = recipe.make(name, n + held_out, d, m)
    if recipe.theta is None:
        return Shape(name, X, y, m, recipe.C)
    gram = kernels.rbf_gram(X, recipe.theta)
    return Shape(name, _factor(gram), y, m, recipe.C, gram)


def _factor(gram: np.ndarray) -> np.ndarray:
    """Return X with X X^T = K: linear solvers then have the problem of the kernel."""
    values, vectors = np.linalg.eigh(gram)
    kept = values > 1e-12 * values[-1]
    return np.ascontiguousarray(vectors[:, kept] * np.sqrt(values[kept]))
