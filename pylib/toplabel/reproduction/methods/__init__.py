"""What can be trained: losses of the library or of the user, estimators of scikit-learn, competitors of the papers.

`create` makes the `trained.Trainer` of a row of config/methods.yaml. It imports the module of a
competitor by name, so that a change of one competitor trains no other method again.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from toplabel.reproduction.config.competitors import COMPETITORS

if TYPE_CHECKING:
    from toplabel.reproduction.config.method import Method
    from toplabel.reproduction.methods.trained import Trainer


def create(method: Method) -> Trainer:
    """Return what trains a method; a ValueError says which option or import path is wrong."""
    if method.competitor:
        return _competitor(method)
    if method.estimator:
        from toplabel.reproduction.methods.estimator import Estimator

        return Estimator(_imported(method), method.candidates)
    from toplabel.reproduction.methods.library_loss import LibraryLoss

    loss = _imported(method) if method.path else method.loss
    return LibraryLoss(loss, method.smallest_k, method.gamma, method.kernel, method.passes)


def _imported(method: Method) -> Any:
    """Return the estimator, or the loss of the user, of a row."""
    from toplabel.reproduction.methods.estimator import made

    try:
        return made(method.path, method.params)
    except ValueError as error:
        key = "estimator" if method.estimator else "loss"
        raise ValueError(f"methods.{method.name}.{key}: {error}") from None


def _competitor(method: Method) -> Trainer:
    known = COMPETITORS[method.competitor]
    arguments = {**known.fixed, **method.params}
    if known.top_k:
        arguments["k"] = method.k
    trainer = getattr(importlib.import_module(known.module), known.code.partition(".")[2])
    try:
        return trainer(**arguments)
    except TypeError as error:  # an option that it has not, or that is no number
        raise ValueError(f"method '{method.name}': {error}") from None
