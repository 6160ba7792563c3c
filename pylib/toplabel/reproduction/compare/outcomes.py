"""Judge a claim by the differences of its two sides: an interval, and one of three outcomes.

A difference is that of one data set, the first side minus the second in points, the mean over the
metrics of the claim, positive when the first side is better (docs/protocols.md, "Claims").
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

HOLDS, FAILS, UNDECIDED = "holds", "fails", "undecided"
ENOUGH_SETS = 6
"""Data sets from which on their median has an interval of 95 %: with fewer, less than that lies
between the smallest and the largest difference."""
LEVEL = 0.95
TIE = 0.05
"""Points below which two sides are level: half a unit of the last digit that the papers print."""


@dataclass(frozen=True)
class Interval:
    """The 95 % interval of a median difference, in points; NaN where there is none.

    `over` says what varies: "sets", the data sets; "rows", the test rows; "draws", the draws of the
    data or of a network; "digits", what was rounded off in print; or "" without an interval.
    """

    low: float = math.nan
    high: float = math.nan
    over: str = ""


def over_sets(differences: np.ndarray) -> Interval:
    """Return the exact interval of the median over data sets, none for fewer than `ENOUGH_SETS`.

    Its ends are the j-th smallest and the j-th largest difference, with the largest j for which n
    tosses of a coin give fewer than j heads with a probability of at most 2.5 %.
    """
    from scipy.stats import quantile_test

    if len(differences) < ENOUGH_SETS:
        return Interval()
    low, high = quantile_test(differences).confidence_interval(LEVEL)
    return Interval(float(low), float(high), "sets")


def outcome(expects: str, interval: Interval, margin: float = math.nan) -> str:
    """Return the outcome of a claim: it holds, fails, or is undecided.

    Parameters
    ----------
    expects : str
        "first": the first side is ahead. It holds where the interval lies above 0, and fails where
        it has nothing above 0. "similar": the sides differ by no more than the margin. It holds
        where the interval lies within the margin, and fails where it lies outside. "neither":
        neither side is ahead. It holds where 0 lies in the interval, and fails where it does not.
    interval : Interval
        Without one, a claim is undecided.
    margin : float
        In points.
    """
    low, high = interval.low, interval.high
    if math.isnan(low):
        return UNDECIDED
    if expects == "first":
        holds, fails = low > 0.0, high <= 0.0
    elif expects == "similar":
        holds, fails = -margin <= low and high <= margin, low > margin or high < -margin
    else:
        holds, fails = low <= 0.0 <= high, not low <= 0.0 <= high
    return HOLDS if holds else FAILS if fails else UNDECIDED
