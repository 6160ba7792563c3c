"""Figures of the multiclass study: top-k accuracy against k, and mean ranks over data sets."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from toplabel.reporting import style
from toplabel.reporting.drawing import mathtext, panel_grid, require, write_figure
from toplabel.reporting.labels import metric_label, plain

TOPK_COLUMNS = ["dataset", "title", "group", "method", "label", "k", "value", "std"]
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
        Columns `dataset`, `title` (of the data set), `group`, `method`, `label`, `k` (of the metric),
        `value` (percent), `std` (over the splits; NaN for one split).
    baseline : str
        The method that stands in every panel, in grey, where it was measured.
    """
    require(frame, TOPK_COLUMNS, "frame", ["k", "value"])
    groups = list(frame.groupby("group", sort=False))
    ends = frame["k"].min() - 0.3, frame["k"].max() + 0.3
    reach = frame["std"].fillna(0)
    low, high = (frame["value"] - reach).min(), (frame["value"] + reach).max()
    margin = 0.03 * max(high - low, 1.0)
    common = frame[frame["method"] == baseline].sort_values("k")
    with style.house_style():
        figure, axes = panel_grid(len(groups), across=2, height=2.6)
        for ax, (group, part) in zip(axes, groups, strict=True):
            if len(common) and baseline not in set(part["method"]):
                grey = {"color": style.MUTED, "linestyle": "--", "linewidth": 0.9}
                ax.plot(
                    common["k"], common["value"], label=mathtext(common["label"].iat[0]), **grey
                )
            for i, (label, curve) in enumerate(part.groupby("label", sort=False)):
                curve = curve.sort_values("k")
                look = {"color": style.colour(i), "marker": style.marker(i)}
                line = {"linestyle": style.line(i), "linewidth": 1.0, "markersize": 3}
                ax.errorbar(
                    curve["k"],
                    curve["value"],
                    yerr=curve["std"] if curve["std"].notna().any() else None,
                    label=mathtext(label),
                    **look,
                    **line,
                )
            ax.set_title(mathtext(group))
            ax.set_xlabel("k")
            ax.set_ylabel("top-k accuracy (%)")
            ax.set_xlim(*ends)
            ax.set_yscale("function", functions=(_stretched, _accuracy))
            ax.set_ylim(low - margin, min(high + margin * (100 - high) / 100, 100))
            ax.set_yticks([tick for tick in _TICKS if low - margin <= tick <= high])
            ax.yaxis.set_major_formatter("{x:g}")
            ax.minorticks_off()
            ax.xaxis.set_major_locator(MaxNLocator(integer=True))
            ax.legend(loc="best", fontsize=7, ncols=1 if len(part["label"].unique()) < 7 else 2)
        caption = (
            "Test accuracy, for each k of the model that was selected for that k. The dashed grey line is the softmax,"
            " in every panel the same. The scale is that of the error’s logarithm. Bars: one standard deviation over"
            " the splits, where there are several."
        )
        alt = (
            f"Top-k accuracy against k on {frame['title'].iat[0]}, {len(groups)} panels with"
            f" {frame['method'].nunique()} methods. {_spoken_best(frame)}"
        )
        write_figure(figure, frame[TOPK_COLUMNS], out_svg, alt=alt, caption=caption, title=title)


# Above 90 % differences are small in accuracy and large in relative error: a logarithmic axis of the error.
_BEYOND = 100.2  # so that 100 has a place
_TICKS = (10, 30, 50, 70, 80, 90, 95, 97, 98, 99, 99.5, 100)


def _stretched(accuracy: np.ndarray) -> np.ndarray:
    return -np.log10(np.maximum(_BEYOND - accuracy, 1e-3))


def _accuracy(stretched: np.ndarray) -> np.ndarray:
    return _BEYOND - 10.0**-stretched


def _spoken_best(frame: pd.DataFrame) -> str:
    """The best method at each k."""
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
    """Draw the mean ranks of methods, a panel per metric, with Nemenyi's critical difference from the best.

    Parameters
    ----------
    frame : DataFrame
        Columns `metric`, `method`, `label`, `mean_rank` (1 is best), and, the same in all rows of a metric, `sets`
        (names joined by "; "), `friedman_p`, `critical_difference`.
    alpha : float
        The level of the test, for the words.
    """
    require(frame, RANK_COLUMNS, "frame", ["mean_rank", "friedman_p", "critical_difference"])
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
            f"Ranks of the test value among the methods that were measured on all these sets: {frame['sets'].iat[0]}."
            f" Shaded: within Nemenyi’s critical difference (level {alpha:g}) of the best; a diamond lies outside."
            f" Friedman’s test: {_spoken_tests(frame)}"
        )
        alt = f"Mean ranks of methods, {len(panels)} panels. " + " ".join(
            _spoken_ranks(metric, part) for metric, part in panels
        )
        write_figure(figure, frame[RANK_COLUMNS], out_svg, alt=alt, caption=caption)


def _spoken_tests(frame: pd.DataFrame) -> str:
    first = frame.drop_duplicates("metric")
    parts = [
        f"{metric_label(row.metric)} p = {row.friedman_p:.2g}, critical difference {row.critical_difference:.1f}"
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
        f"{metric_label(metric)}: best {', '.join(named)}; last {plain(str(last.label))} {last.mean_rank:.1f};"
        f" {near} of {len(order)} methods within the critical difference of the best."
    )
