"""The agreement chart: how far every measured number lies from the printed one, a row a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

import pandas as pd

from toplabel.metrics.names import is_fraction
from toplabel.reporting import numbers
from toplabel.reporting.labels import VERDICTS, paper_label, plain, table_order
from toplabel.reporting.scales import Symlog
from toplabel.reporting.sections import Section

WIDTH = 960
_LEFT, _RIGHT, _TOP, _LANE, _FOOT = 170, 945, 46, 34, 24
_BIN = 5  # width of a stack of marks
_BANDS = ((1.5, "wide"), (0.5, "narrow"))
_TICKS = (0.1, 0.5, 1.5, 5, 20, 50)
#: The marks around (0, 0), by verdict.
_SHAPES = {
    "match": '<circle r="2.5"/>',
    "close": '<path d="M0-3.4L3.4 0L0 3.4L-3.4 0Z"/>',
    "spread": '<circle r="3"/>',
    "higher": '<path d="M0-3.8L3.6 2.8H-3.6Z"/>',
    "lower": '<path d="M0 3.8L3.6-2.8H-3.6Z"/>',
    "off": '<path d="M-3-3L3 3M3-3L-3 3"/>',
}
#: Where there is no page that the drawing stands in.
_STYLE = """\
<style>
text { font: 12px sans-serif; fill: #59626d; } .lane { fill: #1d2126; }
.band-wide { fill: #eef4f1; } .band-narrow { fill: #d5ebe2; }
.ag-rule { stroke: #dde1e6; } .ag-zero { stroke: #1d2126; } .v-match { fill: #009e73; } .v-close { fill: #0b5fa5; }
.v-spread { fill: #fff; stroke: #009e73; stroke-width: 1.5; } .v-higher, .v-lower { fill: #a3548c; }
.v-off { stroke: #c24a00; stroke-width: 1.8; fill: none; }
</style>
"""


@dataclass(frozen=True)
class Point:
    """A measured cell: ours minus published in points (a hundredth of a loss is one), and where its record is."""

    points: float
    verdict: str
    loss: bool = False
    address: str = ""
    hint: str = ""


@dataclass(frozen=True)
class Lane:
    """A published table."""

    label: str
    title: str
    points: list[Point]


def lanes_of(sections: Iterable[Section]) -> list[Lane]:
    """Return the tables of a report, each point with the place of its record."""
    lanes = []
    for section in sections:
        points = [
            Point(
                one.points,
                one.verdict,
                one.is_loss,
                f"{section.page}.html#{one.anchor}",
                ""
                if one.verdict == "match"
                else f"{one.dataset}, {plain(one.method)}, {one.metric}: {one.difference}",
            )
            for one in section.records
            if one.verdict
        ]
        if points:
            lanes.append(Lane(section.origin, section.title, points))
    return lanes


def lanes_of_cells(cells: pd.DataFrame) -> list[Lane]:
    """Return the tables of a comparison.csv, for a drawing without links."""
    cells = cells[cells["verdict"] != ""]
    groups = sorted(cells.groupby(["source", "table"]), key=lambda group: table_order(*group[0]))
    return [
        Lane(
            f"{paper_label(source)}, Table {table}",
            "",
            [
                Point(numbers.in_points(metric, float(difference)), verdict, is_fraction(metric))
                for metric, difference, verdict in zip(
                    part["metric"], part["difference"], part["verdict"], strict=True
                )
            ],
        )
        for (source, table), part in groups
    ]


def sentence(lanes: Iterable[Lane]) -> str:
    """Say how near the percentages are; empty without any."""
    found = [abs(point.points) for lane in lanes for point in lane.points if not point.loss]
    if not found:
        return ""
    half, most = (numbers.fixed(value, 2) for value in pd.Series(found).quantile([0.5, 0.9]))
    return (
        f"Half of the {numbers.count(len(found))} percentages lie within {half} points of the printed ones,"
        f" nine tenths within {most}."
    )


def draw(lanes: list[Lane], standalone: bool = False) -> str:
    """Draw the chart as SVG.

    Parameters
    ----------
    lanes : list of Lane
    standalone : bool
        With colours of its own on white, and without links; else those of the page that it stands in.
    """
    reach = max(2.0, *(abs(point.points) for lane in lanes for point in lane.points))
    scale = Symlog(0.1, reach, _LEFT, _RIGHT)
    foot = _TOP + _LANE * len(lanes)
    parts = [*_axis(scale, foot), *_legend(lanes)]
    for row, lane in enumerate(lanes):
        parts += _lane(lane, scale, _TOP + _LANE * row, standalone)
    occurring = Counter(point.verdict for lane in lanes for point in lane.points)
    shapes = "".join(
        f'<g id="ag-{key}" class="v-{key}">{shape}</g>'
        for key, shape in _SHAPES.items()
        if occurring[key]
    )
    height = foot + _FOOT
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
    if standalone:
        paper = f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>'
        title = f"<title>{escape(sentence(lanes))}</title>"
        head += f' role="img">{title}{_STYLE}{paper}'
    else:
        head += ' class="agreement" aria-hidden="true">'
    return f"{head}<defs>{shapes}</defs>\n" + "\n".join(parts) + "\n</svg>\n"


def _axis(scale: Symlog, foot: int) -> list[str]:
    parts = [
        f'<rect class="band-{name}" x="{scale(-width)}" y="{_TOP}" width="{scale(width) - scale(-width):.1f}"'
        f' height="{foot - _TOP}"/>'
        for width, name in _BANDS
    ]
    ticks = [value for tick in _TICKS if tick <= scale.reach for value in (-tick, tick)]
    for value in sorted([0.0, *ticks]):
        x, name = scale(value), "ag-zero" if value == 0 else "ag-rule"
        text = "0" if value == 0 else numbers.signed(value, 0 if abs(value) >= 5 else 1)
        parts.append(f'<path class="{name}" d="M{x} {_TOP}V{foot}"/>')
        parts.append(f'<text x="{x}" y="{foot + 15}" text-anchor="middle">{text}</text>')
    parts.append(f'<text x="0" y="{foot + 15}">ours − published, points</text>')
    return parts


def _legend(lanes: list[Lane]) -> list[str]:
    counts = Counter(point.verdict for lane in lanes for point in lane.points)
    parts, x = [], 6.0
    for key, verdict in VERDICTS.items():
        if not counts[key]:
            continue
        text = f"{verdict.word} {numbers.count(counts[key])}"
        parts.append(
            f'<use href="#ag-{key}" x="{x:.0f}" y="14"/><text x="{x + 9:.0f}" y="18">{text}</text>'
        )
        x += 34 + 6.6 * len(text)
    return parts


def _lane(lane: Lane, scale: Symlog, top: int, standalone: bool) -> list[str]:
    middle = top + _LANE / 2
    stacks: dict[int, list[Point]] = {}
    for point in lane.points:
        stacks.setdefault(round(scale(point.points) / _BIN), []).append(point)
    step = min(5.5, (_LANE - 8) / max(map(len, stacks.values())))
    marks = []
    for _, stack in sorted(stacks.items()):
        for i, point in enumerate(sorted(stack, key=lambda one: (one.verdict, one.points))):
            # 0, 1, -1, 2, ...: the stack grows from the middle to both sides.
            y = middle + step * ((i + 1) // 2) * (1 if i % 2 else -1)
            marks.append(_mark(point, scale(point.points), y, standalone))
    rule = f'<path class="ag-rule" d="M0 {top}H{WIDTH}"/>'
    label = f'<text class="lane" x="0" y="{middle + 4:.0f}">{escape(lane.label)}</text>'
    return [rule, label, *marks]


def _mark(point: Point, x: float, y: float, standalone: bool) -> str:
    use = f'<use href="#ag-{point.verdict}" x="{x}" y="{y:.1f}"/>'
    if standalone or not point.address:
        return use
    title = f"<title>{escape(point.hint)}</title>" if point.hint else ""
    return f'<a href={quoteattr(point.address)} tabindex="-1">{title}{use}</a>'
