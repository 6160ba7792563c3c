"""Check which losses are top-k calibrated (TPAMI section 4, Propositions 8 to 13).

``python benchmarks/evidence/calibration.py [--each N] [--seed N] [--cases FILE]`` prints a table of the
statements.

A loss is top-s calibrated if, whatever the class probabilities p, scores that minimise the
conditional risk R(g) = sum_y p_y L(y, g) have a Bayes optimal top-s set. For falling p with p_s >
p_(s+1) that is so exactly if the excess min { R(g) : g_s = g_(s+1) } - min R is positive
(docs/evidence/calibration.md has the argument). Both minima come with a proven lower bound.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations, product
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.optimize import linprog, minimize, root
from threadpoolctl import threadpool_limits

from toplabel import losses
from toplabel.reproduction.jobs import seed_of

# Losses at one point ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Pointwise:
    """A multiclass loss of the library with its parameters, as a function of the scores at one point."""

    key: str
    k: int = 1
    gamma: float = 0.0

    @property
    def is_hinge(self) -> bool:
        """True of a hinge that is not smoothed, hence piecewise linear."""
        return losses.get(self.key).smoothing and self.gamma == 0.0

    @property
    def needs_all_classes(self) -> bool:
        """True if scores have to run to infinity when a class has probability 0."""
        return not losses.get(self.key).smoothing

    def risks(self, G: np.ndarray, p: np.ndarray) -> np.ndarray:
        """Return the conditional risk of each row of scores, (q, m) to (q,)."""
        values = losses.value(self.key, *_every_label(G), self.k, self.gamma)
        return values.reshape(G.shape) @ p

    def risk_gradients(self, G: np.ndarray, p: np.ndarray) -> np.ndarray:
        """Return the gradient of the risk at each row of scores, (q, m); of a smooth loss."""
        slopes = losses.gradient(self.key, *_every_label(G), self.k, self.gamma)
        return np.einsum("qlm,l->qm", slopes.reshape(*G.shape, len(p)), p)


def _every_label(G: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return each row of scores m times, with its m labels."""
    q, m = G.shape
    return np.repeat(G, m, axis=0), np.tile(np.arange(m), q)


STUDIED = (
    Pointwise("svm_ova"),
    *(Pointwise("svm_ova", gamma=gamma) for gamma in (0.5, 1.0, 2.0)),
    Pointwise("lr_ova"),
    Pointwise("svm_multi"),
    *(Pointwise("svm_multi", gamma=gamma) for gamma in (0.1, 1.0)),
    Pointwise("lr_multi"),
    *(
        Pointwise(key, k, gamma)
        for key in ("topk_svm_alpha", "topk_svm_beta")
        for gamma in (0.0, 0.1, 1.0)
        for k in (2, 3)
    ),
    *(Pointwise(key, k) for key in ("topk_ent", "topk_ent_tr") for k in (2, 3)),
)

# Least risks --------------------------------------------------------------------------------------


class Minimum(NamedTuple):
    """The least risk: `risk` at `scores`, (m,), which is at most `gap` above it."""

    scores: np.ndarray
    risk: float
    gap: float


def least_risk(loss: Pointwise, p: np.ndarray, s: int | None = None) -> Minimum:
    """Return the least risk; with `s`, that of scores whose top-s set can be a wrong one.

    For a convex loss these are the scores with g_s = g_(s+1). The probabilities p, (m,), fall, m >
    loss.k; they are all positive if the loss `needs_all_classes`. The truncated entropy has no
    minimiser, so the scores are empty.
    """
    if not losses.get(loss.key).convex:
        infimum = scaled_entropy(p[loss.k - 1 :]) if s is None else infimum_of_wrong(p, loss.k, s)
        return Minimum(np.empty(0), infimum, 5e-15)
    return (_minimise_hinge if loss.is_hinge else _minimise_smooth)(loss, p, s)


_LARGEST_VARIABLE = 1e4  # of the programs, which a rounding error of the dual is multiplied with
_OPTIONS = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


