"""Judge a claim by its comparisons: outcome, sign tests, Holm's correction.

A comparison is the difference of the first side minus the second in points, positive when the first
is better, with its standard error (docs/protocols.md).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from toplabel.reproduction.compare.verdicts import TOLERANCE
from toplabel.reproduction.config.notes import Claim

_TIE_POINTS = 0.05  # half a unit of the last printed digit, of percentages and of losses with three
_DEVIATIONS = 2.0  # standard errors of a difference of means over draws, below which it is a tie
_QUARTER = 0.25
_ENOUGH = 4  # comparisons before a claim can hold
_SIGNIFICANT = 0.05


def signs(differences: pd.DataFrame) -> pd.Series:
    """Return 1 where the first side is ahead, -1 where the second is, 0 for ties.

    Ties are differences below half of the last printed digit, or below two standard errors.
    """
    tie = differences["points"].abs() < (_DEVIATIONS * differences["error"]).clip(_TIE_POINTS)
    return (differences["points"] > 0).map({True: 1, False: -1}).mask(tie, 0)


def ahead(differences: pd.DataFrame, side: int) -> int:
    """Count the comparisons that a side (1 or -1) wins."""
    return int((signs(differences) == side).sum())


def within(claim: Claim, differences: pd.DataFrame) -> int:
    """Count the comparisons that differ by no more than the claim's margin."""
    return int((differences["points"].abs() <= claim.margin).sum())


def outcome(claim: Claim, differences: pd.DataFrame) -> str:
    """Return whether a claim holds.

    "holds", "mixed" or "fails"; "consistent" when it holds in fewer than four comparisons; "few"
    when there are too few to say that neither side wins; "" when there is none.
    """
    if differences.empty:
        return ""
    share = _share(claim, differences)
    if claim.expects == "neither":
        if len(differences) < _ENOUGH:
            return "few"
        return "holds" if _QUARTER <= share <= 1 - _QUARTER else "fails"
    if share >= claim.least:
        return "holds" if len(differences) >= _ENOUGH else "consistent"
    return "fails" if share <= 1 - claim.least else "mixed"


def _share(claim: Claim, differences: pd.DataFrame) -> float:
    """Return the share of comparisons that speak for the claim; one half when all are ties."""
    if claim.expects == "similar":
        return within(claim, differences) / len(differences)
    first, second = ahead(differences, 1), ahead(differences, -1)
    if claim.ties_win:
        return 1 - second / len(differences)
    return first / (first + second) if first + second else 0.5


def qualified(
    claim: Claim, differences: pd.DataFrame, printed: pd.DataFrame, rows: tuple[float, float]
) -> str:
    """Return the outcome of what was measured, in view of the papers and of the test rows.

    A claim that one side is ahead is "undecided" where 0 is in the interval of the median over test
    rows; "smaller" where it holds by less than half the median difference in print, and by at least
    half a point less.
    """
    found = outcome(claim, differences)
    low, high = rows
    if claim.expects != "first":
        return found
    if low <= 0.0 <= high:
        return "undecided"
    in_print, median = printed["points"].median(), differences["points"].median()
    is_smaller = median < in_print / 2 and in_print - median >= TOLERANCE
    return "smaller" if found in ("holds", "consistent") and is_smaller else found


def final(counted: Mapping[str, Any], side: str) -> str:
    """Return the outcome of what was measured once p-values are corrected, by a row of claims.csv.

    A claim that "holds" is "consistent" where neither the corrected sign test nor the test rows
    refute chance. One that does not is "printed" where it is so in the papers' tables as well, in
    the same comparisons.
    """
    found = counted[f"{side}_outcome"]
    if found == "holds":
        is_sure = counted[f"{side}_adjusted"] < _SIGNIFICANT or counted[f"{side}_rows_low"] > 0.0
        return found if is_sure else "consistent"
    is_printed = (
        side == "same" and found in ("mixed", "fails") and found == counted["shared_outcome"]
    )
    return "printed" if is_printed else found


def p_value(claim: Claim, differences: pd.DataFrame) -> float:
    """Return the p-value of a sign test over comparisons.

    A claim that one side is ahead is tested against equal chances of both sides, ties left out
    (counted for the first side where `ties_win`). A claim that the sides are similar is tested by
    two one-sided sign tests, at either end of its margin (an equivalence test); the larger p-value
    counts. NaN for a claim that neither side wins, and where there are so few comparisons that none
    of their outcomes has a p-value of 0.05 or less.
    """
    from scipy.stats import binomtest

    def sign_test(for_it: int, against: int) -> float:
        decided = int(for_it + against)
        if 0.5**decided > _SIGNIFICANT:
            return math.nan
        return float(binomtest(int(for_it), decided, alternative="greater").pvalue)

    if claim.expects == "neither" or differences.empty:
        return math.nan
    points = differences["points"]
    if claim.expects == "similar":
        ends = (points + claim.margin, claim.margin - points)
        return float(np.max([sign_test((end > 0).sum(), (end < 0).sum()) for end in ends]))
    first, second = ahead(differences, 1), ahead(differences, -1)
    return sign_test(len(differences) - second if claim.ties_win else first, second)


def holm(p: Sequence[float]) -> np.ndarray:
    """Return p-values that are corrected for their number by Holm's method; NaN is no test."""
    p = np.asarray(p, dtype=float)
    tested = np.flatnonzero(~np.isnan(p))
    order = tested[np.argsort(p[tested], kind="stable")]
    adjusted = np.full(len(p), math.nan)
    factors = len(order) - np.arange(len(order))
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(factors * p[order]))
    return adjusted
