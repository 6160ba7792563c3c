"""The differences that the claims are about, the papers' and ours on one axis, as a drawing a claim."""

from __future__ import annotations

import math
from collections.abc import Iterable

from markupsafe import Markup

from toplabel.reporting import numbers
from toplabel.reporting.findings_text import Finding, Side
from toplabel.reporting.scales import Symlog

WIDTH, _MARGIN = 260, 14
_TICKS = (-30, -10, -3, -1, 0, 1, 3, 10, 30)
_ROWS = (("papers", "the papers"), ("same", "same data"), ("other", "other data"))
_STEP, _TOP, _FOOT = 12, 9, 12


def draw(found: Iterable[Finding]) -> dict[str, Markup]:
    """Return a drawing for each claim with a number, by its anchor; all have the same axis.

    A dot is a median, the line through it reaches from quartile to quartile; that of the papers is hollow.
    """
    found = list(found)
    reach = max((_extent(side) for one in found for side in one.sides), default=0.0)
    scale = Symlog(1.0, max(reach, 1.0), _MARGIN, WIDTH - _MARGIN)
    return {one.anchor: _drawing(one, scale) for one in found if any(map(_extent, one.sides))}


def _extent(side: Side) -> float:
    values = (abs(value) for value in (side.low, side.median, side.high) if not math.isnan(value))
    return max(values, default=0.0)


def _drawing(one: Finding, scale: Symlog) -> Markup:
    rows = [(key, words, getattr(one, key)) for key, words in _ROWS]
    rows = [row for row in rows if not math.isnan(row[2].median)]
    foot = _TOP + _STEP * len(rows)
    ticks = [value for value in _TICKS if abs(value) <= scale.reach]
    parts = [
        f'<path class="{"zero" if value == 0 else "tick"}" d="M{scale(value)} 2V{foot - 4}"/>'
        f'<text x="{scale(value)}" y="{foot + 7}">{numbers.signed(value, 0)}</text>'
        for value in ticks
    ]
    parts += [_row(key, side, scale, _TOP + _STEP * i) for i, (key, _, side) in enumerate(rows)]
    words = [f"{name} {numbers.signed(side.median, 1)}" for _, name, side in rows]
    label = f"Median difference in points: {', '.join(words)}"
    return Markup(
        f'<svg class="claim" role="img" aria-label="{label}" width="{WIDTH}" height="{foot + _FOOT}"'
        f' viewBox="0 0 {WIDTH} {foot + _FOOT}">{"".join(parts)}</svg>'
    )


def _row(key: str, side: Side, scale: Symlog, y: int) -> str:
    return (
        f'<path class="c-{key}" d="M{scale(side.low)} {y}H{scale(side.high)}"/>'
        f'<circle class="c-{key}" cx="{scale(side.median)}" cy="{y}" r="4"/>'
    )
