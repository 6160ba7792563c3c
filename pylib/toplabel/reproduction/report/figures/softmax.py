"""The softmax trained by our solver and by FISTA, scored by one objective (TPAMI Fig. 3d)."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from toplabel.reproduction.frames import read_frame
from toplabel.reproduction.report.figures import style
from toplabel.reproduction.report.figures.drawing import Source, draw_against_time
from toplabel.reproduction.timing.training import FINISH, SOFTMAX

TITLE = "Training the softmax by SDCA and by FISTA"
CAPTION = (
    "Both are scored by the same objective P; P* is a lower bound that our dual proves. Evaluating P"
    " does not count."
)
ALT = (
    "Excess of the softmax objective over its least value against seconds, a curve for each solver,"
    " both axes logarithmic."
)


def numbers(source: Source) -> pd.DataFrame:
    """Read the race that was measured."""
    return read_frame(source.one("softmax.csv"), SOFTMAX)


def draw(frame: pd.DataFrame) -> Figure:
    """Draw how far the objective of each solver is from the optimum, against time."""
    figure = Figure(figsize=(style.WIDTH, 3.1), layout="constrained")
    ax = figure.subplots()
    floor = min(frame.loc[frame["excess"] > 0, "excess"].min(), FINISH)
    drawn = frame.assign(excess=frame["excess"].clip(lower=floor))
    draw_against_time(ax, drawn, "solver", "excess")
    ax.set(yscale="log", ylabel="(P − P*) / P*")
    ax.legend(loc="lower left")
    return figure
