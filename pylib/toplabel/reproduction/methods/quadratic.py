"""Convex quadratic programs over nonnegative variables: the subproblems of TopPush and SVM-Perf.

A variable belongs to a negative example of the working set, or to a cutting plane.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.linalg import LinAlgError, block_diag, cho_factor, cho_solve

_RIDGE = 1e-12  # of the mean diagonal: makes dependent columns solvable
_SLACK = 1e-10  # how negative a multiplier may be, relative to the largest term
_PIVOTS = 40
_PATIENCE = 3  # pivots of many variables that may fail to reduce the number of infeasible ones


def minimise_blocks(
    blocks: Sequence[np.ndarray], g: np.ndarray, weight: float, start: np.ndarray
) -> np.ndarray:
    """Minimise 1/2 a^T G a - sum(a) over a >= 0, where G is block diagonal plus weight g g^T.

    Block principal pivoting (J. J. Judice, F. M. Pires: A block principal pivoting algorithm for
    large-scale strictly monotone linear complementarity problems. Computers & Operations Research
    21, 1994): all infeasible variables change sides at once. It may cycle where G is nearly
    singular; then the active-set method goes on. The blocks are of consecutive variables, weight is
    at least 0, and only the signs of `start` matter.
    """
    q = len(g)
    ends = np.cumsum([0, *(len(block) for block in blocks)])
    mean = sum(np.trace(block) for block in blocks) / max(1, q) + weight * (g @ g) / max(1, q)
    blocks = [block + _RIDGE * (mean or 1.0) * np.eye(len(block)) for block in blocks]
    free = start > 0
    a = np.zeros(q)
    fewest, patience = q + 1, _PATIENCE
    for _ in range(_PIVOTS):
        try:
            a = _blocks_face(blocks, ends, g, weight, free)
        except LinAlgError:
            break
        inner = np.concatenate(
            [block @ a[i:j] for block, i, j in zip(blocks, ends[:-1], ends[1:], strict=True)]
        )
        reduced = inner + weight * (g @ a) * g - 1.0
        wrong = np.where(free, a < 0, reduced < -_SLACK)
        count = int(wrong.sum())
        if not count:
            return a
        if count < fewest:
            fewest, patience = count, _PATIENCE
        else:
            patience -= 1
        if patience < 0:
            break
        free = free ^ wrong
    whole = block_diag(*blocks) + weight * np.outer(g, g)
    return minimise(whole, np.ones(q), start=np.maximum(a, 0.0))


def _blocks_face(
    blocks: Sequence[np.ndarray],
    ends: np.ndarray,
    g: np.ndarray,
    weight: float,
    free: np.ndarray,
) -> np.ndarray:
    """Return the minimiser over the free variables; the rank-one term by Sherman-Morrison."""
    ones, turned = np.zeros(len(g)), np.zeros(len(g))
    for block, i, j in zip(blocks, ends[:-1], ends[1:], strict=True):
        index = np.flatnonzero(free[i:j])
        if index.size:
            factor = cho_factor(block[np.ix_(index, index)])
            both = cho_solve(factor, np.column_stack([np.ones(index.size), g[i + index]]))
            ones[i + index], turned[i + index] = both.T
    return ones - turned * (weight * (g @ ones) / (1.0 + weight * (g @ turned)))


def minimise(
    G: np.ndarray, b: np.ndarray, total: float | None = None, start: np.ndarray | None = None
) -> np.ndarray:
    """Minimise 1/2 a^T G a - b^T a over a >= 0, and with `total` over sum(a) <= total.

    G is symmetric and positive semidefinite; without `total` b is in its range, or the minimum is
    not bounded. `start` is a feasible point. The result is feasible, and optimal up to the ridge
    that is added to G.
    """
    a = np.zeros(len(b)) if start is None else np.asarray(start, dtype=float).copy()
    G = G + _RIDGE * (np.trace(G) / max(1, len(b)) or 1.0) * np.eye(len(b))
    free = a > 0
    full = total is not None and a.sum() >= total * (1 - 1e-15)
    for _ in range(20 * len(b) + 100):
        target, price = _on_face(G, b, free, total if full else None)
        step, blocking = _to_boundary(a, target, total if not full else None)
        a = np.maximum(a + step * (target - a), 0.0)
        if blocking is not None:
            if blocking == len(b):
                full = True
            else:
                free[blocking], a[blocking] = False, 0.0
            continue
        if full and price < 0:
            full = False
            continue
        reduced = G @ a - b + price
        reduced[free] = np.inf
        worst = int(np.argmin(reduced)) if len(b) else 0
        if not len(b) or reduced[worst] >= -_SLACK * (np.abs(b).max() + abs(price)):
            break
        free[worst] = True
    if total is not None and a.sum() > total:  # rounding, where G is nearly singular
        a *= total / a.sum()
    return a


def _on_face(
    G: np.ndarray, b: np.ndarray, free: np.ndarray, total: float | None
) -> tuple[np.ndarray, float]:
    """Return the minimiser over the free variables, and with the sum at `total` its multiplier."""
    target, index = np.zeros(len(b)), np.flatnonzero(free)
    if not index.size:
        return target, 0.0
    inner = G[np.ix_(index, index)]
    if total is None:
        target[index] = np.linalg.solve(inner, b[index])
        return target, 0.0
    both = np.linalg.solve(inner, np.column_stack([b[index], np.ones(index.size)]))
    price = (both[:, 0].sum() - total) / both[:, 1].sum()
    target[index] = both[:, 0] - price * both[:, 1]
    return target, float(price)


def _to_boundary(
    a: np.ndarray, target: np.ndarray, total: float | None
) -> tuple[float, int | None]:
    """Return the largest feasible step, and what blocks it: a variable, or len(a) for the sum."""
    step, blocking = 1.0, None
    falling = np.flatnonzero(target < 0)
    if falling.size:
        shares = a[falling] / (a[falling] - target[falling])
        first = int(np.argmin(shares))
        step, blocking = float(shares[first]), int(falling[first])
    if total is not None and target.sum() > total:
        share = (total - a.sum()) / (target.sum() - a.sum())
        if share < step:
            step, blocking = float(max(share, 0.0)), len(a)
    return step, blocking
