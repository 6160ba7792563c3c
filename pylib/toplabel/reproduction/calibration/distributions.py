"""Class probabilities to try: random ones of several kinds, and those that make losses fail."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from toplabel.reproduction.jobs import seed_of

#: Probabilities are whole thousandths, so that they can be printed as they are.
WHOLE = 1000


@dataclass(frozen=True)
class Distribution:
    """Probabilities of the classes, falling, with the sum 1000, of some kind (`family`)."""

    family: str
    thousandths: tuple[int, ...]

    @property
    def p(self) -> np.ndarray:
        """As an array, (m,)."""
        return np.array(self.thousandths) / WHOLE

    @property
    def all_positive(self) -> bool:
        """Whether every class can occur."""
        return self.thousandths[-1] > 0


def _dirichlet(concentration: float) -> Callable[[np.random.Generator, int], np.ndarray]:
    return lambda rng, m: rng.dirichlet(np.full(m, concentration))


def _majority(rng: np.random.Generator, m: int) -> np.ndarray:
    first = rng.uniform(0.52, 0.9)
    return np.concatenate([[first], (1 - first) * rng.dirichlet(np.ones(m - 1))])


def _no_majority(rng: np.random.Generator, m: int) -> np.ndarray:
    first = rng.uniform(1.2 / m, 0.49)
    return np.concatenate([[first], (1 - first) * rng.dirichlet(np.full(m - 1, 20.0))])


def _half(rng: np.random.Generator, m: int) -> np.ndarray:
    return np.concatenate([[0.5], 0.5 * rng.dirichlet(np.full(m - 1, 2.0))])


def _point_mass(rng: np.random.Generator, m: int) -> np.ndarray:
    rest = rng.uniform(0.005, 0.02) * m
    return np.concatenate([[1 - rest], rest * rng.dirichlet(np.full(m - 1, 5.0))])


def _nearly_uniform(rng: np.random.Generator, m: int) -> np.ndarray:
    return (1.0 + rng.uniform(-0.05, 0.05, m)) / m


def _ties(rng: np.random.Generator, m: int) -> np.ndarray:
    """Return two levels: some classes share the larger probability, the others the smaller."""
    high = int(rng.integers(1, m))
    weights = np.where(np.arange(m) < high, rng.uniform(1.2, 4.0), 1.0)
    return weights / weights.sum()


def _geometric(rng: np.random.Generator, m: int) -> np.ndarray:
    weights = rng.uniform(0.3, 0.8) ** np.arange(m)
    return weights / weights.sum()


def _impossible_classes(rng: np.random.Generator, m: int) -> np.ndarray:
    possible = int(rng.integers(2, m))
    return np.concatenate([rng.dirichlet(np.full(possible, 3.0)), np.zeros(m - possible)])


#: The kinds: random, then adversarial.
FAMILIES: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "uniform on the simplex": _dirichlet(1.0),
    "few likely classes": _dirichlet(0.4),
    "balanced": _dirichlet(10.0),
    "majority": _majority,
    "no majority": _no_majority,
    "one half": _half,
    "nearly a point mass": _point_mass,
    "nearly uniform": _nearly_uniform,
    "ties": _ties,
    "geometric": _geometric,
    "impossible classes": _impossible_classes,
}

#: The fixed ones: those of the paper (appendix B.2), and small ones that are easy to check by hand.
FIXED = (
    Distribution("the paper's", (400, 300, 300)),
    Distribution("by hand", (450, 350, 200)),
    Distribution("by hand", (600, 300, 100)),
    Distribution("by hand", (600, 400, 0)),
    Distribution("by hand", (400, 300, 200, 100)),
    Distribution("by hand", (600, 300, 100, 0)),
    Distribution("by hand", (300, 250, 200, 150, 100)),
)


def distributions(seed: int, each: int, sizes: tuple[int, ...] = (3, 4, 5)) -> list[Distribution]:
    """Return the fixed distributions, and `each` of every family and size, without repetition."""
    found = list(FIXED)
    for m in sizes:
        for family, draw in FAMILIES.items():
            rng = np.random.default_rng(seed_of("calibration", seed, family, m))
            found += [Distribution(family, _in_thousandths(draw(rng, m))) for _ in range(each)]
    first = {one.thousandths: one for one in reversed(found)}
    return [one for one in found if first[one.thousandths] is one]


def _in_thousandths(p: np.ndarray) -> tuple[int, ...]:
    """Round to the sum 1000; positive stays positive, equal ones stay equal if they can."""
    p = np.sort(p)[::-1]
    whole = np.where(p > 0, np.maximum(np.round(WHOLE * p), 1), 0).astype(int)
    whole[0] += WHOLE - whole.sum()
    return tuple(int(part) for part in np.sort(whole)[::-1])
