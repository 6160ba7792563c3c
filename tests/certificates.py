"""Certificates by hand: both objectives in NumPy and float64, from what a solution holds."""

import numpy as np
from scipy import sparse

from toplabel import losses


def objectives(X, y, solution, weight=None, W0=None) -> tuple[float, float]:
    """P at W, or at the coefficients with a Gram matrix, and D at the dual variables.

    Parameters
    ----------
    X : array-like or sparse matrix, (n, d)
        Rows, or the Gram matrix (n, n) of a kernel's solution.
    y, weight, W0
        As in `toplabel.solve`.
    solution : Solution

    Returns
    -------
    primal, dual : float
        D is -inf where the dual variables are not feasible.
    """
    X = X.astype(np.float64) if sparse.issparse(X) else np.asarray(X, dtype=np.float64)
    weight = np.ones(X.shape[0]) if weight is None else np.asarray(weight, dtype=np.float64)
    C, A, total = solution.C, solution.A, weight.sum()
    if solution.W is None:
        scores, product = X @ solution.coefficients, X @ A
        norm2, dual_norm2 = (solution.coefficients * scores).sum(), (A * product).sum()
        linear = 0.0
    else:
        center = np.zeros_like(solution.W) if W0 is None else W0
        combined = np.asarray(X.T @ A)
        scores = np.asarray(X @ solution.W)
        norm2, dual_norm2 = ((solution.W - center) ** 2).sum(), (combined**2).sum()
        linear = (combined * center).sum()
    options = {"k": solution.k, "gamma": solution.gamma}
    values = losses.value(solution.loss, scores, y, **options)
    there = weight > 0.0
    v = -A / (C * np.where(there, weight, 1.0))[:, None]
    conjugates = np.where(there, losses.conjugate(solution.loss, v, y, **options), 0.0)
    if (A[~there] != 0.0).any():
        conjugates[~there] = np.inf
    # a row without weight adds nothing, and must not make 0 times infinity
    sum_of_conjugates = (weight[there] * conjugates[there]).sum() + conjugates[~there].sum()
    primal = (weight * values).sum() / total + norm2 / (2 * C * total)
    dual = -sum_of_conjugates / total - (dual_norm2 / 2 + linear) / (C * total)
    return float(primal), float(dual)


def relative_gap(primal: float, dual: float) -> float:
    """(P - D) / max(|P|, |D|)."""
    return (primal - dual) / max(abs(primal), abs(dual))
