"""Numbers as text, in every page, figure and document: the papers' decimals, real minus signs, thin
spaces between thousands, columns that line up at the decimal point, empty text for what is
missing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from toplabel.metrics.names import is_fraction

_MAX_DECIMALS = 4
THIN_SPACE = "\u202f"  # narrow, and no line breaks at it
_FIGURE_SPACE, _POINT_SPACE = "\u2007", "\u2008"  # as wide as a digit, as a point
_GROUPING = re.compile("[\u2009\u202f]")
# Sign, whole digits (perhaps grouped already), the rest of a number; then a deviation or a unit.
_NUMBER = re.compile(
    r"([-+−]?)(\d[\d\u2009\u202f]*)((?:\.\d+)?(?:e[-+−]?\d+)?)((?: ± [\d.]+)?(?: %)?)"
)


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
    """Return `value` with at most `digits` significant digits, for C, theta, threshold and seconds.

    Large numbers are written out; those below 1e-4 are written as 3.1e−05.
    """
    if math.isnan(value):
        return ""
    text = f"{value:.{digits}g}"
    return shown(f"{float(text):.0f}" if "e+" in text else text)


def shown(text: str) -> str:
    """Return a number that is written plainly, as in a CSV file, as it is to be read; other text as
    it is.
    """
    found = _NUMBER.fullmatch(text)
    if not found:
        return text
    sign, whole, rest, more = found.groups()
    whole = f"{int(_GROUPING.sub('', whole)):,}".replace(",", THIN_SPACE)
    return f"{sign}{whole}{rest}".replace("-", "−") + more


def aligned(column: Sequence[str]) -> list[str] | None:
    """Pad the numbers of a column on the right, so that flush right their decimal points stand
    under each other.

    Empty cells and dashes stay as they are. None for a column of words.
    """
    found = [_NUMBER.fullmatch(text) for text in column]
    if not any(found) or any(
        not one and text not in ("", "–", "—") for one, text in zip(found, column, strict=True)
    ):
        return None
    tails = [one[3] + one[4] if one else "" for one in found]
    longest = max(tails, key=len)
    return [
        text + _space(longest[len(tail) :]) if one else text
        for text, tail, one in zip(column, tails, found, strict=True)
    ]


def _space(tail: str) -> str:
    """Return blanks as wide as the digits and the point of `tail`."""
    return "".join(_POINT_SPACE if character == "." else _FIGURE_SPACE for character in tail)


def small(value: float) -> str:
    """Return a gap as 3.1e−04, empty for NaN."""
    if math.isnan(value):
        return ""
    return "0" if value == 0 else f"{value:.1e}".replace("-", "−")


def in_points(metric: str, difference: float) -> float:
    """Return a difference in points; a hundredth of a loss is one."""
    return 100.0 * difference if is_fraction(metric) else difference


def count(value: int) -> str:
    """Return a count with thin spaces between the thousands."""
    return shown(str(value))


def duration(seconds: float) -> str:
    """Return a wall time in the largest fitting unit, empty for NaN."""
    if math.isnan(seconds):
        return ""
    if seconds < 100:
        return f"{seconds:.3g} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min" if hours else f"{minutes} min {rest:02d} s"
