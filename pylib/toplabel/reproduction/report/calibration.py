"""Where the minimisers of a loss are Bayes optimal, over all probabilities of three classes (TPAMI
section 4).
"""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Patch, PathPatch
from matplotlib.path import Path as Outline

from toplabel.reproduction.report import style
from toplabel.reproduction.report.drawing import mathtext, panel_grid, write_figure
from toplabel.reproduction.report.labels import plain

COLUMNS = ["loss", "k", "gamma", "label", "p1", "p2", "p3", "corners", "top1", "top2"]
# Where the three point masses lie in the plane.
_CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])
# (top-1 right, top-2 right): words, colour, hatch. A lighter colour is better.
_STATES = {
    (True, True): ("top-1 and top-2 sets right", "#DCEBF5", ""),
    (True, False): ("top-1 set right", style.PALETTE[4], "///"),
    (False, True): ("top-2 set right", style.PALETTE[5], "..."),
    (False, False): ("neither", "#B34700", "xxx"),
}


def draw_calibration(frame: pd.DataFrame, out_svg: str | Path) -> None:
    """Draw a map over the triangle of probabilities for each loss.

    Parameters
    ----------
    frame : DataFrame
        Columns `loss`, `k`, `gamma`, `label` (of the loss, in the small markup), `p1` >= `p2` >=
        `p3` (where the risk was minimised), `corners` (of the small triangle around it: nine
        probabilities, text), `top1`, `top2` (whether the top-1 and top-2 sets of all minimisers are
        Bayes optimal). The five other orders of the classes look the same and are drawn too.
    """
    panels = list(frame.groupby("label", sort=False))
    with style.house_style():
        figure, axes = panel_grid(len(panels), across=4, height=1.75)
        for ax, (label, part) in zip(axes, panels, strict=True):
            _draw_map(ax, part)
            ax.set_title(mathtext(str(label)), loc="center", pad=3)
        handles = [
            Patch(facecolor=colour, hatch=hatch, edgecolor=style.INK, linewidth=0.4, label=words)
            for words, colour, hatch in _STATES.values()
        ]
        figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))
        caption = (
            "A point of a triangle is a distribution of three classes, a corner certainty of one"
            " class, the middle all"
            " alike. The colour says whether every minimiser of the conditional risk has a Bayes"
            " optimal top-1 and"
            " top-2 set there."
        )
        alt = (
            f"{len(panels)} triangles, one for each loss, coloured by whether the scores of least"
            " risk order the"
            f" classes as the Bayes classifier does. {_spoken(panels)}"
        )
        write_figure(figure, frame[COLUMNS], out_svg, alt=alt, caption=caption)


def _draw_map(ax: Axes, part: pd.DataFrame) -> None:
    for state, (_, colour, hatch) in _STATES.items():
        same = part[(part["top1"] == state[0]) & (part["top2"] == state[1])]
        if len(same):
            whole = len(same) == len(part)
            outline = Outline([*_CORNERS, _CORNERS[0]]) if whole else _outline(same["corners"])
            look = {"facecolor": colour, "edgecolor": style.INK, "linewidth": 0, "hatch": hatch}
            ax.add_patch(PathPatch(outline, **look))
    ax.add_patch(
        PathPatch(
            Outline([*_CORNERS, _CORNERS[0]], closed=True),
            facecolor="none",
            edgecolor=style.INK,
            linewidth=0.8,
        )
    )
    for i, at in enumerate(_CORNERS + np.array([[-0.09, 0.0], [0.09, 0.0], [0.0, 0.09]])):
        ax.text(*at, str(i + 1), ha="center", va="center", fontsize=7)
    ax.set_aspect("equal")
    ax.set_xlim(-0.16, 1.16)
    ax.set_ylim(-0.06, 1.02)
    ax.axis("off")


def _outline(corners: pd.Series) -> Outline:
    """Return the triangles of some rows in all six orders of the classes, as one outline."""
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


def _spoken(panels: list) -> str:
    """Say for each loss on which share of the area its sets are right."""
    parts = []
    for label, part in panels:
        shares = part[["top1", "top2"]].mean()
        parts.append(
            f"{plain(str(label))}: top-1 right on {shares['top1']:.0%} of the area, top-2 on"
            f" {shares['top2']:.0%}."
        )
    return " ".join(parts)
