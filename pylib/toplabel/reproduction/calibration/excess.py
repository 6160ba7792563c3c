"""Is the top-s set of every minimiser Bayes optimal? Decided by the excess risk of a tie.

For falling p with p_s > p_(s+1) the Bayes optimal top-s set is {1, .., s} (TPAMI Lemma 1). Scores
whose top-s set can be another one risk at least as much as the best scores with g_s = g_(s+1):
sorting scores by p does not raise the risk of a loss that treats classes alike and falls as the
label's score rises, and where two neighbours change places their mean ties them, at a risk that
convexity bounds. So the excess

    min { R(g) : g_s = g_(s+1) } - min R

is how much worse a wrong top-s set is at least, and the top-s sets of all minimisers are right
exactly if it is positive.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.optimize import linprog, minimize, root

from toplabel.reproduction.calibration.pointwise import Minimum, Pointwise

# Hinges: a linear program, certified by its dual --------------------------------------------------

# What a rounding error of the dual variables is multiplied with: no variable of these programs is
# larger.
_LARGEST_VARIABLE = 1e4
_OPTIONS = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


def minimise_hinge(loss: Pointwise, p: np.ndarray, tie: int | None = None) -> Minimum:
    """Return the least risk of a hinge without smoothing; with `tie`, where g[tie] = g[tie + 1].

    `risk` is evaluated by the library's loss at the solution, `lower` is the value of a dual
    solution, less what rounding may have added to it.
    """
    program = _one_vs_all(p) if loss.key == "svm_ova" else _multiclass(loss, p)
    x, lower = _solve(program, tie)
    scores = x[: len(p)] + 0.0
    risk = float(loss.risks(scores[None, :], p)[0])
    return Minimum(scores, risk, min(lower, risk))


@dataclass(frozen=True, eq=False)
class _Program:
    """Minimise c'x subject to A x >= b; the variables that are not free are nonnegative."""

    c: np.ndarray
    free: np.ndarray
    A: np.ndarray
    b: np.ndarray


def _one_vs_all(p: np.ndarray) -> _Program:
    """Return the program of sum_j p_j (1 - g_j)_+ + (1 - p_j) (1 + g_j)_+."""
    m = len(p)
    unit, none = np.eye(m), np.zeros((m, m))
    positive, negative = np.hstack([unit, unit, none]), np.hstack([-unit, none, unit])
    A = np.stack([positive, negative], axis=1).reshape(2 * m, 3 * m)
    c = np.concatenate([np.zeros(m), p, 1.0 - p])
    return _Program(c, np.arange(3 * m) < m, A, np.ones(2 * m))


def _multiclass(loss: Pointwise, p: np.ndarray) -> _Program:
    """Return the program of top-k sums, min_t k t + sum_l (b_l - t)_+ with b_l = 1 + g_l - g_y for
    l != y (NIPS 2015, Lemma 1).

    For each label y the variables z_y (its loss), t_y, and u_yl. For the loss beta, and for k = 1,
    t >= 0: the sum of the k largest of max(0, b_l).
    """
    m = len(p)
    n = m * (3 + m)
    c, free = np.zeros(n), np.arange(n) < m
    c[m : 2 * m] = p
    free[2 * m : 3 * m] = loss.key == "topk_svm_alpha"
    A, b = np.zeros((m, m, n)), np.ones((m, m))
    for y in range(m):
        t, first = 2 * m + y, 3 * m + m * y
        others = [label for label in range(m) if label != y]
        A[y, 0, [m + y, t]] = 1.0, -1.0
        A[y, 0, [first + label for label in others]] = -1.0 / loss.k
        b[y, 0] = 0.0
        for row, label in enumerate(others, start=1):
            A[y, row, [first + label, t, label, y]] = 1.0, 1.0, -1.0, 1.0
    return _Program(c, free, A.reshape(m * m, n), b.ravel())


def _solve(program: _Program, tie: int | None) -> tuple[np.ndarray, float]:
    """Return the solution of a program and the value of a dual solution, a bound from below."""
    c, A, b = program.c, -program.A, -program.b
    equal = np.zeros((0 if tie is None else 1, len(c)))
    if tie is not None:
        equal[0, [tie, tie + 1]] = 1.0, -1.0
    bounds = [(None, None) if is_free else (0.0, None) for is_free in program.free]
    constraints = {"A_ub": A, "b_ub": b, "A_eq": equal, "b_eq": np.zeros(len(equal))}
    solution = linprog(c, **constraints, bounds=bounds, method="highs", options=_OPTIONS)
    if solution.status != 0:
        raise ArithmeticError(f"the linear program was not solved: {solution.message}")
    dual = np.minimum(solution.ineqlin.marginals, 0.0)
    rest = c - A.T @ dual - equal.T @ solution.eqlin.marginals
    missed = np.where(program.free, np.abs(rest), np.maximum(-rest, 0.0)).sum()
    return solution.x, float(b @ dual) - _LARGEST_VARIABLE * float(missed)


# Smooth losses: L-BFGS, then a root of the gradient, with a bound from what is left of it ------------

_NEAR = {"ftol": 1e-15, "gtol": 1e-7}  # from where on the root of the gradient is sought


