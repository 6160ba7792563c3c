"""The names of metrics in files: which direction is better, and the unit as the papers print it."""

from __future__ import annotations

import math
from fractions import Fraction

_UNITS = {"rank_loss": "", "hamming_loss": "", "coverage_loss": "labels"}


def lower_is_better(metric: str) -> bool:
    """Return whether a metric is a loss: its name ends in ``_loss``."""
    return metric.endswith("_loss")


def unit(metric: str) -> str:
    """``%`` for nearly all metrics, ``labels`` for the coverage, empty for the two that are
    fractions.
    """
    return _UNITS.get(metric, "%")


def is_fraction(metric: str) -> bool:
    """Return whether a metric is printed as a fraction, the rank and the Hamming loss."""
    return unit(metric) == ""


def is_share_of(printed: str, rows: int) -> bool:
    """Return whether a printed percentage is that of a whole number of so many rows, rounded.

    Examples
    --------
    >>> is_share_of("95.35", 2000), is_share_of("95.33", 2000)
    (True, False)
    """
    half = Fraction(1, 2 * 10 ** len(printed.partition(".")[2]))
    least, most = ((Fraction(printed) + end) * rows / 100 for end in (-half, half))
    return math.ceil(least) <= most
