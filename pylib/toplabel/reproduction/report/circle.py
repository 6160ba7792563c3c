"""The circle: training points, and around them what each method predicts (TPAMI 2017, Fig. 4)."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, Wedge

from toplabel.reproduction.report import style
from toplabel.reproduction.report.drawing import (
    legend,
    mathtext,
    panel_grid,
    write_figure,
)
from toplabel.reproduction.report.labels import plain

POINTS_COLUMNS = ["angle", "label"]
RINGS_COLUMNS = ["method", "label", "k", "angle", "rank1", "rank2"]

# The circle's radii: the black circle is 1, the classes of the points lie inside, the rings
# outside.
_POINTS_OUTER, _POINTS_STEP = 0.93, 0.095
_RINGS = ((1.06, 1.19), (1.22, 1.35))
_EDGE = 1.38
_SHORTEST_NAMED_ARC = math.radians(14)


def draw_circle(points: pd.DataFrame, rings: pd.DataFrame, out_svg: str | Path) -> None:
    """Draw the training points on the circle and each method's two best classes around it.

    Parameters
    ----------
    points : DataFrame
        Columns `angle` (radians) and `label` (class). Classes lie beside each other inside the
        black circle, since they overlap in angle.
    rings : DataFrame
        Columns `method`, `label` (of the method), `k`, `angle` (radians), `rank1`, `rank2` (the
        classes with the highest and the second highest score at this angle). One panel per method;
        each angle stands for the arc up to halfway to its neighbours.
    """
    classes = sorted({*points["label"], *rings["rank1"], *rings["rank2"]}, key=str)
    panels = list(rings.groupby(["method", "label", "k"], sort=False, dropna=False))
    with style.house_style():
        figure, axes = panel_grid(len(panels), across=3, height=2.6)
        for ax, ((_, label, _), part) in zip(axes, panels, strict=True):
            _draw_points(ax, points, classes)
            for radii, rank in zip(_RINGS, ("rank1", "rank2"), strict=True):
                _draw_ring(ax, part, rank, radii, classes)
            ax.set_title(mathtext(str(label)), loc="center", pad=2)
            _frame_circle(ax)
        handles = [
            Line2D(
                [],
                [],
                color=style.colour(i),
                marker=style.marker(i),
                linestyle="",
                label=f"class {c}",
            )
            for i, c in enumerate(classes)
        ]
        legend(figure, handles)
        names = ", ".join(plain(str(label)) for (_, label, _), _ in panels)
        alt = (
            f"{len(points)} training points of {len(classes)} classes on the unit circle, drawn"
            " once for"
            f" each of {len(panels)} methods ({names}). Two rings around each circle show by"
            " angle the"
            " class with the highest score (inner ring) and with the second highest (outer ring). "
            + _spoken_rings(panels)
        )
        caption = (
            "Training points inside the black circle, the classes side by side. The inner ring is"
            " the"
            " class predicted first at that angle, the outer ring the class predicted second; the"
            " numbers name the classes."
        )
        write_figure(figure, _circle_data(points, rings), out_svg, alt=alt, caption=caption)


def _circle_data(points: pd.DataFrame, rings: pd.DataFrame) -> pd.DataFrame:
    """Put points and rings in one table: `what` tells them apart."""
    first = points[POINTS_COLUMNS].rename(columns={"label": "class"}).assign(what="point")
    second = rings[RINGS_COLUMNS].assign(what="prediction")
    columns = ["what", "angle", "class", *(c for c in RINGS_COLUMNS if c != "angle")]
    return pd.concat([first, second], ignore_index=True).reindex(columns=columns)


def _spoken_rings(panels: list) -> str:
    """Say for each method which share of the angles each class is predicted first."""
    parts = []
    for (_, label, _), part in panels:
        shares = part["rank1"].value_counts(normalize=True).sort_index()
        words = ", ".join(f"class {c} on {share:.0%}" for c, share in shares.items())
        parts.append(f"{plain(str(label))}: first {words} of the angles.")
    return " ".join(parts)


def _draw_points(ax: Axes, points: pd.DataFrame, classes: list) -> None:
    ax.add_patch(Circle((0, 0), 1.0, fill=False, edgecolor=style.INK, linewidth=0.9))
    for i, one in enumerate(classes):
        angle = points.loc[points["label"] == one, "angle"].to_numpy(dtype=float)
        radius = _POINTS_OUTER - _POINTS_STEP * i
        ax.plot(
            radius * np.cos(angle),
            radius * np.sin(angle),
            color=style.colour(i),
            marker=style.marker(i),
            markersize=2.8,
            markeredgewidth=0,
            linestyle="",
        )


def _draw_ring(
    ax: Axes, part: pd.DataFrame, rank: str, radii: tuple[float, float], classes: list
) -> None:
    inner, outer = radii
    for start, end, one in arcs(part["angle"].to_numpy(dtype=float), part[rank].to_numpy()):
        i = classes.index(one)
        wedge = Wedge((0, 0), outer, math.degrees(start), math.degrees(end), width=outer - inner)
        wedge.set(facecolor=style.colour(i), edgecolor="none")
        ax.add_patch(wedge)
        if end - start >= _SHORTEST_NAMED_ARC:
            middle, radius = (start + end) / 2, (inner + outer) / 2
            ax.text(
                radius * math.cos(middle),
                radius * math.sin(middle),
                str(one),
                color="white",
                fontsize=6,
                ha="center",
                va="center",
            )


def arcs(angles: np.ndarray, classes: np.ndarray) -> list[tuple[float, float, object]]:
    """Join neighbouring angles of one class into arcs.

    Parameters
    ----------
    angles : (n,) ndarray
        Radians, in any order; taken modulo 2 pi.
    classes : (n,) ndarray
        The class at each angle.

    Returns
    -------
    list of (start, end, class)
        Arcs that cover the circle once, start < end <= start + 2 pi. Each angle stands for the arc
        up to halfway to its neighbours.
    """
    turn = 2 * math.pi
    order = np.argsort(angles % turn, kind="stable")
    at, who = (angles % turn)[order], classes[order]
    following = np.append(at[1:], at[0] + turn)
    borders = (at + following) / 2
    changes = np.flatnonzero(who != np.roll(who, -1))
    if len(changes) == 0:
        return [(0.0, turn, who[0])]
    found = []
    for i, change in enumerate(changes):
        start = borders[change]
        end = borders[changes[i + 1]] if i + 1 < len(changes) else borders[changes[0]] + turn
        found.append((float(start), float(end), who[(change + 1) % len(who)]))
    return found


def _frame_circle(ax: Axes) -> None:
    ax.set_aspect("equal")
    ax.set_xlim(-_EDGE, _EDGE)
    ax.set_ylim(-_EDGE, _EDGE)
    ax.axis("off")
