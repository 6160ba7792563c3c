"""Slow, obvious reference solutions, written from the papers' primal formulas and sharing no code
with the library.

Smoothed hinges are Moreau-Yosida envelopes, computed here from their infimal form by a general convex
solver, while the library computes them from projections.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np


def label_sets(y, m: int) -> np.ndarray:
    """Indicator (n, m) of class indices or of an indicator."""
    y = np.asarray(y)
    return np.eye(m, dtype=int)[y] if y.ndim == 1 else y


def code_products(u: np.ndarray) -> np.ndarray:
    """The inner products with the codes of a simplex, of scores (..., m)."""
    m = u.shape[-1]
    return np.sqrt(m / (m - 1)) * (u - u.mean(axis=-1, keepdims=True))


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


# ---- values and optima, of the losses in their primal form, by a convex solver ----------------------


def loss_value(loss: str, u: np.ndarray, target, gamma: float, k: int = 1) -> float:
    """The loss of one row; `target` is a class index or an indicator (m,)."""
    import cvxpy as cp

    if loss == "topk_ent_tr":  # not convex
        a = np.sort(np.delete(u - u[target], target))
        return float(np.logaddexp.reduce(np.append(0.0, a[: len(a) - (k - 1)])))
    labels = label_sets([target], len(u))[0] if np.ndim(target) == 0 else np.asarray(target)
    term, constraints = _loss_of_row(cp, loss, cp.Constant(u), labels, k, gamma)
    return _minimum(cp, term, constraints) if term.variables() else float(term.value)


def convex_optimum(
    loss: str, X: np.ndarray, y, m: int, C: float, k: int = 1, gamma: float = 0.0
) -> float:
    """Minimum over W of P(W) with an interior-point method (CVXPY, Clarabel)."""
    import cvxpy as cp

    n, d = X.shape
    W = cp.Variable((d, m))
    objective, constraints = cp.sum_squares(W) / (2 * C * n), []
    for x, labels in zip(X, label_sets(y, m), strict=True):
        term, of_row = _loss_of_row(cp, loss, x @ W, labels, k, gamma)
        objective += term / n
        constraints += of_row
    return _minimum(cp, objective, constraints)


def least_risk(
    loss: str, p: np.ndarray, s: int | None = None, k: int = 1, gamma: float = 0.0
) -> float:
    """Minimum over scores (m,) of the loss at one point with class probabilities p; with `s`, over
    scores of which those of the s-th class and the next one are equal.
    """
    import cvxpy as cp

    m = len(p)
    u = cp.Variable(m)
    objective, constraints = 0.0, [] if s is None else [u[s - 1] == u[s]]
    for probability, labels in zip(p, np.eye(m, dtype=int), strict=True):
        term, of_class = _loss_of_row(cp, loss, u, labels, k, gamma)
        objective += probability * term
        constraints += of_class
    return _minimum(cp, objective, constraints, tol=1e-10)


def _minimum(cp, objective, constraints, tol: float = 1e-11) -> float:
    tight = {"tol_gap_abs": tol, "tol_gap_rel": tol, "tol_feas": tol}
    problem = cp.Problem(cp.Minimize(objective), constraints)
    return float(problem.solve(solver=cp.CLARABEL, **tight))


def _loss_of_row(cp, loss: str, u, labels: np.ndarray, k: int, gamma: float):
    """An expression of scores (m,), of which the minimum over its own variables is the loss, and
    their constraints.

    Smoothed hinges are infimal convolutions with a square. The top-k entropy, whose conjugate is
    the softmax's restricted to the top-k simplex alpha, is the infimal convolution of the softmax
    with the indicator of the polar of the top-k cone: min over z of log(1 + sum_j exp z_j) with sum
    of the k largest of (a - z) at most 0.
    """
    m = len(labels)
    right, wrong = np.flatnonzero(labels), np.flatnonzero(1 - labels)
    if loss in ("svm_ova", "lr_ova"):
        z = cp.multiply(2.0 * labels - 1.0, u)
        if loss == "lr_ova":
            return cp.sum(cp.logistic(-z)), []
        return _smoothed(cp, 1 - z, lambda v: cp.sum(cp.pos(v)), gamma, m), []
    if loss in ("zlpr", "lsep"):
        sides = u[wrong], -u[right]
        if loss == "lsep":
            sides = ([cp.reshape(w + r, (1,), "C") for w in sides[0] for r in sides[1]],)
        return sum(cp.log_sum_exp(cp.hstack([0.0, *side])) for side in sides), []
    if not len(right) or (loss == "svm_ml" and not len(wrong)):
        return cp.Constant(0.0), []
    if loss == "lr_ml":
        return cp.log_sum_exp(u) - cp.sum(u[right]) / len(right), []
    if loss == "svm_ml":
        return _smoothed(cp, u, _hinge_of_sets(cp, right, wrong), gamma, m), []
    label = int(right[0])
    if loss in ("sc_svm", "sh_svm"):
        return _simplex_hinge(cp, u, label, m, gamma, loss == "sc_svm"), []
    a = u[wrong] - u[label]
    if loss == "lr_multi":
        return cp.log_sum_exp(cp.hstack([0.0, a])), []
    if loss == "topk_ent":
        z = cp.Variable(m - 1)
        return cp.log_sum_exp(cp.hstack([0.0, z])), [cp.sum_largest(a - z, k) <= 0]
    hinge = {
        "svm_multi": lambda v: cp.pos(cp.max(v)),
        "svm_ww": lambda v: cp.sum(cp.pos(v)),
        "topk_svm_alpha": lambda v: cp.pos(cp.sum_largest(v, k)) / k,
        "topk_svm_beta": lambda v: cp.sum_largest(cp.pos(v), k) / k,
    }[loss]
    return _smoothed(cp, 1 + a, hinge, gamma, m - 1), []


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
