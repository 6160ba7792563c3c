"""The least conditional risk of the hinge losses: a linear program, with its dual as certificate."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog

from toplabel.calibration.pointwise import Minimum, Pointwise

# What a rounding error of the dual variables is multiplied with: no variable of these programs is larger.
_LARGEST_VARIABLE = 1e4
_OPTIONS = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


class _Program:
    """min c'x over A x <= b with x_i >= 0 or free, built row by row; the first m variables are the scores."""

    def __init__(self, m: int, variables: int):
        self.m = m
        self.c = np.zeros(variables)
        self.free = np.zeros(variables, dtype=bool)
        self.free[:m] = True
        self._rows: list[np.ndarray] = []
        self._sides: list[float] = []

    def at_least(self, side: float, of: dict[int, float]) -> None:
        """Demand that the sum of coefficients times variables is at least `side`."""
        row = np.zeros(len(self.c))
        for index, coefficient in of.items():
            row[index] -= coefficient
        self._rows.append(row)
        self._sides.append(-side)

    def solve(self, tie: int | None) -> tuple[np.ndarray, float]:
        """Return the solution and the value of a dual solution, which bounds it from below."""
        A, b = np.array(self._rows), np.array(self._sides)
        equal = np.zeros((0 if tie is None else 1, len(self.c)))
        if tie is not None:
            equal[0, [tie, tie + 1]] = 1.0, -1.0
        bounds = [(None, None) if free else (0.0, None) for free in self.free]
        found = linprog(
            self.c,
            A_ub=A,
            b_ub=b,
            A_eq=equal,
            b_eq=np.zeros(len(equal)),
            bounds=bounds,
            method="highs",
            options=_OPTIONS,
        )
        if found.status != 0:
            raise ArithmeticError(f"the linear program was not solved: {found.message}")
        dual = np.minimum(found.ineqlin.marginals, 0.0)
        rest = self.c - A.T @ dual - equal.T @ found.eqlin.marginals
        missed = np.where(self.free, np.abs(rest), np.maximum(-rest, 0.0)).sum()
        return found.x, float(b @ dual) - _LARGEST_VARIABLE * float(missed)


def minimise(loss: Pointwise, p: np.ndarray, tie: int | None = None) -> Minimum:
    """Return the least risk of a hinge loss without smoothing.

    Parameters
    ----------
    loss : Pointwise
        One whose `piecewise_linear` is true.
    p : ndarray, (m,)
        Probabilities of the classes.
    tie : int, optional
        Only scores with g[tie] = g[tie + 1].

    Returns
    -------
    Minimum
        `risk` is evaluated by the library's loss at the solution, `lower` is the value of a dual solution, less what
        rounding may have added to it.
    """
    program = _one_vs_all(p) if loss.key == "svm_ova" else _multiclass(loss, p)
    x, lower = program.solve(tie)
    scores = x[: len(p)] + 0.0
    risk = float(loss.risks(scores[None, :], p)[0])
    return Minimum(scores, risk, min(lower, risk))


def _one_vs_all(p: np.ndarray) -> _Program:
    """sum_j p_j max(0, 1 - g_j) + (1 - p_j) max(0, 1 + g_j)."""
    m = len(p)
    program = _Program(m, 3 * m)
    program.c[m:] = np.concatenate([p, 1.0 - p])
    for j in range(m):
        program.at_least(1.0, of={m + j: 1.0, j: 1.0})
        program.at_least(1.0, of={2 * m + j: 1.0, j: -1.0})
    return program


def _multiclass(loss: Pointwise, p: np.ndarray) -> _Program:
    """Top-k sums as min_t k t + sum_l (b_l - t)_+ with b_l = 1 + g_l - g_y, l != y (NIPS 2015, Lemma 1).

    For each label y the variables z_y (its loss), t_y, and u_yl. For the loss beta, and for k = 1, t >= 0: the sum
    of the k largest of max(0, b_l).
    """
    m, k = len(p), loss.k
    program = _Program(m, m + m * (2 + m))
    program.free[2 * m : 3 * m] = loss.key == "topk_svm_alpha"
    program.c[m : 2 * m] = p
    for y in range(m):
        z, t = m + y, 2 * m + y
        others = {label: 3 * m + m * y + label for label in range(m) if label != y}
        program.at_least(0.0, of={z: 1.0, t: -1.0} | {u: -1.0 / k for u in others.values()})
        for label, u in others.items():
            program.at_least(1.0, of={u: 1.0, t: 1.0, label: -1.0, y: 1.0})
    return program
