"""Numbers as text: the papers' decimals, real minus signs, empty text for what is missing."""

from __future__ import annotations

import math

from toplabel.metrics.names import is_fraction

_MAX_DECIMALS = 4


def decimals_of(metric: str, published: str = "") -> int:
    """Return the decimals to show: the papers' one for percentages, three for fractions.

    A cell printed with more decimals (NIPS 2012 prints two) is shown with as many, four at most.
    """
    usual = 3 if is_fraction(metric) else 1
    _, _, fraction = published.partition(".")
    if not fraction.isdigit() or len(fraction) > _MAX_DECIMALS:
        return usual
    return max(usual, len(fraction))


def fixed(value: float, decimals: int) -> str:
    """Return `value` with a fixed number of decimals, empty for NaN."""
    if math.isnan(value):
        return ""
    text = f"{value:.{decimals}f}"
    if float(text) == 0:
        text = text.lstrip("-")
    return text.replace("-", "−")


def signed(value: float, decimals: int) -> str:
    """Return `value` with its sign (+ or −) and a fixed number of decimals, empty for NaN."""
    text = fixed(value, decimals)
    if not text or text.startswith("−") or float(text) == 0:
        return text
    return f"+{text}"


def compact(value: float, digits: int = 4) -> str:
    """Return `value` with at most `digits` significant digits, for C, theta, threshold and seconds."""
    if math.isnan(value):
        return ""
    return f"{value:.{digits}g}".replace("-", "−")


def small(value: float) -> str:
    """Return a gap as 3.1e−04, empty for NaN."""
    if math.isnan(value):
        return ""
    return "0" if value == 0 else f"{value:.1e}".replace("-", "−")


def count(value: int) -> str:
    """Return a count with thin spaces between the thousands."""
    return f"{value:,}".replace(",", "\u202f")


def duration(seconds: float) -> str:
    """Return a wall time in the largest fitting unit, empty for NaN."""
    if math.isnan(seconds):
        return ""
    if seconds < 100:
        return f"{seconds:.3g} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min" if hours else f"{minutes} min {rest:02d} s"
