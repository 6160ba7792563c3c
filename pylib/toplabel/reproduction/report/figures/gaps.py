"""The relative duality gap of every trained model whose method has one."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from toplabel.reproduction.compare.cells import read_cells
from toplabel.reproduction.compare.views import measurements
from toplabel.reproduction.report.figures import style
from toplabel.reproduction.report.figures.drawing import Source, mathtext


def numbers(source: Source) -> pd.DataFrame:
    """Return the gap behind each measured number, and whether its model converged."""
    cells = measurements(read_cells(source.one("cells.csv"))).dropna(subset="relative_gap")
    columns = ["config_dataset", "config_method", "label", "relative_gap", "status"]
    return cells[columns].set_axis(["dataset", "method", *columns[2:]], axis=1)


def draw(frame: pd.DataFrame) -> Figure:
    """Draw a tick for each gap, a row for each method, and a dot for the largest gap of a method."""
    labels = list(frame["label"].unique())
    floor = frame.loc[frame["relative_gap"] > 0, "relative_gap"].min() / 10  # where a 0 is drawn
    figure = Figure(figsize=(style.WIDTH, 0.7 + 0.24 * len(labels)), layout="constrained")
    ax = figure.subplots()
    tick = {"color": style.MUTED, "marker": "|", "markersize": 6, "linestyle": ""}
    for y, (_, part) in enumerate(frame.groupby("label", sort=False)):
        gaps = part["relative_gap"].clip(lower=floor)
        ax.plot(gaps, np.full(len(gaps), y), **tick)
        stopped = (part["status"] != "converged").any()
        look = {"color": style.colour(stopped), "marker": "D" if stopped else "o"}
        ax.plot(gaps.max(), y, **look)
    ax.set_xscale("log")
    ax.set_yticks(range(len(labels)), [mathtext(label) for label in labels])
    ax.set_ylim(len(labels) - 0.4, -0.6)  # the first method on top
    ax.set_xlabel("relative duality gap, (P − D) / max(|P|, |D|)")
    return figure
