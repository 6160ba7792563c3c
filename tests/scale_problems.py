"""Small problems whose rows, columns and C are up to 120 orders of magnitude apart, and what is
claimed of them.
"""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

import toplabel
from toplabel import ToplabelError, losses, simplex
from toplabel.kernels import rbf_gram

EPS = 1e-3
FORMS = ("dense", "csr", "gram", "rbf", "wide")
KEYS = (*(key for key, loss in losses.LOSSES.items() if loss.convex), "sc_svm", "sh_svm")


@dataclass(frozen=True)
class Claim:
    """How a solver ended, and what `certify` says of that."""

    status: str  # of the solution, or "refused"
    claimed: float  # its relative gap
    found: toplabel.Certificate | None = None

    @property
    def is_confirmed(self) -> bool:
        """Is the gap as small as it was asked for, with the rounding of `certify` counted against
        it?
        """
        return self.found is not None and self.found.relative_gap <= 1.01 * EPS


def draw(rng: np.random.Generator, key: str, form: str):
    """Data, labels and the options of `solve`."""
    n, d, m = rng.integers(2, 25), rng.integers(1, 10), rng.integers(3, 8)
    if form == "wide":  # so many features that the passes may be in float32
        d += 64
    spreads = {"gram": [0, 10, 30], "rbf": [0], "wide": [0, 4, 9, 60]}.get(form, [0, 20, 60])
    spread = 10.0 ** rng.choice(spreads)
    X = rng.normal(size=(n, d)) * spread ** rng.uniform(-1, 1, size=(n, 1))
    if rng.random() < 0.3:  # columns too, so that each score is a sum of few terms
        X *= 2.0 ** rng.integers(-40, 40, size=d)
    y = rng.permutation(np.arange(n) % m)
    data = {"csr": sparse.csr_array, "gram": lambda X: X @ X.T}.get(form, lambda X: X)(X)
    if form == "rbf":
        data = rbf_gram(X, 10.0 ** rng.uniform(-6, 6)) * 10.0 ** rng.uniform(-8, 8)
    options = {"C": 10.0 ** rng.uniform(-8, 12), "tol": EPS, "max_iter": 100}
    options["kernel"] = "precomputed" if form in ("gram", "rbf") else "linear"
    if key in ("sc_svm", "sh_svm"):
        return data, y, options | {"n_classes": int(m)}
    loss = losses.get(key)
    options["acceleration"] = ("auto", False, 3.0)[rng.integers(3)]
    options["gamma"] = float(rng.choice([0.0, 1.0])) if loss.smoothing else 0.0
    options["k"] = int(rng.integers(1, m)) if loss.top_k else 1
    if loss.labels == "one":
        return data, y, options | {"n_classes": int(m)}
    return data, np.eye(m, dtype=int)[y], options


def claim(rng: np.random.Generator, key: str, form: str) -> Claim:
    """Train on a drawn problem; what ended as "converged" or "imprecise" is certified."""
    data, y, options = draw(rng, key, form)
    solve = simplex.solve if key in ("sc_svm", "sh_svm") else toplabel.solve
    try:
        solution = solve(data, y, key, **options)
    except ToplabelError:
        return Claim("refused", np.nan)
    if solution.status not in ("converged", "imprecise"):
        return Claim(solution.status, solution.relative_gap)
    found = toplabel.certify(data, y, solution)
    return Claim(solution.status, solution.relative_gap, found)
