"""The study: class probabilities to try, every loss on all of them, and the table of the statements."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from toplabel.reproduction.calibration.excess import OPTIMAL, WRONG, descend, excesses
from toplabel.reproduction.calibration.pointwise import Pointwise, deviation
from toplabel.reproduction.jobs import seed_of

# Class probabilities ------------------------------------------------------------------------------

#: Probabilities are whole thousandths, so that they can be printed as they are.
WHOLE = 1000
Draw = Callable[[np.random.Generator, int], np.ndarray]
"""A draw of some class probabilities."""


@dataclass(frozen=True)
class Distribution:
    """Probabilities of the classes, falling, with the sum 1000, of some kind (`family`)."""

    family: str
    thousandths: tuple[int, ...]

    @property
    def p(self) -> np.ndarray:
        """Return the probabilities, shape (m,)."""
        return np.array(self.thousandths) / WHOLE

    @property
    def all_positive(self) -> bool:
        """Return whether every class can occur."""
        return self.thousandths[-1] > 0


def _dirichlet(concentration: float) -> Draw:
    return lambda rng, m: rng.dirichlet(np.full(m, concentration))


def _led_by(first: Callable[[np.random.Generator, int], float], concentration: float) -> Draw:
    """Return a draw of the first probability, and of the others by a Dirichlet distribution."""

    def draw(rng: np.random.Generator, m: int) -> np.ndarray:
        p = first(rng, m)
        return np.concatenate([[p], (1 - p) * rng.dirichlet(np.full(m - 1, concentration))])

    return draw


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
FAMILIES: dict[str, Draw] = {
    "uniform on the simplex": _dirichlet(1.0),
    "few likely classes": _dirichlet(0.4),
    "balanced": _dirichlet(10.0),
    "majority": _led_by(lambda rng, m: rng.uniform(0.52, 0.9), 1.0),
    "no majority": _led_by(lambda rng, m: rng.uniform(1.2 / m, 0.49), 20.0),
    "one half": _led_by(lambda rng, m: 0.5, 2.0),
    "nearly a point mass": _led_by(lambda rng, m: 1 - m * rng.uniform(0.005, 0.02), 5.0),
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
    drawn = {distribution.thousandths: distribution for distribution in FIXED}
    for m in sizes:
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


# The losses ---------------------------------------------------------------------------------------

#: What is studied. Smoothed hinges with two values of gamma, since the propositions hold for every
#: gamma > 0.
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
    *(Pointwise("topk_ent", k) for k in (2, 3)),
    *(Pointwise("topk_ent_tr", k) for k in (2, 3)),
)


def _pairs(seed: int, each: int) -> Iterator[tuple[Pointwise, Distribution]]:
    for loss in STUDIED:
        for distribution in distributions(seed, each):
            fits = len(distribution.thousandths) > loss.k
            if fits and (distribution.all_positive or not loss.needs_all_classes):
                yield loss, distribution


def study(seed: int = 0, each: int = 2) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Minimise the risk of every loss of `STUDIED` under every distribution.

    There are `each` distributions of every family and number of classes, drawn by the seed. The
    minima have the least risks; `deviation` is the distance to the closed form of TPAMI's proof,
    NaN where there is none. The cases say whether the top-s sets of all minimisers are Bayes
    optimal; `scores` are the best with a tie of the classes s and s + 1, and minimisers if the
    verdict is not "optimal".
    """
    minima, cases = [], []
    for loss, drawn in _pairs(seed, each):
        least, costs = excesses(loss, drawn.p)
        scores = least.scores
        if loss.convex:
            off = deviation(loss, drawn.p, scores, least.risk)
        else:
            scores, lowest = descend(loss, drawn.p, seed_of("calibration", seed, drawn))
            off = lowest - least.risk
        head = {"loss": loss.key, "k": loss.k, "gamma": loss.gamma}
        head |= {"family": drawn.family, "p": _text(drawn.p)}
        certified = {"risk": least.risk, "gap": least.gap}
        minima.append(head | certified | {"scores": _text(scores), "deviation": off})
        cases += [
            head
            | {"s": excess.s, "excess": excess.value, "uncertainty": excess.uncertainty}
            | {"verdict": excess.verdict, "scores": _text(excess.scores)}
            for excess in costs
        ]
    return pd.DataFrame(minima), pd.DataFrame(cases)


def _text(numbers: np.ndarray) -> str:
    """Print numbers so that they can be read: up to six digits, -0 as 0."""
    return " ".join(f"{number + 0.0:.6g}" for number in np.round(numbers, 9))


# The table ----------------------------------------------------------------------------------------

TITLE = "Top-k calibration: TPAMI Propositions 8 to 13 in numbers"
CAPTION = (
    "A case is a loss, a distribution p of the classes and an s with a gap between the s-th and the"
    " next probability. Bayes optimal: every minimiser of the conditional risk has the Bayes optimal"
    " top-s set: so it is if scores tying classes s and s + 1 risk more than the least; by how much"
    " is the excess, and both risks are certified. A counterexample is a minimiser f that ties them."
    " Open: what the paper leaves open. The argument is in docs/evidence/calibration.md."
)
CALIBRATED, NOT_CALIBRATED, OPEN = "calibrated", "not calibrated", "open"
_LOSS = ["loss", "k", "gamma"]


