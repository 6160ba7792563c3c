"""Slow and obvious references for the simplex coding (NIPS 2012).

Risk minimisers by linear programs (Theorem 1), duals of the SVMs (section 5) by a general-purpose
method.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import Bounds, linprog, minimize

from toplabel import simplex


def minimiser(loss: str, p: np.ndarray, hull: bool = False) -> tuple[np.ndarray, float]:
    """Return an f in R^(T-1) that minimises ``sum_y p_y V(y, f)``, and the minimum.

    Parameters
    ----------
    loss : {"s_ls", "sc_svm", "sh_svm"}
    p : ndarray, (T,)
        Probabilities of the classes.
    hull : bool
        Whether f has to lie in the convex hull of the code vectors.
    """
    codes = simplex.simplex_coding(len(p))
    if loss == "s_ls":
        f = codes @ p  # the mean, which lies in the hull
        return f, risk(loss, p, f)
    f = _linear_program(loss, codes, p, hull)
    return f, risk(loss, p, f)


def risk(loss: str, p: np.ndarray, f: np.ndarray) -> float:
    """``sum_y p_y V(y, f)``."""
    return float(p @ simplex.value(loss, np.tile(f, (len(p), 1)), np.arange(len(p))))


def _linear_program(loss: str, codes: np.ndarray, p: np.ndarray, hull: bool) -> np.ndarray:
    """Variables f, one slack a class, and for the hull its weights."""
    k, T = codes.shape
    if loss == "sh_svm":  # slack_y >= 1 - <c_y, f>
        cost, side, offset = p, -codes.T, -np.ones(T)
    else:  # slack_j >= 1/(T-1) + <c_j, f>, paid by all other classes
        cost, side, offset = 1 - p, codes.T, np.full(T, -1 / k)
    weights = T if hull else 0
    A = np.hstack([side, -np.eye(T), np.zeros((T, weights))])
    equalities = {}
    if hull:
        rows = np.hstack([np.eye(k), np.zeros((k, T)), -codes])
        total = np.concatenate([np.zeros(k + T), np.ones(T)])
        equalities = {"A_eq": np.vstack([rows, total]), "b_eq": np.append(np.zeros(k), 1.0)}
    found = linprog(
        np.concatenate([np.zeros(k), cost, np.zeros(weights)]),
        A_ub=A,
        b_ub=offset,
        bounds=[(None, None)] * k + [(0, None)] * (T + weights),
        method="highs",
        **equalities,
    )
    if found.status != 0:
        raise RuntimeError(found.message)
    return found.x[:k]


def probabilities(count: int, T: int, seed: int = 0, margin: float = 1e-3) -> np.ndarray:
    """Return probability vectors, (count, T), whose largest entry leads by a margin."""
    rng = np.random.default_rng(seed)
    found = []
    while len(found) < count:
        p = rng.dirichlet(np.full(T, rng.choice([0.3, 1.0, 10.0])))
        if np.diff(np.sort(p)[-2:])[0] > margin:
            found.append(p)
    return np.array(found)


CLASSES = 4


def problem(seed, n=14, d=3):
    """Return rows, one of them zero, and labels of four classes."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * rng.choice([0.3, 1.0, 3.0])
    X[2] = 0.0
    return X, rng.permutation(np.arange(n) % CLASSES)


def dual_optimum(loss, K, y, C):
    """Return the largest value of the dual of section 5, over C n, by a bounded quasi-Newton
    method.
    """
    n, T = len(y), CLASSES
    G = np.full((T, T), -1 / (T - 1))
    np.fill_diagonal(G, 1.0)
    if loss == "sc_svm":
        Q = np.kron(K, G)
        linear = np.full(n * T, 1 / (T - 1))
        upper = np.where(np.arange(T) == y[:, None], 0.0, C).ravel()
    else:
        Q = K * G[np.ix_(y, y)]
        linear, upper = np.ones(n), np.full(n, C)
    found = minimize(
        lambda a: (0.5 * a @ Q @ a - linear @ a, Q @ a - linear),
        np.zeros(len(linear)),
        jac=True,
        bounds=Bounds(np.zeros(len(linear)), upper),
        method="L-BFGS-B",
        options={"maxiter": 20000, "maxfun": 50000, "ftol": 1e-15, "gtol": 1e-12},
    )
    return -found.fun / (C * n)
