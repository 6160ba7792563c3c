"""The entropic projections certified in extended precision (80 bits where the machine has them).

Both objectives f are convex, so for any point z of the domain and any feasible v, f(v) >= f(z) +
<f'(z), v - z>; the minimum of the right-hand side over the vertices of the feasible set bounds f
from below. How z was found does not matter: a bad z makes the bound weak, never wrong. Problems are
rows.
"""

from __future__ import annotations

import numpy as np

Wide = np.longdouble


def log_v(t: np.ndarray) -> np.ndarray:
    """The logarithm of V(t): the root u of u + e^u = t, by Newton's method from the right, where it
    is monotone.
    """
    u = np.where(t > 1, np.log(np.maximum(t, 1)), t)
    for _ in range(9):
        e = np.exp(u)
        step = (u + e - t) / (1 + e)
        u = u - step
        if (np.abs(step) <= 1e-10).all():  # the next one would be below 1e-20
            break
    return u


def _x_log_x(x: np.ndarray) -> np.ndarray:
    return np.where(x > 0, x * np.log(np.where(x > 0, x, 1)), 0)


# ---- top-k entropic: alpha/2 (<x,x> + s^2) - <b,x> + <x, log x> + (1 - s) log(1 - s) ----


def topk_objective(x: np.ndarray, b: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    """Values (rows,) at x (rows, n); x may miss s <= 1 by rounding."""
    x, b, alpha = x.astype(Wide), b.astype(Wide), alpha.astype(Wide)
    s = x.sum(axis=1)
    rest = np.maximum(1 - s, 0)
    quadratic = alpha / 2 * ((x * x).sum(axis=1) + s * s)
    return quadratic - (b * x).sum(axis=1) + _x_log_x(x).sum(axis=1) + _x_log_x(rest)


def _capped(d, t, alpha, log_cap):
    """log of min(V(d - t), cap)/alpha, and which entries are capped."""
    u = log_v(d - t[:, None])
    capped = u >= log_cap[:, None]
    return np.where(capped, log_cap[:, None], u) - np.log(alpha)[:, None], capped


def _inner(d, k, alpha, log_s):
    """t of sum_j min(V(d_j - t), alpha s/k) = alpha s, d relative to the k-th largest: Newton
    within a bracket.
    """
    log_cap = np.log(alpha) + log_s - np.log(Wide(k))
    log_share = log_cap - np.log(Wide(d.shape[1] - k + 1))
    low, high = -(np.exp(log_cap) + log_cap), -(np.exp(log_share) + log_share)
    t = (low + high) / 2
    rows = np.arange(len(d))  # those that have not settled
    for _ in range(75):
        log_x, capped = _capped(d[rows], t[rows], alpha[rows], log_cap[rows])
        share = np.exp(log_x - log_s[rows, None])
        excess = share.sum(axis=1) - 1
        low[rows] = np.where(excess > 0, t[rows], low[rows])
        high[rows] = np.where(excess > 0, high[rows], t[rows])
        v = alpha[rows, None] * np.exp(log_x)
        slope = np.where(capped, 0, share / (1 + v)).sum(axis=1)
        newton = t[rows] + excess / np.where(slope > 0, slope, 1)
        inside = (slope > 0) & (newton > low[rows]) & (newton < high[rows])
        size = np.maximum(1, np.abs(t[rows]))
        relative = np.maximum(1, size / (1 + np.exp(log_cap[rows])))  # of V where t is rounded
        open_ = (np.abs(excess) >= 1e-18 * relative) & (high[rows] - low[rows] > 1e-19 * size)
        t[rows] = np.where(open_, np.where(inside, newton, (low[rows] + high[rows]) / 2), t[rows])
        rows = rows[open_]
        if len(rows) == 0:
            break
    return t, log_cap


def topk_point(b: np.ndarray, k: int, alpha: np.ndarray, rounds: int = 75):
    """A point near the minimiser: log x (rows, n), log s, log(1 - s), and which entries are capped.

    Bisection in w = log(s/(1 - s)) for the derivative of the minimum over x with the sum s; for
    each s, the threshold.
    """
    b, alpha = b.astype(Wide), alpha.astype(Wide)
    kth = np.sort(b, axis=1)[:, -k]
    d = b - kth[:, None]
    low, high = np.full(len(b), Wide(-3000)), np.full(len(b), Wide(3000))
    for _ in range(rounds):
        w = (low + high) / 2
        log_s, log_rest = -np.logaddexp(0, -w), -np.logaddexp(0, w)
        t, log_cap = _inner(d, k, alpha, log_s)
        inverse_cap = np.exp(log_cap) + log_cap
        excess = np.maximum(d - t[:, None] - inverse_cap[:, None], 0).sum(axis=1) / k
        h = alpha * np.exp(log_s) - log_rest - np.log(alpha) - (kth + t) - excess
        low, high = np.where(h > 0, low, w), np.where(h > 0, w, high)
    log_x, capped = _capped(d, t, alpha, log_cap)
    return log_x, log_s, log_rest, capped


def topk_lower_bound(b, k: int, alpha, log_x, log_s, log_rest) -> np.ndarray:
    """Linearisation at x, minimised over the vertices: 0, and 1/k on any k entries."""
    b, alpha = b.astype(Wide), alpha.astype(Wide)
    x, s, rest = np.exp(log_x), np.exp(log_s), np.exp(log_rest)
    value = alpha / 2 * ((x * x).sum(axis=1) + s * s) - (b * x).sum(axis=1)
    value += (x * log_x).sum(axis=1) + rest * log_rest
    gradient = alpha[:, None] * (x + s[:, None]) - b + log_x - log_rest[:, None]
    best = np.minimum(np.sort(gradient, axis=1)[:, :k].sum(axis=1) / k, 0)
    return value + best - (gradient * x).sum(axis=1)


# ---- bipartite entropic: alpha/2 ||p - z||^2 + <p, log p> over the simplex ----


def softmax_objective(p: np.ndarray, z: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    """Values (rows,) at p (rows, m), without the constant alpha/2 <z, z>."""
    p, z, alpha = p.astype(Wide), z.astype(Wide), alpha.astype(Wide)
    return alpha * ((p * p).sum(axis=1) / 2 - (p * z).sum(axis=1)) + _x_log_x(p).sum(axis=1)


def softmax_point(z: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    """The log of p_j = V(alpha z_j - t)/alpha with the sum 1, by bisection."""
    z, alpha = z.astype(Wide), alpha.astype(Wide)
    v = alpha[:, None] * (z - z.max(axis=1, keepdims=True))
    log_alpha, log_share = np.log(alpha), np.log(alpha) - np.log(Wide(z.shape[1]))
    low, high = -alpha - log_alpha, -np.exp(log_share) - log_share
    for _ in range(90):
        t = (low + high) / 2
        above = np.exp(log_v(v - t[:, None]) - log_alpha[:, None]).sum(axis=1) > 1
        low, high = np.where(above, t, low), np.where(above, high, t)
    return log_v(v - t[:, None]) - log_alpha[:, None]


def softmax_lower_bound(z, alpha, log_p) -> np.ndarray:
    """Linearisation at p, minimised over the vertices of the simplex."""
    z, alpha = z.astype(Wide), alpha.astype(Wide)
    p = np.exp(log_p)
    value = alpha * ((p * p).sum(axis=1) / 2 - (p * z).sum(axis=1)) + (p * log_p).sum(axis=1)
    gradient = alpha[:, None] * (p - z) + log_p + 1
    return value + gradient.min(axis=1) - (gradient * p).sum(axis=1)
