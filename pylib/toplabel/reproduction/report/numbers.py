"""Numbers as text, in every page, figure and document: the papers' decimals, real minus signs, thin
spaces between thousands, empty text for what is missing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from toplabel.metrics.names import is_fraction

_MAX_DECIMALS = 4
THIN_SPACE = "\u202f"  # narrow, and no line breaks at it
_GROUPING = re.compile("[\u2009\u202f]")
# Sign, whole digits (perhaps grouped already), the rest of a number; then a deviation or a unit.
_NUMBER = re.compile(
    r"([-+−]?)(\d[\d\u2009\u202f]*)((?:\.\d+)?(?:e[-+−]?\d+)?)((?: ± [\d.]+)?(?: %)?)"
)


def decimals_of(metric: str, published: str = "") -> int:
    """Return how many decimals to show: one for percentages, three for fractions, as the papers do.

    A number that is printed with more decimals is shown with as many, four at most.
    """
    usual = 3 if is_fraction(metric) else 1
    _, _, fraction = published.partition(".")
    if not fraction.isdigit() or len(fraction) > _MAX_DECIMALS:
        return usual
    return max(usual, len(fraction))


def fixed(value: float, decimals: int) -> str:
    """Return a number with a fixed number of decimals; empty for NaN."""
    if math.isnan(value):
        return ""
    text = f"{value:.{decimals}f}"
    if float(text) == 0:
        text = text.lstrip("-")
    return text.replace("-", "−")


def signed(value: float, decimals: int) -> str:
    """Return a number with its sign and a fixed number of decimals; empty for NaN."""
    text = fixed(value, decimals)
    if not text or text.startswith("−") or float(text) == 0:
        return text
    return f"+{text}"


def compact(value: float, digits: int = 4) -> str:
    """Return a number with at most `digits` significant digits; empty for NaN.

    Large numbers are written out; those below 1e-4 are written as 3.1e−05.
    """
    if math.isnan(value):
        return ""
    text = f"{value:.{digits}g}"
    return shown(f"{float(text):.0f}" if "e+" in text else text)


def small(value: float) -> str:
    """Return a duality gap as 3.1e−04; empty for NaN.

    Rounding can make a gap of 0 negative; that is 0 too.
    """
    if math.isnan(value):
        return ""
    return "0" if value <= 0 else f"{value:.1e}".replace("-", "−")


def shown(text: str) -> str:
    """Return a number from a CSV file as it is to be read; any other text as it is."""
    found = _NUMBER.fullmatch(text)
    if not found:
        return text
    sign, whole, rest, more = found.groups()
    whole = f"{int(_GROUPING.sub('', whole)):,}".replace(",", THIN_SPACE)
    return f"{sign}{whole}{rest}".replace("-", "−") + more


def count(value: int) -> str:
    """Return a count with thin spaces between the thousands."""
    return shown(str(int(value)))


def in_points(metric: str, difference: float) -> float:
    """Return a difference in points; a hundredth of a loss is one."""
    return 100.0 * difference if is_fraction(metric) else difference


def are_numbers(column: Sequence[str]) -> bool:
    """Return whether the texts of a column are numbers, empty or dashes, and not all empty."""
    shown = [text for text in column if text not in ("", "–", "—")]
    return bool(shown) and all(_NUMBER.fullmatch(text) for text in shown)
