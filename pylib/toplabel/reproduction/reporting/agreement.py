"""The agreement chart: how far every measured number lies from the printed one, a row a table."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from toplabel.metrics.names import is_fraction
from toplabel.reproduction.reporting import numbers, style
from toplabel.reproduction.reporting.labels import VERDICTS, paper_label, table_order
from toplabel.reproduction.reporting.sections import Section

_KNEE = 0.1  # points; the axis is linear up to about here, and logarithmic beyond
_TICKS = (0.1, 0.5, 1.5, 5, 20, 50)
_BINS = 80  # stacks of marks on each side of 0
_ROOM = 0.84  # of a row, for its highest stack
_LARGEST_STEP = 0.16  # of a row, between two marks of a stack
_ROW = 0.36  # inches
_MARKS = {
    "match": {"marker": "o", "color": "#009e73", "markersize": 2.6},
    "close": {"marker": "D", "color": "#0b5fa5", "markersize": 3.0},
    "spread": {"marker": "o", "color": "#009e73", "markersize": 3.2, "markerfacecolor": "white"},
    "higher": {"marker": "^", "color": "#a3548c", "markersize": 3.6},
    "lower": {"marker": "v", "color": "#a3548c", "markersize": 3.6},
    "off": {"marker": "x", "color": "#c24a00", "markersize": 3.8},
}


@dataclass(frozen=True)
class Point:
    """A measured cell: ours minus published in points (a hundredth of a loss is one)."""

    points: float
    verdict: str
    loss: bool = False


@dataclass(frozen=True)
class Lane:
    """A published table with its measured cells."""

    label: str
    points: list[Point]


def lanes_of(sections: Iterable[Section]) -> list[Lane]:
    """Return the tables of a report."""
    lanes = [
        Lane(
            section.origin,
            [Point(one.points, one.verdict, one.is_loss) for one in section.records if one.verdict],
        )
        for section in sections
    ]
    return [lane for lane in lanes if lane.points]


def lanes_of_cells(cells: pd.DataFrame) -> list[Lane]:
    """Return the tables of a comparison.csv."""
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


def draw(lanes: list[Lane], background: str = "none") -> str:
    """Draw the chart as SVG.

    Parameters
    ----------
    lanes : list of Lane
    background : str
        A colour, for a picture that stands alone.
    """
    counts = Counter(point.verdict for lane in lanes for point in lane.points)
    shown = [key for key in VERDICTS if counts[key]]
    with style.house_style():
        height = _ROW * len(lanes) + 0.95
        figure = Figure(figsize=(style.WIDTH, height), layout="constrained", facecolor=background)
        ax = figure.subplots()
        ax.set_facecolor(background)
        reach = max(2.0, *(abs(point.points) for lane in lanes for point in lane.points))
        ax.set_xscale("function", functions=(_stretched, _points))
        ax.set_xlim(-1.04 * reach, 1.04 * reach)
        for width, alpha in ((1.5, 0.08), (0.5, 0.14)):
            ax.axvspan(-width, width, color=_MARKS["match"]["color"], alpha=alpha, linewidth=0)
        ax.axvline(0.0, color=style.INK, linewidth=0.6)
        for row, lane in enumerate(lanes):
            _draw_lane(ax, row, lane, reach)
        ticks = [0.0, *(sign * tick for tick in _TICKS if tick <= reach for sign in (-1, 1))]
        texts = ["0" if t == 0 else numbers.signed(t, 0 if abs(t) >= 5 else 1) for t in ticks]
        ax.set_xticks(ticks, texts)
        ax.set_yticks(range(len(lanes)), [lane.label for lane in lanes])
        ax.set_ylim(len(lanes) - 0.5, -0.5)
        ax.set_xlabel("measured minus printed, points")
        ax.grid(False, axis="y")
        handles = [
            Line2D(
                [],
                [],
                linestyle="",
                **_MARKS[key],
                label=f"{VERDICTS[key].word} {numbers.count(counts[key])}",
            )
            for key in shown
        ]
        figure.legend(handles=handles, loc="outside upper left", ncols=min(3, len(shown)))
        text = io.StringIO()
        metadata = {"Date": None, "Creator": None, "Title": sentence(lanes) or None}
        figure.savefig(text, format="svg", metadata=metadata, facecolor=background)
    return text.getvalue()


def _draw_lane(ax, row: int, lane: Lane, reach: float) -> None:
    """Draw the marks of a row; those that would cover each other are stacked from its middle."""
    stacks: dict[int, list[Point]] = {}
    for point in lane.points:
        place = round(_BINS * float(_stretched(point.points) / _stretched(reach)))
        stacks.setdefault(place, []).append(point)
    step = min(_LARGEST_STEP, _ROOM / max(map(len, stacks.values())))
    placed = [
        (point, row + step * ((i + 1) // 2) * (1 if i % 2 else -1))
        for _, stack in sorted(stacks.items())
        for i, point in enumerate(sorted(stack, key=lambda one: (one.verdict, one.points)))
    ]
    for key, marks in _MARKS.items():
        found = [(point.points, height) for point, height in placed if point.verdict == key]
        if found:
            ax.plot(*zip(*found, strict=True), linestyle="", gid=f"{key}-{row}", **marks)


def _stretched(points):
    return np.sign(points) * np.log1p(np.abs(points) / _KNEE)


def _points(stretched):
    return np.sign(stretched) * _KNEE * np.expm1(np.abs(stretched))
