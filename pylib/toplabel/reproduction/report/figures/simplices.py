"""The top-k simplices in three dimensions (NIPS 2015 Fig. 2, TPAMI Eq. (2) and (3))."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from mpl_toolkits.mplot3d.art3d import Poly3DCollection

from toplabel.reproduction.report.figures import style
from toplabel.reproduction.report.figures.drawing import Source

TITLE = "The top-k simplices in three dimensions"
CAPTION = (
    "The sets of dual variables of the top-k SVM, radius 1: the sum is at most 1, and no entry exceeds"
    " the k-th part of the sum (α) or of the radius (β). With k = 1 both are the simplex."
)
ALT = (
    "Six polytopes inside the unit simplex. With k = 1 both sets are the unit simplex, with 4"
    " vertices. The set alpha has 4 vertices with k = 2 and is a segment with k = 3; the set beta has"
    " 7 and 8 vertices."
)
_AXES = ["x1", "x2", "x3"]
_SYMBOLS = {"alpha": "α", "beta": "β"}
_TOLERANCE = 1e-12


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
    scale = float(np.linalg.norm(first)) / max(float(np.linalg.norm(second)), _TOLERANCE)
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
    """Draw one polytope in each panel, inside the unit cube."""
    panels = list(frame.groupby(["set", "k"], sort=False))
    figure = Figure(figsize=(style.WIDTH, 4.85), layout="constrained")
    for i, ((kind, k), part) in enumerate(panels, start=1):
        ax = figure.add_subplot(2, 3, i, projection="3d", proj_type="ortho")
        corners = [face[_AXES].to_numpy() for _, face in part.groupby("face", sort=False)]
        look = {"facecolors": style.colour(0), "edgecolors": style.colour(0), "alpha": 0.4}
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
