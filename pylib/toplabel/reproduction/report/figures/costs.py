"""What accuracy costs: how far each method lies behind the best of a set, against its seconds."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from toplabel.reproduction.report.figures.drawing import (
    WIDTH,
    as_svg,
    house_style,
    mathtext,
    series_look,
)


def draw(scores: pd.DataFrame, points: str) -> str:
    """Draw a point for each method on each data set, SVG.

    `scores` has the columns `label`, `seconds` and `behind` of `compare.beside.SCORES`, and `points` is
    the unit of the last.
    """
    with house_style():
        figure = Figure(figsize=(WIDTH, 3.0), layout="constrained")
        ax = figure.subplots()
        for i, (label, part) in enumerate(scores.groupby("label", sort=False)):
            look = series_look(i) | {"linestyle": ""}
            seconds = part["seconds"].clip(lower=1e-3)  # of a fit too short to measure
            ax.plot(seconds, part["behind"], label=mathtext(str(label)), **look)
        ax.set_xscale("log")
        ax.set_xlabel("seconds of selection and training, all splits")
        ax.set_ylabel(f"{points} behind the best")
        ax.invert_yaxis()
        figure.legend(loc="outside lower left", ncols=3)
        return as_svg(figure, "Distance from the best by seconds")
