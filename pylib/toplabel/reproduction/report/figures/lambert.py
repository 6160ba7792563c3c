"""V(t) = W(e^t) on a logarithmic and on a linear scale, with its approximations (TPAMI Fig. 2), and
how far one and two of Householder's iterations from these are from it (section 5.2).
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from toplabel import prox
from toplabel.reproduction.report.figures.drawing import Source, panel_grid

TITLE = "V(t), the Lambert W function of the exponent"
CAPTION = (
    "V(t) = W(exp t) solves v + log v = t; the updates of the entropy losses are made of it. Dashed:"
    " the approximations at both ends. From the nearer of them, one iteration of Householder's method"
    " of fifth order has an error of 0.5 % at most, and reaches single precision below -2.3 and above"
    " 5.1; after two it is 1.1e-13 at most."
)
ALT = (
    "Left, for negative t on a logarithmic axis, V(t) is nearly the straight line e to the t and"
    " bends below it near 0, where it is 0.567; middle, for positive t, it approaches t minus log t;"
    " right, the relative errors of the two iterations, which are largest between -1 and 3."
)
_LARGEST = 10.0
_POINTS = 201
_TITLES = {"log": "Logarithmic scale", "linear": "Linear scale", "error": "Relative error"}
_LABELS = {"V": "$V(t)$", "exp": "$e^{t}$", "t - log t": r"$t - \log t$"}
_MIDDLE = 0.5  # from where on t - log t is the nearer of the two
_LEAST_ERROR = 1e-17  # below the double precision; a logarithmic scale has no 0


def numbers(source: Source) -> pd.DataFrame:
    """Return V for t in [-10, 0] with e^t, and for t in [0, 10] with t - log t from t = 1; and the
    relative errors of iterations that begin with the nearer of the two.
    """
    left = np.linspace(-_LARGEST, 0.0, _POINTS)
    right = np.linspace(0.0, _LARGEST, _POINTS)
    beyond = right[right >= 1.0]
    curves = [
        ("log", "V", left, prox.lambert_w_exp(left)),
        ("log", "exp", left, np.exp(left)),
        ("linear", "V", right, prox.lambert_w_exp(right)),
        ("linear", "t - log t", beyond, beyond - np.log(beyond)),
    ]
    t = np.linspace(-_LARGEST, _LARGEST, 2 * _POINTS - 1)
    found, exact = np.exp(t), prox.lambert_w_exp(t)
    found[t > _MIDDLE] = t[t > _MIDDLE] - np.log(t[t > _MIDDLE])
    for curve in ("one iteration", "two iterations"):
        found = householder(found, t)
        curves.append(("error", curve, t, np.maximum(np.abs(found / exact - 1), _LEAST_ERROR)))
    frames = [
        pd.DataFrame({"panel": panel, "curve": curve, "t": t, "value": value})
        for panel, curve, t, value in curves
    ]
    return pd.concat(frames, ignore_index=True)


def householder(v: np.ndarray, t: np.ndarray) -> np.ndarray:
    """Return v after an iteration of Householder's method of fifth order for v + log v = t."""
    slope = 1.0 + 1.0 / v
    newton = (t - v - np.log(v)) / slope
    taylor = [1.0, -1 / (2 * v**2 * slope), 1 / (3 * v**3 * slope), -1 / (4 * v**4 * slope)]
    # The Taylor series of 1 / f, its j-th coefficient times the (j + 1)-th power of Newton's step
    inverse = [np.ones_like(v)]
    for j in range(1, 5):
        terms = (taylor[i] * newton**i * inverse[j - 1 - i] for i in range(j))
        inverse.append(sum(terms))
    return v + newton * inverse[3] / inverse[4]


def draw(frame: pd.DataFrame) -> Figure:
    """Draw a panel for each scale, the approximations dashed."""
    figure, axes = panel_grid(3, across=3, height=2.4)
    for ax, (scale, part) in zip(axes, frame.groupby("panel", sort=False), strict=True):
        for i, (curve, points) in enumerate(part.groupby("curve", sort=False)):
            ax.plot(
                points["t"],
                points["value"],
                label=_LABELS.get(curve, curve),
                color=f"C{i}",
                linestyle="--" if i else "-",
            )
        is_linear = scale == "linear"
        ax.set(yscale="linear" if is_linear else "log", title=_TITLES[scale], xlabel="t")
        ax.legend()
    return figure
