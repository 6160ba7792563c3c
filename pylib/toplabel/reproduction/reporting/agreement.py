"""The agreement chart: how far every measured number lies from the printed one, a row a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

import pandas as pd

from toplabel.metrics.names import is_fraction
from toplabel.reproduction.reporting import numbers
from toplabel.reproduction.reporting.labels import VERDICTS, paper_label, plain, table_order
from toplabel.reproduction.reporting.scales import Symlog
from toplabel.reproduction.reporting.sections import Section

_BIN = 5  # width of a stack of marks
_BANDS = ((1.5, "wide"), (0.5, "narrow"))
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
    """A measured cell: ours minus published in points (a hundredth of a loss is one), and where its
    record is.
    """

    points: float
    verdict: str
    loss: bool = False
    address: str = ""
    hint: str = ""


@dataclass(frozen=True)
class Lane:
    """A published table, and where it stands."""

    label: str
    points: list[Point]
    address: str = ""


@dataclass(frozen=True)
class _Layout:
    """The sizes of a drawing.

    Attributes
    ----------
    width, left, right : int
        Of the drawing, and the ends of the axis.
    lane, name, foot : int
        Heights of a row, of its name where that stands above its marks, and of what is below the
        rows.
    title : int
        Where the words of the axis stand in the foot.
    ticks : tuple of float
    """

    width: int
    left: int
    right: int
    lane: int
    name: int
    foot: int
    title: int
    ticks: tuple[float, ...]


_WIDE = _Layout(960, 170, 945, 34, 0, 24, 15, (0.1, 0.5, 1.5, 5, 20, 50))
_NARROW = _Layout(360, 14, 346, 56, 20, 40, 33, (0.5, 1.5, 5, 20))


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
            lanes.append(Lane(section.origin, points, f"{section.page}.html#{section.anchor}"))
    return lanes


def lanes_of_cells(cells: pd.DataFrame) -> list[Lane]:
    """Return the tables of a comparison.csv, for a drawing without links."""
    cells = cells[cells["verdict"] != ""]
    groups = sorted(cells.groupby(["source", "table"]), key=lambda group: table_order(*group[0]))
    return [
        Lane(
            f"{paper_label(source)}, Table {table}",
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
        With colours of its own on white, and without links; else those of the page that it stands
        in.
    """
    top, legend = _legend(lanes, _WIDE)
    scale = _scale(lanes, _WIDE)
    height = top + _WIDE.lane * len(lanes) + _WIDE.foot
    parts = [*_axis(scale, _WIDE, top, height - _WIDE.foot), *legend]
    for row, lane in enumerate(lanes):
        parts += _lane(lane, _WIDE, top + _WIDE.lane * row)
        parts += [
            _mark(point, x, y, standalone)
            for point, x, y in _placed(lane, scale, _WIDE, top + _WIDE.lane * row)
        ]
    occurring = Counter(point.verdict for lane in lanes for point in lane.points)
    shapes = "".join(
        f'<g id="ag-{key}" class="v-{key}">{shape}</g>'
        for key, shape in _SHAPES.items()
        if occurring[key]
    )
    head = _head(_WIDE.width, height)
    if standalone:
        paper = f'<rect width="{_WIDE.width}" height="{height}" fill="#fff"/>'
        title = f"<title>{escape(sentence(lanes))}</title>"
        head += f' role="img">{title}{_STYLE}{paper}'
    else:
        head += ' class="agreement" aria-hidden="true">'
    return f"{head}<defs>{shapes}</defs>\n" + "\n".join(parts) + "\n</svg>\n"


def draw_narrow(lanes: list[Lane]) -> str:
    """Draw the chart for a phone, as SVG that uses the marks of the wide one: names above the rows,
    a link a row.
    """
    top, legend = _legend(lanes, _NARROW)
    scale = _scale(lanes, _NARROW)
    height = top + _NARROW.lane * len(lanes) + _NARROW.foot
    parts = [*_axis(scale, _NARROW, top, height - _NARROW.foot), *legend]
    for row, lane in enumerate(lanes):
        y = top + _NARROW.lane * row
        target = f'<rect y="{y}" width="{_NARROW.width}" height="{_NARROW.lane}" fill="none" pointer-events="all"/>'
        placed = _placed(lane, scale, _NARROW, y)
        # Most marks are matches: dots of one line instead of an element each.
        dots = "".join(f"M{x} {y:.1f}h0" for point, x, y in placed if point.verdict == "match")
        parts += [
            f'<a href={quoteattr(lane.address)} tabindex="-1">{target}',
            *_lane(lane, _NARROW, y),
            *([f'<path class="ag-dots" d="{dots}"/>'] if dots else []),
            *(_mark(point, x, y, True) for point, x, y in placed if point.verdict != "match"),
            "</a>",
        ]
    head = _head(_NARROW.width, height) + ' class="agreement narrow" aria-hidden="true">'
    return head + "\n".join(parts) + "\n</svg>\n"


