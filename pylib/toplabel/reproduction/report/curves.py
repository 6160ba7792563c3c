"""The curves of the selection of C, and the gaps of the trained models."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from toplabel.metrics.names import lower_is_better, unit
from toplabel.reproduction.report import style
from toplabel.reproduction.report.drawing import (
    legend,
    mathtext,
    percent_axis,
    write_figure,
)
from toplabel.reproduction.report.labels import metric_label, plain

SELECTION_COLUMNS = ["dataset", "title", "method", "label", "metric", "C", "value", "chosen"]
GAPS_COLUMNS = ["dataset", "method", "label", "relative_gap"]


def draw_selection(
    frame: pd.DataFrame,
    out_svg: str | Path,
    *,
    title: str = "",
) -> None:
    """Draw the validation value of each method against C, the chosen C marked: a panel a method,
    all on one scale.

    Parameters
    ----------
    frame : DataFrame
        Columns `dataset`, `title` (of the data set), `method`, `label` (of the method), `metric`,
        `C` (> 0), `value` (percent, or a fraction for losses), `chosen` (true where the protocol
        took this C). Metrics of one unit share the panels; those of another have panels of their
        own below.
    """
    labels = list(dict.fromkeys(frame["label"]))
    looks = {metric: i for i, metric in enumerate(dict.fromkeys(frame["metric"]))}
    blocks = [part for _, part in frame.groupby(frame["metric"].map(unit), sort=False)]
    with style.house_style():
        figure, grids = _panels(len(labels), len(blocks))
        for axes, block in zip(grids, blocks, strict=True):
            for ax, label in zip(axes, labels, strict=True):
                for metric, whole in block.groupby("metric", sort=False):
                    _draw_curve(ax, whole, label, looks[metric])
                ax.set_title(mathtext(label), fontsize=7.5, pad=3)
            axes[0].set_xscale("log")
            if unit(block["metric"].iat[0]) == "%":
                percent_axis(axes[0], block["value"].min(), block["value"].max(), apart=0.17)
            for ax in axes[::_ACROSS]:
                ax.set_ylabel(_quantity(block), fontsize=7.5)
            for ax in axes[-_ACROSS:]:
                ax.set_xlabel("C = 1/(λn)", fontsize=7.5)
        mark = {"marker": "o", "markerfacecolor": "none", "color": style.INK, "linestyle": ""}
        best = {"color": style.MUTED, "linewidth": 0.8, "linestyle": "--"}
        handles = [
            *(
                Line2D([], [], label=metric_label(metric), **_look(i))
                for metric, i in looks.items()
            ),
            Line2D([], [], label="chosen C", **mark),
            Line2D([], [], label="best choice of all methods", **best),
        ]
        legend(figure, handles)
        caption = (
            "The value on the validation part or folds, a panel a method, all on one scale; the"
            " ring marks the C that"
            " was chosen, the dashed line the best value that any method was chosen with."
        )
        alt = (
            f"Curves of the validation value against C, {' and '.join(map(metric_label, looks))},"
            " a panel for each of"
            f" {len(labels)} methods. {_spoken_choices(frame)}"
        )
        write_figure(
            figure, frame[SELECTION_COLUMNS], out_svg, alt=alt, caption=caption, title=title
        )


_ACROSS = 5


def _panels(number: int, blocks: int) -> tuple[Figure, list[list[Axes]]]:
    """Make blocks of small panels, each with one scale."""
    columns, rows = min(number, _ACROSS), math.ceil(number / _ACROSS)
    size = (style.WIDTH * columns / _ACROSS, 1.1 * rows * blocks + 0.4 * blocks + 0.3)
    figure = Figure(figsize=size, layout="constrained")
    grid = figure.add_gridspec(rows * blocks, columns)
    found: list[list[Axes]] = []
    for block in range(blocks):
        axes: list[Axes] = []
        for i in range(number):
            first = axes[0] if axes else None
            ax = figure.add_subplot(
                grid[block * rows + i // columns, i % columns], sharex=first, sharey=first
            )
            ax.tick_params(labelleft=i % columns == 0, labelbottom=i + columns >= number)
            ax.tick_params(labelsize=6.5)
            axes.append(ax)
        found.append(axes)
    return figure, found


def _look(i: int) -> dict[str, Any]:
    return {
        "color": style.colour(i),
        "linestyle": style.line(i),
        "marker": style.marker(i),
        "markersize": 2.0,
        "linewidth": 1.0,
    }


def _quantity(block: pd.DataFrame) -> str:
    """Return what the y axis of a block measures."""
    names = block["metric"].unique()
    words = "accuracy" if len(names) > 1 and all(n.startswith("top") for n in names) else ""
    words = words or ", ".join(map(metric_label, names))
    return words + (f" ({unit(names[0])})" if unit(names[0]) else "")


def _draw_curve(ax: Axes, whole: pd.DataFrame, label: str, i: int) -> None:
    """Draw one method of a metric, and the level of the best of all."""
    chosen = whole[whole["chosen"].astype(bool)]
    if len(chosen):
        lower = lower_is_better(whole["metric"].iat[0])
        best = chosen["value"].min() if lower else chosen["value"].max()
        ax.axhline(best, color=style.MUTED, linewidth=0.6, linestyle="--")
    curve = whole[whole["label"] == label].sort_values("C")
    ax.plot(curve["C"], curve["value"], **_look(i))
    ring = {"marker": "o", "markersize": 6, "markerfacecolor": "none", "linestyle": ""}
    ring |= {"clip_on": False}  # one at the edge stays whole
    ax.plot("C", "value", data=chosen[chosen["label"] == label], color=style.colour(i), **ring)


def _spoken_choices(frame: pd.DataFrame) -> str:
    """Say what was chosen, in at most a dozen sentences; the data holds the rest."""
    chosen = frame[frame["chosen"].astype(bool)].head(12)
    return " ".join(
        f"{plain(str(row.title))}, {metric_label(row.metric)}, {plain(str(row.label))}:"
        f" {row.value:.4g} at"
        f" C = {row.C:.3g}."
        for row in chosen.itertuples()
    )


def draw_gaps(
    frame: pd.DataFrame,
    eps: float,
    out_svg: str | Path,
    *,
    caption: str,
) -> None:
    """Draw the relative duality gaps by method, the largest of each method marked, against eps.

    Parameters
    ----------
    frame : DataFrame
        Columns `dataset`, `method`, `label` (of the method), `relative_gap` (>= 0).
    eps : float
        The tolerance that the solver stops at, drawn as a line.
    """
    labels = list(dict.fromkeys(frame["label"]))[::-1]  # the first method on top
    floor = min(eps, frame.loc[frame["relative_gap"] > 0, "relative_gap"].min()) / 10
    with style.house_style():
        figure = Figure(figsize=(style.WIDTH, 0.7 + 0.24 * len(labels)), layout="constrained")
        ax = figure.subplots()
        for y, label in enumerate(labels):
            gaps = frame.loc[frame["label"] == label, "relative_gap"].clip(lower=floor)
            ax.plot(
                gaps,
                np.full(len(gaps), y),
                color=style.MUTED,
                marker="|",
                markersize=6,
                linestyle="",
            )
            over = gaps.max() > eps
            ax.plot(
                gaps.max(), y, color=style.colour(1 if over else 0), marker="D" if over else "o"
            )
        ax.axvline(eps, color=style.INK, linewidth=0.9, linestyle="--")
        ax.annotate(
            f"ε = {eps:g}",
            (eps, 1),
            xycoords=("data", "axes fraction"),
            xytext=(3, 2),
            textcoords="offset points",
            fontsize=7.5,
        )
        ax.set_xscale("log")
        ax.set_yticks(range(len(labels)), [mathtext(label) for label in labels])
        ax.set_ylim(-0.6, len(labels) - 0.4)
        ax.set_xlabel("relative duality gap, (P − D) / max(|P|, |D|)")
        largest = frame.groupby("label", sort=False)["relative_gap"].max()
        over = [plain(str(label)) for label in largest.index[largest > eps]]
        alt = (
            f"Relative duality gaps ({len(frame)} values) of {len(labels)} methods on a"
            " logarithmic axis."
            f" The largest is {largest.max():.1e}; the tolerance is {eps:g}. "
            + (f"Above the tolerance: {', '.join(over)}." if over else "No method exceeds it.")
        )
        write_figure(figure, frame[GAPS_COLUMNS], out_svg, alt=alt, caption=caption)
