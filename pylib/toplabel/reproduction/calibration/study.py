"""Every loss on every distribution, and maps of where top sets are Bayes optimal."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from toplabel.reproduction.calibration import truncated
from toplabel.reproduction.calibration.closed_forms import deviation
from toplabel.reproduction.calibration.distributions import Distribution, distributions
from toplabel.reproduction.calibration.excess import OPTIMAL, excesses
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

#: The losses whose maps are drawn: the hinges, above their smoothings.
MAPPED = tuple(
    Pointwise(key, k, gamma)
    for gamma in (0.0, 1.0)
    for key, k in (("svm_ova", 1), ("svm_multi", 1), ("topk_svm_alpha", 2), ("topk_svm_beta", 2))
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


# ---- the map ---------------------------------------------------------------------------------------


def map_of_three(divisions: int = 10) -> pd.DataFrame:
    """Judge the losses of `MAPPED` all over p_1 > p_2 > p_3, a row per triangle and loss.

    The sides of the triangle (1, 0, 0), (1/2, 1/2, 0), (1/2, 1/4, 1/4) are cut into so many parts,
    an even number, those of (1/2, 1/2, 0), (1/2, 1/4, 1/4), (1/3, 1/3, 1/3) into half as many. Each
    of the resulting triangles is judged at its middle, where no two probabilities are equal and
    none is 0.
    """
    rows = []
    triangles = list(_triangles(divisions))
    for loss in MAPPED:
        head = {"loss": loss.key, "k": loss.k, "gamma": loss.gamma, "label": loss.label}
        for corners in triangles:
            p = corners.mean(axis=0)
            right = {one.s: one.verdict == OPTIMAL for one in excesses(loss, p / p.sum())[1]}
            middle = {f"p{i}": float(part) for i, part in enumerate(p, start=1)}
            text = " ".join(f"{number:.9g}" for number in corners.ravel())
            rows.append(head | middle | {"corners": text, "top1": right[1], "top2": right[2]})
    return pd.DataFrame(rows)


def _triangles(divisions: int) -> Iterator[np.ndarray]:
    """Cut the falling probabilities into triangles of equal area: (3, 3) arrays of corners.

    No triangle crosses the line p_1 = 1/2, where one-vs-all and multiclass SVM change (Propositions
    8 and 11). The part with a majority has three times the area of the other, and twice the
    divisions along a side.
    """
    majority = np.array([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.5, 0.25, 0.25]])
    others = np.array([[0.5, 0.5, 0.0], [0.5, 0.25, 0.25], [1 / 3, 1 / 3, 1 / 3]])
    yield from _cut(majority, divisions)
    yield from _cut(others, divisions // 2)


def _cut(outer: np.ndarray, divisions: int) -> Iterator[np.ndarray]:
    """Cut a triangle into equal ones, so many along each side."""

    def at(i: int, j: int) -> np.ndarray:
        return np.array([divisions - i - j, i, j]) @ outer / divisions

    for i in range(divisions):
        for j in range(divisions - i):
            yield np.array([at(i, j), at(i + 1, j), at(i, j + 1)])
            if i + j + 2 <= divisions:
                yield np.array([at(i + 1, j), at(i, j + 1), at(i + 1, j + 1)])