def _minimise_hinge(loss: Pointwise, p: np.ndarray, s: int | None) -> Minimum:
    """Minimise c'x subject to A x >= b, where the variables that are not free are nonnegative.

    The lower bound is the value of a dual solution, less what rounding may have added to it.
    """
    c, free, A, b = _one_vs_all(p) if loss.key == "svm_ova" else _multiclass(loss, p)
    equal = np.zeros((0 if s is None else 1, len(c)))
    if s is not None:
        equal[0, [s - 1, s]] = 1.0, -1.0
    bounds = [(None, None) if is_free else (0.0, None) for is_free in free]
    constraints = {"A_ub": -A, "b_ub": -b, "A_eq": equal, "b_eq": np.zeros(len(equal))}
    solution = linprog(c, **constraints, bounds=bounds, method="highs", options=_OPTIONS)
    if solution.status != 0:
        raise ArithmeticError(f"the linear program was not solved: {solution.message}")
    dual = np.minimum(solution.ineqlin.marginals, 0.0)
    rest = c + A.T @ dual - equal.T @ solution.eqlin.marginals
    missed = np.where(free, np.abs(rest), np.maximum(-rest, 0.0)).sum()
    lower = float(-b @ dual) - _LARGEST_VARIABLE * float(missed)
    scores = solution.x[: len(p)] + 0.0
    risk = float(loss.risks(scores[None, :], p)[0])
    return Minimum(scores, risk, max(risk - lower, 0.0))


