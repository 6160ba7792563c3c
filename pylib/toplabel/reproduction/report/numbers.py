"""Numbers as text, in every page, figure and document: the papers' decimals, real minus signs, thin
spaces between thousands, empty text for what is missing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

THIN_SPACE = "\u202f"  # narrow, and no line breaks at it
_GROUPING = re.compile("[\u2009\u202f]")
# Sign, whole digits (perhaps grouped already), the rest of a number; then a deviation or a unit.
_NUMBER = re.compile(
    r"([-+−]?)(\d[\d\u2009\u202f]*)((?:\.\d+)?(?:e[-+−]?\d+)?)((?: ± [\d.]+)?(?: %)?)"
)


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
    match = _NUMBER.fullmatch(text)
    if not match:
        return text
    sign, whole, rest, more = match.groups()
    whole = f"{int(_GROUPING.sub('', whole)):,}".replace(",", THIN_SPACE)
    return f"{sign}{whole}{rest}".replace("-", "−") + more


def count(value: int) -> str:
    """Return a count with thin spaces between the thousands."""
    return shown(str(int(value)))


def are_numbers(column: Sequence[str]) -> bool:
    """Return whether the texts of a column are numbers, empty or dashes, and not all empty."""
    texts = [text for text in column if text not in ("", "–", "—")]
    return bool(texts) and all(_NUMBER.fullmatch(text) for text in texts)
