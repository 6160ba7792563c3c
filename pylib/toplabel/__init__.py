"""SDCA solvers and proximal maps for multiclass, top-k and multilabel classification.

>>> import toplabel
>>> solution = toplabel.solve(X, y, loss="lr_multi", C=1.0)  # doctest: +SKIP
>>> solution.relative_gap  # doctest: +SKIP
"""

from importlib import import_module

from toplabel import _lib, losses, metrics, prox, simplex, thresholds
from toplabel.certify import Certificate, certify
from toplabel.errors import ToplabelError
from toplabel.simplex import simplex_coding
from toplabel.solver import Record, Solution, path, solve

__version__ = _lib.version

__all__ = [
    "Certificate",
    "MultilabelClassifier",
    "Record",
    "SimplexClassifier",
    "Solution",
    "TopKClassifier",
    "ToplabelError",
    "certify",
    "estimators",
    "losses",
    "metrics",
    "path",
    "prox",
    "simplex",
    "simplex_coding",
    "solve",
    "thresholds",
]


def __getattr__(name: str):
    # The estimators need scikit-learn, which takes a second to import; the solvers do not.
    if name in ("MultilabelClassifier", "SimplexClassifier", "TopKClassifier"):
        return getattr(import_module("toplabel.estimators"), name)
    if name == "estimators":
        return import_module("toplabel.estimators")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
