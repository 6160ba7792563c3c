"""Problems for the proximal maps, ordinary and adversarial ones, and what is measured of an answer.

Errors are in units of rounding, 2^-53 of the scale that a function names.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import exact
from toplabel import prox

UNIT = 2.0**-53
TINY = 1e-300  # scales below it have subnormal units
MAPS = ("topk_simplex_alpha", "topk_simplex_beta", "topk_cone", "bipartite_simplex")
OF_SUMS = ("topk_cone", "topk_simplex_alpha")  # the sign of a sum of entries decides

RADII = (0.0, 1e-300, 1e-12, 1e-3, 0.1, 1.0, 10.0, 1e6, 1e15, 1e149)
BIASES = (0.0, 0.0, 1e-8, 0.5, 1.0, 10.0, 1e10)
SPREAD = (0.0, 1.0, 1.0, -1.0, 1e10, 1e-10, 1e-300, 1e15, -1e15, 3e149, -3e149, 2.0, 4.0, 8.0)


@dataclass(frozen=True)
class Case:
    """One problem; a map takes from it what it has."""

    b: np.ndarray
    b_bar: np.ndarray
    k: int
    radius: float
    bias: float
    adversarial: bool


def _ordinary(rng, n):
    return rng.normal(size=n) * 10.0 ** rng.uniform(-2, 2)


def _ties(rng, n):
    return rng.integers(-2, 3, size=n).astype(float)


def _spread(rng, n):
    return rng.choice(SPREAD, size=n)


def _powers(rng, n):
    return 2.0 ** rng.integers(-40, 41, size=n)


def _close(rng, n):
    return rng.normal(size=n) + 10.0 ** rng.integers(0, 17)


def _magnitudes(rng, n):
    return rng.normal(size=n) * 10.0 ** rng.integers(-140, 141, size=n)


def _equal(rng, n):
    return np.full(n, rng.normal() * 10.0 ** rng.integers(-20, 21))


def _one_positive(rng, n):
    b = -np.abs(rng.normal(size=n))
    b[rng.integers(n)] = 1e3 * rng.normal()
    return b


HARD = (_ties, _spread, _powers, _close, _magnitudes, _equal, _one_positive)


def projection_cases(count: int, largest: int, seed: int = 0):
    """Yield cases with vectors of 1 .. `largest` entries; two in three are adversarial."""
    rng = np.random.default_rng(seed)
    for i in range(count):
        n, n_bar = rng.integers(1, largest + 1, size=2)
        adversarial = i % 3 > 0
        kind = HARD[rng.integers(len(HARD))] if adversarial else _ordinary
        b, b_bar = kind(rng, n), kind(rng, n_bar)
        if adversarial and rng.random() < 0.3:  # thresholds that nearly cancel
            b_bar = rng.choice([0.0, 1e-9, 1.0]) - rng.choice(b, size=n_bar)
        k = int(rng.integers(1, n + 1))
        if rng.random() < 0.3:
            k = int(rng.choice([1, max(1, n - 1), n]))
        radius = float(rng.choice(RADII) if adversarial else 10.0 ** rng.uniform(-3, 3))
        yield Case(b, b_bar, k, radius, float(rng.choice(BIASES)), adversarial)


def entropic_cases(count: int, n: int, seed: int = 0):
    """Draw `count` problems of one length: vectors (count, n), alpha (count,), adversarial
    (count,).

    The k largest entries are spread widely in two problems of three, so that the cap binds.
    """
    rng = np.random.default_rng(seed)
    scale = 10.0 ** rng.uniform(-1, 2.5, size=(count, 1))
    b = rng.normal(size=(count, n)) * scale
    alpha = 10.0 ** rng.uniform(-3, 2, size=count)
    adversarial = np.arange(count) % 3 > 0
    for i in np.flatnonzero(adversarial):
        kind = rng.integers(6)
        if kind == 0:
            b[i] = rng.integers(-2, 3, size=n)
        elif kind == 1:
            b[i] = np.sort(rng.uniform(-300, 300, size=n))
        elif kind == 2:
            b[i] = rng.choice([0.0, 1.0, 50.0, 70.0, 1300.0, -760.0], size=n)
        elif kind == 3:
            b[i] += 10.0 ** rng.integers(0, 9)
        elif kind == 4:
            b[i] = rng.normal(size=n) * 10.0 ** rng.integers(-20, 5, size=n)
        else:
            b[i] = _magnitudes(rng, n)
        alpha[i] = rng.choice([1e-30, 1e-12, 1e-3, 1.0, 50.0, 1e6, alpha[i]])
    return b, alpha, adversarial


# ---- what is measured of an answer ----


def solve(name: str, case: Case) -> np.ndarray:
    """The library's answer; both sides of a bipartite problem, one after the other."""
    function = getattr(prox, name)
    if name == "bipartite_simplex":
        sides = function(case.b, case.b_bar, case.radius)
        return np.concatenate(sides)
    if name == "topk_cone":
        return function(case.b, case.k, case.bias)
    return function(case.b, case.k, case.radius, case.bias)


def reference(name: str, case: Case) -> list:
    """The answer in fractions."""
    b, radius, bias = exact.fractions(case.b), *exact.fractions([case.radius, case.bias])
    if name == "bipartite_simplex":
        x, y = exact.bipartite_simplex(b, exact.fractions(case.b_bar), radius)
        return x + y
    if name == "topk_cone":
        return exact.topk_cone(b, case.k, bias)
    return getattr(exact, name)(b, case.k, radius, bias)


def size(name: str, case: Case) -> float:
    """The largest entry of the input."""
    sides = [case.b, case.b_bar] if name == "bipartite_simplex" else [case.b]
    return max(float(np.abs(side).max()) for side in sides)


def scale(name: str, case: Case) -> float:
    """What rounding is relative to: the radius bounds the result, but not where a sum of entries
    decides.
    """
    return size(name, case) if name in OF_SUMS else min(size(name, case), case.radius)


def infeasibility(name: str, case: Case, x: np.ndarray) -> float:
    """Largest violation of a constraint, in the units of x."""
    worst = max(0.0, -float(x.min()))
    if name == "bipartite_simplex":
        left, right = (np.longdouble(side).sum() for side in np.split(x, [len(case.b)]))
        return max(worst, float(max(left, right) - case.radius), float(abs(left - right)))
    s = np.longdouble(x).sum()
    if name != "topk_cone":
        worst = max(worst, float(s - case.radius))
    cap = np.longdouble(case.radius) if name == "topk_simplex_beta" else s
    return max(worst, float(x.max() - cap / case.k))


def ratio(value: float, unit: float) -> float:
    """An error in units of rounding of `unit`; below the normal numbers there is none."""
    return 0.0 if abs(value) <= TINY else value / (UNIT * max(unit, TINY))
