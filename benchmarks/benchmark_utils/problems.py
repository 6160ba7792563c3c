"""The problems of the benchmark: seeded synthetic ones of the shapes that the papers train on.

Each imitates a data set of TPAMI Table 5: its noise is such that the multiclass SVM does about as
well on rows held out as printed there, and C is the power of ten with the best held-out accuracy
(docs/evidence/benchmarks.md). Both were fixed before any time was measured.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from toplabel import kernels
from toplabel.reproduction.jobs import seed_of


@dataclass(frozen=True)
class BenchProblem:
    """Rows to train on.

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
    def features(self) -> np.ndarray | sparse.csr_matrix:
        """What our solver trains on."""
        return self.X if self.gram is None else self.gram

    @property
    def sizes(self) -> str:
        """Sizes in words."""
        d = "Gram" if self.gram is not None else f"d {self.X.shape[1]}"
        if sparse.issparse(self.X):
            d += f", {self.X.nnz / self.n:.0f} non-zeros per row"
        return f"n {self.n}, {d}, m {self.n_classes}"


# ---- generators: n rows, d features, m classes; `spread` is that of the classes' centres ---------------


def letter_like(rng: np.random.Generator, n: int, d: int, m: int, spread: float = 0.245):
    """Return few features in [-1, 1] in steps of 1/7.5; a class is three overlapping clusters."""
    y = _classes(rng, n, m)
    centres = spread * (rng.normal(size=(m, 1, d)) + 0.5 * rng.normal(size=(m, 3, d)))
    X = centres[y, rng.integers(0, 3, n)] + 0.3 * rng.normal(size=(n, d))
    return np.clip(np.round(X * 7.5) / 7.5, -1, 1), y


def activations(rng: np.random.Generator, n: int, d: int, m: int):
    """Return rectified features of norm 1, like the last layers of a convolutional network.

    A row is its class's mean, plus a variation of rank 64 that all classes share, plus noise; below
    a threshold, which leaves a quarter of the features, it is 0.
    """
    y = _classes(rng, n, m)
    means = 0.2 * rng.normal(size=(m, d))
    rank = min(64, d)
    variation = rng.normal(size=(rank, d)) * (1.5 / np.sqrt(rank))
    X = means[y] + rng.normal(size=(n, rank)) @ variation + rng.normal(size=(n, d))
    return _normalised(np.maximum(X - np.quantile(X[:200], 0.75), 0)), y


def decaying(rng: np.random.Generator, n: int, d: int, m: int, spread: float = 0.39):
    """Return signed features of norm 1 whose deviation falls like 1/sqrt(j), as after PCA; few rows
    per class.
    """
    y = rng.permutation(np.arange(n) % m)
    centres = spread * rng.normal(size=(m, d))
    X = (centres[y] + rng.normal(size=(n, d))) / np.sqrt(np.arange(1, d + 1))
    return _normalised(X), y.astype(np.int64)


def topics(rng: np.random.Generator, n: int, d: int, m: int):
    """Return tf-idf rows of norm 1 over a Zipf vocabulary, CSR; texts have a median of 90 words.

    Each class draws its words with odds of its own (log-odds from N(0, 1)) for 15 % of them.
    """
    y = _classes(rng, n, m)
    common = 1.0 / (np.arange(d) + 20.0)
    lengths = np.maximum(rng.lognormal(np.log(90), 0.6, n).astype(np.int64), 10)
    rows, words = [], []
    for label in range(m):
        weights = common * np.exp(rng.normal(size=d) * (rng.random(d) < 0.15))
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


def tagged(rng: np.random.Generator, n: int, d: int, m: int):
    """Return binary rows of norm 1 and label sets of 2.4 labels on average, like bibtex, stored
    dense.
    """
    X = (rng.random((n, d)) < np.minimum(20.0 / (np.arange(d) + 50.0), 0.5)).astype(np.float64)
    X[np.arange(n), rng.integers(0, d, n)] = 1.0  # no row of zeros
    X = _normalised(X)
    scores = X @ rng.normal(size=(d, m)) + 0.3 * rng.gumbel(size=(n, m))
    sizes = np.minimum(1 + rng.poisson(1.4, n), m - 1)
    ranks = np.argsort(np.argsort(-scores, axis=1), axis=1)
    return X, (ranks < sizes[:, None]).astype(np.uint8)


def tabular(rng: np.random.Generator, n: int, d: int, m: int):
    """Return few correlated features of mean 0 and deviation 1; a class is three clusters."""
    y = _classes(rng, n, m)
    centres = rng.normal(size=(m, 3, d))
    mixing = rng.normal(size=(d, d))
    X = (centres[y, rng.integers(0, 3, n)] + 0.9 * rng.normal(size=(n, d))) @ mixing
    return (X - X.mean(axis=0)) / X.std(axis=0), y


def _normalised(X: np.ndarray) -> np.ndarray:
    return X / np.linalg.norm(X, axis=1, keepdims=True)


def _classes(rng: np.random.Generator, n: int, m: int) -> np.ndarray:
    y = rng.integers(0, m, n)
    y[:m] = np.arange(m)  # no class without a row
    return y.astype(np.int64)


# ---- the problems by name ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Recipe:
    """A synthetic problem: generator, its sizes (full and quick), C, and theta of an RBF kernel."""

    make: Callable
    sizes: tuple[int, int, int]
    quick: tuple[int, int, int]
    C: float
    theta: float | None = None


ONE_VS_ALL = ("a", "b", "text", "letter")
"""The problems that one-vs-all losses are compared on, too."""

SYNTHETIC = {
    "a": Recipe(letter_like, (10500, 16, 26), (600, 16, 26), 1.0),
    "b": Recipe(activations, (5354, 4096, 67), (300, 256, 20), 10.0),
    "c": Recipe(decaying, (5000, 1000, 1000), (300, 80, 100), 10.0),
    "text": Recipe(topics, (15935, 62060, 20), (500, 2000, 20), 1.0),
    "gram": Recipe(
        lambda rng, n, d, m: decaying(rng, n, d, m, 0.3), (1500, 103, 14), (150, 30, 14), 1.0, 0.5
    ),
    "tabular": Recipe(tabular, (7494, 16, 10), (400, 16, 10), 10.0),
    "tags": Recipe(tagged, (4880, 1836, 159), (300, 150, 140), 10.0),
}


def synthetic(name: str, quick: bool = False, held_out: int = 0) -> BenchProblem:
    """Make a problem of `SYNTHETIC`; `held_out` more rows of the same kind lie behind the
    others.
    """
    recipe = SYNTHETIC[name]
    n, d, m = recipe.quick if quick else recipe.sizes
    X, y = recipe.make(np.random.default_rng(seed_of("bench", name)), n + held_out, d, m)
    if recipe.theta is None:
        return BenchProblem(name, X, y, m, recipe.C)
    gram = kernels.rbf_gram(X, recipe.theta)
    values, vectors = np.linalg.eigh(gram)
    kept = values > 1e-12 * values[-1]
    factor = np.ascontiguousarray(vectors[:, kept] * np.sqrt(values[kept]))
    return BenchProblem(name, factor, y, m, recipe.C, gram)
