"""Figures of functions: V(t) on two scales, and the losses along a line of scores."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from matplotlib.axes import Axes

from toplabel.reproduction.reporting import style
from toplabel.reproduction.reporting.drawing import mathtext, panel_grid, require, write_figure
from toplabel.reproduction.reporting.labels import plain

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


def draw_lambert(
    frame: pd.DataFrame,
    out_svg: str | Path,
) -> None:
    """Draw V(t) on a logarithmic scale left of 0 and on a linear one right of it.

    Parameters
    ----------
    frame : DataFrame
        Columns `panel` (log or linear), `curve` (V, exp or t - log t), `t`, `value`.
    """
    require(frame, LAMBERT_COLUMNS, "frame", ["t", "value"])
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
            "Two panels. On the left, for negative t on a logarithmic axis, V(t) is nearly the straight line e to the t"
            " and bends below it near 0; on the right, for positive t on a linear axis, it approaches t minus log t."
            f" {spoken}."
        )
        caption = (
            "V(t) = W(exp t) solves v + log v = t; the updates of the entropy losses are made of it. Dashed: the"
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
    require(frame, LOSSES_COLUMNS, "frame", ["x", "value"])
    panels = list(dict.fromkeys(frame["panel"]))
    for panel in panels:
        if panel not in _LOSS_PANELS:
            raise ValueError(f"frame: unknown panel '{panel}'; known: {', '.join(_LOSS_PANELS)}")
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
            f"{curves} curves in {len(panels)} panels: each loss falls as the margin, or the score of the true"
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
