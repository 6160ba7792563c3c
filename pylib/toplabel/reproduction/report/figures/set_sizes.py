"""Sets of variable size against as many classes for every row, on one data set."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from toplabel.reproduction.data.prepared import load_prepared
from toplabel.reproduction.report.figures.drawing import MUTED, Design, Source, small_panels
from toplabel.reproduction.selection.set_sizes import set_sizes


def numbers(source: Source) -> pd.DataFrame:
    """Return the sets of each method, a row for each goal, level and draw."""
    prepared = load_prepared(source.file("data/meta.json").parent)
    frames = []
    for method in source.methods:
        folder = method["name"]
        files = (source.file(f"{folder}/{name}") for name in ("selection.csv", "models.npz"))
        frame = set_sizes(prepared, source.split, *files)
        frames.append(frame.assign(method=method["name"], label=method["label"]))
    frame = pd.concat(frames, ignore_index=True).assign(dataset=source.dataset, title=source.title)
    first = ["dataset", "title", "method", "label"]
    return frame[[*first, *frame.columns.drop(first)]]


def draw(frame: pd.DataFrame) -> Figure:
    """Draw a panel for each method, all on one scale."""
    values = ["size", "coverage", "fixed_coverage"]
    means = frame.groupby(["label", "goal", "level"], sort=False)[values].mean().reset_index()
    panels = dict(iter(means.groupby("label", sort=False)))
    figure, axes = small_panels([*panels], across=4, height=1.4)
    for ax, part in zip(axes, panels.values(), strict=True):
        _draw_panel(ax, part)
    axes[0].set_xscale("log")
    axes[0].set_xticks([1, 2, 3, 5, 10], ["1", "2", "3", "5", "10"])
    axes[0].minorticks_off()
    handles = axes[0].get_legend_handles_labels()
    figure.legend(*handles, loc="outside upper center", ncols=3)
    figure.supxlabel("classes a row", fontsize=7.5)
    figure.supylabel("rows with their class among them (%)", fontsize=7.5)
    return figure


def _draw_panel(ax: Axes, part: pd.DataFrame) -> None:
    sized, covering = (part[part["goal"] == goal] for goal in ("size", "coverage"))
    ax.plot(
        sized["level"],
        sized["fixed_coverage"],
        color=MUTED,
        linestyle="--",
        label="K for each row",
    )
    ax.plot(sized["size"], sized["coverage"], marker="o", label="K on average", color="C0")
    ax.plot(
        covering["size"],
        covering["coverage"],
        color="C1",
        linestyle="",
        marker="x",
        label="for a coverage",
    )
    # Of up to ten classes five are nearly all, and have nothing to gain.
    compared = sized.iloc[-2] if len(sized) > 3 else sized.iloc[0]
    gain = compared["coverage"] - compared["fixed_coverage"]
    words = f"{gain:+.1f} at {compared['level']:g}".replace("-", "−")
    ax.text(0.97, 0.06, words, transform=ax.transAxes, ha="right", fontsize=6.5)


SET_SIZES = Design(
    title="Accuracy against the mean size of the sets: {title}",
    caption=(
        "The share of test rows with their class among those that are given, against the number of classes a"
        " row. Dots: the classes whose score is close enough to the best one of the row, where one margin for"
        " all rows gives K = 2, 3, 5 or 10 classes on average; dashed line: the K best classes of each row;"
        " crosses: the margin is chosen for a coverage of 80, 90 and 95 %. The number in a panel is the gain"
        " of the first over the second, in points; a negative one is a loss. Half of the test rows, which"
        " chose nothing, choose the margin, and the others are measured; means over five random halves. The"
        " model is the one chosen for top-K accuracy, for a coverage the one for top-1 accuracy."
    ),
    alt=(
        "Two curves of the accuracy against the number of classes a row on {title}, with sets of variable and"
        " of fixed size, a panel for each method. The numbers are in the data file of the figure."
    ),
    numbers=numbers,
    draw=draw,
)