def _one_vs_all(p: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return c, free, A, b of sum_j p_j (1 - g_j)_+ + (1 - p_j) (1 + g_j)_+."""
    m = len(p)
    unit, none = np.eye(m), np.zeros((m, m))
    positive, negative = np.hstack([unit, unit, none]), np.hstack([-unit, none, unit])
    A = np.stack([positive, negative], axis=1).reshape(2 * m, 3 * m)
    return np.concatenate([np.zeros(m), p, 1.0 - p]), np.arange(3 * m) < m, A, np.ones(2 * m)


def _multiclass(loss: Pointwise, p: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return c, free, A, b of the top-k hinges; the variables are g and the loss z_y of each label.

    z_y is at least the sum of b_l = 1 + g_l - g_y over k other labels l, divided by k. For the loss
    beta, the k largest of max(0, b_l), it is at least that over fewer labels, too.
    """
    m, k = len(p), loss.k
    rows, least = [], []
    sizes = [k] if loss.key == "topk_svm_alpha" else range(1, k + 1)
    for y in range(m):
        others = [label for label in range(m) if label != y]
        for size in sizes:
            for chosen in combinations(others, size):
                row = np.zeros(2 * m)
                row[[*chosen]] = -1.0 / k
                row[[y, m + y]] = size / k, 1.0
                rows.append(row)
                least.append(size / k)
    c, free = np.concatenate([np.zeros(m), p]), np.arange(2 * m) < m
    return c, free, np.array(rows), np.array(least)


def _minimise_smooth(loss: Pointwise, p: np.ndarray, s: int | None) -> Minimum:
    """Minimise by L-BFGS, then by a root of the gradient; what is left of it bounds the risk."""
    basis = np.eye(len(p))  # scores are basis @ z; the tied classes share a variable
    if s is not None:
        basis[:, s - 1] += basis[:, s]
        basis = np.delete(basis, s, axis=1)

    def risk(z: np.ndarray) -> float:
        return float(loss.risks((basis @ z)[None], p)[0])

    def slope(z: np.ndarray) -> np.ndarray:
        return loss.risk_gradients((basis @ z)[None], p)[0] @ basis

    start, options = np.zeros(basis.shape[1]), {"ftol": 1e-15, "gtol": 1e-7}
    near = minimize(risk, start, jac=slope, method="L-BFGS-B", options=options).x
    # MINPACK's method of Levenberg and Marquardt: the Hessian is singular along (1, .., 1).
    exact = root(slope, near, method="lm", options={"xtol": 1e-15, "ftol": 1e-15}).x
    z = min((near, exact), key=lambda point: np.linalg.norm(slope(point)))
    scores, value = basis @ z, risk(z)
    reach = np.sqrt(len(z)) * (np.abs(scores).max() + _radius(loss, p, value))
    lower = max(0.0, value - float(reach * np.linalg.norm(slope(z))))
    return Minimum(scores, value, value - lower)


def _radius(loss: Pointwise, p: np.ndarray, risk: float) -> float:
    """Bound the scores of a minimiser (with one of them 0 where only differences count).

    The label of lowest score among those with p > 0 has a loss of at least (spread)/(2 k) - gamma/2
    unless the risk is 0, so that the spread is at most 2 k (risk + gamma/2) / p; classes with p = 0
    may lie k + 1 times as far below. One-vs-all, |g_j| is bounded by the risk over p_j and over 1 -
    p_j.
    """
    spread = 2.0 * loss.k * (max(risk, 0.0) + 1.0 + loss.gamma) / p[p > 0].min()
    return (loss.k + 1) * (1.0 + spread)


# The truncated top-k entropy (TPAMI Proposition 13) -----------------------------------------------
#
# For the k - 1 classes D with the highest scores the loss can be made as small as one likes by raising
# them. The risk is then that of the softmax among the other classes, and its infimum is the smallest
# over all choices of D: for falling p that of the k - 1 most likely ones. Scores of D run to infinity.


def scaled_entropy(q: np.ndarray) -> float:
    """Return the least softmax risk of classes with the weights q: -sum_r q_r log(q_r / sum q)."""
    q = q[q > 0]
    return float(-(q * np.log(q / q.sum())).sum()) if len(q) else 0.0


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
                q = p.copy()
                if i not in chosen and j not in chosen:
                    q[[i, j]] = 0.5 * (p[i] + p[j])
                if i not in chosen or j in chosen:
                    least = min(least, scaled_entropy(q[rest]))
    return least


# The excess risk of a wrong top-s set -------------------------------------------------------------

SAME = 1e-9  # below this the risks of a tie and of the minimum are the same
OPTIMAL, WRONG, UNDECIDED = "optimal", "not optimal", "undecided"


def verdict(excess: float, uncertainty: float) -> str:
    """Return whether every minimiser has a Bayes optimal top-s set."""
    if excess - uncertainty > 0 and excess > SAME:
        return OPTIMAL
    return WRONG if excess + uncertainty <= SAME else UNDECIDED


def excesses(loss: Pointwise, p: np.ndarray) -> pd.DataFrame:
    """Return what a wrong top-s set costs for each s with p_s > p_(s+1), with uncertainty and verdict.

    `scores` are the best with the tie, as text.
    """
    least, cases = least_risk(loss, p), []
    for s in range(1, len(p)):
        if p[s - 1] == p[s]:
            continue
        tied = least_risk(loss, p, s)
        excess, uncertainty = max(tied.risk - least.risk, 0.0), tied.gap + least.gap
        cases.append((s, excess, uncertainty, verdict(excess, uncertainty), _text(tied.scores)))
    return pd.DataFrame(cases, columns=["s", "excess", "uncertainty", "verdict", "scores"])


def _text(numbers: np.ndarray) -> str:
    """Return numbers with up to six digits, -0 as 0."""
    return " ".join(f"{number + 0.0:.6g}" for number in np.round(numbers, 9))


# Class probabilities ------------------------------------------------------------------------------

WHOLE = 1000  # probabilities are whole thousandths, so that they can be printed as they are


@dataclass(frozen=True)
class Distribution:
    """Probabilities of the classes, falling, with the sum 1000, of some kind (`family`)."""

    family: str
    thousandths: tuple[int, ...]

    @property
    def p(self) -> np.ndarray:
        """Return the probabilities, shape (m,)."""
        return np.array(self.thousandths) / WHOLE


def _led(rng: np.random.Generator, m: int, first: float, concentration: float) -> np.ndarray:
    """Return a first probability, and the others by a Dirichlet distribution."""
    others = rng.dirichlet(np.full(m - 1, concentration))
    return np.concatenate([[first], (1 - first) * others])


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


#: The kinds, random and then adversarial: functions of a generator and m that draw probabilities.
FAMILIES: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "uniform on the simplex": lambda rng, m: rng.dirichlet(np.full(m, 1.0)),
    "few likely classes": lambda rng, m: rng.dirichlet(np.full(m, 0.4)),
    "balanced": lambda rng, m: rng.dirichlet(np.full(m, 10.0)),
    "majority": lambda rng, m: _led(rng, m, rng.uniform(0.52, 0.9), 1.0),
    "no majority": lambda rng, m: _led(rng, m, rng.uniform(1.2 / m, 0.49), 20.0),
    "one half": lambda rng, m: _led(rng, m, 0.5, 2.0),
    "nearly a point mass": lambda rng, m: _led(rng, m, 1 - m * rng.uniform(0.005, 0.02), 5.0),
    "nearly uniform": lambda rng, m: (1.0 + rng.uniform(-0.05, 0.05, m)) / m,
    "ties": _ties,
    "geometric": _geometric,
    "impossible classes": _impossible_classes,
}
#: The fixed ones: that of the paper (appendix B.2), and small ones that are easy to check by hand.
FIXED = (
    Distribution("the paper's", (400, 300, 300)),
    Distribution("by hand", (450, 350, 200)),
    Distribution("by hand", (600, 300, 100)),
    Distribution("by hand", (600, 400, 0)),
    Distribution("by hand", (400, 300, 200, 100)),
    Distribution("by hand", (600, 300, 100, 0)),
    Distribution("by hand", (300, 250, 200, 150, 100)),
)


