"""Figures of times: projections against the dimension, gaps and accuracies against seconds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from toplabel.reproduction.report import style
from toplabel.reproduction.report.drawing import (
    legend,
    mathtext,
    panel_grid,
    write_figure,
)
from toplabel.reproduction.report.labels import plain

SCALING_COLUMNS = ["projection", "algorithm", "dimension", "problems", "seconds"]
CURVES_COLUMNS = ["label", "loss", "gamma", "epoch", "relative_gap", "top1", "seconds"]
RACE_COLUMNS = ["solver", "step", "excess", "seconds"]
_FASTEST = 1e-5  # seconds; what took less is drawn there, time 0 among it
_MARKERS = 12  # on a curve


def draw_scaling(frame: pd.DataFrame, out_svg: str | Path, *, caption: str) -> None:
    """Draw the time of 1000 projections against the dimension, both logarithmic.

    The frame is that of `toplabel.reproduction.timings.projections.scaling`.
    """
    curves = list(frame.groupby(["projection", "algorithm"], sort=False))
    rivals = set(frame.loc[frame["algorithm"].str.contains("sorting"), "projection"])
    with style.house_style():
        figure = Figure(figsize=(style.WIDTH, 3.4), layout="constrained")
        ax = figure.subplots()
        for i, ((projection, algorithm), part) in enumerate(curves):
            ax.plot(
                part["dimension"],
                part["seconds"],
                color=style.colour(i),
                marker=style.marker(i),
                linestyle="--" if "sorting" in algorithm else "-",
                label=f"{projection}, {algorithm}" if projection in rivals else projection,
            )
        ax.set_xscale("log")
        ax.set_yscale("log")
        ax.set_xlabel("dimension d")
        ax.set_ylabel("seconds for 1000 problems")
        figure.legend(loc="outside right center")
        largest = frame[frame["dimension"] == frame["dimension"].max()]
        spoken = "; ".join(
            f"{row.projection}, {row.algorithm}: {row.seconds:.3g} s"
            for row in largest.itertuples(index=False)
        )
        alt = (
            f"{len(curves)} lines of time against dimension on logarithmic axes, nearly straight"
            " and parallel."
            f" For 1000 problems of dimension {largest['dimension'].iloc[0]:,}: {spoken}."
        )
        write_figure(figure, frame[SCALING_COLUMNS], out_svg, alt=alt, caption=caption)


def draw_convergence(frame: pd.DataFrame, out_svg: str | Path, *, caption: str) -> None:
    """Draw the relative gap (left) and the top-1 accuracy (right) of each method against time.

    The frame is that of `toplabel.reproduction.timings.convergence.convergence`.
    """
    labels = list(dict.fromkeys(frame["label"]))
    floor = frame.loc[frame["relative_gap"] > 0, "relative_gap"].min()
    drawn = frame.assign(relative_gap=frame["relative_gap"].clip(lower=floor))
    with style.house_style():
        figure, axes = panel_grid(2, across=2, height=2.6)
        for ax, column in zip(axes, ("relative_gap", "top1"), strict=True):
            for i, label in enumerate(labels):
                _draw_curve(ax, drawn[drawn["label"] == label], column, i)
            ax.set_xscale("log")
            ax.set_xlabel("seconds of training")
        axes[0].set_yscale("log")
        axes[0].set_ylabel("relative duality gap")
        axes[1].set_ylabel("validation accuracy, top-1 (%)")
        legend(figure, _handles(labels))
        alt = (
            "Two panels over the seconds of training: the relative duality gap falls, the"
            " validation accuracy rises and"
            f" levels off early. {_spoken_curves(frame)}"
        )
        write_figure(figure, frame[CURVES_COLUMNS], out_svg, alt=alt, caption=caption)


def _handles(labels: list[str]) -> list[Line2D]:
    looks = ((i, {"color": style.colour(i), "marker": style.marker(i)}) for i in range(len(labels)))
    return [Line2D([], [], label=mathtext(labels[i]), **look) for i, look in looks]


def _draw_curve(ax: Axes, part: pd.DataFrame, column: str, i: int) -> None:
    every = max(1, len(part) // _MARKERS)
    look = {"color": style.colour(i), "marker": style.marker(i), "markevery": every}
    ax.plot(part["seconds"].clip(lower=_FASTEST), part[column], **look)


def _spoken_curves(frame: pd.DataFrame) -> str:
    parts = []
    for label, part in frame.groupby("label", sort=False):
        last = part.iloc[-1]
        below = part[part["relative_gap"] <= 1e-3]
        reached = (
            f"gap 1e-3 after {below['seconds'].min():.3g} s" if len(below) else "never gap 1e-3"
        )
        parts.append(
            f"{plain(str(label))}: {reached}; at the end, after {last['epoch']:.0f} epochs and"
            f" {last['seconds']:.3g} s,"
            f" gap {last['relative_gap']:.1e} and accuracy {last['top1']:.1f} %."
        )
    return " ".join(parts)


def draw_race(frame: pd.DataFrame, out_svg: str | Path, *, caption: str) -> None:
    """Draw how far the objective of each solver is from the optimum, against time.

    The frame is that of `toplabel.reproduction.timings.softmax.race`.
    """
    solvers = list(dict.fromkeys(frame["solver"]))
    floor = min(frame.loc[frame["excess"] > 0, "excess"].min(), 1e-7)
    drawn = frame.assign(excess=frame["excess"].clip(lower=floor))
    with style.house_style():
        figure = Figure(figsize=(style.WIDTH, 3.1), layout="constrained")
        ax = figure.subplots()
        for i, solver in enumerate(solvers):
            _draw_curve(ax, drawn[drawn["solver"] == solver].sort_values("seconds"), "excess", i)
        for accuracy in (1e-3, 1e-4, 1e-6):
            ax.axhline(accuracy, color=style.MUTED, linewidth=0.7, linestyle=":")
        ax.set_xscale("log")
        ax.set_yscale("log")
        ax.set_xlabel("seconds of training")
        ax.set_ylabel("(P − P*) / P*")
        ax.legend(handles=_handles(solvers), loc="lower left")
        spoken = []
        for solver in solvers:
            part = frame[frame["solver"] == solver]
            there = part[part["excess"] <= 1e-4]
            when = f"after {there['seconds'].min():.3g} s" if len(there) else "not reached"
            spoken.append(f"{solver}: 1e-4 {when}, at last {np.float64(part['excess'].min()):.1e}.")
        alt = (
            "Excess of the softmax objective over its least value against seconds,"
            f" {len(solvers)} solvers, axes"
            f" logarithmic. {' '.join(spoken)}"
        )
        write_figure(figure, frame[RACE_COLUMNS], out_svg, alt=alt, caption=caption)