def minimise_smooth(loss: Pointwise, p: np.ndarray, tie: int | None = None) -> Minimum:
    """Return the least risk of a smooth convex loss; with `tie`, where g[tie] = g[tie + 1].

    If the loss `needs_all_classes`, all p must be positive.
    """
    basis = _basis(len(p), tie)

    def risk(z: np.ndarray) -> float:
        return float(loss.risks((basis @ z)[None], p)[0])

    def slope(z: np.ndarray) -> np.ndarray:
        return loss.risk_gradients((basis @ z)[None], p)[0] @ basis

    start = np.zeros(basis.shape[1])
    near = minimize(risk, start, jac=slope, method="L-BFGS-B", options=_NEAR).x
    # MINPACK's method of Levenberg and Marquardt: the Hessian is singular along (1, .., 1).
    exact = root(slope, near, method="lm", options={"xtol": 1e-15, "ftol": 1e-15}).x
    z = min((near, exact), key=lambda point: np.linalg.norm(slope(point)))
    scores, value = basis @ z, risk(z)
    reach = np.sqrt(len(z)) * (np.abs(scores).max() + _radius(loss, p, value))
    lower = max(0.0, value - float(reach * np.linalg.norm(slope(z))))
    return Minimum(scores, value, lower)


def _basis(m: int, tie: int | None) -> np.ndarray:
    """Return the matrix that makes scores of free variables: the tied classes share one."""
    basis = np.eye(m)
    if tie is not None:
        basis[:, tie] += basis[:, tie + 1]
        basis = np.delete(basis, tie + 1, axis=1)
    return basis


def _radius(loss: Pointwise, p: np.ndarray, risk: float) -> float:
    """Bound the scores of a minimiser (with one of them 0 where only differences count).

    The label of lowest score among those with p > 0 has a loss of at least (spread)/(2 k) - gamma/2
    unless the risk is 0, so that the spread is at most 2 k (risk + gamma/2) / p; classes with p = 0
    may lie k + 1 times as far below. One-vs-all, |g_j| is bounded by the risk over p_j and over 1 -
    p_j. A lower bound below 0 is replaced by 0.
    """
    least = p[p > 0].min()
    spread = 2.0 * loss.k * (max(risk, 0.0) + 1.0 + loss.gamma) / least
    return (loss.k + 1) * (1.0 + spread)


# The truncated top-k entropy, which is not convex (TPAMI Proposition 13) --------------------------

# For the k - 1 classes D with the highest scores the loss can be made as small as one likes by raising
# them. The risk is then that of the softmax among the other classes, and its infimum is the smallest
# over all choices of D. It is not attained: scores of D run to infinity.
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
    ends = [
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
    best = min(ends, key=lambda end: end.fun)
    return best.x, float(best.fun)


# The excess risk of a wrong top-s set -------------------------------------------------------------

#: Below this the risks of a tie and of the minimum are the same.
SAME = 1e-9

OPTIMAL, WRONG, UNDECIDED = "optimal", "not optimal", "undecided"


@dataclass(frozen=True, eq=False)
class Excess:
    """The cost of a wrong top-s set: the risk of the tie over the least risk, and its uncertainty.

    `scores`, (m,), are the best ones with the tie; they are empty for the truncated entropy.
    """

    s: int
    value: float
    uncertainty: float
    scores: np.ndarray

    @property
    def verdict(self) -> str:
        """Whether every minimiser has a Bayes optimal top-s set."""
        if self.value - self.uncertainty > 0 and self.value > SAME:
            return OPTIMAL
        return WRONG if self.value + self.uncertainty <= SAME else UNDECIDED


def cuts(p: np.ndarray) -> list[int]:
    """Return the s for which the s most likely classes are determined: p_s > p_(s+1), p falling."""
    return [s for s in range(1, len(p)) if p[s - 1] > p[s]]


def least_risk(loss: Pointwise, p: np.ndarray, tie: int | None = None) -> Minimum:
    """Minimise the risk of a convex loss; with `tie`, among scores with g[tie] = g[tie + 1]."""
    minimise = minimise_hinge if loss.piecewise_linear else minimise_smooth
    return minimise(loss, p, tie)


def excesses(loss: Pointwise, p: np.ndarray) -> tuple[Minimum, list[Excess]]:
    """Return the least risk, and for each s of `cuts` what a wrong top-s set costs.

    The probabilities p, (m,), fall, m > loss.k; they are all positive if the loss
    `needs_all_classes`. The only loss that is not convex is the truncated top-k entropy.
    """
    if not loss.convex:
        value, nowhere = infimum(p, loss.k), np.empty(0)
        ties = {s: infimum_of_wrong(p, loss.k, s) for s in cuts(p)}
        costs = [Excess(s, tied - value, 1e-14, nowhere) for s, tied in ties.items()]
        return Minimum(nowhere, value, value), costs
    least, costs = least_risk(loss, p), []
    for s in cuts(p):
        tied = least_risk(loss, p, tie=s - 1)
        value = max(tied.risk - least.risk, 0.0)
        costs.append(Excess(s, value, tied.gap + least.gap, tied.scores))
    return least, costs
