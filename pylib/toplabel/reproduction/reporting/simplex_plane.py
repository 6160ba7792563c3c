"""The simplex coding of three classes in the plane (NIPS 2012, Fig. 1 and 2)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Polygon

from toplabel.reproduction.reporting import style
from toplabel.reproduction.reporting.drawing import panel_grid, require, write_figure

REGION_COLUMNS = ["what", "class", "corner", "f1", "f2"]
LEVEL_COLUMNS = ["loss", "f1", "f2", "value"]
_NAMES = {"sc_svm": "SC-SVM", "sh_svm": "SH-SVM", "s_ls": "S-LS"}
_LEVELS = (0.05, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0)
_CODES = np.array([[1.0, 0.0], [-0.5, np.sqrt(0.75)], [-0.5, -np.sqrt(0.75)]])
_REACH = 1.6


def draw_decoding(
    frame: pd.DataFrame,
    out_svg: str | Path,
) -> None:
    """Draw the code vectors, their triangle and the region of each class.

    Parameters
    ----------
    frame : DataFrame
        Columns `what` (code, hull or region), `class`, `corner`, `f1`, `f2`.
    """
    require(frame, REGION_COLUMNS, "frame", ["f1", "f2"])
    classes = sorted(frame["class"].unique())
    with style.house_style():
        figure = Figure(figsize=(style.WIDTH * 0.55, style.WIDTH * 0.55), layout="constrained")
        ax = figure.subplots()
        for i, one in enumerate(classes):
            region = frame[(frame["what"] == "region") & (frame["class"] == one)]
            corners = region.sort_values("corner")[["f1", "f2"]].to_numpy(dtype=float)
            ax.add_patch(Polygon(corners, facecolor=style.colour(i), alpha=0.18, edgecolor="none"))
            # One ray a region: the other is the next region's.
            ax.plot(*corners[[0, 1]].T, color=style.MUTED, linewidth=0.9, linestyle="--")
            code = frame[(frame["what"] == "code") & (frame["class"] == one)]
            point = code[["f1", "f2"]].to_numpy(dtype=float)[0]
            look = {"color": style.colour(i), "marker": style.marker(i), "markersize": 6}
            ax.plot(*point, linestyle="", **look)
            ax.text(*(1.15 * point), f"$c_{{{one}}}$", ha="center", va="center")
            ax.text(*(0.38 * point), f"class {one}", ha="center", va="center", fontsize=7)
        hull = frame[frame["what"] == "hull"][["f1", "f2"]].to_numpy(dtype=float)
        ax.add_patch(Polygon(hull, fill=False, edgecolor=style.INK, linewidth=1.0))
        _frame_plane(ax)
        alt = (
            "An equilateral triangle around the origin, its corners the three code vectors of length 1. Three rays from"
            " the origin, through the middles of the sides, cut the plane into three equal sectors: each holds one"
            " code vector, and all its points decode to that class."
        )
        caption = "f(x) decodes to the class of the nearest code vector: the plane is cut along the dashed rays."
        write_figure(figure, frame[REGION_COLUMNS], out_svg, alt=alt, caption=caption)


def draw_levels(
    frame: pd.DataFrame,
    out_svg: str | Path,
) -> None:
    """Draw the level sets of losses of the first class, one panel each.

    Parameters
    ----------
    frame : DataFrame
        Columns `loss`, `f1`, `f2`, `value`: each loss on a full grid.
    """
    require(frame, LEVEL_COLUMNS, "frame", ["f1", "f2", "value"])
    panels = list(frame.groupby("loss", sort=False))
    with style.house_style():
        figure, axes = panel_grid(len(panels), across=3, height=2.5)
        spoken = []
        for ax, (loss, part) in zip(axes, panels, strict=True):
            grid = part.pivot_table(index="f2", columns="f1", values="value")
            if grid.isna().to_numpy().any():
                raise ValueError(f"frame: the grid of the loss '{loss}' has gaps")
            lines = ax.contour(
                grid.columns.to_numpy(),
                grid.index.to_numpy(),
                grid.to_numpy(),
                levels=_LEVELS,
                colors=style.colour(0),
                linewidths=0.9,
            )
            ax.clabel(lines, fontsize=6)
            ax.add_patch(Polygon(_CODES, fill=False, edgecolor=style.MUTED, linewidth=0.8))
            for y, point in enumerate(_CODES):
                ax.plot(*point, linestyle="", color=style.INK, marker=style.marker(y), markersize=4)
                ax.text(*(1.22 * point), f"$c_{{{y + 1}}}$", ha="center", va="center")
            _frame_plane(ax)
            name = _NAMES.get(str(loss), str(loss))
            ax.set_title(name, loc="center")
            zero = (grid.to_numpy() < 1e-9).mean()
            spoken.append(f"{name} is zero on {zero:.0%} of the square")
        alt = (
            "Contours of three losses of the first class over the plane of f, with the triangle of code vectors."
            " SC-SVM: a cone with its tip at the first code vector. SH-SVM: parallel lines across it."
            " S-LS: circles around it. " + "; ".join(spoken) + "."
        )
        caption = (
            "The loss of a row of class 1 as a function of f(x). SC-SVM is zero in a cone that stands on c_1, SH-SVM in"
            " a half space behind it, S-LS at c_1 alone."
        )
        write_figure(figure, frame[LEVEL_COLUMNS], out_svg, alt=alt, caption=caption)


def _frame_plane(ax: Axes) -> None:
    ax.set_aspect("equal")
    ax.set_xlim(-_REACH, _REACH)
    ax.set_ylim(-_REACH, _REACH)
    ax.set_xlabel("$f_1$")
    ax.set_ylabel("$f_2$")
