"""Figures of the multiclass study: top-k accuracy against k, and mean ranks over data sets."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from toplabel.reproduction.report import style
from toplabel.reproduction.report.drawing import (
    mathtext,
    panel_grid,
    percent_axis,
    write_figure,
)
from toplabel.reproduction.report.labels import metric_label, plain

TOPK_COLUMNS = [
    "dataset",
    "title",
    "group",
    "method",
    "label",
    "k",
    "value",
    "std",
    "published",
    "printed_in",
]
_LEGEND_COLUMNS = 2
RANK_COLUMNS = [
    "metric",
    "method",
    "label",
    "mean_rank",
    "sets",
    "friedman_p",
    "critical_difference",
]


def draw_topk(
    frame: pd.DataFrame,
    out_svg: str | Path,
    *,
    baseline: str = "lr_multi",
    title: str = "",
) -> None:
    """Draw the test accuracy of every method against k, a panel for each group of methods.

    Parameters
    ----------
    frame : DataFrame
        Columns `dataset`, `title` (of the data set), `group`, `method`, `label`, `k` (of the
        metric), `value` (percent), `std` (over the splits; NaN for one split), `published` (what a
        paper prints, percent; NaN where none does), `printed_in` (its table).
    baseline : str
        The method that stands in every panel, in grey, where it was measured.
    """
    groups = list(frame.groupby("group", sort=False))
    ends = frame["k"].min() - 0.3, frame["k"].max() + 0.3
    reach = frame["std"].fillna(0)
    low = min((frame["value"] - reach).min(), frame["published"].min())
    high = max((frame["value"] + reach).max(), frame["published"].max())
    common = frame[frame["method"] == baseline].sort_values("k")
    most = max(part["label"].nunique() for _, part in groups)
    with style.house_style():
        height = 1.9 + 0.14 * math.ceil((most + 1) / _LEGEND_COLUMNS)
        figure, axes = panel_grid(len(groups), across=3, height=height)
        for ax, (group, part) in zip(axes, groups, strict=True):
            if len(common) and baseline not in set(part["method"]):
                grey = {"color": style.MUTED, "linestyle": "--", "linewidth": 0.9}
                name = mathtext(common["label"].iat[0])
                ax.plot(common["k"], common["value"], label=name, **grey)
            curves = list(part.groupby("label", sort=False))
            for i, (label, curve) in enumerate(curves):
                _draw_curve(
                    ax, label, curve.sort_values("k"), i, (i - (len(curves) - 1) / 2) * 0.05
                )
            ax.set_title(mathtext(group))
            ax.set_xlabel("k")
            ax.set_ylabel("top-k accuracy (%)")
            ax.set_xlim(*ends)
            percent_axis(ax, low, high, apart=0.08)
            ax.xaxis.set_major_locator(MaxNLocator(integer=True))
            # Below the axes, which the curves may fill.
            below = {"loc": "upper left", "bbox_to_anchor": (-0.3, -0.22), "fontsize": 6.3}
            ax.legend(ncols=_LEGEND_COLUMNS, handlelength=1.4, columnspacing=0.8, **below)
        caption = (
            "Test accuracy, for each k of the model that was selected for that k. The dashed grey"
            " line is the softmax,"
            " in every panel the same. Where it reaches 90 %, the scale is that of the error’s"
            " logarithm. Bars: one"
            f" standard deviation over the splits, where there are several.{_spoken_printed(frame)}"
        )
        alt = (
            f"Top-k accuracy against k on {frame['title'].iat[0]}, {len(groups)} panels with"
            f" {frame['method'].nunique()} methods. {_spoken_best(frame)}"
        )
        write_figure(figure, frame[TOPK_COLUMNS], out_svg, alt=alt, caption=caption, title=title)


def _draw_curve(ax: Axes, label: str, curve: pd.DataFrame, i: int, aside: float) -> None:
    """Draw a method, `aside` of its k where it has error bars, and hollow what the paper prints."""
    spread = curve["std"].notna().any()
    x = curve["k"] + aside if spread else curve["k"]
    look = {"color": style.colour(i), "marker": style.marker(i)}
    line = {"linestyle": style.line(i), "linewidth": 1.0, "markersize": 3}
    bars = curve["std"] if spread else None
    ax.errorbar(x, curve["value"], yerr=bars, label=mathtext(label), **look, **line)
    hollow = {"linestyle": "", "markersize": 5.5, "markerfacecolor": "none", "markeredgewidth": 0.8}
    ax.plot(x, curve["published"], **look, **hollow)


def _spoken_printed(frame: pd.DataFrame) -> str:
    printed = frame.loc[frame["published"].notna(), "printed_in"].unique()
    return f" Hollow marks: as printed in {', '.join(printed)}." if len(printed) else ""


def _spoken_best(frame: pd.DataFrame) -> str:
    """Return the best method at each k."""
    best = frame.loc[frame.groupby("k")["value"].idxmax()]
    return " ".join(
        f"Best at k = {row.k}: {plain(str(row.label))}, {row.value:.1f} %."
        for row in best.itertuples()
    )


def draw_ranks(
    frame: pd.DataFrame,
    out_svg: str | Path,
    *,
    alpha: float = 0.05,
) -> None:
    """Draw the mean ranks of methods, a panel per metric, with Nemenyi's critical difference from
    the best.

    Parameters
    ----------
    frame : DataFrame
        Columns `metric`, `method`, `label`, `mean_rank` (1 is best), and, the same in all rows of a
        metric, `sets` (names joined by "; "), `friedman_p`, `critical_difference`.
    alpha : float
        The level of the test, for the words.
    """
    panels = list(frame.groupby("metric", sort=False))
    rows = max(len(part) for _, part in panels)
    with style.house_style():
        size = (style.WIDTH, 0.9 + 0.17 * rows)
        figure = Figure(figsize=size, layout="constrained")
        axes = figure.subplots(1, len(panels), squeeze=False).ravel()
        for ax, (metric, part) in zip(axes, panels, strict=True):
            part = part.sort_values(["mean_rank", "method"], ascending=False)
            best, reach = part["mean_rank"].min(), part["critical_difference"].iat[0]
            near = part["mean_rank"].to_numpy() <= best + reach
            at = np.arange(len(part))
            ax.axvspan(
                best, min(best + reach, len(part)), color=style.RULE, alpha=0.45, linewidth=0
            )
            for which, number, shape in ((near, 0, "o"), (~near, 1, "D")):
                look = {"color": style.colour(number), "marker": shape, "linestyle": ""}
                ax.plot(part["mean_rank"].to_numpy()[which], at[which], **look)
            ax.set_yticks(at, [mathtext(label) for label in part["label"]], fontsize=6.5)
            ax.set_ylim(-0.7, len(part) - 0.3)
            ax.set_xlim(0.5, len(part) + 0.5)
            ax.set_title(metric_label(metric))
            ax.set_xlabel("mean rank (1 is best)")
        caption = (
            "Ranks of the test value among the methods that were measured on all these sets:"
            f" {frame['sets'].iat[0]}."
            f" Shaded: within Nemenyi’s critical difference (level {alpha:g}) of the best; a"
            " diamond lies outside."
            f" Friedman’s test: {_spoken_tests(frame)}"
        )
        alt = f"Mean ranks of methods, {len(panels)} panels. " + " ".join(
            _spoken_ranks(metric, part) for metric, part in panels
        )
        write_figure(figure, frame[RANK_COLUMNS], out_svg, alt=alt, caption=caption)


def _spoken_tests(frame: pd.DataFrame) -> str:
    first = frame.drop_duplicates("metric")
    parts = [
        f"{metric_label(row.metric)} p = {row.friedman_p:.2g}, critical difference"
        f" {row.critical_difference:.1f}"
        for row in first.itertuples()
    ]
    return "; ".join(parts) + "."


def _spoken_ranks(metric: str, part: pd.DataFrame) -> str:
    order = part.sort_values(["mean_rank", "method"])
    named = [f"{plain(str(row.label))} {row.mean_rank:.1f}" for row in order.head(3).itertuples()]
    last = order.iloc[-1]
    reach = order["mean_rank"].iat[0] + order["critical_difference"].iat[0]
    near = int((order["mean_rank"] <= reach).sum())
    return (
        f"{metric_label(metric)}: best {', '.join(named)}; last {plain(str(last.label))}"
        f" {last.mean_rank:.1f};"
        f" {near} of {len(order)} methods within the critical difference of the best."
    )
