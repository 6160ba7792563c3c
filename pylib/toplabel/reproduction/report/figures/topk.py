"""Test accuracy of each method against k, on one data set."""

from __future__ import annotations

import math

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from toplabel.reproduction.compare.cells import read_cells
from toplabel.reproduction.compare.views import measurements
from toplabel.reproduction.report.figures import style
from toplabel.reproduction.report.figures.drawing import (
    Source,
    mathtext,
    panel_grid,
    scale_accuracies,
)
from toplabel.reproduction.report.labels import table_label

_BASELINE = "lr_multi"  # stands in every panel, in grey
_LEGEND_COLUMNS = 2


def numbers(source: Source) -> pd.DataFrame:
    """Return the test accuracies of the methods, and the first number that a paper prints of each.

    ``std`` is over the splits, NaN for a single one.
    """
    cells = measurements(read_cells(source.one("cells.csv")))
    cells = cells[(cells["config_dataset"] == source.dataset) & cells["metric"].str.match("top")]
    words = pd.DataFrame(source.methods)[["name", "group", "label"]]
    cells = cells.drop(columns="label")
    frame = words.merge(cells, left_on="name", right_on="config_method")
    places = zip(frame["source"], frame["table"], strict=True)
    return pd.DataFrame(
        {
            "dataset": source.dataset,
            "title": source.title,
            "group": frame["group"],
            "method": frame["name"],
            "label": frame["label"],
            "k": frame["metric"].str.removeprefix("top").astype(int),
            "value": frame["value"],
            "std": frame["std"],
            "published": pd.to_numeric(frame["printed"]),
            "printed_in": [table_label(*place) if all(place) else "" for place in places],
        }
    )


def draw(frame: pd.DataFrame) -> Figure:
    """Draw a panel for each group of methods, with bars of one standard deviation over the splits.

    Hollow marks are the numbers of the papers.
    """
    groups = list(frame.groupby("group", sort=False))
    baseline = frame[frame["method"] == _BASELINE]
    most = max(part["label"].nunique() for _, part in groups)
    height = 1.9 + 0.14 * math.ceil((most + 1) / _LEGEND_COLUMNS)
    figure, axes = panel_grid(len(groups), across=3, height=height)
    for ax, (group, part) in zip(axes, groups, strict=True):
        ax.sharex(axes[0])
        ax.sharey(axes[0])
        if len(baseline) and _BASELINE not in set(part["method"]):
            grey = {"color": style.MUTED, "linestyle": "--", "linewidth": 0.9}
            label = mathtext(baseline["label"].iat[0])
            ax.plot(baseline["k"], baseline["value"], label=label, **grey)
        for i, (label, curve) in enumerate(part.groupby("label", sort=False)):
            _draw_curve(ax, label, curve.sort_values("k"), i)
        ax.set(title=mathtext(group), xlabel="k", ylabel="top-k accuracy (%)")
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        # Below the axes, which the curves may fill.
        below = {"loc": "upper left", "bbox_to_anchor": (-0.3, -0.22), "fontsize": 6.3}
        ax.legend(ncols=_LEGEND_COLUMNS, handlelength=1.4, columnspacing=0.8, **below)
    reach = frame["std"].fillna(0.0)
    ends = [frame["value"] - reach, frame["value"] + reach, frame["published"]]
    scale_accuracies(axes[0], min(one.min() for one in ends), max(one.max() for one in ends))
    return figure


def _draw_curve(ax: Axes, label: str, curve: pd.DataFrame, i: int) -> None:
    look = style.look(i) | {"linewidth": 1.0, "markersize": 3}
    hollow = {"linestyle": "", "markersize": 5.5, "markerfacecolor": "none", "markeredgewidth": 0.8}
    spread = curve["std"].notna().any()
    x = curve["k"] + (0.05 * (i % 5 - 2) if spread else 0.0)  # the bars stand beside each other
    bars = curve["std"] if spread else None
    ax.errorbar(x, curve["value"], yerr=bars, label=mathtext(label), **look)
    ax.plot(x, curve["published"], **(look | hollow))
