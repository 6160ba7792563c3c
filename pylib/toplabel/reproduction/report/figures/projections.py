"""Projections without sorting beside those that sort (TPAMI Fig. 3a)."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from toplabel.reproduction.frames import read_frame
from toplabel.reproduction.report.figures import style
from toplabel.reproduction.report.figures.drawing import Source
from toplabel.reproduction.timing.projections import BIPARTITE, COLUMNS, OURS

TITLE = "Scaling of the projections"
CAPTION = (
    "Time of 1000 projections of vectors from N(0, 1), radius 10: simplex, top-k simplices α, and the"
    " bipartite simplex, both sides of dimension d/2, by variable fixing and by sorting."
)
ALT = (
    "Lines of time against dimension on logarithmic axes, nearly straight and parallel: all"
    " projections by variable fixing together, the bipartite simplex by sorting above them."
)


def numbers(source: Source) -> pd.DataFrame:
    """Read the times that were measured."""
    return read_frame(source.one("projections.csv"), COLUMNS)


def draw(frame: pd.DataFrame) -> Figure:
    """Draw the time of 1000 projections against the dimension, both logarithmic."""
    figure = Figure(figsize=(style.WIDTH, 3.4), layout="constrained")
    ax = figure.subplots()
    for i, ((projection, algorithm), part) in enumerate(
        frame.groupby(["projection", "algorithm"], sort=False)
    ):
        label = f"{projection}, {algorithm}" if projection == BIPARTITE else projection
        look = style.look(i) | {"linestyle": "-" if algorithm == OURS else "--"}
        ax.plot(part["dimension"], part["seconds"], label=label, **look)
    ax.set(xscale="log", yscale="log", xlabel="dimension d", ylabel="seconds for 1000 problems")
    figure.legend(loc="outside right center")
    return figure