def distributions(seed: int, each: int) -> list[Distribution]:
    """Return the fixed distributions, and `each` of every family with 3, 4 and 5 classes, without
    repetition.
    """
    drawn = {distribution.thousandths: distribution for distribution in FIXED}
    for m in (3, 4, 5):
        for family, draw in FAMILIES.items():
            rng = np.random.default_rng(seed_of("calibration", seed, family, m))
            for _ in range(each):
                thousandths = _in_thousandths(draw(rng, m))
                drawn.setdefault(thousandths, Distribution(family, thousandths))
    return [*drawn.values()]


def _in_thousandths(p: np.ndarray) -> tuple[int, ...]:
    """Round to the sum 1000; positive stays positive, equal ones stay equal if they can."""
    p = np.sort(p)[::-1]
    whole = np.where(p > 0, np.maximum(np.round(WHOLE * p), 1), 0).astype(int)
    whole[0] += WHOLE - whole.sum()
    return tuple(int(part) for part in np.sort(whole)[::-1])


# The study ----------------------------------------------------------------------------------------


def study(seed: int, each: int) -> pd.DataFrame:
    """Return the cases of each loss of `STUDIED` under each distribution."""
    frames = []
    for loss, drawn in product(STUDIED, distributions(seed, each)):
        p = drawn.p
        if len(p) > loss.k and (p[-1] > 0 or not loss.needs_all_classes):
            about = {"loss": loss.key, "k": loss.k, "gamma": loss.gamma}
            about |= {"family": drawn.family, "p": _text(p)}
            frames.append(excesses(loss, p).assign(**about))
    return pd.concat(frames, ignore_index=True)


# The table ----------------------------------------------------------------------------------------

