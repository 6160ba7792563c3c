"""The top-k simplices in three dimensions, seen from a corner (NIPS 2015 Fig. 2)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.patches import Polygon

from toplabel.reproduction.reporting import style
from toplabel.reproduction.reporting.drawing import panel_grid, require, write_figure

COLUMNS = ["set", "k", "face", "bound", "corner", "x1", "x2", "x3"]
_SYMBOLS = {"alpha": "α", "beta": "β"}
# The drawing plane: x1 to the left and towards the reader, x2 to the right, x3 up.
_VIEW = np.array([[-0.72, 0.86, 0.0], [-0.42, -0.22, 0.98]])
_TOWARDS_READER = np.cross(_VIEW[0], _VIEW[1])
_LIGHT = np.array([0.35, 0.55, 0.76])


def draw_simplices(
    frame: pd.DataFrame,
    out_svg: str | Path,
) -> None:
    """Draw polytopes in three dimensions, one panel each.

    Parameters
    ----------
    frame : DataFrame
        Columns `set` (alpha or beta), `k`, `face`, `bound` (the inequality that is tight there),
        `corner` (the place around the face), `x1`, `x2`, `x3`.
    """
    require(frame, COLUMNS, "frame", ["x1", "x2", "x3"])
    panels = list(frame.groupby(["set", "k"], sort=False))
    with style.house_style():
        figure, axes = panel_grid(len(panels), across=3, height=2.25)
        spoken = []
        for ax, ((kind, k), part) in zip(axes, panels, strict=True):
            corners = len(part[["x1", "x2", "x3"]].drop_duplicates())
            _draw_axes(ax)
            for _, face in part.groupby("face", sort=False):
                _draw_face(ax, face[["x1", "x2", "x3"]].to_numpy(dtype=float))
            symbol = _SYMBOLS.get(kind, kind)
            ax.set_title(f"{symbol}, k = {k}: {corners} vertices", loc="center")
            spoken.append(f"set {kind}, k = {k}: {corners} vertices")
        alt = (
            "Polytopes inside the unit simplex, drawn with the three coordinate axes. With k = 1 both sets are the unit"
            f" simplex; they shrink as k grows, the set alpha to a segment. {'; '.join(spoken)}."
        )
        caption = (
            "The sets of dual variables of the top-k SVM, radius 1: the sum is at most 1, and no entry exceeds the k-th"
            " part of the sum (α) or of the radius (β). With k = 1 both are the simplex."
        )
        write_figure(figure, frame[COLUMNS], out_svg, alt=alt, caption=caption)


def _draw_axes(ax: Axes) -> None:
    origin = np.zeros(2)
    for i, name in enumerate(("$x_1$", "$x_2$", "$x_3$")):
        tip = 1.12 * _VIEW[:, i]
        ax.annotate(
            "",
            xy=tip,
            xytext=origin,
            arrowprops={"arrowstyle": "->", "color": style.MUTED, "linewidth": 0.7},
            zorder=0,
        )
        ax.text(*(1.22 * _VIEW[:, i]), name, ha="center", va="center")
    ax.set_aspect("equal")
    ax.set_xlim(-1.0, 1.15)
    ax.set_ylim(-0.65, 1.3)
    ax.axis("off")


def _draw_face(ax: Axes, corners: np.ndarray) -> None:
    """Draw a face, shaded by its normal; of hidden faces only the edges, dashed."""
    flat = corners @ _VIEW.T
    colour = style.colour(0)
    if len(corners) < 3:
        ax.plot(*flat.T, color=colour, linewidth=2.4, marker=style.marker(0))
        return
    normal = np.cross(corners[1] - corners[0], corners[2] - corners[0])
    normal /= np.linalg.norm(normal)
    # The point (1, 1, 1)/6 is inside all of the polytopes.
    if (corners.mean(axis=0) - 1 / 6) @ normal < 0:
        normal = -normal
    look = {"closed": True, "edgecolor": colour, "joinstyle": "round"}
    if normal @ _TOWARDS_READER <= 1e-9:
        ax.add_patch(
            Polygon(flat, facecolor="none", linestyle=":", linewidth=0.8, zorder=1, **look)
        )
        return
    shade = 0.35 + 0.4 * max(float(normal @ _LIGHT), 0.0)
    face = tuple(1 - (1 - channel) * shade for channel in to_rgb(colour))
    ax.add_patch(Polygon(flat, facecolor=face, linewidth=1.1, alpha=0.9, zorder=2, **look))
