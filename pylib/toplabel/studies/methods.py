"""The registry of methods: ``config/methods.yaml``, checked and as dataclasses.

A workflow reads it each time it plans, so this module imports nothing heavy.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toplabel.selection.schemas import read_yaml, validate
from toplabel.studies.keys import HINGES, TOPK, Key, canonical_key

MULTILABEL = frozenset(("svm_ml", "lr_ml"))
"""Losses that are trained on label sets; all others take one label an example."""


@dataclass(frozen=True)
class Method:
    """A row of the registry: what is trained, under which name.

    Attributes
    ----------
    name : str
        Of targets, folders and studies.
    label : str
        For tables and figures; ``^{..}`` and ``_{..}`` are superscripts and subscripts.
    loss : str
        The loss key of `toplabel.solve`.
    k : int
        The k of the top-k losses; 1 for the others.
    gamma : float
        Smoothing of a hinge; 0 is the nonsmooth one, and the value of losses that are smooth.
    kernel : {"linear", "rbf"}
    """

    name: str
    label: str
    loss: str
    k: int = 1
    gamma: float = 0.0
    kernel: str = "linear"

    @property
    def kind(self) -> str:
        """What the loss is trained on: "multiclass" or "multilabel"."""
        return "multilabel" if self.loss in MULTILABEL else "multiclass"

    @property
    def key(self) -> Key:
        """What the method is compared by."""
        return canonical_key(self.loss, self.k, self.gamma, self.kernel)


def load_methods(
    path: str | os.PathLike[str], schema: str | os.PathLike[str] | None = None
) -> dict[str, Method]:
    """Read and check the registry of methods.

    Parameters
    ----------
    path : path-like
        ``config/methods.yaml``.
    schema : path-like, optional
        By default ``workflow/schemas/methods.schema.yaml`` of the checkout that `path` is in.

    Returns
    -------
    dict of str to Method
        In the order of the file.

    Raises
    ------
    ValueError
        One line with the file, the method and what is wrong: not YAML, not as the schema says, a k or
        a gamma for a loss that has none, two names for one method.
    """
    path = Path(path)
    if schema is None:
        schema = path.resolve().parents[1] / "workflow" / "schemas" / "methods.schema.yaml"
    document = read_yaml(path)
    validate(document, schema, str(path))
    methods = {name: _method(name, row) for name, row in document["methods"].items()}
    names: dict[Key, str] = {}
    for method in methods.values():
        _check(method, f"{path}: methods.{method.name}")
        other = names.setdefault(method.key, method.name)
        if other != method.name:
            raise ValueError(f"{path}: methods.{method.name}: the same method as '{other}'")
    return methods


def _method(name: str, row: Mapping[str, Any]) -> Method:
    return Method(name=name, **{**row, "gamma": float(row.get("gamma", 0.0))})


def _check(method: Method, where: str) -> None:
    if method.k != 1 and method.loss not in TOPK:
        raise ValueError(f"{where}.k: the loss '{method.loss}' has no k, got {method.k}")
    if method.gamma != 0 and method.loss not in HINGES:
        raise ValueError(
            f"{where}.gamma: the loss '{method.loss}' has no gamma, got {method.gamma:g}"
        )
