"""Duality gap and validation accuracy against time (TPAMI Fig. 3b and c)."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from toplabel.reproduction.frames import read_frame
from toplabel.reproduction.report.figures.drawing import Source, draw_against_time, panel_grid
from toplabel.reproduction.timing.training import CONVERGENCE

TITLE = "Duality gap and validation accuracy against time"
CAPTION = "Points are epochs; the seconds are those of the epochs, without evaluations."
ALT = (
    "Two panels over the seconds of training: the relative duality gap falls, the validation accuracy"
    " rises and levels off early."
)


def numbers(source: Source) -> pd.DataFrame:
    """Read the epochs that were measured."""
    return read_frame(source.one("convergence.csv"), CONVERGENCE)


def draw(frame: pd.DataFrame) -> Figure:
    """Draw the relative gap (left) and the top-1 accuracy (right) of each method against time."""
    floor = frame.loc[frame["relative_gap"] > 0, "relative_gap"].min()
    figure, axes = panel_grid(2, across=2, height=2.6)
    drawn = frame.assign(relative_gap=frame["relative_gap"].clip(lower=floor))
    for ax, column in zip(axes, ("relative_gap", "top1"), strict=True):
        draw_against_time(ax, drawn, "label", column)
    axes[0].set(yscale="log", ylabel="relative duality gap")
    axes[1].set_ylabel("validation accuracy, top-1 (%)")
    axes[0].legend()
    return figure
