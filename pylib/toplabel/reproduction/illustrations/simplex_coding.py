"""The simplex coding of three classes in the plane (NIPS 2012, Fig. 1 and 2)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from toplabel import simplex

REGION_COLUMNS = ["what", "class", "corner", "f1", "f2"]
LEVEL_COLUMNS = ["loss", "f1", "f2", "value"]
CLASSES = 3
REACH = 1.6
"""Half the side of the square that is shown."""


def decoding_regions() -> pd.DataFrame:
    """Return the code vectors of three classes, their triangle, and the cones that decode to each.

    Rows of `REGION_COLUMNS`: `what` is "code" (a code vector), "hull" (a corner of the triangle) or
    "region" (a corner of a cone, which is cut off outside the square that is shown): between the
    opposite vectors of the two other classes, where the scores of a class and of its neighbour are
    equal. Classes count from 1.
    """
    codes = simplex.simplex_coding(CLASSES).T
    rows = [("code", y + 1, 0, *codes[y]) for y in range(CLASSES)]
    rows += [("hull", y + 1, 0, *codes[y]) for y in range(CLASSES)]
    far = 4 * REACH
    for y in range(CLASSES):
        others = [codes[j] for j in range(CLASSES) if j != y]
        corners = [np.zeros(2), -far * others[0], far * codes[y], -far * others[1]]
        rows += [("region", y + 1, i, *corner) for i, corner in enumerate(corners)]
    return pd.DataFrame(rows, columns=REGION_COLUMNS)


def loss_levels(points: int = 65) -> pd.DataFrame:
    """Return the losses of the first class on a square grid, f1 fastest: `LEVEL_COLUMNS`."""
    side = np.linspace(-REACH, REACH, points)
    first, second = np.meshgrid(side, side)
    F = np.column_stack([first.ravel(), second.ravel()])
    y = np.zeros(len(F), dtype=int)
    parts = [
        pd.DataFrame(
            {"loss": loss, "f1": F[:, 0], "f2": F[:, 1], "value": simplex.value(loss, F, y)}
        )
        for loss in ("sc_svm", "sh_svm", "s_ls")
    ]
    return pd.concat(parts, ignore_index=True)[LEVEL_COLUMNS]
