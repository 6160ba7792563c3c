"""The losses along a line of scores: binary ones, hinges with one strong rival, entropies."""

from __future__ import annotations

import numpy as np
import pandas as pd

from toplabel import losses
from toplabel.metrics import top_k_accuracy

COLUMNS = ["panel", "curve", "x", "value"]
#: Scores of the other classes in the panels of several classes: one is hard to beat, the others are
#: not.
RIVALS = (3.0, 0.0, -0.5, -1.0)
_FAR = -40.0  # a score at which a class adds nothing to a sum over classes

#: For each panel the curves: loss, k, gamma.
CURVES = {
    "binary": (*(("svm_ova", 1, gamma) for gamma in (0.0, 0.5, 1.0)), ("lr_ova", 1, 0.0)),
    "hinges": tuple(
        (loss, k, gamma)
        for loss, k in (("svm_multi", 1), ("topk_svm_alpha", 2), ("topk_svm_beta", 2))
        for gamma in (0.0, 1.0)
    ),
    "entropies": (("lr_multi", 1, 0.0), ("topk_ent", 2, 0.0), ("topk_ent_tr", 2, 0.0)),
}
ERROR = "top-2 error"


def loss_curves(points: int = 181) -> pd.DataFrame:
    """Return the losses along three lines: `COLUMNS`.

    Panel ``binary``: x is the margin y f(x). Panels ``hinges`` and ``entropies``: x is the score of
    the true class, the other four have the scores `RIVALS`; the curve ``top-2 error`` is TPAMI Eq.
    (1).
    """
    margin, score = np.linspace(-2.0, 3.0, points), np.linspace(-3.0, 6.0, points)
    binary = np.column_stack([margin, np.full(points, _FAR)])
    several = np.column_stack([score, np.tile(RIVALS, (points, 1))])
    y = np.zeros(points, dtype=np.int64)
    frames = []
    for panel, curves in CURVES.items():
        x, scores = (margin, binary) if panel == "binary" else (score, several)
        for loss, k, gamma in curves:
            label = losses.get(loss).name(k, gamma)
            value = losses.value(loss, scores, y, k=k, gamma=gamma)
            frames.append(pd.DataFrame({"panel": panel, "curve": label, "x": x, "value": value}))
        if panel != "binary":
            error = np.array([1.0 - top_k_accuracy([0], row[None, :], k=2) for row in several])
            frames.append(pd.DataFrame({"panel": panel, "curve": ERROR, "x": x, "value": error}))
    return pd.concat(frames, ignore_index=True)[COLUMNS]
