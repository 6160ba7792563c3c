"""The figures of formulas, which need neither data nor training."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Polygon
from mpl_toolkits.mplot3d.art3d import Poly3DCollection

from toplabel import prox, simplex
from toplabel.reproduction.report.figures.drawing import (
    INK,
    MARKERS,
    MUTED,
    WIDTH,
    Design,
    Source,
    panel_grid,
)

# V(t) = W(e^t) and its approximations (TPAMI Fig. 2, section 5.2) ---------------------------------

_LARGEST = 10.0
_POINTS = 201
_TITLES = {"log": "Logarithmic scale", "linear": "Linear scale", "error": "Relative error"}
_LABELS = {"V": "$V(t)$", "exp": "$e^{t}$", "t - log t": r"$t - \log t$"}
_MIDDLE = 0.5  # from where on t - log t is the nearer of the two
_LEAST_ERROR = 1e-17  # below the double precision; a logarithmic scale has no 0


def lambert_numbers(source: Source) -> pd.DataFrame:
    """Return V and its approximations at both ends, and the errors of iterations from these."""
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
    v, exact = np.exp(t), prox.lambert_w_exp(t)
    v[t > _MIDDLE] = t[t > _MIDDLE] - np.log(t[t > _MIDDLE])
    for curve in ("one iteration", "two iterations"):
        v = householder(v, t)
        curves.append(("error", curve, t, np.maximum(np.abs(v / exact - 1), _LEAST_ERROR)))
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


def draw_lambert(frame: pd.DataFrame) -> Figure:
    """Draw a panel for each scale, the approximations dashed."""
    figure, axes = panel_grid(3, across=3, height=2.4)
    for ax, (scale, part) in zip(axes, frame.groupby("panel", sort=False), strict=True):
        for i, (curve, points) in enumerate(part.groupby("curve", sort=False)):
            look: dict[str, Any] = {"color": f"C{i}", "linestyle": "--" if i else "-"}
            ax.plot(points["t"], points["value"], label=_LABELS.get(curve, curve), **look)
        ax.set(yscale="linear" if scale == "linear" else "log", title=_TITLES[scale], xlabel="t")
        ax.legend()
    return figure


LAMBERT = Design(
    title="V(t), the Lambert W function of the exponent",
    caption=(
        "V(t) = W(exp t) solves v + log v = t; the updates of the entropy losses are made of it. Dashed:"
        " the approximations at both ends. From the nearer of them, one iteration of Householder's method"
        " of fifth order has an error of 0.5 % at most, and reaches single precision below -2.3 and above"
        " 5.1; after two it is 1.1e-13 at most."
    ),
    alt=(
        "Left, for negative t on a logarithmic axis, V(t) is nearly the straight line e to the t and"
        " bends below it near 0, where it is 0.567; middle, for positive t, it approaches t minus log t;"
        " right, the relative errors of the two iterations, which are largest between -1 and 3."
    ),
    numbers=lambert_numbers,
    draw=draw_lambert,
)


# The top-k simplices in three dimensions (NIPS 2015 Fig. 2, TPAMI Eq. (2) and (3)) ----------------

_AXES = ["x1", "x2", "x3"]
_SYMBOLS = {"alpha": "α", "beta": "β"}
_TOLERANCE = 1e-12


def half_spaces(kind: str, k: int) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Return names, A and b of the seven inequalities A x <= b of a set with radius 1."""
    identity, ones = np.eye(3), np.ones(3)
    largest = identity - ones / k if kind == "alpha" else identity
    cap = np.zeros(3) if kind == "alpha" else ones / k
    bound = f"<1, x>/{k}" if kind == "alpha" else f"1/{k}"
    names = [f"{x} >= 0" for x in _AXES] + [f"{x} <= {bound}" for x in _AXES]
    A = np.vstack([-identity, largest, ones])
    return [*names, "<1, x> <= 1"], A, np.concatenate([np.zeros(3), cap, [1.0]])


def vertices(kind: str, k: int) -> np.ndarray:
    """Return the vertices of a set, (v, 3), sorted: where three of its inequalities are tight."""
    _, A, b = half_spaces(kind, k)
    rows = np.array([*combinations(range(len(b)), 3)])
    rows = rows[np.abs(np.linalg.det(A[rows])) >= _TOLERANCE]
    points = np.linalg.solve(A[rows], b[rows, None])[..., 0]
    inside = (points @ A.T <= b + _TOLERANCE).all(axis=1)
    return np.unique(points[inside].round(12) + 0.0, axis=0)


