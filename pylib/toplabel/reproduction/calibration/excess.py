"""Is the top-s set of every minimiser Bayes optimal? Decided by the excess risk of a tie.

For falling p with p_s > p_(s+1) the Bayes optimal top-s set is {1, .., s} (TPAMI Lemma 1). Scores
whose top-s set can be another one risk at least as much as the best scores with g_s = g_(s+1):
sorting scores by p does not raise the risk of a loss that treats classes alike and falls as the
label's score rises, and where two neighbours change places their mean ties them, at a risk that
convexity bounds. So the excess

    min { R(g) : g_s = g_(s+1) } - min R

is how much worse a wrong top-s set is at least, and the top-s sets of all minimisers are right
exactly if it is positive.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from toplabel.reproduction.calibration import linear, newton, truncated
from toplabel.reproduction.calibration.pointwise import Minimum, Pointwise

#: Below this the risks of a tie and of the minimum are the same.
SAME = 1e-9

OPTIMAL, WRONG, UNDECIDED = "optimal", "not optimal", "undecided"


@dataclass(frozen=True, eq=False)
class Excess:
    """The cost of a wrong top-s set: the risk of the tie over the least risk, and its uncertainty.

    `scores`, (m,), are the best ones with the tie; they are empty for the truncated entropy.
    """

    s: int
    value: float
    uncertainty: float
    scores: np.ndarray

    @property
    def verdict(self) -> str:
        """Whether every minimiser has a Bayes optimal top-s set."""
        if self.value - self.uncertainty > 0 and self.value > SAME:
            return OPTIMAL
        return WRONG if self.value + self.uncertainty <= SAME else UNDECIDED


def cuts(p: np.ndarray) -> list[int]:
    """Return the s for which the s most likely classes are determined: p_s > p_(s+1), p falling."""
    return [s for s in range(1, len(p)) if p[s - 1] > p[s]]


def least_risk(loss: Pointwise, p: np.ndarray, tie: int | None = None) -> Minimum:
    """Minimise the risk of a convex loss; with `tie`, among scores with g[tie] = g[tie + 1]."""
    method = linear if loss.piecewise_linear else newton
    return method.minimise(loss, p, tie)


def excesses(loss: Pointwise, p: np.ndarray) -> tuple[Minimum, list[Excess]]:
    """Return the least risk, and for each s of `cuts` what a wrong top-s set costs.

    The probabilities p, (m,), fall, m > loss.k; they are all positive if the loss
    `needs_all_classes`. The only loss that is not convex is the truncated top-k entropy.
    """
    if not loss.convex:
        value, nowhere = truncated.infimum(p, loss.k), np.empty(0)
        ties = {s: truncated.infimum_of_wrong(p, loss.k, s) for s in cuts(p)}
        found = [Excess(s, tied - value, 1e-14, nowhere) for s, tied in ties.items()]
        return Minimum(nowhere, value, value), found
    least = least_risk(loss, p)
    found = []
    for s in cuts(p):
        tied = least_risk(loss, p, tie=s - 1)
        value = max(tied.risk - least.risk, 0.0)
        found.append(Excess(s, value, tied.gap + least.gap, tied.scores))
    return least, found
