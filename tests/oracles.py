"""Slow, obvious reference solutions, written from the papers' primal formulas and sharing no code
with the library.

Smoothed hinges are Moreau-Yosida envelopes, computed here from their infimal form (a minimum over
one or two scalars), while the library computes them from projections.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.optimize import minimize


def label_sets(y, m: int) -> np.ndarray:
    """Indicator (n, m) of class indices or of an indicator."""
    y = np.asarray(y)
    return np.eye(m, dtype=int)[y] if y.ndim == 1 else y


def softmax_loss(u: np.ndarray, labels: np.ndarray) -> float:
    """log sum_j exp u_j - mean over the labels; 0 for no label."""
    if not labels.any():
        return 0.0
    top = u.max()
    return float(top + np.log(np.exp(u - top).sum()) - u[labels == 1].mean())


def sides_loss(loss: str, u: np.ndarray, labels: np.ndarray) -> float:
    """ZLPR and LSEP from their definitions, LSEP as a sum over all pairs."""
    wrong, right = u[labels == 0], -u[labels == 1]
    if loss == "zlpr":
        return float(sum(np.logaddexp.reduce(np.append(side, 0.0)) for side in (wrong, right)))
    pairs = (wrong[:, None] + right).ravel()
    return float(np.logaddexp.reduce(np.append(pairs, 0.0)))


def hinge_multiclass(u: np.ndarray, y: int, gamma: float) -> float:
    """max{0, 1 + max_{j != y} u_j - u_y}, smoothed: min_{xi >= 0} xi + (1/2 gamma) sum_j (b_j -
    xi)_+^2.
    """
    b = np.delete(1.0 + u - u[y], y)
    if gamma == 0:
        return max(0.0, b.max())
    return _minimum_over_breakpoints(
        lambda xi: xi + np.maximum(b - xi, 0.0) @ np.maximum(b - xi, 0.0) / (2 * gamma),
        max(b.max(), 0.0),
    )


def hinge_multilabel(u: np.ndarray, labels: np.ndarray, gamma: float) -> float:
    """max{0, 1 + max_{j not in Y} u_j - min_{y in Y} u_y}; smoothed as above with two scalars xi >=
    0 and t.
    """
    if labels.all() or not labels.any():
        return 0.0
    b, b_bar = 0.5 - u[labels == 1], 0.5 + u[labels == 0]
    if gamma == 0:
        return max(0.0, b.max() + b_bar.max())

    def objective(z):
        r, r_bar = np.maximum(b - z[1], 0), np.maximum(b_bar - (z[0] - z[1]), 0)
        value = z[0] + (r @ r + r_bar @ r_bar) / (2 * gamma)
        return value, np.array([1 - r_bar.sum() / gamma, (r_bar.sum() - r.sum()) / gamma])

    start = np.array([max(b.max() + b_bar.max(), 0.0), b.max()])
    result = minimize(
        objective,
        start,
        jac=True,
        bounds=[(0, None), (None, None)],
        method="L-BFGS-B",
        options={"ftol": 1e-16, "gtol": 1e-12, "maxiter": 10000},
    )
    return float(result.fun)


def _minimum_over_breakpoints(function, high: float) -> float:
    """Minimum of a convex function on [0, high] by ternary search."""
    low = 0.0
    for _ in range(200):
        left, right = low + (high - low) / 3, high - (high - low) / 3
        if function(left) <= function(right):
            high = right
        else:
            low = left
    return float(function(0.5 * (low + high)))


def binary_sum(u: np.ndarray, labels: np.ndarray, gamma: float, logistic: bool) -> float:
    """Sum over classes of the logistic loss, or of the hinge, smoothed as above with one scalar."""
    total = 0.0
    for score, label in zip(u, labels, strict=True):
        z = score if label else -score
        if logistic:
            total += np.logaddexp(0.0, -z)
        elif gamma == 0 or z >= 1:
            total += max(0.0, 1 - z)
        else:
            b = 1 - z
            total += _minimum_over_breakpoints(lambda xi, b=b: xi + (b - xi) ** 2 / (2 * gamma), b)
    return total


def hinge_sum(u: np.ndarray, y: int, gamma: float) -> float:
    """sum_{j != y} max{0, 1 + u_j - u_y}, each smoothed: (b_+)^2/(2 gamma) up to b = gamma, then b
    - gamma/2.
    """
    b = np.maximum(np.delete(1.0 + u - u[y], y), 0.0)
    if gamma == 0:
        return float(b.sum())
    return float(np.where(b < gamma, b**2 / (2 * gamma), b - gamma / 2).sum())


def code_products(u: np.ndarray) -> np.ndarray:
    """The inner products with the codes of a simplex, of scores (..., m)."""
    m = u.shape[-1]
    return np.sqrt(m / (m - 1)) * (u - u.mean(axis=-1, keepdims=True))


def simplex_loss(loss: str, u: np.ndarray, y: int, gamma: float) -> float:
    """The losses of the simplex coding; smoothed as min over z of L(z) + ||u - z||^2 / (2 gamma).

    Of "sh_svm", L falls along one unit vector. Of "sc_svm" the dual of that problem is solved, over
    the derivatives p of its hinges.
    """
    m, t = len(u), code_products(u)
    if loss == "sh_svm":
        b = max(0.0, 1.0 - t[y])
        return float(b if gamma == 0 else b**2 / (2 * gamma) if b < gamma else b - gamma / 2)
    b = np.delete(1.0 / (m - 1) + t, y)
    if gamma == 0:
        return float(np.maximum(b, 0.0).sum())
    G = gamma * m / (m - 1) * (np.eye(m - 1) - 1.0 / m)
    result = minimize(
        lambda p: (p @ G @ p / 2 - b @ p, G @ p - b),
        np.full(m - 1, 0.5),
        jac=True,
        bounds=[(0, 1)] * (m - 1),
        method="L-BFGS-B",
        options={"ftol": 1e-16, "gtol": 1e-12, "maxiter": 10000},
    )
    return -float(result.fun)


def largest_sum(v: np.ndarray, k: int) -> float:
    """Sum of the k largest."""
    return float(np.sort(v)[::-1][:k].sum())


def topk_loss(loss: str, u: np.ndarray, y: int, k: int, gamma: float) -> float:
    """The top-k losses from their definitions; the smoothed and the entropic one as a maximum.

    max over p in the domain D of <b, p> - R(p), with R = gamma/2 ||p||^2 or the negative entropy. D
    is described by its linear inequalities, and the problem solved by a general method.
    """
    a = np.delete(u - u[y], y)
    if loss == "topk_ent_tr":
        return float(np.log1p(np.exp(np.sort(a)[: len(a) - (k - 1)]).sum()))
    if loss != "topk_ent" and gamma == 0:
        b = 1.0 + a
        if loss == "topk_svm_alpha":
            return max(0.0, largest_sum(b, k) / k)
        return largest_sum(np.maximum(b, 0.0), k) / k
    n = len(a)
    b = a if loss == "topk_ent" else 1.0 + a

    def negative(p):
        if loss == "topk_ent":
            rest = max(1 - p.sum(), 1e-300)
            q = np.maximum(p, 1e-300)
            return -(b @ p - q @ np.log(q) - rest * np.log(rest)), -(b - np.log(q) + np.log(rest))
        return -(b @ p - gamma / 2 * p @ p), -(b - gamma * p)

    caps = np.eye(n) - (np.ones((n, n)) / k if loss != "topk_svm_beta" else 0.0)
    bound = np.zeros(n) if loss != "topk_svm_beta" else np.full(n, 1.0 / k)
    A = np.vstack([-caps, -np.ones((1, n))])
    c = np.concatenate([bound, [1.0]])
    best = -np.inf
    for level in (
        0.5,
        0.1,
        0.9,
        0.99,
    ):  # the method sometimes stops early: the best of several starts
        result = minimize(
            negative,
            np.full(n, level / n),
            jac=True,
            bounds=[(0, 1)] * n,
            constraints={"type": "ineq", "fun": lambda p: A @ p + c, "jac": lambda p: A},
            method="SLSQP",
            options={"ftol": 1e-15, "maxiter": 2000},
        )
        if (A @ result.x + c).min() >= -1e-9:
            best = max(best, -result.fun)
    return float(best)


def loss_value(loss: str, u: np.ndarray, target, gamma: float, k: int = 1) -> float:
    """The loss of one row; `target` is a class index or an indicator (m,)."""
    if loss == "svm_multi":
        return hinge_multiclass(u, int(target), gamma)
    if loss == "svm_ww":
        return hinge_sum(u, int(target), gamma)
    if loss in ("sc_svm", "sh_svm"):
        return simplex_loss(loss, u, int(target), gamma)
    if loss == "svm_ml":
        return hinge_multilabel(u, np.asarray(target), gamma)
    if loss.startswith("topk"):
        return topk_loss(loss, u, int(target), k, gamma)
    labels = np.eye(len(u), dtype=int)[target] if np.ndim(target) == 0 else np.asarray(target)
    if loss.endswith("ova"):
        return binary_sum(u, labels, gamma, loss == "lr_ova")
    if loss in ("zlpr", "lsep"):
        return sides_loss(loss, u, labels)
    return softmax_loss(u, labels)


def domain_points(loss: str, y, m: int, seed: int, top: int) -> np.ndarray:
    """Random points of the domain of the conjugate, for each row."""
    rng = np.random.default_rng(seed)
    Y = label_sets(y, m)
    v = np.zeros(Y.shape)
    for i, labels in enumerate(Y):
        k = labels.sum()
        if loss.endswith("ova"):
            v[i] = np.where(labels == 1, -1, 1) * rng.random(m)
            continue
        if loss == "zlpr":
            for side, sign in ((0, 1), (1, -1)):
                size = (labels == side).sum()
                v[i, labels == side] = sign * rng.dirichlet(np.full(size + 1, 0.5))[:size]
            continue
        if k == 0:
            continue
        if loss == "svm_ww":
            v[i, labels == 0] = rng.random(m - 1)
            v[i, labels == 1] = -v[i].sum()
            continue
        if loss in ("sc_svm", "sh_svm"):
            p = rng.random(m) * (1 - labels) if loss == "sc_svm" else -rng.random() * labels
            v[i] = code_products(p)
            continue
        if loss.startswith("topk"):
            v[i, labels == 0] = rng.random() * capped(rng, m - 1, top)
            v[i, labels == 1] = -v[i].sum()
            continue
        if loss.startswith("lr"):
            v[i] = rng.dirichlet(np.full(m, 0.3)) - labels / k
        elif k < m:
            total = rng.random()
            v[i, labels == 0] = total * rng.dirichlet(np.ones(m - k))
            v[i, labels == 1] = -total * rng.dirichlet(np.ones(k))
    return v


def points_outside(loss: str, y, m: int, top: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Points (n, m) outside the domain of the conjugate, and in which rows they are outside."""
    Y = label_sets(y, m)
    everywhere = np.ones(len(Y), dtype=bool)
    if loss.endswith("ova"):
        yield np.where(Y == 1, -1.1, 1.1), everywhere
        return
    if loss == "zlpr":
        counts = np.where(Y == 1, Y.sum(axis=1, keepdims=True), (1 - Y).sum(axis=1, keepdims=True))
        signs = np.where(Y == 1, -1.0, 1.0)
        yield -0.1 * signs, everywhere
        yield 1.1 * signs / counts, everywhere
        return
    yield domain_points(loss, y, m, 1, top) + 0.01, everywhere  # entries that do not sum to 0
    labels, others = Y.sum(axis=1, keepdims=True), m - Y.sum(axis=1, keepdims=True)
    if top > 1:  # one class has more than 1/k
        yield 0.9 * (np.eye(m)[(np.asarray(y) + 1) % m] - Y), everywhere
    if loss in ("sc_svm", "sh_svm"):
        yield code_products(1.1 * (1 - Y) if loss == "sc_svm" else -1.1 * Y), everywhere
        yield code_products(0.1 * np.eye(m)[np.asarray(y)]), everywhere  # p below 0
    elif not loss.startswith("lr"):
        # The entries of the other classes sum to at most 1; those of svm_ww are each at most 1.
        bound = others if loss == "svm_ww" else 1
        v = np.where(Y == 1, -1.0 / labels.clip(1), 1.0 / others.clip(1))
        yield 1.5 * bound * v, ((labels > 0) & (others > 0)).ravel()


