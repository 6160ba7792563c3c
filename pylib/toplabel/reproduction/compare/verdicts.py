"""Compare a measured number with a printed one.

A number matches up to a tolerance, is close up to three times that, and is not reproduced beyond:
"higher" or "lower" where it is better than printed, "off" where it is worse. A number that the
draw of the data explains is within the "spread" (docs/protocols.md, "Verdicts").
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from toplabel.metrics.names import is_fraction, lower_is_better

TOLERANCE = 0.5
"""The tolerance of percentages, in points."""
TOLERANCE_LOSS = 0.005
"""The tolerance of the rank loss: a hundredth of 0.5, which is that of a random order."""
SHARE_OF_EMPTY = 0.01
"""The tolerance of the Hamming loss, as a share of that of a prediction without any label."""
CLOSE = 3.0
"""The distance of a close number from the printed one, in tolerances, at most."""
DEVIATIONS = 2.0
"""Standard deviations over our draws that count as the spread of a number that is one draw."""
FEWEST_DRAWS = 5
"""Draws of the folds from which on their spread is evidence: with fewer the interval of a further
draw is too wide to say anything."""
SLACK = 1e-9
"""Relative room for rounding errors: 57.7 - 58.2 is half a point, although not in binary."""
_POINTS_OF_ONE = 100.0
HAMMING = "hamming_loss"


@dataclass(frozen=True)
class Verdict:
    """A judgement on a measured number beside the printed one.

    `key` stands in files and in tables, `mark` and `word` on pages; `is_far` says that the number
    is farther from print than close.
    """

    key: str
    mark: str
    word: str
    meaning: str
    is_far: bool = False


_WITHIN_TOLERANCE = (
    f"within {TOLERANCE:g} points, {TOLERANCE_LOSS:g} for the rank loss, and for the Hamming loss"
    f" {SHARE_OF_EMPTY:.0%} of that of an empty prediction, or half a unit of the last printed digit"
).replace("%", " %")
_WITHIN_SPREAD = (
    "farther away, but within two standard deviations of our draws, or two standard errors where the"
    " paper prints a mean; this does not count as a match"
)
_BETTER = "farther away: a difference, although to the good side"
_ROWS = (
    Verdict("match", "✓", "match", _WITHIN_TOLERANCE),
    Verdict("close", "≈", "close", "within three times that"),
    Verdict("spread", "○", "within spread", _WITHIN_SPREAD),
    Verdict("higher", "▲", "higher than printed", _BETTER, is_far=True),
    Verdict("lower", "▼", "lower than printed", "the same, of a loss", is_far=True),
    Verdict("off", "✗", "off", "farther away, to the bad side", is_far=True),
)
VERDICTS = {verdict.key: verdict for verdict in _ROWS}
"""The verdicts by their keys, in the order in which they are counted."""
NOT_REPRODUCED = tuple(key for key, verdict in VERDICTS.items() if verdict.is_far)
"""Verdicts of numbers that are farther from print than close."""


def tolerance_of(metric: str, printed: str = "", empty_loss: float = math.nan) -> float:
    """Return the largest distance from print at which a number of a metric matches.

    The Hamming loss of a set of many labels is small whatever is predicted. Its tolerance is
    relative to `empty_loss`, that of a prediction without any label, and no less than what the
    printed number was rounded by.
    """
    if metric == HAMMING:
        return max(SHARE_OF_EMPTY * empty_loss, rounding_of(printed))
    return TOLERANCE_LOSS if is_fraction(metric) else TOLERANCE


def tells_nothing(metric: str, printed: str, empty_loss: float) -> bool:
    """Return whether a prediction without any label matches a printed number, too."""
    tolerance = tolerance_of(metric, printed, empty_loss)
    return metric == HAMMING and abs(float(printed) - empty_loss) <= tolerance


def in_points(metric: str, value: float) -> float:
    """Return a number or a difference in points; a hundredth of a fraction is one."""
    return _POINTS_OF_ONE * value if is_fraction(metric) else value


def verdict(metric: str, difference: float, tolerance: float, spread: float = 0.0) -> str:
    """Return the key of the verdict on a difference, measured minus printed.

    "match" is up to the tolerance (`tolerance_of`), whatever the spread; "spread" beyond it within
    the spread of our draws (`spread_of`); "close" up to three times the tolerance; farther away
    "off" to the bad side, and to the good one "higher" than printed, or "lower" for a loss.
    """
    distance = abs(difference) / (1.0 + SLACK)
    if distance <= tolerance:
        return "match"
    if distance <= spread:
        return "spread"
    if distance <= CLOSE * tolerance:
        return "close"
    if (difference < 0) != lower_is_better(metric):
        return "off"
    return "higher" if difference > 0 else "lower"


def spread_of(std: float, splits: float, printed_std: float = math.nan) -> float:
    """Return the distance of two measurements of the same that the draw of the data alone explains.

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
    """Return the largest distance of one more draw from the mean of normal draws in 95 % of cases.

    Student's prediction interval, by the standard deviation (n - 1) over at least two draws; NaN
    gives NaN.
    """
    from scipy.special import stdtrit

    return float(stdtrit(draws - 1, 0.975)) * std * math.sqrt(1.0 + 1.0 / draws)


def rounding_of(printed: str) -> float:
    """Return half a unit of the last digit of a printed number."""
    return 0.5 * 10.0 ** -len(printed.partition(".")[2])


def is_inside(printed: str, low: float, high: float) -> str:
    """Return "true" where a printed number, as rounded, may lie in an interval, else "false".

    Without an interval (NaN) it is "".
    """
    if math.isnan(low):
        return ""
    rounding = rounding_of(printed) * (1.0 + SLACK)
    return str(low - rounding <= float(printed) <= high + rounding).lower()
