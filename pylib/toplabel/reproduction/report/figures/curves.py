"""The figures of each data set, with a curve or a panel for each method: validation values against C,
learning curves, sets of variable size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from toplabel.metrics.names import lower_is_better, unit
from toplabel.reproduction.data.prepared import load_prepared
from toplabel.reproduction.frames import read_frame
from toplabel.reproduction.report.figures.drawing import (
    MUTED,
    WIDTH,
    Design,
    Source,
    mathtext,
    series_look,
    small_panels,
)
from toplabel.reproduction.report.text import metric_label
from toplabel.reproduction.selection.choice import Choice, GridValues, choose, load_grids, means
from toplabel.reproduction.selection.measures import sign
from toplabel.reproduction.selection.set_sizes import set_sizes

Numbers = Callable[[Source, str], pd.DataFrame]


def _of_methods(source: Source, numbers: Numbers, first: Sequence[str]) -> pd.DataFrame:
    """Return the numbers of all methods of a figure, some columns first."""
    frames = [
        numbers(source, method["name"]).assign(method=method["name"], label=method["label"])
        for method in source.methods
    ]
    frame = pd.concat(frames, ignore_index=True).assign(dataset=source.dataset, title=source.title)
    return frame[[*first, *frame.columns.drop(first)]]


def _label(metric: str) -> str:
    return metric_label(metric) + (f" ({unit(metric)})" if unit(metric) else "")


# The validation value of each method against C ----------------------------------------------------


def _selection(source: Source, method: str) -> pd.DataFrame:
    """Return the best validation value at each C and split, and whether this C was chosen."""
    tuned = means(load_grids(source.all(f"{method}/tune/*.npz")))
    choices = choose(tuned)
    curves = []
    for split in dict.fromkeys(result.split for result in tuned):
        results = [result for result in tuned if result.split == split]
        curves.append(selection_curve(results, choices).assign(split=split))
    return pd.concat(curves)


def selection_curve(results: Sequence[GridValues], choices: Iterable[Choice]) -> pd.DataFrame:
    """Return the best value of the protocol's first metric at each C, over k, theta and threshold.

    `results` are the means over the folds of one split, one for each k where that is selected.
    """
    split, metric = results[0].split, str(results[0].metric[0])
    (chosen,) = (row.C for row in choices if (row.split, row.metric) == (split, metric))
    values = pd.concat([pd.Series(_best_over_others(result), result.C) for result in results])
    best = values[np.isfinite(values)].groupby(level=0).max()
    columns = {"C": best.index, "value": sign(metric) * best.to_numpy()}
    return pd.DataFrame({"metric": metric} | columns | {"chosen": best.index == chosen})


def _best_over_others(result: GridValues) -> np.ndarray:
    """Return the best value at each C over theta and the threshold; more is better."""
    signed = sign(str(result.metric[0])) * result.value[..., 0]
    return np.where(np.isnan(signed), -np.inf, signed).max(axis=(0, 2))


def draw_selection(frame: pd.DataFrame) -> Figure:
    """Draw a small panel for each method that has the metric of the first one, all on one scale."""
    metric = frame["metric"].iat[0]
    frame = frame[frame["metric"] == metric]
    panels = dict(iter(frame.groupby("label", sort=False)))
    chosen = frame.loc[frame["chosen"].astype(bool), "value"]
    best = chosen.min() if lower_is_better(metric) else chosen.max()
    figure, axes = small_panels([*panels], across=5, height=1.1)
    for ax, curve in zip(axes, panels.values(), strict=True):
        own = curve[curve["chosen"].astype(bool)]
        ax.axhline(best, color=MUTED, linewidth=0.6, linestyle="--")
        splits = list(curve.sort_values("C").groupby("split"))
        width = 1.0 if len(splits) == 1 else 0.4
        for _, part in splits:
            ax.plot(part["C"], part["value"], "o-", color="C0", markersize=2.0, linewidth=width)
        ring: dict[str, Any] = {"marker": "o", "markersize": 6, "markerfacecolor": "none"}
        ax.plot(own["C"], own["value"], color="C0", clip_on=False, linestyle="", **ring)
    axes[0].set_xscale("log")
    figure.supxlabel("C = 1/(λn)", fontsize=7.5)
    figure.supylabel(_label(metric), fontsize=7.5)
    return figure


_SELECTION = ["dataset", "title", "split", "method", "label", "metric", "C", "value", "chosen"]
SELECTION = Design(
    title="Validation value against C: {title}",
    caption=(
        "The value on the validation part or folds, a panel for each method with a curve for each"
        " split, all on one scale; a ring marks the C that was chosen, the dashed line the"
        " best value that any method was chosen with."
    ),
    alt=(
        "Curves of the validation value against C on {title}, a panel for each method, with the chosen"
        " C marked. The values are in the data file of the figure."
    ),
    numbers=lambda source: _of_methods(source, _selection, _SELECTION),
    draw=draw_selection,
)


# The test value of each method against its training rows ------------------------------------------


def _learning(source: Source, method: str) -> pd.DataFrame:
    """Return mean and deviation over the splits by metric and share of the rows."""
    curve = read_frame(source.file(f"{method}/curve.csv"))
    whole = read_frame(source.file(f"{method}/evaluation.csv"))
    all_rows = dict(zip(curve["split"], curve["all_rows"], strict=True))
    whole = whole.assign(size="1.0", rows=whole["split"].map(all_rows))
    frame = pd.concat([curve, whole], join="inner")
    frame = frame.astype({"size": float, "rows": float, "value": float})
    points = frame.groupby(["metric", "size"], sort=False)
    mean = points.agg(rows=("rows", "mean"), value=("value", "mean"), std=("value", "std"))
    return mean.reset_index().sort_values("size", kind="stable")


def draw_learning(frame: pd.DataFrame) -> Figure:
    """Draw a curve for each method by the first metric, with the deviations over the splits."""
    metric = frame["metric"].iat[0]
    figure = Figure(figsize=(WIDTH, 3.0), layout="constrained")
    ax = figure.subplots()
    shown = frame[frame["metric"] == metric]
    for i, (label, part) in enumerate(shown.groupby("label", sort=False)):
        part = part.sort_values("rows")
        # Bars of several methods do not hide each other.
        rows, errors = part["rows"] * 1.02**i, part["std"].fillna(0.0)
        look = series_look(i) | {"elinewidth": 0.7, "label": mathtext(str(label))}
        ax.errorbar(rows, part["value"], errors, **look)
    ticks = sorted({round(number) for number in shown["rows"]})
    ax.set(xscale="log", xlabel="training rows", ylabel=_label(metric))
    ax.set_xticks(ticks, [str(tick) for tick in ticks])
    ax.set_xticks([], minor=True)
    figure.legend(loc="outside lower left", ncols=3)
    return figure


_LEARNING = ["dataset", "method", "label", "metric", "size", "rows", "value", "std"]
LEARNING = Design(
    title="Learning curves: {title}",
    caption=(
        "The test value against the training rows, mean and deviation over the splits. A smaller part of"
        " the rows lies in every larger one and has the classes by their shares, so that a small part may"
        " lack a rare class; hyper-parameters are chosen within it."
    ),
    alt=(
        "Curves of the test value of each method on {title} against the number of its training rows. The"
        " values are in the data file of the figure."
    ),
    numbers=lambda source: _of_methods(source, _learning, _LEARNING)[_LEARNING],
    draw=draw_learning,
)


# Sets of variable size against as many classes for every row --------------------------------------


def _set_sizes(source: Source, method: str) -> pd.DataFrame:
    """Return the sets, a row for each goal, level and draw."""
    prepared = load_prepared(source.file("data/meta.json").parent)
    files = (source.file(f"{method}/{name}") for name in ("selection.csv", "models.npz"))
    return set_sizes(prepared, source.split, *files)


def draw_set_sizes(frame: pd.DataFrame) -> Figure:
    """Draw a panel for each method, all on one scale."""
    values = ["size", "coverage", "fixed_coverage"]
    mean = frame.groupby(["label", "goal", "level"], sort=False)[values].mean().reset_index()
    panels = dict(iter(mean.groupby("label", sort=False)))
    figure, axes = small_panels([*panels], across=4, height=1.4)
    for ax, part in zip(axes, panels.values(), strict=True):
        _draw_sets(ax, part)
    axes[0].set_xscale("log")
    axes[0].set_xticks([1, 2, 3, 5, 10], ["1", "2", "3", "5", "10"])
    axes[0].minorticks_off()
    handles = axes[0].get_legend_handles_labels()
    figure.legend(*handles, loc="outside upper center", ncols=3)
    figure.supxlabel("classes a row", fontsize=7.5)
    figure.supylabel("rows with their class among them (%)", fontsize=7.5)
    return figure


def _draw_sets(ax: Axes, part: pd.DataFrame) -> None:
    sized, covering = (part[part["goal"] == goal] for goal in ("size", "coverage"))
    fixed: dict[str, Any] = {"color": MUTED, "linestyle": "--", "label": "K for each row"}
    crosses: dict[str, Any] = {
        "color": "C1",
        "linestyle": "",
        "marker": "x",
        "label": "for a coverage",
    }
    ax.plot("level", "fixed_coverage", data=sized, **fixed)
    ax.plot("size", "coverage", data=sized, marker="o", label="K on average", color="C0")
    ax.plot("size", "coverage", data=covering, **crosses)
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
    numbers=lambda source: _of_methods(source, _set_sizes, ["dataset", "title", "method", "label"]),
    draw=draw_set_sizes,
)
