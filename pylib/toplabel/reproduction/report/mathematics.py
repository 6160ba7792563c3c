"""Figures of formulas alone: V(t) on two scales, the losses along a line of scores, the top-k
simplices, and the simplex coding of three classes.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Polygon

from toplabel.reproduction.report import style
from toplabel.reproduction.report.drawing import mathtext, panel_grid, write_figure
from toplabel.reproduction.report.labels import plain

LAMBERT_COLUMNS = ["panel", "curve", "t", "value"]
LOSSES_COLUMNS = ["panel", "curve", "x", "value"]

_APPROXIMATIONS = {"exp": "$e^{t}$", "t - log t": r"$t - \log t$"}
_LOSS_PANELS = {
    "binary": ("One-vs-all", "margin $y\\,f(x)$"),
    "hinges": ("Multiclass and top-2 hinges", "score of the true class"),
    "entropies": ("Softmax and top-2 entropies", "score of the true class"),
}
_SMOOTH = "_{"  # in the label of a smoothed loss
_HIGHEST = 6.5


def draw_lambert(frame: pd.DataFrame, out_svg: str | Path) -> None:
    """Draw V(t) on a logarithmic scale left of 0 and on a linear one right of it.

    Parameters
    ----------
    frame : DataFrame
        Columns `panel` (log or linear), `curve` (V, exp or t - log t), `t`, `value`.
    """
    with style.house_style():
        figure, axes = panel_grid(2, across=2, height=2.4)
        names = {"log": "Logarithmic scale", "linear": "Linear scale"}
        for ax, panel in zip(axes, names, strict=True):
            part = frame[frame["panel"] == panel]
            for curve, points in part.groupby("curve", sort=True):
                label = _APPROXIMATIONS.get(curve, "$V(t)$")
                look = (style.colour(0), "-") if curve == "V" else (style.colour(1), "--")
                ax.plot(points["t"], points["value"], label=label, color=look[0], linestyle=look[1])
            ax.set_yscale(panel)
            ax.set_title(names[panel])
            ax.set_xlabel("t")
            ax.set_ylabel("V(t)")
            ax.legend()
        ends = {
            t: frame.loc[(frame["curve"] == "V") & (frame["t"] == t), "value"].iloc[0]
            for t in (frame["t"].min(), 0.0, frame["t"].max())
        }
        spoken = ", ".join(f"V({t:g}) = {value:.4g}" for t, value in ends.items())
        alt = (
            "Two panels. On the left, for negative t on a logarithmic axis, V(t) is nearly the"
            " straight line e to the t"
            " and bends below it near 0; on the right, for positive t on a linear axis, it"
            " approaches t minus log t."
            f" {spoken}."
        )
        caption = (
            "V(t) = W(exp t) solves v + log v = t; the updates of the entropy losses are made of"
            " it. Dashed: the"
            " approximations at both ends."
        )
        write_figure(figure, frame[LAMBERT_COLUMNS], out_svg, alt=alt, caption=caption)


def draw_losses(
    frame: pd.DataFrame,
    out_svg: str | Path,
    *,
    caption: str,
) -> None:
    """Draw losses in one dimension, a panel per family; smoothed ones dashed in the colour of the
    loss.

    Parameters
    ----------
    frame : DataFrame
        Columns `panel` (binary, hinges or entropies), `curve` (a label in the small markup), `x`,
        `value`.
    """
    panels = list(dict.fromkeys(frame["panel"]))
    with style.house_style():
        figure, axes = panel_grid(len(panels), across=3, height=2.6)
        for ax, panel in zip(axes, panels, strict=True):
            _draw_losses_of(ax, frame[frame["panel"] == panel])
            ax.set_title(_LOSS_PANELS[panel][0])
            ax.set_xlabel(_LOSS_PANELS[panel][1])
            ax.set_ylabel("loss")
            ax.legend(loc="upper right")
        curves = len(frame[["panel", "curve"]].drop_duplicates())
        alt = (
            f"{curves} curves in {len(panels)} panels: each loss falls as the margin, or the"
            " score of the true"
            f" class, grows. {_spoken_zeros(frame)}"
        )
        write_figure(figure, frame[LOSSES_COLUMNS], out_svg, alt=alt, caption=caption)


def _looks(curves: list[str]) -> dict[str, dict]:
    """Give each loss a colour, and its smoothings the same colour with other lines."""
    families: list[str] = []
    looks, lines = {}, {}
    for curve in curves:
        smooth = curve.endswith("}") and "^{" in curve and _SMOOTH in curve
        family = curve[: curve.rindex(_SMOOTH)] if smooth else curve
        if family not in families:
            families.append(family)
        lines[family] = lines.get(family, -1) + 1
        line = style.LINES[min(lines[family], len(style.LINES) - 1)]
        looks[curve] = {"color": style.colour(families.index(family)), "linestyle": line}
    if "top-2 error" in looks:
        looks["top-2 error"] = {"color": style.MUTED, "linestyle": "-", "linewidth": 2.2}
    return looks


def _draw_losses_of(ax: Axes, part: pd.DataFrame) -> None:
    looks = _looks(list(dict.fromkeys(part["curve"])))
    for curve, points in part.groupby("curve", sort=False):
        ax.plot(points["x"], points["value"], label=mathtext(curve), **looks[curve])
    ax.set_ylim(-0.1, min(_HIGHEST, 1.05 * part["value"].max()))


def _spoken_zeros(frame: pd.DataFrame) -> str:
    """Say from where on each curve is below a twentieth."""
    parts = []
    for (_, curve), points in frame.groupby(["panel", "curve"], sort=False):
        high = points.loc[points["value"] > 0.05, "x"]
        if len(high) and high.max() < points["x"].max():
            parts.append(f"{plain(str(curve))} is below 0.05 beyond {high.max():.2g}")
    return "; ".join(parts) + "." if parts else ""


# The top-k simplices in three dimensions, seen from a corner (NIPS 2015, Fig. 2) ------------------

POLYTOPE_COLUMNS = ["set", "k", "face", "bound", "corner", "x1", "x2", "x3"]
_SYMBOLS = {"alpha": "α", "beta": "β"}
# The drawing plane: x1 to the left and towards the reader, x2 to the right, x3 up.
_VIEW = np.array([[-0.72, 0.86, 0.0], [-0.42, -0.22, 0.98]])
_TOWARDS_READER = np.cross(_VIEW[0], _VIEW[1])
_LIGHT = np.array([0.35, 0.55, 0.76])


def draw_simplices(frame: pd.DataFrame, out_svg: str | Path) -> None:
    """Draw polytopes in three dimensions, one panel each.

    Parameters
    ----------
    frame : DataFrame
        Columns `set` (alpha or beta), `k`, `face`, `bound` (the inequality that is tight there),
        `corner` (the place around the face), `x1`, `x2`, `x3`.
    """
    panels = list(frame.groupby(["set", "k"], sort=False))
    with style.house_style():
        figure, axes = panel_grid(len(panels), across=3, height=2.25)
        spoken = []
        for ax, ((kind, k), part) in zip(axes, panels, strict=True):
            corners = len(part[["x1", "x2", "x3"]].drop_duplicates())
            _draw_coordinates(ax)
            for _, face in part.groupby("face", sort=False):
                _draw_face(ax, face[["x1", "x2", "x3"]].to_numpy(dtype=float))
            symbol = _SYMBOLS.get(kind, kind)
            ax.set_title(f"{symbol}, k = {k}: {corners} vertices", loc="center")
            spoken.append(f"set {kind}, k = {k}: {corners} vertices")
        alt = (
            "Polytopes inside the unit simplex, drawn with the three coordinate axes. With k = 1"
            " both sets are the unit"
            f" simplex; they shrink as k grows, the set alpha to a segment. {'; '.join(spoken)}."
        )
        caption = (
            "The sets of dual variables of the top-k SVM, radius 1: the sum is at most 1, and no"
            " entry exceeds the k-th"
            " part of the sum (α) or of the radius (β). With k = 1 both are the simplex."
        )
        write_figure(figure, frame[POLYTOPE_COLUMNS], out_svg, alt=alt, caption=caption)


def _draw_coordinates(ax: Axes) -> None:
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


# The simplex coding of three classes in the plane (NIPS 2012, Fig. 1 and 2) -----------------------

REGION_COLUMNS = ["what", "class", "corner", "f1", "f2"]
LEVEL_COLUMNS = ["loss", "f1", "f2", "value"]
_NAMES = {"sc_svm": "SC-SVM", "sh_svm": "SH-SVM", "s_ls": "S-LS"}
_LEVELS = (0.05, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0)
_CODES = np.array([[1.0, 0.0], [-0.5, np.sqrt(0.75)], [-0.5, -np.sqrt(0.75)]])
_REACH = 1.6


def draw_decoding(frame: pd.DataFrame, out_svg: str | Path) -> None:
    """Draw the code vectors, their triangle and the region of each class.

    Parameters
    ----------
    frame : DataFrame
        Columns `what` (code, hull or region), `class`, `corner`, `f1`, `f2`.
    """
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
            "An equilateral triangle around the origin, its corners the three code vectors of"
            " length 1. Three rays from"
            " the origin, through the middles of the sides, cut the plane into three equal"
            " sectors: each holds one"
            " code vector, and all its points decode to that class."
        )
        caption = (
            "f(x) decodes to the class of the nearest code vector: the plane is cut along the"
            " dashed rays."
        )
        write_figure(figure, frame[REGION_COLUMNS], out_svg, alt=alt, caption=caption)


def draw_levels(frame: pd.DataFrame, out_svg: str | Path) -> None:
    """Draw the level sets of losses of the first class, one panel each.

    Parameters
    ----------
    frame : DataFrame
        Columns `loss`, `f1`, `f2`, `value`: each loss on a full grid.
    """
    panels = list(frame.groupby("loss", sort=False))
    with style.house_style():
        figure, axes = panel_grid(len(panels), across=3, height=2.5)
        spoken = []
        for ax, (loss, part) in zip(axes, panels, strict=True):
            grid = part.pivot_table(index="f2", columns="f1", values="value")
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
            "Contours of three losses of the first class over the plane of f, with the triangle"
            " of code vectors."
            " SC-SVM: a cone with its tip at the first code vector. SH-SVM: parallel lines across"
            " it."
            " S-LS: circles around it. " + "; ".join(spoken) + "."
        )
        caption = (
            "The loss of a row of class 1 as a function of f(x). SC-SVM is zero in a cone that"
            " stands on c_1, SH-SVM in"
            " a half space behind it, S-LS at c_1 alone."
        )
        write_figure(figure, frame[LEVEL_COLUMNS], out_svg, alt=alt, caption=caption)


def _frame_plane(ax: Axes) -> None:
    ax.set_aspect("equal")
    ax.set_xlim(-_REACH, _REACH)
    ax.set_ylim(-_REACH, _REACH)
    ax.set_xlabel("$f_1$")
    ax.set_ylabel("$f_2$")
