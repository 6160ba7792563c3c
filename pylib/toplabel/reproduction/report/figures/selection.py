"""The validation value of each method against C, on one data set."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from toplabel.metrics.names import lower_is_better, unit
from toplabel.reproduction.report.figures import style
from toplabel.reproduction.report.figures.drawing import Source, legend, mathtext, scale_accuracies
from toplabel.reproduction.report.labels import metric_label
from toplabel.reproduction.selection.choice import Choice, choose
from toplabel.reproduction.selection.measures import sign
from toplabel.reproduction.selection.tuned import Tuned, load_tuned, means

# Two of these are drawn, the first that the protocol has.
_METRICS = ("rank_loss", "f1_micro", "top1", "top5", "top2")
_ACROSS = 5


def numbers(source: Source) -> pd.DataFrame:
    """Return the best validation value of each method at each C, and whether this C was chosen."""
    frames = []
    for method in source.methods:
        found = means(load_tuned(source.all(f"{method['name']}/tune/*.npz")))
        results = [result for result in found if result.split == source.split]
        curve = selection_curve(results, choose(found))
        frames.append(curve.assign(method=method["name"], label=method["label"]))
    frame = pd.concat(frames, ignore_index=True).assign(dataset=source.dataset, title=source.title)
    return frame[["dataset", "title", "method", "label", "metric", "C", "value", "chosen"]]


def selection_curve(results: Sequence[Tuned], choices: Iterable[Choice]) -> pd.DataFrame:
    """Return the best validation value at each C, over k, theta and the threshold.

    `results` are the means over the folds of one split, one for each k where that is selected.
    """
    chosen = {row.metric: row.C for row in choices if row.split == results[0].split}
    frames = []
    for metric in [name for name in _METRICS if name in results[0].metric][:2]:
        values = pd.concat([pd.Series(_best_over_others(one, metric), one.C) for one in results])
        best = values[np.isfinite(values)].groupby(level=0).max()
        columns = {"C": best.index, "value": sign(metric) * best.to_numpy()}
        columns["chosen"] = best.index == chosen[metric]
        frames.append(pd.DataFrame({"metric": metric} | columns))
    return pd.concat(frames, ignore_index=True)


def _best_over_others(result: Tuned, metric: str) -> np.ndarray:
    """Return the best value at each C over theta and the threshold; more is better."""
    names = [str(name) for name in result.metric]
    signed = sign(metric) * result.value[..., names.index(metric)]
    return np.where(np.isnan(signed), -np.inf, signed).max(axis=(0, 2))


def draw(frame: pd.DataFrame) -> Figure:
    """Draw a small panel for each method, all on one scale; metrics of another unit below them."""
    labels = list(frame["label"].unique())
    looks = {metric: _look(i) for i, metric in enumerate(frame["metric"].unique())}
    blocks = [part for _, part in frame.groupby(frame["metric"].map(unit), sort=False)]
    columns, rows = min(len(labels), _ACROSS), math.ceil(len(labels) / _ACROSS)
    size = (style.WIDTH * columns / _ACROSS, (1.1 * rows + 0.4) * len(blocks) + 0.3)
    figure = Figure(figsize=size, layout="constrained")
    grid = figure.add_gridspec(rows * len(blocks), columns)
    for i, block in enumerate(blocks):
        first = None
        for j, label in enumerate(labels):
            place = grid[i * rows + j // columns, j % columns]
            ax = figure.add_subplot(place, sharex=first, sharey=first)
            first = first or ax
            for metric, whole in block.groupby("metric", sort=False):
                _draw_curve(ax, whole, label, looks[metric])
            ax.set_title(mathtext(label), fontsize=7.5, pad=3)
            left, bottom = j % columns == 0, j + columns >= len(labels)
            ax.tick_params(labelleft=left, labelbottom=bottom, labelsize=6.5)
            ax.set_ylabel(_quantity(block) if left else "", fontsize=7.5)
            ax.set_xlabel("C = 1/(λn)" if bottom else "", fontsize=7.5)
        first.set_xscale("log")
        if unit(block["metric"].iat[0]) == "%":
            scale_accuracies(first, block["value"].min(), block["value"].max())
    ring = {"marker": "o", "markerfacecolor": "none", "color": style.INK, "linestyle": ""}
    best = {"color": style.MUTED, "linewidth": 0.8, "linestyle": "--"}
    handles = [Line2D([], [], label=metric_label(one), **look) for one, look in looks.items()]
    handles += [Line2D([], [], label="chosen C", **ring)]
    legend(figure, [*handles, Line2D([], [], label="best choice of all methods", **best)])
    return figure


def _look(i: int) -> dict[str, Any]:
    return style.look(i) | {"markersize": 2.0, "linewidth": 1.0}


def _quantity(block: pd.DataFrame) -> str:
    """Return what the y axis of a block measures."""
    names = block["metric"].unique()
    accuracies = len(names) > 1 and all(name.startswith("top") for name in names)
    words = "accuracy" if accuracies else ", ".join(map(metric_label, names))
    return words + (f" ({unit(names[0])})" if unit(names[0]) else "")


def _draw_curve(ax: Axes, whole: pd.DataFrame, label: str, look: dict[str, Any]) -> None:
    """Draw a metric of one method, and the level of the best value that any method was chosen with."""
    chosen = whole[whole["chosen"].astype(bool)]
    if len(chosen):
        lower = lower_is_better(whole["metric"].iat[0])
        best = chosen["value"].min() if lower else chosen["value"].max()
        ax.axhline(best, color=style.MUTED, linewidth=0.6, linestyle="--")
    curve = whole[whole["label"] == label].sort_values("C")
    ax.plot(curve["C"], curve["value"], **look)
    # A ring at the edge stays whole.
    ring = {"marker": "o", "markersize": 6, "markerfacecolor": "none", "clip_on": False}
    ring |= {"color": look["color"], "linestyle": ""}
    own = chosen[chosen["label"] == label]
    ax.plot(own["C"], own["value"], **ring)