CALIBRATED, NOT_CALIBRATED, OPEN = "calibrated", "not calibrated", "open"
_ALPHA, _BETA = "loss == 'topk_svm_alpha' and gamma", "loss == 'topk_svm_beta' and gamma"
_MULTI, _TRUNCATED = "loss == 'svm_multi' and gamma", "loss == 'topk_ent_tr' and s"
#: What the paper says of the top-s sets of some losses, whether it says that they are calibrated, and
#: a query of the cases of it, in which `p1` is the largest probability.
STATEMENTS = (
    ("Prop. 8, OVA SVM", NOT_CALIBRATED, "loss == 'svm_ova' and gamma == 0"),
    ("Prop. 9, OVA logistic regression", CALIBRATED, "loss == 'lr_ova'"),
    ("Prop. 10, OVA smooth SVM", CALIBRATED, "loss == 'svm_ova' and gamma > 0"),
    (
        "Prop. 11, multiclass SVM, top-1, all p below 1/2",
        NOT_CALIBRATED,
        f"{_MULTI} == 0 and s == 1 and p1 < 0.5",
    ),
    ("Prop. 11, multiclass SVM, s > 1", NOT_CALIBRATED, f"{_MULTI} == 0 and s > 1"),
    ("Prop. 12, softmax", CALIBRATED, "loss == 'lr_multi'"),
    ("Prop. 13, truncated top-k entropy, s >= k", CALIBRATED, f"{_TRUNCATED} >= k"),
    ("truncated top-k entropy, s = k - 1", OPEN, f"{_TRUNCATED} == k - 1"),
    ("truncated top-k entropy, s < k - 1", OPEN, f"{_TRUNCATED} < k - 1"),
    ("top-k SVM alpha, s >= k", OPEN, f"{_ALPHA} == 0 and s >= k"),
    ("top-k SVM beta, s >= k", OPEN, f"{_BETA} == 0 and s >= k"),
    ("smooth multiclass SVM, every s", OPEN, f"{_MULTI} > 0"),
    ("smooth top-k SVM alpha, s >= k", OPEN, f"{_ALPHA} > 0 and s >= k"),
    ("smooth top-k SVM alpha, s < k", OPEN, f"{_ALPHA} > 0 and s < k"),
    ("smooth top-k SVM beta, every s", OPEN, f"{_BETA} > 0"),
    ("top-k entropy, every s", OPEN, "loss == 'topk_ent'"),
)


def table(cases: pd.DataFrame) -> pd.DataFrame:
    """Return a row of text for each of `STATEMENTS`, of the cases of `study`."""
    cases = cases.assign(p1=cases["p"].str.split().str[0].astype(float))
    rows = []
    for statement, claim, query in STATEMENTS:
        of_claim = cases.query(query)
        right = of_claim.loc[of_claim["verdict"] == OPTIMAL, "excess"]
        wrong = of_claim[of_claim["verdict"] == WRONG]
        rows.append(
            {
                "statement": statement,
                "paper": claim,
                "here": answer(claim, len(of_claim), len(right), len(wrong)),
                "cases": str(len(of_claim)),
                "optimal": str(len(right)),
                "not": str(len(wrong)),
                "least excess": f"{right.min():.1e}" if len(right) else "",
                "first counterexample": counterexample(wrong.iloc[0]) if len(wrong) else "",
            }
        )
    return pd.DataFrame(rows)


def answer(claim: str, cases: int, right: int, wrong: int) -> str:
    """Return whether a claim is confirmed, or the answer to an open question, as far as known."""
    undecided = cases - right - wrong
    decided = wrong > 0 or (right > 0 and not undecided)
    if claim == OPEN and not decided:
        return f"{undecided} cases undecided"
    if claim == OPEN:
        return "fails" if wrong else "no counterexample"
    agrees = decided and (wrong > 0) == (claim == NOT_CALIBRATED)
    return "confirmed" if agrees else "NOT CONFIRMED"


def counterexample(case: pd.Series) -> str:
    """Return the text of a case in which minimisers f tie the classes s and s + 1.

    Of the truncated entropy, whose scores run to infinity, there is no f.
    """
    p, scores = (", ".join(case[name].split()) for name in ("p", "scores"))
    gamma = f"gamma = {case['gamma']:g}, " if case["gamma"] else ""
    f = f"f = ({scores})" if scores else "in the limit"
    return f"k = {case['k']}, {gamma}s = {case['s']}, p = ({p}): {f}"


def main() -> None:
    """Print the table, and write the cases where a file is given."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--each", type=int, default=2, help="distributions of a family and size")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cases", help="a CSV file")
    options = parser.parse_args()
    cases = study(options.seed, options.each)
    if options.cases:
        cases.to_csv(options.cases, index=False)
    frame = table(cases)
    for line in (frame.columns, ["---"] * frame.shape[1], *frame.itertuples(index=False)):
        print("| " + " | ".join(line) + " |")
    undecided = (cases["verdict"] == UNDECIDED).sum()
    print(f"{len(cases)} cases, of which {undecided} are undecided")


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
