"""The duals of the simplex SVMs (NIPS 2012, section 5) by a general-purpose method."""

from __future__ import annotations

import numpy as np
from scipy.optimize import Bounds, minimize

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