def _head(width: int, height: int) -> str:
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'


def _scale(lanes: list[Lane], layout: _Layout) -> Symlog:
    reach = max(2.0, *(abs(point.points) for lane in lanes for point in lane.points))
    return Symlog(0.1, reach, layout.left, layout.right)


def _axis(scale: Symlog, layout: _Layout, top: int, foot: int) -> list[str]:
    parts = [
        f'<rect class="band-{name}" x="{scale(-width)}" y="{top}" width="{scale(width) - scale(-width):.1f}"'
        f' height="{foot - top}"/>'
        for width, name in _BANDS
    ]
    ticks = [value for tick in layout.ticks if tick <= scale.reach for value in (-tick, tick)]
    for value in sorted([0.0, *ticks]):
        x, name = scale(value), "ag-zero" if value == 0 else "ag-rule"
        text = "0" if value == 0 else numbers.signed(value, 0 if abs(value) >= 5 else 1)
        parts.append(f'<path class="{name}" d="M{x} {top}V{foot}"/>')
        parts.append(f'<text x="{x}" y="{foot + 15}" text-anchor="middle">{text}</text>')
    parts.append(f'<text x="0" y="{foot + layout.title}">ours − published, points</text>')
    return parts


def _legend(lanes: list[Lane], layout: _Layout) -> tuple[int, list[str]]:
    """The height that it takes, and its parts."""
    counts = Counter(point.verdict for lane in lanes for point in lane.points)
    parts, x, y = [], 6.0, 14
    for key, verdict in VERDICTS.items():
        if not counts[key]:
            continue
        text = f"{verdict.word} {numbers.count(counts[key])}"
        if x + 15 + 6.6 * len(text) > layout.width:
            x, y = 6.0, y + 18
        parts.append(
            f'<use href="#ag-{key}" x="{x:.0f}" y="{y}"/><text x="{x + 9:.0f}" y="{y + 4}">{text}</text>'
        )
        x += 34 + 6.6 * len(text)
    return y + 32, parts


def _lane(lane: Lane, layout: _Layout, top: int) -> list[str]:
    """The rule above a row, and its name."""
    line = top + (15 if layout.name else layout.lane / 2 + 4)
    return [
        f'<path class="ag-rule" d="M0 {top}H{layout.width}"/>',
        f'<text class="lane" x="0" y="{line:.0f}">{escape(lane.label)}</text>',
    ]


def _placed(
    lane: Lane, scale: Symlog, layout: _Layout, top: int
) -> list[tuple[Point, float, float]]:
    """The marks of a row with their coordinates; those that would cover each other are stacked."""
    middle = top + (layout.lane + layout.name) / 2
    stacks: dict[int, list[Point]] = {}
    for point in lane.points:
        stacks.setdefault(round(scale(point.points) / _BIN), []).append(point)
    step = min(5.5, (layout.lane - layout.name - 8) / max(map(len, stacks.values())))
    return [
        # 0, 1, -1, 2, ...: the stack grows from the middle to both sides.
        (point, scale(point.points), middle + step * ((i + 1) // 2) * (1 if i % 2 else -1))
        for _, stack in sorted(stacks.items())
        for i, point in enumerate(sorted(stack, key=lambda one: (one.verdict, one.points)))
    ]


def _mark(point: Point, x: float, y: float, bare: bool) -> str:
    use = f'<use href="#ag-{point.verdict}" x="{x}" y="{y:.1f}"/>'
    if bare or not point.address:
        return use
    title = f"<title>{escape(point.hint)}</title>" if point.hint else ""
    return f'<a href={quoteattr(point.address)} tabindex="-1">{title}{use}</a>'
