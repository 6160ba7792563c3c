"""The registry of methods: ``config/methods.yaml``, checked and as dataclasses.

A workflow reads it each time it plans, so this module imports nothing heavy.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from toplabel.baselines.catalogue import BASELINES
from toplabel.catalogue import LOSSES
from toplabel.documents import read_yaml
from toplabel.selection.schemas import validate
from toplabel.studies.keys import Key, canonical_key

OTHERS = "one-vs-all, other methods"
"""The panel of the methods of others, in figures with a panel for each group."""


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
        The loss key of `toplabel.solve`; empty for a baseline.
    k : int
        The k of the top-k losses, and of baselines that have one; 1 for the others. Where k is selected, the
        smallest of `ks`.
    ks : tuple of int
        Values that k is selected from, per metric, as C is (TPAMI section 6.3); empty where k is given.
    gamma : float
        Smoothing of a hinge; 0 is the nonsmooth one, and the value of losses that are smooth.
    kernel : {"linear", "rbf", ""}
        Of a baseline: that of its key.
    labels : {"one", "set"}
        What a loss that takes either is trained on.
    features : {"raw", "bias", "standard"}
        The papers' raw features, or those with a constant column, or standardised and with one.
    baseline : str
        A key of `toplabel.baselines.BASELINES`; empty for our own solver.
    params : mapping
        Options of the baseline.
    grid : mapping
        By budget, an axis in place of the protocol's C.
    protocol : str
        In place of the data set's; empty for that one.
    """

    name: str
    label: str
    loss: str = ""
    k: int = 1
    gamma: float = 0.0
    kernel: str = "linear"
    labels: str = "one"
    features: str = "raw"
    baseline: str = ""
    params: Mapping[str, Any] = field(default_factory=dict)
    grid: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    protocol: str = ""
    ks: tuple[int, ...] = ()

    @property
    def kind(self) -> str:
        """What it is trained on: "multiclass" or "multilabel"."""
        if self.baseline:
            return BASELINES[self.baseline].task
        sets = LOSSES[self.loss].labels == "set" or self.labels == "set"
        return "multilabel" if sets else "multiclass"

    @property
    def family(self) -> str:
        """The first part of the key: the baseline or the loss, with "_sets" if that is trained on label sets, and with
        "_bias" or "_standard" if on features, otherwise than the papers do."""
        sets = "_sets" if self.labels == "set" else ""
        features = "" if self.features == "raw" else f"_{self.features}"
        return self.baseline or f"{self.loss}{sets}{features}"

    @property
    def has_k(self) -> bool:
        """Whether k means anything."""
        return BASELINES[self.baseline].top_k if self.baseline else LOSSES[self.loss].top_k

    @property
    def has_gamma(self) -> bool:
        """Whether gamma means anything."""
        return not self.baseline and LOSSES[self.loss].smoothing

    @property
    def selects_C(self) -> bool:
        """Whether what is selected on validation data is the C of the papers."""
        return not self.baseline or BASELINES[self.baseline].parameter == "C"

    @property
    def tunes_width(self) -> bool:
        """Whether the width of an RBF kernel is selected on validation data."""
        return self.kernel == "rbf" and not self.baseline

    @property
    def group(self) -> str:
        """What figures with many methods show in one panel: a loss with its values of k, and what it extends."""
        return OTHERS if self.baseline else LOSSES[self.loss].panel_of(self.gamma)

    @property
    def key(self) -> Key:
        """What the method is compared by."""
        k = self.k if self.has_k and not self.ks else ""
        gamma = self.gamma if self.has_gamma else ""
        return canonical_key(self.family, k, gamma, self.kernel)


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
        One line with the file, the method and what is wrong: not YAML, not as the schema says, neither a
        loss nor a baseline or both, something that the loss or the baseline has not, two names for one
        method.
    """
    path = Path(path)
    if schema is None:
        schema = path.resolve().parents[1] / "workflow" / "schemas" / "methods.schema.yaml"
    document = read_yaml(path)
    validate(document, schema, str(path))
    methods = {name: _method(name, row) for name, row in document["methods"].items()}
    names: dict[Key, str] = {}
    for method in methods.values():
        _check(method, f"{path}: methods.{method.name}")  # before the key, which relies on it
        other = names.setdefault(method.key, method.name)
        if other != method.name:
            raise ValueError(f"{path}: methods.{method.name}: the same method as '{other}'")
    return methods


def _method(name: str, row: Mapping[str, Any]) -> Method:
    baseline = BASELINES.get(row.get("baseline", ""))
    own = {"kernel": baseline.kernel} if baseline else {}
    if isinstance(row.get("k"), list):
        own["ks"] = tuple(row["k"])
        row = {**row, "k": min(row["k"])}
    return Method(name=name, **{**own, **row, "gamma": float(row.get("gamma", 0.0))})


def _check(method: Method, where: str) -> None:
    if bool(method.loss) == bool(method.baseline):
        raise ValueError(f"{where}: needs either a loss or a baseline")
    if method.baseline:
        _check_baseline(method, where)
    elif method.params:
        raise ValueError(f"{where}.params: only a baseline has options")
    what = f"the loss '{method.loss}'" if method.loss else f"the baseline '{method.baseline}'"
    if method.k != 1 and not method.has_k:
        raise ValueError(f"{where}.k: {what} has no k, got {method.k}")
    if method.ks and (method.baseline or not method.has_k or method.kernel != "linear"):
        raise ValueError(f"{where}.k: only a top-k loss with the linear kernel has a k to select")
    if method.gamma != 0 and not method.has_gamma:
        raise ValueError(f"{where}.gamma: {what} has no gamma, got {method.gamma:g}")
    if method.features != "raw" and (method.baseline or method.kernel != "linear"):
        raise ValueError(f"{where}.features: only for a loss with the linear kernel")
    if method.labels == "set" and (method.baseline or LOSSES[method.loss].labels != "either"):
        raise ValueError(f"{where}.labels: {what} has no choice of labels")


def _check_baseline(method: Method, where: str) -> None:
    if method.baseline not in BASELINES:
        known = ", ".join(BASELINES)
        raise ValueError(f"{where}.baseline: unknown baseline '{method.baseline}'; known: {known}")
    options = BASELINES[method.baseline].options
    if unknown := sorted(set(method.params) - options):
        known = ", ".join(sorted(options)) or "none"
        raise ValueError(f"{where}.params: unknown option '{unknown[0]}'; known: {known}")
    own = BASELINES[method.baseline].kernel
    if method.kernel != own:
        raise ValueError(
            f"{where}.kernel: the baseline '{method.baseline}' has no kernel but '{own}'"
        )
