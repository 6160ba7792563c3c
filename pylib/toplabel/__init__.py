"""SDCA solvers and proximal maps for multiclass, top-k and multilabel classification.

>>> import toplabel
>>> solution = toplabel.solve(X, y, loss="lr_multi", C=1.0)  # doctest: +SKIP
>>> solution.relative_gap  # doctest: +SKIP
"""

from toplabel import losses, metrics, prox, thresholds
from toplabel.errors import ToplabelError
from toplabel.solver import Record, Solution, path, solve

__version__ = "0.1.0"

__all__ = [
    "Record",
    "Solution",
    "ToplabelError",
    "losses",
    "metrics",
    "path",
    "prox",
    "solve",
    "thresholds",
]
