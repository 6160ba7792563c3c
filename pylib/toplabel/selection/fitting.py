"""One call of the solver: seeds, the clock, scores of instances."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from toplabel.kernels import cross_gram
from toplabel.seeds import seed_of
from toplabel.selection.problems import Matrix, Method

Solve = Callable[..., Any]
_CHUNK = 1 << 24  # numbers in a block of a Gram matrix of test rows: 128 MiB


@dataclass(frozen=True)
class Settings:
    """What a run may set about training.

    Attributes
    ----------
    seed : int
        Another value gives other folds and another order of the rows.
    eps_tune, eps_train : float
        Relative duality gaps at which the solver stops.
    max_epochs : int
    """

    seed: int = 0
    eps_tune: float = 1e-3
    eps_train: float = 1e-3
    max_epochs: int = 1000


@dataclass(frozen=True)
class Fit:
    """A solution and what it took."""

    solution: Any
    C: float
    seconds: float


def default_solve() -> Solve:
    """`toplabel.solve`, imported when it is first needed."""
    from toplabel import solve

    return solve


def dense(X: Matrix) -> np.ndarray:
    """Features as an array, which the Gram matrices need."""
    return X.toarray() if sparse.issparse(X) else np.asarray(X)


def fit(
    solve: Solve,
    X: Matrix,
    labels: np.ndarray,
    method: Method,
    n_classes: int,
    C: float,
    eps: float,
    max_epochs: int,
    names: tuple[object, ...],
    warm_start: Any = None,
) -> Fit:
    """Train once.

    Parameters
    ----------
    solve : callable
        `toplabel.solve` or one like it.
    X : ndarray or csr_matrix
        Features of shape (rows, d), or for an RBF method the Gram matrix of shape (rows, rows).
    labels : ndarray
    method : Method
    n_classes : int
        m; a fold may lack an example of the last class.
    C : float
    eps : float
    max_epochs : int
    names : tuple
        What the seed depends on, besides C.
    warm_start : solution, optional
        Of the same problem at another C.

    Raises
    ------
    KeyboardInterrupt
        When the solver was interrupted: a model that is not finished must not be used.
    """
    begin = time.perf_counter()
    solution = solve(
        X,
        labels,
        loss=method.loss,
        k=method.k,
        gamma=method.gamma,
        C=C,
        kernel="precomputed" if method.kernel == "rbf" else "linear",
        eps=eps,
        max_epochs=max_epochs,
        seed=seed_of("solve", *names, repr(C)),
        warm_start=warm_start,
        n_classes=n_classes,
    )
    if solution.status == "interrupted":
        raise KeyboardInterrupt
    return Fit(solution=solution, C=C, seconds=time.perf_counter() - begin)


def pool(scores: np.ndarray, groups: np.ndarray | None) -> np.ndarray:
    """Scores of instances: the maximum over an instance's rows (TPAMI section 6.3).

    Parameters
    ----------
    scores : ndarray of shape (rows, m)
    groups : ndarray of shape (rows,) or None
        Instance 0..n-1 of each row; every instance has one.
    """
    if groups is None:
        return scores
    order = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    return np.maximum.reduceat(scores[order], starts, axis=0)


def rbf_scores(X_test: Matrix, X_train: Matrix, A: np.ndarray, theta: float) -> np.ndarray:
    """Scores K(X_test, X_train) A of a kernel model, shape (rows, m), block by block."""
    X_train = dense(X_train)
    rows = max(1, _CHUNK // max(1, X_train.shape[0]))
    blocks = [
        cross_gram(dense(X_test[i : i + rows]), X_train, theta) @ A
        for i in range(0, X_test.shape[0], rows)
    ]
    return np.concatenate(blocks)


def linear_scores(X: Matrix, W: np.ndarray) -> np.ndarray:
    """Scores X W of a linear model, shape (rows, m)."""
    return np.asarray(X @ W)
