"""V(t) = W(e^t) on a logarithmic and on a linear scale, with its approximations (TPAMI Fig. 2)."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from toplabel import prox
from toplabel.reproduction.report.figures.drawing import Source, panel_grid

TITLE = "V(t), the Lambert W function of the exponent"
CAPTION = (
    "V(t) = W(exp t) solves v + log v = t; the updates of the entropy losses are made of it. Dashed:"
    " the approximations at both ends."
)
ALT = (
    "Left, for negative t on a logarithmic axis, V(t) is nearly the straight line e to the t and"
    " bends below it near 0, where it is 0.567; right, for positive t, it approaches t minus log t."
)
_LARGEST = 10.0
_POINTS = 201
_TITLES = {"log": "Logarithmic scale", "linear": "Linear scale"}
_LABELS = {"V": "$V(t)$", "exp": "$e^{t}$", "t - log t": r"$t - \log t$"}


def numbers(source: Source) -> pd.DataFrame:
    """Return V for t in [-10, 0] with e^t, and for t in [0, 10] with t - log t from t = 1."""
    left = np.linspace(-_LARGEST, 0.0, _POINTS)
    right = np.linspace(0.0, _LARGEST, _POINTS)
    beyond = right[right >= 1.0]
    curves = [
        ("log", "V", left, prox.lambert_w_exp(left)),
        ("log", "exp", left, np.exp(left)),
        ("linear", "V", right, prox.lambert_w_exp(right)),
        ("linear", "t - log t", beyond, beyond - np.log(beyond)),
    ]
    frames = [
        pd.DataFrame({"panel": panel, "curve": curve, "t": t, "value": value})
        for panel, curve, t, value in curves
    ]
    return pd.concat(frames, ignore_index=True)


def draw(frame: pd.DataFrame) -> Figure:
    """Draw a panel for each scale, the approximations dashed."""
    figure, axes = panel_grid(2, across=2, height=2.4)
    for ax, (scale, part) in zip(axes, frame.groupby("panel", sort=False), strict=True):
        for i, (curve, points) in enumerate(part.groupby("curve", sort=False)):
            line = {"color": f"C{i}", "linestyle": "--" if i else "-"}
            ax.plot(points["t"], points["value"], label=_LABELS[curve], **line)
        ax.set(yscale=scale, title=_TITLES[scale], xlabel="t", ylabel="V(t)")
        ax.legend()
    return figure
