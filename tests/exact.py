"""The projections in rational arithmetic: exact, slow, and written from the optimality conditions.

Every float is a fraction, and the solution of each of these problems is a rational function of its
input, so that these are the true minimisers, whatever the magnitudes. They serve to measure the
rounding of the library.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

Vector = list[Fraction]


def fractions(values) -> Vector:
    """Exact copies of floats."""
    return [Fraction(float(v)) for v in np.asarray(values).ravel()]


def _clip(b: Vector, t: Fraction, u: Fraction | None) -> Vector:
    """min((b - t)_+, u); None: no cap."""
    above = [max(v - t, Fraction(0)) for v in b]
    return above if u is None else [min(v, u) for v in above]


def _root(f: Callable[[Fraction], Fraction], breakpoints: list[Fraction]) -> Fraction:
    """Root of a decreasing function that is linear between these breakpoints and beyond them."""
    points = sorted(set(breakpoints))
    points = [points[0] - 1, *points, points[-1] + 1]
    values = [f(p) for p in points]
    if values[0] <= 0:
        i = 0
    elif values[-1] > 0:
        i = len(points) - 2
    else:
        i = next(i for i in range(len(points) - 1) if values[i] > 0 >= values[i + 1])
    slope = (values[i + 1] - values[i]) / (points[i + 1] - points[i])
    return points[i] if slope == 0 else points[i] - values[i] / slope


def topk_simplex_beta(b: Vector, k: int, radius: Fraction, bias: Fraction) -> Vector:
    """x_j = clip(b_j - t, 0, radius/k) with t = bias sum(x), or with the larger t where sum(x) =
    radius.
    """
    u = radius / k
    kinks = [*b, *(v - u for v in b)]
    if u == 0:
        return [Fraction(0)] * len(b)
    t = (
        _root(lambda t: sum(_clip(b, t, u)) - t / bias, [*kinks, Fraction(0)])
        if bias
        else Fraction(0)
    )
    x = _clip(b, max(t, Fraction(0)), u)
    if sum(x) <= radius:
        return x
    return _clip(b, _root(lambda t: sum(_clip(b, t, u)) - radius, kinks), u)


def topk_cone(b: Vector, k: int, bias: Fraction) -> Vector:
    """The partition into capped, free and zero entries whose linear system satisfies all signs."""
    order = sorted(range(len(b)), key=lambda j: -b[j])
    v = [b[j] for j in order]
    if sum(v[:k]) <= 0:
        return [Fraction(0)] * len(b)
    for p in range(k + 1):
        for q in range(k, len(b) + 1):
            x = _cone_candidate(v, k, bias, p, q)
            if x is not None:
                return [x[order.index(j)] for j in range(len(b))]
    raise ArithmeticError("no partition satisfies the optimality conditions")


def _cone_candidate(v: Vector, k: int, bias: Fraction, p: int, q: int) -> Vector | None:
    """p capped, q - p free; the sum s and the threshold t solve
    p s/k + sum_free v - (q - p) t = s  and  bias s - t - (1/k) sum_capped (v - t - s/k) = 0.
    """
    free, capped = q - p, sum(v[:p], Fraction(0))
    rho = Fraction(p, k)
    if free == 0:  # then p = k, and t lies anywhere between the capped and the rest
        s = capped / k / (bias + Fraction(1, k))
        if s < 0 or (q < len(v) and v[k - 1] - s / k < v[q]):
            return None
        return [s / k] * k + [Fraction(0)] * (len(v) - k)
    middle = sum(v[p:q], Fraction(0))
    # t = (middle - (1 - rho) s) / free;  s (bias + rho/k) - (1 - rho) t = capped/k
    s = (capped / k + (1 - rho) * middle / free) / (bias + rho / k + (1 - rho) ** 2 / free)
    t = (middle - (1 - rho) * s) / free
    u = s / k
    fits = (
        s >= 0
        and (p == 0 or v[p - 1] - t >= u)
        and v[p] - t <= u
        and v[q - 1] >= t
        and (q == len(v) or v[q] <= t)
    )
    return _clip(v, t, u) if fits else None


def topk_simplex_alpha(b: Vector, k: int, radius: Fraction, bias: Fraction) -> Vector:
    """The cone's solution, or the knapsack problem with the sum and the cap of the radius."""
    if radius == 0:
        return [Fraction(0)] * len(b)
    x = topk_cone(b, k, bias)
    if sum(x) <= radius:
        return x
    u = radius / k
    t = _root(lambda t: sum(_clip(b, t, u)) - radius, [*b, *(v - u for v in b)])
    return _clip(b, t, u)


def bipartite_simplex(b: Vector, b_bar: Vector, radius: Fraction) -> tuple[Vector, Vector]:
    """Two simplex projections, or, where those would leave the sums' bound slack, the coupled
    problem.
    """
    zero = [Fraction(0)] * len(b), [Fraction(0)] * len(b_bar)
    if max(b) + max(b_bar) <= 0 or radius == 0:
        return zero
    t = _root(lambda t: sum(_clip(b, t, None)) - radius, b)
    t_bar = _root(lambda t: sum(_clip(b_bar, t, None)) - radius, b_bar)
    if t + t_bar < 0:
        t = _root(
            lambda t: sum(_clip(b, t, None)) - sum(_clip(b_bar, -t, None)),
            [*b, *(-v for v in b_bar)],
        )
        t_bar = -t
    return _clip(b, t, None), _clip(b_bar, t_bar, None)
