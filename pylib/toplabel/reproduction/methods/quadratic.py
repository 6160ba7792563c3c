"""Convex quadratic programs over nonnegative variables: the subproblem of SVM-Perf, whose variables
belong to cutting planes.
"""

from __future__ import annotations

import numpy as np

_RIDGE = 1e-12  # of the mean diagonal: makes dependent columns solvable
_SLACK = 1e-10  # how negative a multiplier may be, relative to the largest term


def minimise(G: np.ndarray, b: np.ndarray, total: float, start: np.ndarray) -> np.ndarray:
    """Minimise 1/2 a^T G a - b^T a over a >= 0 with sum(a) <= total, by an active-set method.

    G is symmetric and positive semidefinite, `start` a feasible point. The result is feasible, and
    optimal up to the ridge that is added to G.
    """
    a = np.asarray(start, dtype=float).copy()
    G = G + _RIDGE * (np.trace(G) / max(1, len(b)) or 1.0) * np.eye(len(b))
    free = a > 0
    full = a.sum() >= total * (1 - 1e-15)
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
    if a.sum() > total:  # rounding, where G is nearly singular
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