def faces(kind: str, k: int) -> list[tuple[str, np.ndarray]]:
    """Return the faces of a set, each as its inequality and its corners in order.

    The set alpha with k = 3 is a segment: its only "face" has two corners.
    """
    names, A, b = half_spaces(kind, k)
    corners = vertices(kind, k)
    tight = np.abs(corners @ A.T - b) < 1e-9
    members = [frozenset(np.flatnonzero(tight[:, row])) for row in range(len(b))]
    polygons = []
    for row, own in enumerate(members):
        part_of_another = any(own < other for other in members)
        if len(own) > 1 and not part_of_another and own not in members[:row]:
            polygons.append((names[row], _in_order(corners[sorted(own)], A[row])))
    return polygons


def _in_order(corners: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """Sort the corners of a convex polygon in space by the angle around its centre."""
    arms = corners - corners.mean(axis=0)
    first, second = arms[0], np.cross(normal, arms[0])
    scale = float(np.linalg.norm(first)) / max(float(np.linalg.norm(second)), _TOLERANCE)
    angle = np.arctan2(arms @ second * scale, arms @ first)
    return corners[np.argsort(angle, kind="stable")]


def simplices_numbers(source: Source) -> pd.DataFrame:
    """Return the corners of each face of both sets for k = 1, 2, 3."""
    rows = [
        (kind, k, face, bound, corner, *x)
        for kind in _SYMBOLS
        for k in (1, 2, 3)
        for face, (bound, corners) in enumerate(faces(kind, k))
        for corner, x in enumerate(corners)
    ]
    return pd.DataFrame(rows, columns=["set", "k", "face", "bound", "corner", *_AXES])


def draw_simplices(frame: pd.DataFrame) -> Figure:
    """Draw one polytope in each panel, inside the unit cube."""
    panels = list(frame.groupby(["set", "k"], sort=False))
    figure = Figure(figsize=(WIDTH, 4.85), layout="constrained")
    for i, ((kind, k), part) in enumerate(panels, start=1):
        ax = figure.add_subplot(2, 3, i, projection="3d", proj_type="ortho")
        corners = [face[_AXES].to_numpy() for _, face in part.groupby("face", sort=False)]
        look = {"facecolors": "C0", "edgecolors": "C0", "alpha": 0.4}
        ax.add_collection3d(Poly3DCollection(corners, linewidths=1.3, **look))
        for axis, name in zip((ax.xaxis, ax.yaxis, ax.zaxis), _AXES, strict=True):
            axis.set_pane_color("none")
            axis.set_ticks([0, 1])
            axis.set_tick_params(pad=-3)
            axis.set_label_text(f"$x_{name[1]}$")
            axis.labelpad = -12
        ax.set(xlim=(0, 1), ylim=(0, 1), zlim=(0, 1))
        ax.view_init(elev=22, azim=38)
        ax.set_box_aspect((1, 1, 1), zoom=0.93)
        vertices = len(part[_AXES].drop_duplicates())
        ax.set_title(f"{_SYMBOLS[kind]}, k = {k}: {vertices} vertices", loc="center")
    return figure


SIMPLICES = Design(
    title="The top-k simplices in three dimensions",
    caption=(
        "The sets of dual variables of the top-k SVM, radius 1: the sum is at most 1, and no entry exceeds"
        " the k-th part of the sum (α) or of the radius (β). With k = 1 both are the simplex."
    ),
    alt=(
        "Six polytopes inside the unit simplex. With k = 1 both sets are the unit simplex, with 4"
        " vertices. The set alpha has 4 vertices with k = 2 and is a segment with k = 3; the set beta has"
        " 7 and 8 vertices."
    ),
    numbers=simplices_numbers,
    draw=draw_simplices,
)


# Decoding with the simplex coding of three classes in the plane (NIPS 2012, Fig. 1) ---------------

#: The code vectors of the three classes, (3, 2).
CODES = simplex.simplex_coding(3).T
#: Half the side of the square that is shown.
REACH = 1.6
_PLANE = ["f1", "f2"]


def decoding_numbers(source: Source) -> pd.DataFrame:
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


def draw_decoding(frame: pd.DataFrame) -> Figure:
    """Draw the code vectors, their triangle and the region of each class."""
    figure = Figure(figsize=(WIDTH * 0.55, WIDTH * 0.55), layout="constrained")
    ax = figure.subplots()
    for y, part in frame.groupby("class"):
        corners = part.loc[part["what"] == "region", _PLANE].to_numpy()
        (point,) = part.loc[part["what"] == "code", _PLANE].to_numpy()
        colour = f"C{y - 1}"
        ax.add_patch(Polygon(corners, facecolor=colour, alpha=0.18, edgecolor="none"))
        ax.plot(*corners[[1, 0, 3]].T, color=MUTED, linewidth=0.9, linestyle="--")
        ax.plot(*point, color=colour, marker=MARKERS[y - 1], markersize=6)
        first, second = point
        ax.text(1.15 * first, 1.15 * second, f"$c_{y}$", ha="center", va="center")
        ax.text(0.38 * first, 0.38 * second, f"class {y}", ha="center", va="center", fontsize=7)
    draw_triangle(ax, INK)
    return figure


def draw_triangle(ax: Axes, colour: str) -> None:
    """Draw the triangle of the code vectors, and frame the square that is shown."""
    ax.add_patch(Polygon(CODES, fill=False, edgecolor=colour, linewidth=0.9))
    ax.set(aspect="equal", xlim=(-REACH, REACH), ylim=(-REACH, REACH))
    ax.set(xlabel="$f_1$", ylabel="$f_2$")


DECODING = Design(
    title="Decoding with the simplex coding of three classes",
    caption=(
        "f(x) decodes to the class of the nearest code vector: the plane is cut along the dashed rays."
    ),
    alt=(
        "An equilateral triangle around the origin, its corners the three code vectors of length 1. Three"
        " rays from the origin, through the middles of the sides, cut the plane into three equal sectors,"
        " one for each class."
    ),
    numbers=decoding_numbers,
    draw=draw_decoding,
)


# Level sets of the simplex losses of three classes in the plane (NIPS 2012, Fig. 2) ---------------

_LOSSES = {"sc_svm": "SC-SVM", "sh_svm": "SH-SVM", "s_ls": "S-LS"}
_LEVELS = (0.05, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0)
_SIDE_POINTS = 65


def levels_numbers(source: Source) -> pd.DataFrame:
    """Return the losses of the first class on a square grid."""
    side = np.linspace(-REACH, REACH, _SIDE_POINTS)
    first, second = (axis.ravel() for axis in np.meshgrid(side, side))
    F, y = np.column_stack([first, second]), np.zeros(first.size, dtype=int)
    frame = pd.DataFrame({"loss": "", "f1": first, "f2": second})
    frames = [frame.assign(loss=loss, value=simplex.value(loss, F, y)) for loss in _LOSSES]
    return pd.concat(frames, ignore_index=True)


def draw_levels(frame: pd.DataFrame) -> Figure:
    """Draw contour lines over the triangle of the code vectors, a panel for each loss."""
    figure, axes = panel_grid(len(_LOSSES), across=3, height=2.5)
    for ax, (loss, part) in zip(axes, frame.groupby("loss", sort=False), strict=True):
        grid = part.pivot_table(index="f2", columns="f1", values="value")
        look: dict[str, Any] = {"colors": "C0", "linewidths": 0.9}
        lines = ax.contour(grid.columns, grid.index, grid.to_numpy(), levels=_LEVELS, **look)
        ax.clabel(lines, fontsize=6)
        for y, point in enumerate(CODES):
            ax.plot(*point, color=INK, marker=MARKERS[y], markersize=4)
            first, second = 1.22 * point
            ax.text(first, second, f"$c_{y + 1}$", ha="center", va="center")
        draw_triangle(ax, MUTED)
        ax.set_title(_LOSSES[loss], loc="center")
    return figure


LEVELS = Design(
    title="Level sets of the simplex losses for three classes",
    caption=(
        "The loss of a row of class 1 as a function of f(x). SC-SVM is zero in a cone that stands on c_1,"
        " SH-SVM in a half space behind it, S-LS at c_1 alone."
    ),
    alt=(
        "Contours of three losses of the first class over the plane of f. SC-SVM: a cone with its tip at"
        " the first code vector. SH-SVM: parallel lines across it. S-LS: circles around it."
    ),
    numbers=levels_numbers,
    draw=draw_levels,
)
