"""The critical-difference diagram: mean ranks of methods, and which of them no test tells apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from toplabel.reproduction.report.figures.drawing import (
    INK,
    MUTED,
    PALETTE,
    WIDTH,
    house_style,
    mathtext,
    picture,
)

Groups = Sequence[Sequence[str]]
_BAR, _LINE = 0.32, 0.55  # heights of a bar and of a line of labels, in units of the axis
_INCHES = 0.26  # of a unit


def draw(
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
