"""Compare a measured number with a printed one.

A number matches up to a tolerance, is close up to three times that, and is not reproduced beyond:
"higher" or "lower" where it is better than printed, "off" where it is worse. A number that the
draw of the data explains is within the "spread" (docs/protocols.md, "Verdicts").
"""

from __future__ import annotations

import math

from toplabel.metrics.names import is_fraction, lower_is_better

VERDICTS = ("match", "close", "spread", "higher", "lower", "off")
NOT_REPRODUCED = ("higher", "lower", "off")
"""Verdicts of numbers that are farther from print than close."""
TOLERANCE = 0.5
"""The tolerance of percentages, in points."""
TOLERANCE_LOSS = 0.005
"""Tolerance of the rank loss and the Hamming loss, which are fractions."""
DEVIATIONS = 2.0
"""Standard deviations over our draws that count as the spread of a number that is one draw."""
SLACK = 1e-9
"""Relative room for rounding errors: 57.7 - 58.2 is half a point, although not in binary."""


def tolerance_of(metric: str) -> float:
    """Return how far from print a number of a metric may lie to match."""
    return TOLERANCE_LOSS if is_fraction(metric) else TOLERANCE


def verdict(metric: str, difference: float, spread: float = 0.0) -> str:
    """Judge a difference, measured minus printed.

    "match" is up to the tolerance, whatever the spread; "spread" beyond it within the spread of our
    draws (`spread_of`); "close" up to three times the tolerance; farther away "off" to the bad
    side, and to the good one "higher" than printed, or "lower" for a loss.
    """
    tolerance = tolerance_of(metric)
    distance = abs(difference) / (1.0 + SLACK)
    if distance <= tolerance:
        return "match"
    if distance <= spread:
        return "spread"
    if distance <= 3.0 * tolerance:
        return "close"
    if (difference < 0) != lower_is_better(metric):
        return "off"
    return "higher" if difference > 0 else "lower"


def spread_of(std: float, splits: float, printed_std: float = math.nan) -> float:
    """Return how far apart two measurements of the same may lie by the draw of the data alone.

    `std` is the deviation over our splits. A printed number without a deviation is one draw: the
    spread is two standard deviations. One with `printed_std` is a mean, taken to be over as many
    draws: the spread is two standard errors of the difference. It is 0 with one split.
    """
    if splits < 2 or not math.isfinite(std):
        return 0.0
    if math.isnan(printed_std):
        return DEVIATIONS * std
    return DEVIATIONS * math.hypot(std, printed_std) / math.sqrt(splits)


def further_draw(std: float, draws: float) -> float:
    """Return how far from the mean of normal draws one more lies at most in 95 % of cases.

    Student's prediction interval, by the standard deviation (n - 1) over at least two draws; NaN
    gives NaN.
    """
    from scipy.special import stdtrit

    return float(stdtrit(draws - 1, 0.975)) * std * math.sqrt(1.0 + 1.0 / draws)


def digits_of(printed: str) -> int:
    """Return how many digits a printed number has after the point."""
    return len(printed.partition(".")[2])


def is_inside(printed: str, low: float, high: float) -> str:
    """Return "true" where a printed number, as rounded, may lie in an interval, else "false".

    Without an interval (NaN) it is "".
    """
    if math.isnan(low):
        return ""
    rounding = 0.5 * 10.0 ** -digits_of(printed) * (1.0 + SLACK)
    return str(low - rounding <= float(printed) <= high + rounding).lower()
