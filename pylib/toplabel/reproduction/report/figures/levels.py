"""Level sets of the simplex losses of three classes in the plane (NIPS 2012, Fig. 2)."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from toplabel import simplex
from toplabel.reproduction.report.figures import style
from toplabel.reproduction.report.figures.decoding import CODES, REACH, draw_triangle
from toplabel.reproduction.report.figures.drawing import Source, panel_grid

TITLE = "Level sets of the simplex losses for three classes"
CAPTION = (
    "The loss of a row of class 1 as a function of f(x). SC-SVM is zero in a cone that stands on c_1,"
    " SH-SVM in a half space behind it, S-LS at c_1 alone."
)
ALT = (
    "Contours of three losses of the first class over the plane of f. SC-SVM: a cone with its tip at"
    " the first code vector. SH-SVM: parallel lines across it. S-LS: circles around it."
)
_LOSSES = {"sc_svm": "SC-SVM", "sh_svm": "SH-SVM", "s_ls": "S-LS"}
_LEVELS = (0.05, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0)
_POINTS = 65


def numbers(source: Source) -> pd.DataFrame:
    """Return the losses of the first class on a square grid."""
    side = np.linspace(-REACH, REACH, _POINTS)
    first, second = (axis.ravel() for axis in np.meshgrid(side, side))
    F, y = np.column_stack([first, second]), np.zeros(first.size, dtype=int)
    frame = pd.DataFrame({"loss": "", "f1": first, "f2": second})
    frames = [frame.assign(loss=loss, value=simplex.value(loss, F, y)) for loss in _LOSSES]
    return pd.concat(frames, ignore_index=True)


def draw(frame: pd.DataFrame) -> Figure:
    """Draw contour lines over the triangle of the code vectors, a panel for each loss."""
    figure, axes = panel_grid(len(_LOSSES), across=3, height=2.5)
    for ax, (loss, part) in zip(axes, frame.groupby("loss", sort=False), strict=True):
        grid = part.pivot_table(index="f2", columns="f1", values="value")
        lines = ax.contour(
            grid.columns,
            grid.index,
            grid.to_numpy(),
            levels=_LEVELS,
            colors=style.colour(0),
            linewidths=0.9,
        )
        ax.clabel(lines, fontsize=6)
        for y, point in enumerate(CODES):
            ax.plot(*point, color=style.INK, marker=style.marker(y), markersize=4)
            first, second = 1.22 * point
            ax.text(first, second, f"$c_{y + 1}$", ha="center", va="center")
        draw_triangle(ax, style.MUTED)
        ax.set_title(_LOSSES[loss], loc="center")
    return figure
