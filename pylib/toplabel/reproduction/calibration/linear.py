"""The least conditional risk of the hinge losses: a linear program, certified by its dual."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog

from toplabel.reproduction.calibration.pointwise import Minimum, Pointwise

# What a rounding error of the dual variables is multiplied with: no variable of these programs is
# larger.
_LARGEST_VARIABLE = 1e4
_OPTIONS = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


# A constraint: the sum of coefficients times variables, by their index, is at least the side.
Constraint = tuple[float, dict[int, float]]


def minimise(loss: Pointwise, p: np.ndarray, tie: int | None = None) -> Minimum:
    """Return the least risk of a hinge without smoothing; with `tie`, where g[tie] = g[tie + 1].

    `risk` is evaluated by the library's loss at the solution, `lower` is the value of a dual
    solution, less what rounding may have added to it.
    """
    c, free, rows = _one_vs_all(p) if loss.key == "svm_ova" else _multiclass(loss, p)
    x, lower = _solve(c, free, rows, tie)
    scores = x[: len(p)] + 0.0
    risk = float(loss.risks(scores[None, :], p)[0])
    return Minimum(scores, risk, min(lower, risk))


def _one_vs_all(p: np.ndarray) -> tuple[np.ndarray, np.ndarray, list[Constraint]]:
    """Return cost, free variables and constraints of sum_j p_j (1 - g_j)_+ + (1 - p_j) (1 + g_j)_+."""
    m = len(p)
    rows: list[Constraint] = []
    for j in range(m):
        rows += [(1.0, {m + j: 1.0, j: 1.0}), (1.0, {2 * m + j: 1.0, j: -1.0})]
    return np.concatenate([np.zeros(m), p, 1.0 - p]), np.arange(3 * m) < m, rows


def _multiclass(loss: Pointwise, p: np.ndarray) -> tuple[np.ndarray, np.ndarray, list[Constraint]]:
    """Top-k sums as min_t k t + sum_l (b_l - t)_+ with b_l = 1 + g_l - g_y, l != y (NIPS 2015,
    Lemma 1).

    For each label y the variables z_y (its loss), t_y, and u_yl. For the loss beta, and for k = 1,
    t >= 0: the sum of the k largest of max(0, b_l).
    """
    m = len(p)
    c = np.zeros(m + m * (2 + m))
    c[m : 2 * m] = p
    free = np.arange(len(c)) < m
    free[2 * m : 3 * m] = loss.key == "topk_svm_alpha"
    rows: list[Constraint] = []
    for y in range(m):
        z, t = m + y, 2 * m + y
        others = {label: 3 * m + m * y + label for label in range(m) if label != y}
        rows.append((0.0, {z: 1.0, t: -1.0} | {u: -1.0 / loss.k for u in others.values()}))
        rows += [(1.0, {u: 1.0, t: 1.0, label: -1.0, y: 1.0}) for label, u in others.items()]
    return c, free, rows


def _solve(
    c: np.ndarray, free: np.ndarray, rows: list[Constraint], tie: int | None
) -> tuple[np.ndarray, float]:
    """Return the solution of min c'x and the value of a dual solution, a bound from below."""
    A, b = np.zeros((len(rows), len(c))), np.array([-side for side, _ in rows])
    for row, (_, of) in zip(A, rows, strict=True):
        for index, coefficient in of.items():
            row[index] -= coefficient
    equal = np.zeros((0 if tie is None else 1, len(c)))
    if tie is not None:
        equal[0, [tie, tie + 1]] = 1.0, -1.0
    bounds = [(None, None) if one else (0.0, None) for one in free]
    constraints = {"A_ub": A, "b_ub": b, "A_eq": equal, "b_eq": np.zeros(len(equal))}
    found = linprog(c, **constraints, bounds=bounds, method="highs", options=_OPTIONS)
    if found.status != 0:
        raise ArithmeticError(f"the linear program was not solved: {found.message}")
    dual = np.minimum(found.ineqlin.marginals, 0.0)
    rest = c - A.T @ dual - equal.T @ found.eqlin.marginals
    missed = np.where(free, np.abs(rest), np.maximum(-rest, 0.0)).sum()
    return found.x, float(b @ dual) - _LARGEST_VARIABLE * float(missed)
