"""Where the minimisers of a loss are Bayes optimal, for all distributions of three classes.

The numbers are those of the study of TPAMI section 4 (`toplabel.reproduction.calibration.study`).
"""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch, PathPatch
from matplotlib.path import Path as Outline

from toplabel.reproduction.frames import read_frame
from toplabel.reproduction.report.figures import style
from toplabel.reproduction.report.figures.drawing import Source, mathtext, panel_grid

COLUMNS = {"loss": str, "k": int, "gamma": float, "label": str}
COLUMNS |= dict.fromkeys(("p1", "p2", "p3"), float)
COLUMNS |= {"corners": str, "top1": bool, "top2": bool}
# Where the three point masses lie in the plane.
_CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])
# (top-1 right, top-2 right): words, colour, hatch. A lighter colour is better.
_STATES = {
    (True, True): ("top-1 and top-2 sets right", "#DCEBF5", ""),
    (True, False): ("top-1 set right", style.PALETTE[4], "///"),
    (False, True): ("top-2 set right", style.PALETTE[5], "..."),
    (False, False): ("neither", "#B34700", "xxx"),
}


def numbers(source: Source) -> pd.DataFrame:
    """Read the map of the study: a row for each loss and triangle of probabilities p1 >= p2 >= p3.

    ``corners`` are the nine probabilities of the triangle, ``top1`` and ``top2`` whether the top-1
    and top-2 sets of all minimisers are Bayes optimal at its middle.
    """
    return read_frame(source.one("map.csv"), COLUMNS)


def draw(frame: pd.DataFrame) -> Figure:
    """Draw the triangle of all probabilities for each loss, coloured by which sets are right."""
    panels = list(frame.groupby("label", sort=False))
    figure, axes = panel_grid(len(panels), across=4, height=1.75)
    for ax, (label, part) in zip(axes, panels, strict=True):
        _draw_map(ax, part)
        ax.set_title(mathtext(label), loc="center", pad=3)
    handles = [
        Patch(facecolor=colour, hatch=hatch, edgecolor=style.INK, linewidth=0.4, label=words)
        for words, colour, hatch in _STATES.values()
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))
    return figure


def _draw_map(ax: Axes, part: pd.DataFrame) -> None:
    triangle = Outline([*_CORNERS, _CORNERS[0]], closed=True)
    for (top1, top2), (_, colour, hatch) in _STATES.items():
        same = part[(part["top1"] == top1) & (part["top2"] == top2)]
        if len(same):
            # Without the seams between its small triangles, where all of them are alike.
            outline = triangle if len(same) == len(part) else _outline(same["corners"])
            look = {"facecolor": colour, "edgecolor": style.INK, "linewidth": 0, "hatch": hatch}
            ax.add_patch(PathPatch(outline, **look))
    ax.add_patch(PathPatch(triangle, facecolor="none", edgecolor=style.INK, linewidth=0.8))
    for i, at in enumerate(_CORNERS + np.array([[-0.09, 0.0], [0.09, 0.0], [0.0, 0.09]]), start=1):
        ax.text(*at, str(i), ha="center", va="center", fontsize=7)
    ax.set(aspect="equal", xlim=(-0.16, 1.16), ylim=(-0.06, 1.02))
    ax.axis("off")


def _outline(corners: pd.Series) -> Outline:
    """Return the triangles of some rows, in all six orders of the classes, as one outline."""
    points, codes = [], []
    for text in corners:
        p = np.array(text.split(), dtype=float).reshape(3, 3)
        for order in permutations(range(3)):
            flat = p[:, order] @ _CORNERS
            (ax, ay), (bx, by) = flat[1] - flat[0], flat[2] - flat[0]
            # All have the same orientation, so that shared edges do not show.
            points += [*(flat if ax * by > ay * bx else flat[::-1]), (0.0, 0.0)]
            codes += [Outline.MOVETO, Outline.LINETO, Outline.LINETO, Outline.CLOSEPOLY]
    return Outline(points, codes)
