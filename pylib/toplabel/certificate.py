"""A certificate computed again, from the data and a solution alone, in compensated arithmetic."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from toplabel import losses
from toplabel._core.arrays import (
    MatrixLike,
    as_features,
    as_labels,
    as_weights,
    row_C,
    squared_norms,
)
from toplabel._core.problem import gram_matrix
from toplabel._core.solution import Solution, join_intercept, relative_gap
from toplabel.simplex import SimplexSolution
from toplabel.simplex.solution import to_scores

__all__ = ["Certificate", "certify"]

_UNIT = 2.0**-53  # half the distance of 1 to the next number
_LARGEST_SCORE = 1e150  # of which the losses are told
_FEASIBLE = 1e-14  # what dual variables may miss of their domain by rounding: TL_FEASIBLE of csrc/src/tuning.h
_SPLIT = 2.0**27 + 1.0
_ROWS = 1024  # of a block: its products stay in the cache


@dataclass(frozen=True)
class Certificate:
    """Both objectives, and how far rounding may have moved their difference.

    Parameters
    ----------
    primal, dual : float
        P(W) and D(A) (TPAMI Eq. (9)); `dual` is -inf where A misses its domain by more than 1e-6.
        Both are infinite where scores are beyond 1e150.
    relative_gap : float
        ``(|P - D| + rounding) / max(|P|, |D|)``.
    rounding : float
        A bound of the rounding error of P - D.
    """

    primal: float
    dual: float
    relative_gap: float
    rounding: float


def certify(
    X: MatrixLike,
    y: MatrixLike,
    solution: Solution | SimplexSolution,
    *,
    sample_weight: ArrayLike | None = None,
    W0: ArrayLike | None = None,
) -> Certificate:
    """Compute P and D of a solution again, independently of the solver.

    Nothing is taken from the solution but its variables and its problem. Products are formed with
    twice the precision of float64 (the compensated dot product of Ogita, Rump and Oishi 2005), sums
    are rounded once. Only the losses and their conjugates of single rows are those of the library.
    Slow: 25 floating-point operations in place of one. A Gram matrix is assumed to be positive
    semidefinite, without which D is no bound: an eigenvalue below -1e-4 times the largest (above
    3000 rows: below a hundredth of it) is refused as `toplabel.solve` does, what is nearer to 0 is
    taken for rounding.

    Parameters
    ----------
    X : array-like or sparse matrix, (n, d)
        The training rows; with ``kernel="precomputed"`` the Gram matrix, (n, n).
    y : array-like, (n,) or (n, m)
        As in `toplabel.solve`.
    solution : Solution or SimplexSolution
        Of a convex loss; of the simplex coding "sc_svm" or "sh_svm" (NIPS 2012, Eq. (4) and section
        5).
    sample_weight : array-like, (n,), optional
        As in `toplabel.solve`.
    W0 : array-like, (d, m), optional
        As in `toplabel.solve`. The solution says whether there is an intercept.

    Returns
    -------
    Certificate
        Of the variables as they are.

    Raises
    ------
    TypeError
        If `solution` is neither.
    ValueError
        If the arrays do not fit, or the loss is not convex or your own.
    """
    if isinstance(solution, SimplexSolution):
        is_certified = solution.dual_variables is not None
    elif isinstance(solution, Solution):
        is_certified = losses.get(solution.loss).convex
    else:
        raise TypeError(f"solution must be a Solution, got {type(solution).__name__}")
    if not is_certified or solution.A is None:
        raise ValueError(f"certify knows no dual objective of the loss {solution.loss!r}")
    if isinstance(solution, SimplexSolution) and W0 is not None:
        raise ValueError("W0 has no meaning for a solution of the simplex coding")
    if W0 is not None and solution.kernel != "linear":
        raise ValueError(f"W0 has no meaning for kernel={solution.kernel!r}")
    rows = as_features(X, "X")
    rows = rows.astype(np.float64) if rows.dtype != np.float64 else rows
    n = len(solution.A)
    if rows.shape[0] != n:
        raise ValueError(f"X must have {n} rows like the solution, got {rows.shape[0]}")
    if solution.W is not None and rows.shape[1] != len(solution.W):
        raise ValueError(
            f"X must have {len(solution.W)} columns like the solution, got {rows.shape[1]}"
        )
    weights = as_weights(sample_weight, n)
    weight = np.ones(n) if weights is None else weights
    if isinstance(solution, SimplexSolution):
        label = as_labels(y, n, multilabel=False, n_classes=solution.n_classes).label
        solution = to_scores(solution, label)
    constant = solution.intercept_scaling
    if solution.W is None:
        parts = _kernel(rows, solution, solution.coefficients, solution.A, constant)
        return _objectives(parts, y, solution, weight)
    W = solution.W
    if constant:
        column = np.full((n, 1), constant)
        rows = sparse.hstack([rows, column]) if sparse.issparse(rows) else np.hstack([rows, column])
        W = join_intercept(W, solution.intercept, constant)
        W0 = None if W0 is None else join_intercept(np.asarray(W0, np.float64), None, constant)
    parts = _linear(rows, W, solution.A, W0)
    return _objectives(parts, y, solution, weight)


@dataclass(frozen=True)
class _Products:
    scores: np.ndarray  # (n, m)
    error: np.ndarray  # (n, m), bounds the errors of the scores
    sizes: np.ndarray  # (n,), ||x_i||
    primal: float  # ||W - W0||^2
    dual: float  # ||X^T A||^2
    center: float  # <X^T A, W0>


def _linear(rows, W, A, W0=None) -> _Products:
    center = np.zeros_like(W) if W0 is None else np.asarray(W0, np.float64)
    if center.shape != W.shape:
        raise ValueError(f"W0 must have shape {W.shape}, got {center.shape}")
    scores, sizes = _product(rows, W), np.sqrt(squared_norms(rows))
    combined = _product(rows.T, A)
    difference = _two_sum(W, -center)
    return _Products(
        scores=scores[0] + scores[1],
        error=_score_error(scores, sizes, np.linalg.norm(W, axis=0), W.shape[0]),
        sizes=sizes,
        primal=_inner(difference, difference),
        dual=_inner(combined, combined),
        center=_inner(combined, (center, np.zeros_like(center))),
    )


def _kernel(rows, solution, B, A, constant=0.0) -> _Products:
    K = gram_matrix(rows, solution.kernel, solution.theta)
    n = len(K)
    K = K + constant**2 if constant else K
    scores, products = _product(K, B), _product(K, A)
    sizes = np.sqrt(np.maximum(K.diagonal(), 0.0))
    return _Products(
        scores=scores[0] + scores[1],
        error=_score_error(scores, sizes, sizes @ np.abs(B), n),
        sizes=sizes,
        primal=_inner((B, np.zeros_like(B)), scores),
        dual=_inner((A, np.zeros_like(A)), products),
        center=0.0,
    )


def _objectives(parts: _Products, y, solution: Solution, weight: np.ndarray) -> Certificate:
    total, C = math.fsum(weight), solution.C
    parameters = (solution.k, solution.gamma)
    n, caps = len(weight), row_C(C, weight)
    there = caps > 0.0
    if not (np.abs(parts.scores) + parts.error).max() <= _LARGEST_SCORE:
        return Certificate(math.inf, -math.inf, math.inf, math.inf)
    values = weight * losses.value(solution.loss, parts.scores, y, *parameters)
    # Every loss falls in the scores of the labels and rises in the others, so this is its largest
    # value nearby.
    worst = parts.scores + _largest_moves(parts.error, y, losses.get(solution.loss).centred)
    doubt = np.maximum(weight * losses.value(solution.loss, worst, y, *parameters) - values, 0.0)
    if losses.get(solution.loss).smoothing:
        # A hinge is a difference of margins, right to their digits.
        margins = np.maximum(np.abs(parts.scores).max(axis=1), 1.0)
        doubt += weight * np.where(values + doubt > 0.0, 4.0 * _UNIT * margins, 0.0)
    v = solution.A / -np.where(there, caps, np.inf)[:, None]
    conjugates = np.zeros(n)
    conjugates[there] = weight[there] * losses.conjugate(solution.loss, v, y, *parameters)[there]
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
    # A is in its domain up to rounding: to the nearest point there, D would move by so much.
    violation = losses.violation(solution.loss, v, y, *parameters)
    missed = 4.0 * C * weight * violation
    slopes = 1.0 + math.log(parts.scores.shape[1]) + np.abs(parts.scores).max(axis=1)
    slopes += solution.gamma * np.abs(v).max(axis=1)
    if not losses.get(solution.loss).smoothing:
        # The slope of an entropy grows with the logarithm of an entry that a feasible point has not.
        slopes -= np.where(violation > _FEASIBLE, np.log(np.clip(violation, _FEASIBLE, 1.0)), 0.0)
    rounding += 2.0 * half * float(missed @ slopes)
    return Certificate(primal, dual, relative_gap(primal, dual, rounding), rounding)


def _largest_moves(error: np.ndarray, y, is_centred: bool) -> np.ndarray:
    """Return how far scores may be moved to the larger loss; the mean of centred ones moves, too."""
    n, m = error.shape
    is_label = as_labels(y, n, multilabel=np.ndim(y) == 2, n_classes=m).indicator
    if not is_centred:
        return error * (1.0 - 2.0 * is_label)
    mean = error.mean(axis=1, keepdims=True)
    return np.where(is_label > 0, -2.0 * m * mean, error + mean)


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


def _score_error(scores, row_sizes, class_sizes, length: int) -> np.ndarray:
    """Return the error of the scores after rounding to float64, and that of the compensated
    products.
    """
    rest = (length * _UNIT) ** 2 * np.outer(row_sizes, class_sizes)
    return _UNIT * np.abs(scores[0]) + rest
