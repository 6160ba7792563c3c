"""The study: every loss on every distribution."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from toplabel.reproduction.calibration import truncated
from toplabel.reproduction.calibration.closed_forms import deviation
from toplabel.reproduction.calibration.distributions import Distribution, distributions
from toplabel.reproduction.calibration.excess import excesses
from toplabel.reproduction.calibration.pointwise import Pointwise
from toplabel.reproduction.seeds import seed_of

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
        for one in distributions(seed, each):
            fits = len(one.thousandths) > loss.k
            if fits and (one.all_positive or not loss.needs_all_classes):
                yield loss, one


def study(seed: int = 0, each: int = 2) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Minimise the risk of every loss of `STUDIED` under every distribution.

    There are `each` distributions of every family and number of classes, drawn by the seed. The
    minima have the least risks; `deviation` is the distance to the closed form of TPAMI's proof,
    NaN where there is none. The cases say whether the top-s sets of all minimisers are Bayes
    optimal; `scores` are the best with a tie of the classes s and s + 1, and minimisers if the
    verdict is not "optimal".
    """
    minima, cases = [], []
    for loss, one in _pairs(seed, each):
        least, found = excesses(loss, one.p)
        scores = least.scores
        if loss.convex:
            off = deviation(loss, one.p, scores, least.risk)
        else:
            scores, lowest = truncated.descend(loss, one.p, seed_of("calibration", seed, one))
            off = lowest - least.risk
        head = {"loss": loss.key, "k": loss.k, "gamma": loss.gamma}
        head |= {"family": one.family, "p": _text(one.p)}
        certified = {"risk": least.risk, "gap": least.gap}
        minima.append(head | certified | {"scores": _text(scores), "deviation": off})
        cases += [
            head
            | {"s": excess.s, "excess": excess.value, "uncertainty": excess.uncertainty}
            | {"verdict": excess.verdict, "scores": _text(excess.scores)}
            for excess in found
        ]
    return pd.DataFrame(minima), pd.DataFrame(cases)


def _text(numbers: np.ndarray) -> str:
    """Print numbers so that they can be read: up to six digits, -0 as 0."""
    return " ".join(f"{number + 0.0:.6g}" for number in np.round(numbers, 9))
