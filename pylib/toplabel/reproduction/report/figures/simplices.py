"""The top-k simplices in three dimensions (NIPS 2015 Fig. 2, TPAMI Eq. (2) and (3))."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Polygon

from toplabel.reproduction.report.figures import style
from toplabel.reproduction.report.figures.drawing import Source, panel_grid

_AXES = ["x1", "x2", "x3"]
_SYMBOLS = {"alpha": "α", "beta": "β"}
_TOLERANCE = 1e-12
# The drawing plane: x1 to the left and towards the reader, x2 to the right, x3 up.
_VIEW = np.array([[-0.72, 0.86, 0.0], [-0.42, -0.22, 0.98]])
_TOWARDS_READER = np.cross(_VIEW[0], _VIEW[1])
_LIGHT = np.array([0.35, 0.55, 0.76])


def half_spaces(kind: str, k: int) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Return names, A and b of the seven inequalities A x <= b of a set with radius 1."""
    one, ones = np.eye(3), np.ones(3)
    largest = one - ones / k if kind == "alpha" else one
    cap = np.zeros(3) if kind == "alpha" else ones / k
    bound = f"<1, x>/{k}" if kind == "alpha" else f"1/{k}"
    names = [f"{x} >= 0" for x in _AXES] + [f"{x} <= {bound}" for x in _AXES]
    A = np.vstack([-one, largest, ones])
    return [*names, "<1, x> <= 1"], A, np.concatenate([np.zeros(3), cap, [1.0]])


def vertices(kind: str, k: int) -> np.ndarray:
    """Return the vertices of a set, (v, 3), sorted: where three of its inequalities are tight."""
    _, A, b = half_spaces(kind, k)
    found = set()
    for rows in map(list, combinations(range(len(b)), 3)):
        if abs(np.linalg.det(A[rows])) >= _TOLERANCE:
            x = np.linalg.solve(A[rows], b[rows])
            if (A @ x <= b + _TOLERANCE).all():
                found.add(tuple(float(value) + 0.0 for value in x.round(12)))
    return np.array(sorted(found))


def faces(kind: str, k: int) -> list[tuple[str, np.ndarray]]:
    """Return the faces of a set, each as its inequality and its corners in order.

    The set alpha with k = 3 is a segment: its only "face" has two corners.
    """
    names, A, b = half_spaces(kind, k)
    corners = vertices(kind, k)
    tight = np.abs(corners @ A.T - b) < 1e-9
    members = [frozenset(np.flatnonzero(tight[:, row])) for row in range(len(b))]
    found = []
    for row, own in enumerate(members):
        part_of_another = any(own < other for other in members)
        if len(own) > 1 and not part_of_another and own not in members[:row]:
            found.append((names[row], _in_order(corners[sorted(own)], A[row])))
    return found


def _in_order(corners: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """Sort the corners of a convex polygon in space by the angle around its centre."""
    arms = corners - corners.mean(axis=0)
    first, second = arms[0], np.cross(normal, arms[0])
    scale = np.linalg.norm(first) / max(np.linalg.norm(second), _TOLERANCE)
    angle = np.arctan2(arms @ second * scale, arms @ first)
    return corners[np.argsort(angle, kind="stable")]


def numbers(source: Source) -> pd.DataFrame:
    """Return the corners of each face of both sets for k = 1, 2, 3."""
    rows = [
        (kind, k, face, bound, corner, *x)
        for kind in _SYMBOLS
        for k in (1, 2, 3)
        for face, (bound, corners) in enumerate(faces(kind, k))
        for corner, x in enumerate(corners)
    ]
    return pd.DataFrame(rows, columns=["set", "k", "face", "bound", "corner", *_AXES])


def draw(frame: pd.DataFrame) -> Figure:
    """Draw one polytope in each panel, seen from a corner."""
    panels = list(frame.groupby(["set", "k"], sort=False))
    figure, axes = panel_grid(len(panels), across=3, height=2.25)
    for ax, ((kind, k), part) in zip(axes, panels, strict=True):
        _draw_coordinates(ax)
        for _, face in part.groupby("face", sort=False):
            _draw_face(ax, face[_AXES].to_numpy(dtype=float))
        corners = len(part[_AXES].drop_duplicates())
        ax.set_title(f"{_SYMBOLS[kind]}, k = {k}: {corners} vertices", loc="center")
    return figure


def _draw_coordinates(ax: Axes) -> None:
    arrow = {"arrowstyle": "->", "color": style.MUTED, "linewidth": 0.7}
    for i, direction in enumerate(_VIEW.T, start=1):
        ax.annotate("", xy=1.12 * direction, xytext=(0, 0), arrowprops=arrow, zorder=0)
        ax.text(*(1.22 * direction), f"$x_{i}$", ha="center", va="center")
    ax.set(aspect="equal", xlim=(-1.0, 1.15), ylim=(-0.65, 1.3))
    ax.axis("off")


def _draw_face(ax: Axes, corners: np.ndarray) -> None:
    """Draw a face shaded by its normal, or only the edges, dotted, of a face that is hidden."""
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
    edges = {"edgecolor": colour, "joinstyle": "round"}
    if normal @ _TOWARDS_READER <= 1e-9:
        hidden = {"facecolor": "none", "linestyle": ":", "linewidth": 0.8, "zorder": 1}
        ax.add_patch(Polygon(flat, **hidden, **edges))
        return
    shade = 0.35 + 0.4 * max(float(normal @ _LIGHT), 0.0)
    face = tuple(1 - (1 - channel) * shade for channel in to_rgb(colour))
    ax.add_patch(Polygon(flat, facecolor=face, linewidth=1.1, alpha=0.9, zorder=2, **edges))
