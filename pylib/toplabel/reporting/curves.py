"""The curves of the selection of C, and the gaps of the trained models."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from toplabel.metrics.names import unit
from toplabel.reporting import style
from toplabel.reporting.drawing import legend, mathtext, panel_grid, require, write_figure
from toplabel.reporting.labels import metric_label, plain

SELECTION_COLUMNS = ["dataset", "title", "method", "label", "metric", "C", "value", "chosen"]
GAPS_COLUMNS = ["dataset", "method", "label", "relative_gap"]


def draw_selection(
    frame: pd.DataFrame,
    out_svg: str | Path,
    *,
    title: str = "",
) -> None:
    """Draw the selection curves: the validation value of each method against C, the chosen C marked.

    Parameters
    ----------
    frame : DataFrame
        Columns `dataset`, `title` (of the data set), `method`, `label` (of the method), `metric`, `C`
        (> 0), `value` (percent, or a fraction for losses), `chosen` (true where the protocol took this
        C). One panel per data set and metric, one curve per method.
    """
    require(frame, SELECTION_COLUMNS, "frame", ["C", "value"])
    if (frame["C"] <= 0).any():
        raise ValueError(f"frame: C must be positive, found {frame['C'].min()}")
    labels = list(dict.fromkeys(frame["label"]))
    panels = list(frame.groupby(["title", "metric"], sort=False))
    with style.house_style():
        figure, axes = panel_grid(len(panels), across=3, height=2.0)
        for ax, ((title_, metric), part) in zip(axes, panels, strict=True):
            for i, label in enumerate(labels):
                _draw_curve(ax, part[part["label"] == label].sort_values("C"), i)
            ax.set_xscale("log")
            ax.set_title(f"{mathtext(title_)}\n{metric_label(metric)}")
            ax.set_xlabel("C = 1/(λn)")
            ax.set_ylabel(metric_label(metric) + (f" ({unit(metric)})" if unit(metric) else ""))
        handles = [
            Line2D(
                [],
                [],
                color=style.colour(i),
                linestyle=style.line(i),
                marker=style.marker(i),
                markersize=2.5,
                label=mathtext(label),
            )
            for i, label in enumerate(labels)
        ]
        mark = {"marker": "o", "markerfacecolor": "none", "color": style.INK, "linestyle": ""}
        legend(figure, [*handles, Line2D([], [], label="chosen C", **mark)])
        caption = "The value on the validation part or folds; the ring marks the C that was chosen."
        alt = (
            f"Curves of the validation value against C for {len(labels)} methods, one panel for each of"
            f" {len(panels)} pairs of data set and metric. {_spoken_choices(frame)}"
        )
        write_figure(
            figure, frame[SELECTION_COLUMNS], out_svg, alt=alt, caption=caption, title=title
        )


def _draw_curve(ax: Axes, curve: pd.DataFrame, i: int) -> None:
    look = {"color": style.colour(i), "linestyle": style.line(i), "marker": style.marker(i)}
    ax.plot(curve["C"], curve["value"], markersize=2.5, **look)
    chosen = curve[curve["chosen"].astype(bool)]
    ax.plot(
        chosen["C"],
        chosen["value"],
        color=style.colour(i),
        marker="o",
        markersize=7,
        markerfacecolor="none",
        linestyle="",
    )


def _spoken_choices(frame: pd.DataFrame) -> str:
    """Say what was chosen, in at most a dozen sentences; the data holds the rest."""
    chosen = frame[frame["chosen"].astype(bool)].head(12)
    return " ".join(
        f"{plain(str(row.title))}, {metric_label(row.metric)}, {plain(str(row.label))}: {row.value:.4g} at"
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
    require(frame, GAPS_COLUMNS, "frame", ["relative_gap"])
    if not eps > 0:
        raise ValueError(f"eps: must be positive, found {eps}")
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
            f"Relative duality gaps ({len(frame)} values) of {len(labels)} methods on a logarithmic axis."
            f" The largest is {largest.max():.1e}; the tolerance is {eps:g}. "
            + (f"Above the tolerance: {', '.join(over)}." if over else "No method exceeds it.")
        )
        write_figure(figure, frame[GAPS_COLUMNS], out_svg, alt=alt, caption=caption)
