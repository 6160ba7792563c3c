"""float32 beside float64, with a certificate that float32 has no part in: the group ``precision``."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from toplabel.bench import fitting, shapes
from toplabel.bench.effort import Effort
from toplabel.bench.timing import best_of_rounds, now

COLUMNS = [
    "shape",
    "loss",
    "gamma",
    "dtype",
    "seconds",
    "epochs",
    "status",
    "milliseconds_per_epoch",
    "gap",
    "certified_gap",
    "ratio",
]
EPS = 1e-4
CASES = (("svm_multi", 0.0), ("svm_multi", 1.0), ("lr_multi", 0.0))


def certified_gap(shape: shapes.Shape, loss: str, gamma: float, W, A) -> float:
    """(P(W) - D(A)) / P(W), both computed in NumPy and float64 from the arrays alone.

    Parameters
    ----------
    shape : Shape
        With float64 features.
    loss : str
    gamma : float
    W : ndarray, (d, m)
    A : ndarray, (n, m)
    """
    P = fitting.primal(shape, loss, W, gamma=gamma)
    D = fitting.dual(shape, loss, np.asarray(A, dtype=np.float64), gamma=gamma)
    return (P - D) / P


def compare_precisions(effort: Effort) -> pd.DataFrame:
    """Time both types of features to a relative gap of 1e-4 on b and c.

    The numbers are the same: float64 features are float32 ones, converted. Both types take turns.

    Returns
    -------
    DataFrame
        `COLUMNS`; `gap` is the solver's own, `ratio` the time of float64 over that of the row.
    """
    rows = []
    for name in ("b", "c"):
        shape = shapes.synthetic(name, effort.quick)
        single = np.ascontiguousarray(shape.X, dtype=np.float32)
        versions = {
            "float64": replace(shape, X=single.astype(np.float64)),
            "float32": replace(shape, X=single),
        }
        for loss, gamma in CASES:
            solutions = {}

            def fit(dtype, loss=loss, gamma=gamma, solutions=solutions, versions=versions):
                start = now()
                solutions[dtype] = fitting.train(
                    versions[dtype], loss, gamma=gamma, eps=EPS, max_epochs=100_000
                )
                return now() - start

            best = best_of_rounds(
                {dtype: lambda dtype=dtype, fit=fit: fit(dtype) for dtype in versions},
                effort.repeats,
            )
            for dtype, solution in solutions.items():
                rows.append(
                    (
                        name,
                        loss,
                        gamma,
                        dtype,
                        best[dtype],
                        solution.epochs,
                        solution.status,
                        1e3 * best[dtype] / max(solution.epochs, 1),
                        solution.relative_gap,
                        certified_gap(versions["float64"], loss, gamma, solution.W, solution.A),
                        best["float64"] / best[dtype],
                    )
                )
    return pd.DataFrame(rows, columns=COLUMNS)
