"""Learning curves: the test value of each method on one data set against its training rows."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from toplabel.metrics.names import unit
from toplabel.reproduction.frames import read_frame
from toplabel.reproduction.report.figures.drawing import (
    WIDTH,
    Design,
    Source,
    mathtext,
    series_look,
)
from toplabel.reproduction.report.text import metric_label

_POINT = ["metric", "size", "rows", "value"]


def numbers(source: Source) -> pd.DataFrame:
    """Return mean and deviation over the splits of each method, metric and share of the rows."""
    frames = []
    for method in source.methods:
        curve = read_frame(source.file(f"{method['name']}/curve.csv"))
        whole = read_frame(source.file(f"{method['name']}/evaluation.csv"))
        all_rows = dict(zip(curve["split"], curve["all_rows"], strict=True))
        whole = whole.assign(size="1.0", rows=whole["split"].map(all_rows))
        frame = pd.concat([curve[_POINT], whole[_POINT]])
        frame = frame.astype({"size": float, "rows": float, "value": float})
        points = frame.groupby(["metric", "size"], sort=False)
        means = points.agg(rows=("rows", "mean"), value=("value", "mean"), std=("value", "std"))
        means = means.reset_index().assign(method=method["name"], label=method["label"])
        frames.append(means.sort_values("size", kind="stable"))
    joined = pd.concat(frames, ignore_index=True).assign(dataset=source.dataset)
    return joined[["dataset", "method", "label", "metric", "size", "rows", "value", "std"]]


def draw(frame: pd.DataFrame) -> Figure:
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
    ax.set_xscale("log")
    ticks = sorted({round(number) for number in shown["rows"]})
    ax.set_xticks(ticks, [str(tick) for tick in ticks])
    ax.set_xticks([], minor=True)
    ax.set_xlabel("training rows")
    ax.set_ylabel(
        f"{metric_label(metric)} ({unit(metric)})" if unit(metric) else metric_label(metric)
    )
    figure.legend(loc="outside lower left", ncols=3)
    return figure


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
    numbers=numbers,
    draw=draw,
)
