"""Decoding with the simplex coding of three classes in the plane (NIPS 2012, Fig. 1)."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Polygon

from toplabel import simplex
from toplabel.reproduction.report.figures import style
from toplabel.reproduction.report.figures.drawing import Source

TITLE = "Decoding with the simplex coding of three classes"
CAPTION = (
    "f(x) decodes to the class of the nearest code vector: the plane is cut along the dashed rays."
)
ALT = (
    "An equilateral triangle around the origin, its corners the three code vectors of length 1. Three"
    " rays from the origin, through the middles of the sides, cut the plane into three equal sectors,"
    " one for each class."
)
#: The code vectors of the three classes, (3, 2).
CODES = simplex.simplex_coding(3).T
#: Half the side of the square that is shown.
REACH = 1.6
_PLANE = ["f1", "f2"]


def numbers(source: Source) -> pd.DataFrame:
    """Return the code vectors and the cones that decode to each.

    A cone is bounded by the opposite vectors of the two other classes, where the scores of a class
    and of its neighbour are equal; it is cut off outside the square that is shown.
    """
    rows = [("code", y, 0, *CODES[y - 1]) for y in (1, 2, 3)]
    far = 4 * REACH
    for y in (1, 2, 3):
        left, right = (CODES[other - 1] for other in (1, 2, 3) if other != y)
        corners = [np.zeros(2), -far * left, far * CODES[y - 1], -far * right]
        rows += [("region", y, i, *corner) for i, corner in enumerate(corners)]
    return pd.DataFrame(rows, columns=["what", "class", "corner", *_PLANE])


def draw(frame: pd.DataFrame) -> Figure:
    """Draw the code vectors, their triangle and the region of each class."""
    figure = Figure(figsize=(style.WIDTH * 0.55, style.WIDTH * 0.55), layout="constrained")
    ax = figure.subplots()
    for y, part in frame.groupby("class"):
        corners = part.loc[part["what"] == "region", _PLANE].to_numpy()
        (point,) = part.loc[part["what"] == "code", _PLANE].to_numpy()
        colour = style.colour(y - 1)
        ax.add_patch(Polygon(corners, facecolor=colour, alpha=0.18, edgecolor="none"))
        ax.plot(*corners[[1, 0, 3]].T, color=style.MUTED, linewidth=0.9, linestyle="--")
        ax.plot(*point, color=colour, marker=style.marker(y - 1), markersize=6)
        first, second = point
        ax.text(1.15 * first, 1.15 * second, f"$c_{y}$", ha="center", va="center")
        ax.text(0.38 * first, 0.38 * second, f"class {y}", ha="center", va="center", fontsize=7)
    draw_triangle(ax, style.INK)
    return figure


def draw_triangle(ax: Axes, colour: str) -> None:
    """Draw the triangle of the code vectors, and frame the square that is shown."""
    ax.add_patch(Polygon(CODES, fill=False, edgecolor=colour, linewidth=0.9))
    ax.set(aspect="equal", xlim=(-REACH, REACH), ylim=(-REACH, REACH))
    ax.set(xlabel="$f_1$", ylabel="$f_2$")
