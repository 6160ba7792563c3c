"""The top-k simplices in three dimensions (NIPS 2015 Fig. 2, TPAMI Eq. (2) and (3))."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd

COLUMNS = ["set", "k", "face", "bound", "corner", "x1", "x2", "x3"]
SETS = ("alpha", "beta")
DIMENSION = 3
_TOLERANCE = 1e-12


def half_spaces(kind: str, k: int) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Return names, A and b of the seven inequalities A x <= b of a set with radius 1, k in 1..3."""
    if kind not in SETS:
        raise ValueError(f"kind must be one of {', '.join(SETS)}, got {kind!r}")
    if k not in range(1, DIMENSION + 1):
        raise ValueError(f"k must be in 1..{DIMENSION}, got {k!r}")
    one, ones = np.eye(DIMENSION), np.ones(DIMENSION)
    largest = one - ones / k if kind == "alpha" else one
    cap = np.zeros(DIMENSION) if kind == "alpha" else ones / k
    of = "<1, x>/" if kind == "alpha" else "1/"
    names = [f"x{i + 1} >= 0" for i in range(DIMENSION)]
    names += [f"x{i + 1} <= {of}{k}" for i in range(DIMENSION)]
    A = np.vstack([-one, largest, ones])
    return [*names, "<1, x> <= 1"], A, np.concatenate([np.zeros(DIMENSION), cap, [1.0]])


def vertices(kind: str, k: int) -> np.ndarray:
    """Return the vertices of a set, (v, 3), sorted: where three of its inequalities are tight."""
    _, A, b = half_spaces(kind, k)
    found: set[tuple[float, ...]] = set()
    for chosen in combinations(range(len(b)), DIMENSION):
        rows = list(chosen)
        if abs(np.linalg.det(A[rows])) < _TOLERANCE:
            continue
        x = np.linalg.solve(A[rows], b[rows])
        if (A @ x <= b + _TOLERANCE).all():
            found.add(tuple(float(value) + 0.0 for value in x.round(12)))
    return np.array(sorted(found))


def faces(kind: str, k: int) -> list[tuple[str, np.ndarray]]:
    """Return the faces of a set, each as its inequality and its corners in order."""
    names, A, b = half_spaces(kind, k)
    corners = vertices(kind, k)
    tight = np.abs(corners @ A.T - b) < 1e-9
    members = [frozenset(np.flatnonzero(tight[:, row])) for row in range(len(b))]
    found = []
    for row, own in enumerate(members):
        inside = any(own < other for other in members)
        if len(own) > 1 and not inside and own not in members[:row]:
            found.append((names[row], _in_order(corners[sorted(own)], A[row])))
    return found


def _in_order(corners: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """Order the corners of a convex polygon in space around its middle."""
    arms = corners - corners.mean(axis=0)
    first, second = arms[0], np.cross(normal, arms[0])
    scale = np.linalg.norm(first) / max(np.linalg.norm(second), _TOLERANCE)
    angle = np.arctan2(arms @ second * scale, arms @ first)
    return corners[np.argsort(angle, kind="stable")]


def topk_simplices() -> pd.DataFrame:
    """Return both sets for k = 1, 2, 3: `COLUMNS`, a row for each corner of each face, in order.

    The set alpha with k = 3 is a segment and has one "face" with two corners.
    """
    rows = []
    for kind in SETS:
        for k in range(1, DIMENSION + 1):
            for face, (bound, corners) in enumerate(faces(kind, k)):
                for corner, x in enumerate(corners):
                    rows.append((kind, k, face, bound, corner, *x))
    return pd.DataFrame(rows, columns=COLUMNS)
