"""Do our one-vs-all solvers and LIBLINEAR find the same minimiser?

Both minimise the same strictly convex objective, so close objectives mean close models. LIBLINEAR's
W is judged by our certificate: the optimum lies in [D, P] of our solution.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from toplabel.metrics import top_k_accuracy
from toplabel.reproduction.methods.liblinear import LOSSES, OneVsAll
from toplabel.reproduction.methods.models import Matrix
from toplabel.solver import solve


def results(
    X: Matrix,
    y: np.ndarray,
    X_test: Matrix,
    y_test: np.ndarray,
    Cs: Iterable[float],
    *,
    ks: Sequence[int] = (1, 3, 5, 10),
    losses: Iterable[str] = LOSSES,
    eps: float = 1e-4,
    max_epochs: int = 20000,
    seed: int = 0,
    train: Callable[..., Any] = solve,
) -> pd.DataFrame:
    """Train both solvers at each C and compare objectives and accuracies, by loss and ascending C.

    The columns are those of results/<set>/agreement.csv from `method` on. y and y_test are class
    indices; of the `ks` those with k >= m are left out. `eps` is the relative duality gap of ours;
    LIBLINEAR's tolerance is a tenth of it. `train` is `toplabel.solve` or one like it.
    """
    m = int(y.max()) + 1
    rows = []
    for loss in losses:
        ours = None
        for C in sorted(Cs):
            limits = {"eps": eps, "max_epochs": max_epochs, "seed": seed, "n_classes": m}
            ours = train(X, y, loss=loss, C=C, warm_start=ours, **limits)
            theirs = OneVsAll(loss).train(X, y, C=C, **limits)
            both = {
                who: {k: 100.0 * top_k_accuracy(y_test, scores, k=k) for k in ks if k < m}
                for who, scores in (("ours", X_test @ ours.W), ("liblinear", X_test @ theirs.model))
            }
            apart = (abs(both["ours"][k] - both["liblinear"][k]) for k in both["ours"])
            rows.append(
                {
                    "method": loss,
                    "C": float(C),
                    "ours": ours.primal,
                    "lower_bound": ours.dual,
                    "liblinear": theirs.primal,
                    "difference": (theirs.primal - ours.primal) / ours.primal,
                    "accuracy_difference": max(apart, default=0.0),
                }
                | {f"{who}_top{k}": value for who in both for k, value in both[who].items()}
                | {"finished": int(ours.status == "converged" and theirs.status != "max_epochs")}
            )
    return pd.DataFrame(rows)
