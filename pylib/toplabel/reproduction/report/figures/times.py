"""The figures of measured times: projections, convergence, the softmax beside FISTA (TPAMI Fig. 3)."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from toplabel.reproduction.frames import read_frame
from toplabel.reproduction.report.figures.drawing import (
    WIDTH,
    Design,
    draw_against_time,
    panel_grid,
    series_look,
)
from toplabel.reproduction.timing import projections, training

# Projections without sorting beside those that sort (Fig. 3a) -------------------------------------


def draw_projections(frame: pd.DataFrame) -> Figure:
    """Draw the time of 1000 projections against the dimension, both logarithmic."""
    figure = Figure(figsize=(WIDTH, 3.4), layout="constrained")
    ax = figure.subplots()
    for i, ((projection, algorithm), part) in enumerate(
        frame.groupby(["projection", "algorithm"], sort=False)
    ):
        label = f"{projection}, {algorithm}" if projection == projections.BIPARTITE else projection
        look = series_look(i) | {"linestyle": "-" if algorithm == projections.OURS else "--"}
        ax.plot(part["dimension"], part["seconds"], label=label, **look)
    ax.set(xscale="log", yscale="log", xlabel="dimension d", ylabel="seconds for 1000 problems")
    figure.legend(loc="outside right center")
    return figure


PROJECTIONS = Design(
    title="Scaling of the projections",
    caption=(
        "Time of 1000 projections of vectors from N(0, 1), radius 10: simplex, top-k simplices α, and the"
        " bipartite simplex, both sides of dimension d/2, by variable fixing and by sorting."
    ),
    alt=(
        "Lines of time against dimension on logarithmic axes, nearly straight and parallel: all"
        " projections by variable fixing together, the bipartite simplex by sorting above them."
    ),
    numbers=lambda source: read_frame(source.file("projections.csv"), projections.COLUMNS),
    draw=draw_projections,
)


# Duality gap and validation accuracy against time (Fig. 3b and c) ---------------------------------


def draw_convergence(frame: pd.DataFrame) -> Figure:
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


CONVERGENCE = Design(
    title="Duality gap and validation accuracy against time",
    caption="Points are epochs; the seconds are those of the epochs, without evaluations.",
    alt=(
        "Two panels over the seconds of training: the relative duality gap falls, the validation accuracy"
        " rises and levels off early."
    ),
    numbers=lambda source: read_frame(source.file("convergence.csv"), training.CONVERGENCE),
    draw=draw_convergence,
)


# The softmax by our solver and by FISTA, scored by one objective (Fig. 3d) ------------------------


def draw_softmax(frame: pd.DataFrame) -> Figure:
    """Draw how far the objective of each solver is from the optimum, against time."""
    figure = Figure(figsize=(WIDTH, 3.1), layout="constrained")
    ax = figure.subplots()
    floor = min(frame.loc[frame["excess"] > 0, "excess"].min(), training.FINISH)
    drawn = frame.assign(excess=frame["excess"].clip(lower=floor))
    draw_against_time(ax, drawn, "solver", "excess")
    ax.set(yscale="log", ylabel="(P − P*) / P*")
    ax.legend(loc="lower left")
    return figure


SOFTMAX = Design(
    title="Training the softmax by SDCA and by FISTA",
    caption=(
        "Both are scored by the same objective P; P* is a lower bound that our dual proves. Evaluating P"
        " does not count."
    ),
    alt=(
        "Excess of the softmax objective over its least value against seconds, a curve for each solver,"
        " both axes logarithmic."
    ),
    numbers=lambda source: read_frame(source.file("softmax.csv"), training.SOFTMAX),
    draw=draw_softmax,
)
