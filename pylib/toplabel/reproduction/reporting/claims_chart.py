"""The differences that the claims are about, the papers' and ours on one axis, as a drawing a
claim.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from markupsafe import Markup

from toplabel.reproduction.reporting import numbers
from toplabel.reproduction.reporting.findings_text import Finding, Side
from toplabel.reproduction.reporting.scales import Symlog

WIDTH, _MARGIN = 260, 14
_TICKS = (-30, -10, -3, -1, 0, 1, 3, 10, 30)
_ROWS = (("papers", "the papers"), ("same", "same data"), ("other", "other data"))
_STEP, _TOP, _FOOT = 12, 9, 12


#: Where there is no page that the drawing stands in.
_STYLE = """\
<style>
text { font: 9px sans-serif; fill: #59626d; text-anchor: middle; } path { stroke: #dde1e6; } .zero { stroke: #1d2126; }
path.c-papers, path.c-other { stroke: #59626d; } path.c-same { stroke: #0b57a4; }
circle.c-papers { fill: #fff; stroke: #1d2126; stroke-width: 1.5; }
.c-same { fill: #0b57a4; } .c-other { fill: #59626d; }
</style>"""


def draw(found: Iterable[Finding], standalone: bool = False) -> dict[str, Markup]:
    """Return a drawing for each claim with a number, by its anchor; all have the same axis.

    A dot is a median, the line through it reaches from quartile to quartile; that of the papers is
    hollow.

    Parameters
    ----------
    found : iterable of Finding
    standalone : bool
        With colours of its own, as a file; else those of the page that it stands in.
    """
    found = list(found)
    reach = max((_extent(side) for one in found for side in one.sides), default=0.0)
    scale = Symlog(1.0, max(reach, 1.0), _MARGIN, WIDTH - _MARGIN)
    style = _STYLE if standalone else ""
    return {
        one.anchor: _drawing(one, scale, style) for one in found if any(map(_extent, one.sides))
    }


def words(one: Finding) -> str:
    """Return what the drawing of a claim says."""
    parts = [f"{name} {numbers.signed(side.median, 1)}" for _, name, side in _shown(one)]
    return f"Median difference in points: {', '.join(parts)}"


def _shown(one: Finding) -> list[tuple[str, str, Side]]:
    rows = [(key, words, getattr(one, key)) for key, words in _ROWS]
    return [row for row in rows if not math.isnan(row[2].median)]


def _extent(side: Side) -> float:
    values = (abs(value) for value in (side.low, side.median, side.high) if not math.isnan(value))
    return max(values, default=0.0)


def _drawing(one: Finding, scale: Symlog, style: str) -> Markup:
    rows = _shown(one)
    foot = _TOP + _STEP * len(rows)
    ticks = [value for value in _TICKS if abs(value) <= scale.reach]
    parts = [
        f'<path class="{"zero" if value == 0 else "tick"}" d="M{scale(value)} 2V{foot - 4}"/>'
        f'<text x="{scale(value)}" y="{foot + 7}">{numbers.signed(value, 0)}</text>'
        for value in ticks
    ]
    parts += [_row(key, side, scale, _TOP + _STEP * i) for i, (key, _, side) in enumerate(rows)]
    kind = 'xmlns="http://www.w3.org/2000/svg"' if style else 'class="claim"'
    return Markup(
        f'<svg {kind} role="img" aria-label="{words(one)}" width="{WIDTH}" height="{foot + _FOOT}"'
        f' viewBox="0 0 {WIDTH} {foot + _FOOT}">{style}{"".join(parts)}</svg>'
    )


def _row(key: str, side: Side, scale: Symlog, y: int) -> str:
    return (
        f'<path class="c-{key}" d="M{scale(side.low)} {y}H{scale(side.high)}"/>'
        f'<circle class="c-{key}" cx="{scale(side.median)}" cy="{y}" r="4"/>'
    )
