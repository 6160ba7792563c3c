"""The charts that a report draws itself: how far each measured number lies from the printed one, the
distance from the best method against seconds, and the critical-difference diagram of methods.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from toplabel.reproduction.compare.verdicts import CLOSE, TOLERANCE, VERDICTS, in_points
from toplabel.reproduction.report.figures.drawing import (
    INK,
    MARKERS,
    MUTED,
    PALETTE,
    WIDTH,
    house_style,
    mathtext,
    picture,
)
from toplabel.reproduction.report.text import count, signed, table_label, table_order

_KNEE = 0.1  # points; the axis is linear up to about here, and logarithmic beyond
_TICKS = (0.1, 0.5, 1.5, 5, 20, 50)
_BINS = 80  # stacks of marks on each side of 0
_ROOM = 0.84  # of a row, for its highest stack
_LARGEST_STEP = 0.16  # of a row, between two marks of a stack
_ROW = 0.36  # inches
_LEGEND_LINE = 0.19  # inches
_GREEN = "#009e73"
# Marker, colour and size of each verdict.
_MARKS = {
    "match": ("o", _GREEN, 2.6),
    "close": ("D", "#0b5fa5", 3.0),
    "spread": ("o", MUTED, 3.2),
    "higher": ("^", "#a3548c", 3.6),
    "lower": ("v", "#a3548c", 3.6),
    "off": ("x", "#c24a00", 3.8),
}


def points_of(cells: pd.DataFrame) -> pd.DataFrame:
    """Return the numbers that `draw_agreement` shows, of those of one run that have a verdict.

    There is a row for each, the tables in order: ``table``, the name of its table; ``points``, measured
    minus printed (a hundredth of a loss is a point); ``verdict``.
    """
    judged = cells[cells["verdict"] != ""].to_dict("records")
    rows = []
    for row in sorted(judged, key=lambda row: table_order(row["source"], row["table"])):
        points = in_points(row["metric"], row["difference"])
        rows.append((table_label(row["source"], row["table"]), points, row["verdict"]))
    return pd.DataFrame(rows, columns=["table", "points", "verdict"])


def draw_agreement(points: pd.DataFrame, background: str = "none") -> str:
    """Draw the chart of `points_of` as SVG; a picture that stands alone needs a background."""
    tables = list(points["table"].unique())
    reach = max(2.0, points["points"].abs().max())
    with house_style():
        height = _ROW * len(tables) + 0.95
        figure = Figure(figsize=(WIDTH, height), layout="constrained", facecolor=background)
        ax = figure.subplots()
        ax.set_facecolor(background)
        _set_axes(ax, tables, reach)
        marks = _stacked(points, ax, reach)
        for key, (marker, colour, size) in _MARKS.items():
            judged = marks[marks["verdict"] == key]
            look: dict[str, Any] = {"marker": marker, "color": colour, "markersize": size}
            look["markerfacecolor"] = "white" if key == "spread" else colour
            label = f"{VERDICTS[key].word} {count(len(judged))}"
            if len(judged):
                ax.plot("points", "height", data=judged, label=label, ls="", gid=key, **look)
        figure.legend(loc="outside upper left", ncols=3)
        return picture(figure, "Measured minus printed numbers", background=background).decode()


def _set_axes(ax: Axes, tables: list[str], reach: float) -> None:
    """Name and scale the axes, and shade what is a match and what is close."""
    ax.set_xscale("asinh", linear_width=_KNEE)
    ax.set_xlim(-1.04 * reach, 1.04 * reach)
    for width, alpha in ((CLOSE * TOLERANCE, 0.08), (TOLERANCE, 0.14)):
        ax.axvspan(-width, width, color=_GREEN, alpha=alpha, linewidth=0)
    ax.axvline(0.0, color=INK, linewidth=0.6)
    ticks = [0.0, *(sign * tick for tick in _TICKS if tick <= reach for sign in (-1, 1))]
    ax.set_xticks(ticks, [signed(t, 0 if abs(t) >= 5 or t == 0 else 1) for t in ticks])
    ax.minorticks_off()
    ax.set_yticks(range(len(tables)), tables)
    ax.set_ylim(len(tables) - 0.5, -0.5)
    ax.set_xlabel("measured minus printed, points")
    ax.grid(False, axis="y")


def _stacked(points: pd.DataFrame, ax: Axes, reach: float) -> pd.DataFrame:
    """Return the marks with the ``row`` and the ``height`` of each.

    Marks that would cover each other on the axis are stacked from the middle of the row.
    """
    along, end = (
        ax.xaxis.get_transform().transform(values) for values in (points["points"], reach)
    )
    row, _ = pd.factorize(points["table"])
    marks = points.assign(row=row, place=np.rint(_BINS * along / end))
    marks = marks.sort_values(["row", "place", "verdict", "points"])
    stacks = marks.groupby(["row", "place"])["place"]
    rank = stacks.cumcount()
    highest = stacks.transform("size").groupby(marks["row"]).transform("max")
    step = (_ROOM / highest).clip(upper=_LARGEST_STEP)
    side = np.where(rank % 2 == 1, 1, -1)
    return marks.assign(height=marks["row"] + step * ((rank + 1) // 2) * side)


# What accuracy costs: the distance of each method from the best one of a set, against its seconds ----


def draw_seconds(scores: pd.DataFrame, points: str) -> str:
    """Draw a mark for each method on each data set as SVG.

    `scores` has the columns `label`, `seconds` and `behind` of `compare.beside.SCORES`, and `points` is
    the unit of the last.
    """
    with house_style():
        height = 2.5 + _LEGEND_LINE * scores["label"].nunique() / 3
        figure = Figure(figsize=(WIDTH, height), layout="constrained")
        ax = figure.subplots()
        for i, (label, part) in enumerate(scores.groupby("label", sort=False)):
            seconds = part["seconds"].clip(lower=1e-3)  # of a fit too short to measure
            # Without lines colour and marker tell the methods apart: 49 pairs.
            marker = MARKERS[(i + i // len(PALETTE)) % len(MARKERS)]
            name = mathtext(str(label))
            ax.plot(seconds, part["behind"], marker, color=f"C{i}", label=name, gid=f"method-{i}")
        ax.set(xscale="log", xlabel="seconds of selection and training, all splits")
        ax.set_ylabel(f"{points} behind the best")
        ax.invert_yaxis()
        figure.legend(loc="outside lower left", ncols=3)
        return picture(figure, "Distance from the best by seconds").decode()


# The critical-difference diagram: mean ranks, and which methods no test tells apart ---------------

Groups = Sequence[Sequence[str]]
_BAR, _LINE = 0.32, 0.55  # heights of a bar and of a line of labels, in units of the axis
_INCHES = 0.26  # of a unit


def draw_ranks(
    ranks: Mapping[str, float],
    labels: Mapping[str, str],
    groups: Mapping[str, Groups],
    critical_difference: float,
    file_format: str = "svg",
) -> bytes:
    """Draw the mean ranks on an axis, with a bar for each group of methods of which no two differ.

    `ranks` are those of the methods, the best first, `groups` those of each test by its name, and the
    critical difference is that of mean ranks by Nemenyi's test. The format is "svg" or "pdf".
    """
    count = len(ranks)
    bars = [(test, group) for test, rows in groups.items() for group in rows]
    below = _BAR * (len(bars) + 1)
    lines = (count + 1) // 2
    height = 1.6 + below + _LINE * lines
    with house_style():
        figure = Figure(figsize=(WIDTH, _INCHES * height + 0.2), layout="constrained")
        ax = figure.subplots()
        ax.set_xlim(1.0 - 0.42 * count, count + 0.42 * count)
        ax.set_ylim(-below - _LINE * lines, 1.6)
        ax.axis("off")
        _draw_axis(ax, count, critical_difference)
        colours = dict(zip(groups, (INK, PALETTE[0]), strict=False))
        for i, (test, group) in enumerate(bars):
            ends = [ranks[group[0]] - 0.04, ranks[group[-1]] + 0.04]
            ax.plot(ends, [-_BAR * (i + 1)] * 2, color=colours[test], linewidth=3.0, marker="")
        for test, colour in colours.items():
            ax.plot([], [], color=colour, linewidth=3.0, label=f"no two differ: {test}")
        figure.legend(loc="outside lower center", ncols=2)
        for i, (method, rank) in enumerate(ranks.items()):
            is_left = i < lines
            place = i if is_left else count - 1 - i
            _draw_method(ax, rank, mathtext(labels[method]), -below - _LINE * place, is_left, count)
        return picture(figure, "Mean ranks", file_format)


def _draw_axis(ax: Axes, count: int, critical_difference: float) -> None:
    """Draw the axis of ranks, and the critical difference as a length above it."""
    ax.plot([1, count], [0, 0], color=INK, linewidth=0.8, marker="")
    for rank in range(1, count + 1):
        ax.plot([rank, rank], [0, 0.15], color=INK, linewidth=0.8, marker="")
        ax.text(rank, 0.25, str(rank), ha="center", va="bottom")
    ends = [1.0, 1.0 + critical_difference]
    ax.plot(ends, [1.15, 1.15], color=MUTED, linewidth=1.2, marker="|")
    words = f"critical difference (Nemenyi) {critical_difference:.2f}"
    ax.text(ends[0], 1.25, words, ha="left", va="bottom")


def _draw_method(ax: Axes, rank: float, label: str, y: float, is_left: bool, count: int) -> None:
    """Draw a line from the rank of a method down to its label, at the nearer side."""
    end = 1.0 - 0.05 * count if is_left else count + 0.05 * count
    ax.plot([rank, rank, end], [0, y, y], color=MUTED, linewidth=0.7, marker="")
    text = f"{label}  {rank:.2f}" if is_left else f"{rank:.2f}  {label}"
    side = "right" if is_left else "left"
    ax.text(end, y, f" {text} ", ha=side, va="center")
