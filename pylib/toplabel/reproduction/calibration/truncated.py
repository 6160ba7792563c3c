"""The least risk of the truncated top-k entropy, which is not convex (TPAMI Proposition 13).

For the k - 1 classes D with the highest scores the loss can be made as small as one likes by
raising them. The risk is then that of the softmax among the other classes, and its infimum is the
smallest over all choices of D. It is not attained: scores of D run to infinity.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from scipy.optimize import minimize

from toplabel.reproduction.calibration.pointwise import Pointwise

_BOX = 25.0  # of the scores in a descent: e^-25 = 1e-11
_STARTS = 4


def scaled_entropy(q: np.ndarray) -> float:
    """Return the least softmax risk of classes with the weights q: -sum_r q_r log(q_r / sum q)."""
    q = q[q > 0]
    return float(-(q * np.log(q / q.sum())).sum()) if len(q) else 0.0


def infimum(p: np.ndarray, k: int) -> float:
    """Return the infimum over all scores, p falling: D holds the k - 1 most likely classes."""
    return scaled_entropy(p[k - 1 :])


def infimum_of_wrong(p: np.ndarray, k: int, s: int) -> float:
    """Return the infimum over the scores whose top-s set can be another than the most likely.

    p falls, with p[s - 1] > p[s]. Such scores have g_j >= g_i for an i < s <= j. If i is not in D,
    j is in D, or both are outside and tie, which gives both the mean of their weights; if i is in
    D, so is j (a j that ties with the lowest of D may stand in D in its place).
    """
    m, least = len(p), np.inf
    for chosen in combinations(range(m), k - 1):
        rest = [r for r in range(m) if r not in chosen]
        for i in range(s):
            for j in range(s, m):
                if j in chosen:
                    least = min(least, scaled_entropy(p[rest]))
                elif i not in chosen:
                    least = min(least, _tied_entropy(p, rest, i, j))
    return least


def _tied_entropy(p: np.ndarray, rest: list[int], i: int, j: int) -> float:
    """Return the least risk of the classes `rest` with g_i = g_j: both have their mean weight."""
    q = p.copy()
    q[[i, j]] = 0.5 * (p[i] + p[j])
    return scaled_entropy(q[rest])


def descend(loss: Pointwise, p: np.ndarray, seed: int) -> tuple[np.ndarray, float]:
    """Return the scores within [-25, 25] of lowest risk, and that, found from several starts."""
    starts = np.random.default_rng(seed).normal(scale=2.0, size=(_STARTS, len(p)))
    starts[0] = np.log(np.maximum(p, 1e-4))
    found = [
        minimize(
            lambda g: float(loss.risks(g[None], p)[0]),
            start,
            jac=lambda g: loss.risk_gradients(g[None], p)[0],
            method="L-BFGS-B",
            bounds=[(-_BOX, _BOX)] * len(p),
            options={"maxiter": 300, "ftol": 1e-15, "gtol": 1e-12},
        )
        for start in starts
    ]
    best = min(found, key=lambda one: one.fun)
    return best.x, float(best.fun)
