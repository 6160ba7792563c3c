"""New features from old ones: scaled columns or rows, and principal components.

Components come from a pivoted Cholesky factorisation ``K = L L^T`` of the Gram matrix of the centred
training rows. The rows of L are training vectors with the inner products of K, which is all that a
linear method without bias depends on. A further row with the inner products k (to the training
rows) becomes ``L_11^{-1} k_1``, where 1 stands for the pivots; no score depends on what of it lies
outside the span of the training rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from scipy import sparse
from scipy.linalg import lapack, solve_triangular
from sklearn.preprocessing import StandardScaler, normalize

from toplabel.reproduction.config.entry import Split
from toplabel.reproduction.data.parts import Part

_TOLERANCE = 1e-10  # of the largest diagonal entry: a smaller pivot is rounding


def transform(
    where: str, parts: Mapping[str, Part], splits: Sequence[Split], method: str
) -> dict[str, Part]:
    """Transform the parts of every split by its training part; the features become float64.

    - standardise: subtract the mean of the training rows from each column and divide by their
      standard deviation; sparse columns are divided only.
    - normalise: divide each row by its norm.
    - pca: centre by the mean of the training rows and keep all components with a variance above 0,
      up to a rotation.

    Splits that share a part must share their training part, except with normalise. `where` is the
    data set, for messages.
    """
    if method == "normalise":
        return {name: replace(part, X=normalize(_float64(part.X))) for name, part in parts.items()}
    owner = _training_parts(where, splits, method)
    if method == "standardise":
        scalers = {train: _scaler(parts[train].X) for train in set(owner.values())}
        scaled = {name: scalers[owner[name]].transform(_float64(p.X)) for name, p in parts.items()}
        found = {name: replace(part, X=scaled[name]) for name, part in parts.items()}
        for name, scaler in scalers.items():
            shift = scaler.mean_ if scaler.with_mean else np.zeros(scaler.n_features_in_)
            found[name] = replace(found[name], shift=shift, scale=scaler.scale_)
        return found
    vectors: dict[str, np.ndarray] = {}
    for train in dict.fromkeys(owner.values()):
        others = [name for name, of in owner.items() if of == train and name != train]
        X = _float64(parts[train].X)
        mean = np.asarray(X.mean(axis=0)).ravel()
        K = _inner(X, X, mean)
        if K.diagonal().max() <= 0:
            raise ValueError(f"{where}, part '{train}': its rows are all the same")
        vectors[train], order = factor(K)
        rank = vectors[train].shape[1]
        for name in others:
            k = _inner(_float64(parts[name].X), X, mean)
            solved = solve_triangular(K.T, k[:, order].T, lower=True, overwrite_b=True)
            vectors[name] = np.ascontiguousarray(solved[:rank].T)
    width = max(X.shape[1] for X in vectors.values())
    return {name: replace(part, X=_widened(vectors[name], width)) for name, part in parts.items()}


def _scaler(X) -> StandardScaler:
    return StandardScaler(with_mean=not sparse.issparse(X)).fit(_float64(X))


def _training_parts(where: str, splits: Sequence[Split], method: str) -> dict[str, str]:
    """Return the training part that each part is transformed by."""
    owner: dict[str, str] = {}
    for split in splits:
        for name in filter(None, (split.train, split.val, split.test)):
            if owner.setdefault(name, split.train) != split.train:
                both = f"'{owner[name]}' and '{split.train}'; a {method} transformation needs one"
                raise ValueError(f"{where}: the part '{name}' belongs to the training parts {both}")
    return owner


def factor(K: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Factorise a Gram matrix (n, n) by Cholesky with complete pivoting.

    Return L (n, r) with ``L L^T = K`` up to rounding, where r is the numerical rank, and the rows as
    they were pivoted: the first r span the others. K, float64 and C-contiguous, is overwritten,
    since it may be large: afterwards ``K.T`` is lower triangular and regular, and its leading (r, r)
    block is the factor of the first r rows in that order.
    """
    n = len(K)
    largest = float(np.max(np.diag(K)))
    factored, order, rank, _ = lapack.dpstrf(K.T, tol=_TOLERANCE * largest, lower=1, overwrite_a=1)
    order = order - 1  # LAPACK counts from 1
    L = np.zeros((n, rank))
    for column in range(rank):
        L[order[column:], column] = factored[column:, column]
    for column in range(rank, n):  # what is left of K there is rounding
        K.T[column:, column] = 0.0
        K.T[column, column] = 1.0
    return L, order


def _inner(Z, X, mean: np.ndarray) -> np.ndarray:
    K = Z @ X.T
    K = np.ascontiguousarray(K.toarray() if sparse.issparse(K) else K)
    K -= np.asarray(Z @ mean)[:, None]
    K -= np.asarray(X @ mean)
    K += mean @ mean
    return K


def _float64(X):
    return X.astype(np.float64) if sparse.issparse(X) else np.asarray(X, dtype=np.float64)


def _widened(X: np.ndarray, width: int) -> np.ndarray:
    return X if X.shape[1] == width else np.pad(X, ((0, 0), (0, width - X.shape[1])))