class Statement(NamedTuple):
    """A statement of the paper on the top-s sets of some losses, and a query of the cases of it.

    The query may name `p1`, the largest probability.
    """

    text: str
    losses: str
    claim: str
    query: str


_ALPHA, _BETA = "loss == 'topk_svm_alpha' and gamma", "loss == 'topk_svm_beta' and gamma"
_SVM_MULTI, _TRUNCATED = "loss == 'svm_multi' and gamma", "loss == 'topk_ent_tr' and s"
STATEMENTS = (
    Statement("Prop. 8", "OVA SVM", NOT_CALIBRATED, "loss == 'svm_ova' and gamma == 0"),
    Statement("Prop. 9", "OVA logistic regression", CALIBRATED, "loss == 'lr_ova'"),
    Statement("Prop. 10", "OVA smooth SVM", CALIBRATED, "loss == 'svm_ova' and gamma > 0"),
    Statement(
        "Prop. 11: top-1, all p below 1/2",
        "multiclass SVM",
        NOT_CALIBRATED,
        f"{_SVM_MULTI} == 0 and s == 1 and p1 < 0.5",
    ),
    Statement(
        "Prop. 11: top-s for s > 1",
        "multiclass SVM",
        NOT_CALIBRATED,
        f"{_SVM_MULTI} == 0 and s > 1",
    ),
    Statement("Prop. 12", "softmax", CALIBRATED, "loss == 'lr_multi'"),
    Statement("Prop. 13: s ≥ k", "truncated top-k entropy", CALIBRATED, f"{_TRUNCATED} >= k"),
    Statement(
        "Beyond Prop. 13: s = k - 1", "truncated top-k entropy", OPEN, f"{_TRUNCATED} == k - 1"
    ),
    Statement(
        "Beyond Prop. 13: s < k - 1", "truncated top-k entropy", OPEN, f"{_TRUNCATED} < k - 1"
    ),
    Statement("Open: s ≥ k", "top-k SVM α", OPEN, f"{_ALPHA} == 0 and s >= k"),
    Statement("Open: s ≥ k", "top-k SVM β", OPEN, f"{_BETA} == 0 and s >= k"),
    Statement("Open: all s", "smooth multiclass SVM", OPEN, f"{_SVM_MULTI} > 0"),
    Statement("Open: s ≥ k", "smooth top-k SVM α", OPEN, f"{_ALPHA} > 0 and s >= k"),
    Statement("Open: s < k", "smooth top-k SVM α", OPEN, f"{_ALPHA} > 0 and s < k"),
    Statement("Open: all s", "smooth top-k SVM β", OPEN, f"{_BETA} > 0"),
    Statement("Open: all s", "top-k entropy", OPEN, "loss == 'topk_ent'"),
)


def table(minima: pd.DataFrame, cases: pd.DataFrame) -> pd.DataFrame:
    """Return a row of text for each of `STATEMENTS`, of the two frames of `study.study`."""
    cases = cases.assign(p1=cases["p"].str.split().str[0].astype(float))
    return pd.DataFrame([_row(said, minima, cases.query(said.query)) for said in STATEMENTS])


def _row(statement: Statement, minima: pd.DataFrame, cases: pd.DataFrame) -> dict[str, str]:
    right = cases.loc[cases["verdict"] == OPTIMAL, "excess"]
    wrong = cases[cases["verdict"] == WRONG]
    undecided = len(cases) - len(right) - len(wrong)
    off = minima.merge(cases[_LOSS].drop_duplicates())["deviation"].dropna().abs()
    return {
        "Statement": statement.text,
        "Loss": statement.losses,
        "Verdict": _verdict(statement.claim, len(right), len(wrong), undecided),
        "Cases": str(len(cases)),
        "Bayes optimal": str(len(right)),
        "Not": str(len(wrong)),
        "Least excess": f"{right.min():.1e}" if len(right) else "",
        "Formula off by": f"{off.max():.1e}" if len(off) else "",
        "First counterexample": counterexample(wrong.iloc[0]) if len(wrong) else "",
    }


def _verdict(claim: str, right: int, wrong: int, undecided: int) -> str:
    """Say whether a claim is confirmed, or whether the answer to an open question is known."""
    decided = wrong > 0 or (right > 0 and not undecided)
    if claim == OPEN:
        answer = "fails" if wrong else "no counterexample"
        return answer if decided else f"{undecided} cases undecided"
    agrees = decided and (wrong > 0) == (claim == NOT_CALIBRATED)
    return "confirmed" if agrees else "NOT CONFIRMED"


def counterexample(case: pd.Series) -> str:
    """Print a case in which minimisers f tie the classes s and s + 1.

    Of the truncated entropy, whose scores run to infinity, there is no f.
    """
    p, scores = (", ".join(case[name].split()) for name in ("p", "scores"))
    gamma = f"γ = {case['gamma']:g}, " if case["gamma"] else ""
    f = f"f = ({scores})" if scores else "in the limit"
    return f"k = {case['k']}, {gamma}s = {case['s']}, p = ({p}): {f}"