def capped(rng, n: int, k: int) -> np.ndarray:
    """A point with sum 1 and no entry above 1/k: a mixture of such points with k equal entries."""
    v = np.zeros(n)
    for weight in rng.dirichlet(np.ones(4)):
        v[rng.permutation(n)[:k]] += weight / k
    return v


# ---- optimality of a projection ----------------------------------------------------------------------


def support_topk_simplex_beta(g: np.ndarray, k: int, radius: float) -> float:
    """max <g, v> over 0 <= v_j <= radius/k, <1, v> <= radius."""
    return radius / k * np.maximum(np.sort(g)[::-1][:k], 0.0).sum()


def support_bipartite(g: np.ndarray, g_bar: np.ndarray, radius: float) -> float:
    """max <g, x> + <g_bar, y> over the bipartite simplex."""
    return radius * max(0.0, g.max() + g_bar.max())


def support_topk_simplex_alpha(g: np.ndarray, k: int, radius: float) -> float:
    """max <g, v> over <1, v> <= radius, 0 <= v_j <= <1, v>/k: zero or the k largest, radius/k
    each.
    """
    return max(0.0, radius / k * np.sort(g)[::-1][:k].sum())


# ---- optima, of the losses in their primal form, by a convex solver ----------------------------------


def convex_optimum(
    loss: str, X: np.ndarray, y, m: int, C: float, k: int = 1, gamma: float = 0.0
) -> float:
    """Minimum over W of P(W) with an interior-point method (CVXPY, Clarabel).

    Smoothed hinges are infimal convolutions with a square. The top-k entropy, whose conjugate is
    the softmax's restricted to the top-k simplex alpha, is the infimal convolution of the softmax
    with the indicator of the polar of the top-k cone: min over z of log(1 + sum_j exp z_j) with sum
    of the k largest of (a - z) at most 0.
    """
    import cvxpy as cp

    n, d = X.shape
    W = cp.Variable((d, m))
    U = X @ W
    Y = label_sets(y, m)
    terms, constraints = [], []
    for i in range(n):
        if loss in ("svm_ova", "lr_ova"):
            z = cp.multiply(2.0 * Y[i] - 1.0, U[i])
            if loss == "lr_ova":
                terms.append(cp.sum(cp.logistic(-z)))
            else:
                terms.append(_smoothed(cp, 1 - z, lambda v: cp.sum(cp.pos(v)), gamma, m))
            continue
        right, wrong = np.flatnonzero(Y[i]), np.flatnonzero(1 - Y[i])
        if loss == "lr_ml":
            if len(right):
                terms.append(cp.log_sum_exp(U[i]) - cp.sum(U[i, right]) / len(right))
            continue
        if loss in ("zlpr", "lsep"):
            sides = U[i, wrong], -U[i, right]
            if loss == "lsep":
                sides = ([cp.reshape(w + r, (1,), "C") for w in sides[0] for r in sides[1]],)
            terms += [cp.log_sum_exp(cp.hstack([0.0, *side])) for side in sides]
            continue
        if loss == "svm_ml":
            if len(right) and len(wrong):
                terms.append(_smoothed(cp, U[i], _hinge_of_sets(cp, right, wrong), gamma, m))
            continue
        label, others = int(right[0]), wrong
        a = U[i, others] - U[i, label]
        if loss == "topk_ent":
            z = cp.Variable(m - 1)
            constraints.append(cp.sum_largest(a - z, k) <= 0)
            terms.append(cp.log_sum_exp(cp.hstack([0.0, z])))
        elif loss == "lr_multi":
            terms.append(cp.log_sum_exp(cp.hstack([0.0, a])))
        elif loss == "svm_multi":
            terms.append(_smoothed(cp, 1 + a, lambda v: cp.pos(cp.max(v)), gamma, m - 1))
        elif loss == "svm_ww":
            terms.append(_smoothed(cp, 1 + a, lambda v: cp.sum(cp.pos(v)), gamma, m - 1))
        elif loss in ("sc_svm", "sh_svm"):
            terms.append(_simplex_hinge(cp, U[i], label, m, gamma, loss == "sc_svm"))
        elif loss == "topk_svm_alpha":
            terms.append(
                _smoothed(cp, 1 + a, lambda v: cp.pos(cp.sum_largest(v, k)) / k, gamma, m - 1)
            )
        elif loss == "topk_svm_beta":
            terms.append(
                _smoothed(cp, 1 + a, lambda v: cp.sum_largest(cp.pos(v), k) / k, gamma, m - 1)
            )
        else:
            raise ValueError(loss)
    objective = sum(terms) / n + cp.sum_squares(W) / (2 * C * n)
    problem = cp.Problem(cp.Minimize(objective), constraints)
    tight = {"tol_gap_abs": 1e-11, "tol_gap_rel": 1e-11, "tol_feas": 1e-11}
    return float(problem.solve(solver=cp.CLARABEL, **tight))


def _simplex_hinge(cp, u, label: int, m: int, gamma: float, is_cone: bool):
    """A loss of the simplex coding, smoothed by a square of the moved scores."""
    z = u if gamma == 0 else cp.Variable(m)
    t = np.sqrt(m / (m - 1)) * (z - cp.sum(z) / m)
    others = [j for j in range(m) if j != label]
    term = cp.sum(cp.pos(1 / (m - 1) + t[others])) if is_cone else cp.pos(1 - t[label])
    return term if gamma == 0 else term + cp.sum_squares(u - z) / (2 * gamma)


def _hinge_of_sets(cp, right, wrong):
    """Return the largest hinge over pairs of a right and a wrong label."""
    return lambda u: cp.pos(1 + cp.max(u[wrong]) - cp.min(u[right]))


def _smoothed(cp, b, function, gamma: float, size: int):
    if gamma == 0:
        return function(b)
    v = cp.Variable(size)
    return function(v) + cp.sum_squares(b - v) / (2 * gamma)
