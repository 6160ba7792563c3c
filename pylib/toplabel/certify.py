"""A certificate computed again, from the data and a solution alone, in compensated arithmetic."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from toplabel import kernels, losses
from toplabel._arrays import as_features, as_labels
from toplabel.solution import Solution, join_intercept

__all__ = ["Certificate", "certify"]

_UNIT = 2.0**-53  # half the distance of 1 to the next number
_SPLIT = 2.0**27 + 1.0
_ROWS = 1024  # of a block: its products stay in the cache


@dataclass(frozen=True)
class Certificate:
    """Both objectives, and how far rounding may have moved their difference.

    Attributes
    ----------
    primal, dual : float
        P(W) and D(A) (TPAMI Eq. (9)); `dual` is -inf where A is not feasible.
    relative_gap : float
        (P - D + rounding)/max(|P|, |D|).
    rounding : float
        A bound of the rounding error of P - D.
    """

    primal: float
    dual: float
    relative_gap: float
    rounding: float


def certify(X, y, solution: Solution, *, sample_weight=None, W0=None) -> Certificate:
    """Compute P and D of a solution again, independently of the solver.

    Nothing is taken from the solution but its variables and its problem. Products are formed with twice the
    precision of float64 (the compensated dot product of Ogita, Rump and Oishi 2005), sums are rounded once. Only the
    losses and their conjugates of single rows are those of the library. Slow: 25 operations for one.

    Parameters
    ----------
    X : array-like or sparse matrix, (n, d)
        The training rows; with ``kernel="precomputed"`` the Gram matrix, (n, n).
    y : array-like, (n,) or (n, m)
        As in `toplabel.solve`.
    solution : Solution
        Of a convex loss.
    sample_weight : array-like, (n,), optional
    W0 : array-like, (d, m), optional
        As in `toplabel.solve`. Whether there is an intercept, the solution tells.

    Returns
    -------
    Certificate

    Raises
    ------
    TypeError
        If `solution` is not a `Solution`.
    ValueError
        If the arrays do not fit, or the loss is not convex.
    """
    if not isinstance(solution, Solution):
        raise TypeError(f"solution must be a Solution, got {type(solution).__name__}")
    if not losses.get(solution.loss).convex:
        raise ValueError(f"loss {solution.loss!r} is not convex: it has no dual objective")
    rows = as_features(X, "X")
    rows = rows.astype(np.float64) if rows.dtype != np.float64 else rows
    n = len(solution.A)
    if rows.shape[0] != n:
        raise ValueError(f"X must have {n} rows like the solution, got {rows.shape[0]}")
    weight = np.ones(n) if sample_weight is None else np.asarray(sample_weight, np.float64)
    if weight.shape != (n,):
        raise ValueError(f"sample_weight must have shape ({n},), got {weight.shape}")
    parts = _linear(rows, solution, W0) if solution.W is not None else _kernel(rows, solution)
    return _objectives(parts, y, solution, weight)


@dataclass(frozen=True)
class _Products:
    scores: np.ndarray  # (n, m)
    error: np.ndarray  # (n,), bounds the errors of a row's scores
    primal: float  # ||W - W0||^2
    dual: float  # ||X^T A||^2
    center: float  # <X^T A, W0>


def _linear(rows, solution: Solution, W0) -> _Products:
    W, A = solution.W, solution.A
    if rows.shape[1] != W.shape[0]:
        raise ValueError(f"X must have {W.shape[0]} columns like the solution, got {rows.shape[1]}")
    constant = solution.intercept_scaling
    if constant:
        column = np.full((rows.shape[0], 1), constant)
        rows = (
            sparse.hstack([rows, column], format="csr")
            if sparse.issparse(rows)
            else np.hstack([rows, column])
        )
        W = join_intercept(W, solution.intercept, constant)
        W0 = None if W0 is None else join_intercept(np.asarray(W0, np.float64), None, constant)
    center = np.zeros_like(W) if W0 is None else np.asarray(W0, np.float64)
    if center.shape != W.shape:
        raise ValueError(f"W0 must have shape {W.shape}, got {center.shape}")
    scores = _product(rows, W)
    combined = _product(rows.T, A)
    difference = _two_sum(W, -center)
    return _Products(
        scores=scores[0] + scores[1],
        error=_score_error(scores, _row_norms(rows), np.linalg.norm(W, axis=0).max(), W.shape[0]),
        primal=_inner(difference, difference),
        dual=_inner(combined, combined),
        center=_inner(combined, (center, np.zeros_like(center))),
    )


def _kernel(rows, solution: Solution) -> _Products:
    K = (
        rows
        if solution.kernel == "precomputed"
        else kernels.gram(rows, solution.kernel, solution.theta)
    )
    n = K.shape[0]
    if K.shape != (n, n):
        raise ValueError(f"X must be a Gram matrix, got the shape {K.shape}")
    if solution.intercept_scaling:
        K = K + solution.intercept_scaling**2
    B, A = solution.coefficients, solution.A
    scores, products = _product(K, B), _product(K, A)
    size = np.sqrt(np.maximum(K.diagonal(), 0.0))
    return _Products(
        scores=scores[0] + scores[1],
        error=_score_error(scores, size, (size @ np.abs(B)).max(), n),
        primal=_inner((B, np.zeros_like(B)), scores),
        dual=_inner((A, np.zeros_like(A)), products),
        center=0.0,
    )


def _objectives(parts: _Products, y, solution: Solution, weight: np.ndarray) -> Certificate:
    total, C = math.fsum(weight), solution.C
    options = {"k": solution.k, "gamma": solution.gamma}
    n, there = len(weight), weight > 0.0
    values = weight * losses.value(solution.loss, parts.scores, y, **options)
    # Every loss falls in the scores of the labels and rises in the others, so this is its largest value nearby.
    worst = parts.scores + parts.error[:, None] * (1.0 - 2.0 * _indicator(y, *parts.scores.shape))
    doubt = weight * losses.value(solution.loss, worst, y, **options) - values
    v = -solution.A / (C * np.where(there, weight, 1.0))[:, None]
    conjugates = np.zeros(n)
    conjugates[there] = weight[there] * losses.conjugate(solution.loss, v, y, **options)[there]
    conjugates[~there & (solution.A != 0.0).any(axis=1)] = np.inf
    half = 1.0 / (2.0 * C * total)
    primal = math.fsum([*(values / total), half * parts.primal])
    if not np.isfinite(conjugates).all():
        return Certificate(primal, -math.inf, math.inf, math.inf)
    dual = -math.fsum([*(conjugates / total), half * parts.dual, 2.0 * half * parts.center])
    # Each other term is right to a few units in the last place.
    terms = np.abs(values).sum() / total + np.abs(conjugates).sum() / total
    terms += half * (abs(parts.primal) + abs(parts.dual) + 2.0 * abs(parts.center))
    rounding = float(doubt.sum()) / total + 8.0 * _UNIT * float(terms)
    if losses.get(solution.loss).labels != "either":
        # Dual variables that sum to 0 up to rounding: the nearest ones that do would move D by so much.
        sums = np.array([abs(math.fsum(a)) for a in solution.A])
        rounding += 2.0 * half * float(sums @ np.abs(parts.scores).max(axis=1))
    size = max(abs(primal), abs(dual))
    return Certificate(primal, dual, (primal - dual + rounding) / size if size else 0.0, rounding)


def _indicator(y, n: int, m: int) -> np.ndarray:
    labels = as_labels(y, n, multilabel=np.ndim(y) == 2, n_classes=m)
    positive = np.zeros((n, m))
    positive[np.repeat(np.arange(n), np.diff(labels.start)), labels.label] = 1.0
    return positive


# ---- twice the precision of float64: pairs (a, b) for a + b ----


def _two_sum(a, b):
    s = a + b
    z = s - a
    return s, (a - (s - z)) + (b - z)


def _halves(a):
    t = _SPLIT * a
    high = t - (t - a)
    return high, a - high


def _two_product(a, b):
    p = a * b
    (a1, a2), (b1, b2) = _halves(a), _halves(b)
    return p, a2 * b2 - (((p - a1 * b1) - a2 * b1) - a1 * b2)


def _product(X, W: np.ndarray):
    """X @ W as a pair of arrays."""
    high, low = np.zeros((X.shape[0], W.shape[1])), np.zeros((X.shape[0], W.shape[1]))
    if sparse.issparse(X):
        _add_sparse(X.tocsc(), W, high, low)
        return _two_sum(high, low)
    for first in range(0, X.shape[0], _ROWS):
        block = slice(first, first + _ROWS)
        for j, w in enumerate(W):
            _add(np.asarray(X[block, j])[:, None], w, high, low, block)
    return _two_sum(high, low)


def _add_sparse(X, W, high, low) -> None:
    for j, w in enumerate(W):
        entries = slice(X.indptr[j], X.indptr[j + 1])
        _add(X.data[entries][:, None], w, high, low, X.indices[entries])


def _add(x, w, high, low, rows) -> None:
    p, e = _two_product(x, w)
    high[rows], t = _two_sum(high[rows], p)
    low[rows] += t + e


def _inner(a, b) -> float:
    """<a, b> of two pairs of arrays."""
    p, e = _two_product(a[0], b[0])
    rest = a[0] * b[1] + a[1] * b[0] + e
    return math.fsum([*p.ravel(), *rest.ravel()])


def _score_error(scores, row_sizes, size: float, length: int) -> np.ndarray:
    """Of the scores after rounding to float64, and that of the compensated products."""
    largest = np.abs(scores[0]).max(axis=1)
    return _UNIT * largest + (length * _UNIT) ** 2 * row_sizes * size


def _row_norms(rows) -> np.ndarray:
    if sparse.issparse(rows):
        return np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    return np.linalg.norm(rows, axis=1)
