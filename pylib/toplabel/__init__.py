"""SDCA solvers and proximal maps for multiclass, top-k and multilabel classification.

>>> import toplabel
>>> solution = toplabel.solve(X, y, loss="lr_multi", C=1.0)  # doctest: +SKIP
>>> solution.relative_gap  # doctest: +SKIP
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toplabel import estimators, losses, metrics, more_losses, prox, simplex, thresholds
    from toplabel.certificate import Certificate, certify
    from toplabel.errors import ToplabelError
    from toplabel.estimators import (
        CalibratedSets,
        MultilabelClassifier,
        SimplexClassifier,
        TopKClassifier,
        load_model,
    )
    from toplabel.simplex import simplex_coding
    from toplabel.solver import Record, Solution, path, solve

    __version__: str

__all__ = [
    "CalibratedSets",
    "Certificate",
    "MultilabelClassifier",
    "Record",
    "SimplexClassifier",
    "Solution",
    "TopKClassifier",
    "ToplabelError",
    "certify",
    "estimators",
    "load_model",
    "losses",
    "metrics",
    "more_losses",
    "path",
    "prox",
    "simplex",
    "simplex_coding",
    "solve",
    "thresholds",
]

#: The modules that the names are from.
_HOMES = {
    "CalibratedSets": "estimators",
    "Certificate": "certificate",
    "MultilabelClassifier": "estimators",
    "Record": "solver",
    "SimplexClassifier": "estimators",
    "Solution": "solver",
    "TopKClassifier": "estimators",
    "ToplabelError": "errors",
    "certify": "certificate",
    "load_model": "estimators",
    "path": "solver",
    "simplex_coding": "simplex",
    "solve": "solver",
}


def __getattr__(name: str) -> Any:
    # On demand: scikit-learn takes a second to import, SciPy half of one; the plan of a run needs
    # neither.
    if name == "__version__":
        return import_module("toplabel._core.lib").version
    if name in _HOMES:
        value = getattr(import_module(f"toplabel.{_HOMES[name]}"), name)
    elif name in __all__:
        value = import_module(f"toplabel.{name}")
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
