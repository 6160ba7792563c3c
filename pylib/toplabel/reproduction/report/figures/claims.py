"""A drawing for each claim: the differences it is about, the papers' and ours, on one axis."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from toplabel.reproduction.report import numbers

WIDTH, _MARGIN = 260, 14
_TICKS = (-30, -10, -3, -1, 0, 1, 3, 10, 30)
_WORDS = {"published": "the papers", "same": "same data", "other": "other data"}
_STEP, _TOP, _FOOT = 12, 9, 12
_STYLE = """<style>
text { font: 9px sans-serif; fill: #59626d; text-anchor: middle; }
path { stroke: #dde1e6; } .zero { stroke: #1d2126; }
path.published, path.other { stroke: #59626d; } path.same { stroke: #0b57a4; }
circle.published { fill: #fff; stroke: #1d2126; stroke-width: 1.5; }
.same { fill: #0b57a4; } .other { fill: #59626d; }
</style>"""


def draw(findings: Iterable[dict[str, Any]]) -> dict[str, str]:
    """Return an SVG file for each claim with a number, by its anchor; all have the same axis.

    A dot is a median, the line through it reaches from quartile to quartile; that of the papers is
    hollow.
    """
    shown = [one for one in findings if one["drawn"]]
    ends = [abs(side[end]) for one in shown for side in one["drawn"] for end in ("low", "high")]
    reach = max([1.0, *ends])
    return {one["anchor"]: _drawing(one["drawn"], reach) for one in shown}


def words(one: dict[str, Any]) -> str:
    """Return what the drawing of a claim says."""
    parts = [f"{_WORDS[side['key']]} {numbers.signed(side['median'], 1)}" for side in one["drawn"]]
    return f"Median difference in points: {', '.join(parts)}"


def _drawing(sides: list[dict[str, Any]], reach: float) -> str:
    def at(value: float) -> float:
        """Return the coordinate of a value: linear near 0, logarithmic beyond one point."""
        share = math.copysign(math.log1p(abs(value)), value) / math.log1p(reach)
        return round(WIDTH / 2 + share * (WIDTH / 2 - _MARGIN), 1)

    foot = _TOP + _STEP * len(sides)
    parts = [
        f'<path class="{"tick" if value else "zero"}" d="M{at(value)} 2V{foot - 4}"/>'
        f'<text x="{at(value)}" y="{foot + 7}">{numbers.signed(value, 0)}</text>'
        for value in _TICKS
        if abs(value) <= reach
    ]
    for i, side in enumerate(sides):
        y, key = _TOP + _STEP * i, side["key"]
        parts.append(f'<path class="{key}" d="M{at(side["low"])} {y}H{at(side["high"])}"/>')
        parts.append(f'<circle class="{key}" cx="{at(side["median"])}" cy="{y}" r="4"/>')
    size = f'width="{WIDTH}" height="{foot + _FOOT}" viewBox="0 0 {WIDTH} {foot + _FOOT}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{_STYLE}{"".join(parts)}</svg>'
