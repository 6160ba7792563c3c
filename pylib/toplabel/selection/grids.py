"""Protocols, budgets and the grids of hyper-parameters that they span.

A grid point is kept as its exponent, so that a coarse grid and its refinement meet in the very same
floating-point values.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from toplabel.documents import read_yaml
from toplabel.selection.schemas import validate

LINEAR = 0.0  # stands for the exponent of theta of a method that has no theta
_SLACK = 1e-9  # a step of 0.2 adds up to the end of a grid only almost


@dataclass(frozen=True)
class Axis:
    """The values base^e for e = start, start + step, ..., at most stop.

    `stop` bounds a refinement too, even when no step of the axis lands on it.
    """

    base: float
    start: float
    stop: float
    step: float

    def exponents(self) -> list[float]:
        """Ascending exponents."""
        count = math.floor((self.stop - self.start) / self.step + _SLACK) + 1
        return [tidy(self.start + i * self.step) for i in range(count)]

    def value(self, exponent: float) -> float:
        """The grid value of an exponent."""
        return float(self.base) ** exponent

    def values(self) -> list[float]:
        """Ascending grid values."""
        return [self.value(exponent) for exponent in self.exponents()]


@dataclass(frozen=True)
class Refinement:
    """A second grid of finer `step`, `span` steps to either side of a best point."""

    step: float
    span: int

    def around(self, exponent: float, axis: Axis) -> list[float]:
        """Ascending exponents around one, itself included; what is beyond an end becomes the end.

        So the end of an axis is tried also where a coarse grid stops short of it. Around a point
        that is itself beyond (after an extension) there are no others.
        """
        if not axis.start - _SLACK <= exponent <= axis.stop + _SLACK:
            return [exponent]
        steps = range(-self.span, self.span + 1)
        return sorted(
            {tidy(min(max(exponent + i * self.step, axis.start), axis.stop)) for i in steps}
        )


@dataclass(frozen=True)
class Budget:
    """How much work a protocol may do.

    Attributes
    ----------
    C, theta : Axis
        Grids of the regularisation C = 1/(lambda n) and of the width of an RBF kernel
        exp(-theta ||x - z||^2); no `theta` when the protocol has none.
    deltas : ndarray
        Cut-offs, ascending; empty when the metrics need none.
    folds : int or None
        Number of folds, where folds are used.
    refine : Refinement or None
    extend : int
        At most so many steps beyond either edge of C.
    splits : int or None
        Use the first so many splits of a set; None: all.
    theta_block : int or None
        Widths a job takes; None: all.
    use_folds : int or None
        Validate on the first so many of the folds; None: on all.
    screen_rows : int or None
        The coarse grid is trained on at most so many rows of a fold, and only says where the fine grid
        lies; None: on all rows.
    give_up : int or None
        Leave a path over C, and the widths beyond, after so many values in a row at which every metric
        is worse than before; None: never.
    gram_dtype : {"float64", "float32"}
        How Gram matrices are stored.
    """

    C: Axis
    theta: Axis | None
    deltas: np.ndarray
    folds: int | None = None
    refine: Refinement | None = None
    extend: int = 0
    splits: int | None = None
    theta_block: int | None = None
    use_folds: int | None = None
    screen_rows: int | None = None
    give_up: int | None = None
    gram_dtype: str = "float64"

    @property
    def fold_count(self) -> int | None:
        """Number of folds that are trained; None where there are no folds to count."""
        return self.folds if self.use_folds is None else self.use_folds

    def thetas(self, kernel: str) -> list[float]:
        """Exponents of theta for a kernel; `LINEAR` alone for one that has no theta.

        Raises
        ------
        ValueError
            For an RBF kernel when there is no grid of theta.
        """
        if kernel != "rbf":
            return [LINEAR]
        if self.theta is None:
            raise ValueError("the protocol has no grid of theta, which an RBF kernel needs")
        return self.theta.exponents()

    def blocks(self, kernel: str) -> int:
        """Number of jobs that share the widths of a kernel in one fold."""
        if kernel != "rbf" or self.theta_block is None:
            return 1
        return -(-len(self.thetas(kernel)) // self.theta_block)


@dataclass(frozen=True)
class Protocol:
    """A way to select hyper-parameters; see config/protocols.yaml and its schema."""

    name: str
    validation: str
    retrain_on: str
    metrics: tuple[str, ...]
    budgets: Mapping[str, Budget]
    splits_together: bool = False


def tidy(exponent: float) -> float:
    """Round away the noise of repeated addition."""
    return round(exponent, 9) + 0.0


def load_protocols(
    path: str | os.PathLike[str], schema: str | os.PathLike[str]
) -> dict[str, Protocol]:
    """Read and check all protocols.

    Raises
    ------
    ValueError
        One line with the file, the key and what is wrong: not YAML, not as the schema says, an
        unknown delta grid, an empty axis, no number of folds where folds are used.
    """
    document = read_yaml(path)
    validate(document, schema, str(path))
    deltas = delta_grids(document["deltas"], str(path))
    return {
        name: parse_protocol(name, entry, deltas, str(path))
        for name, entry in document["protocols"].items()
    }


def parse_protocol(
    name: str, entry: Mapping[str, Any], deltas: Mapping[str, np.ndarray], where: str
) -> Protocol:
    """Turn one valid entry of the file into a `Protocol`; `deltas` as `delta_grids` gives them."""
    budgets = {}
    for budget, values in entry["budgets"].items():
        key = f"{where}: protocols.{name}.budgets.{budget}"
        if entry["validation"] not in ("half", "fifth") and "folds" not in values:
            raise ValueError(f"{key}: folds is missing")
        if values.get("use_folds", 0) > values.get("folds", 0):
            raise ValueError(f"{key}: use_folds is above folds")
        if "screen_rows" in values and "refine" not in values:
            raise ValueError(f"{key}: screen_rows needs a fine grid (refine)")
        budgets[budget] = _parse_budget(values, deltas, key)
    return Protocol(
        name=name,
        validation=entry["validation"],
        retrain_on=entry["retrain_on"],
        metrics=tuple(entry["metrics"]),
        budgets=budgets,
        splits_together=entry.get("splits_together", False),
    )


def _parse_budget(values: Mapping[str, Any], deltas: Mapping[str, np.ndarray], key: str) -> Budget:
    if values["deltas"] not in deltas:
        known = ", ".join(deltas)
        raise ValueError(f"{key}.deltas: unknown grid {values['deltas']!r}; known: {known}")
    refine = values.get("refine")
    return Budget(
        C=_parse_axis(values["C"], f"{key}.C"),
        theta=_parse_axis(values["theta"], f"{key}.theta") if "theta" in values else None,
        deltas=deltas[values["deltas"]],
        folds=values.get("folds"),
        refine=Refinement(**refine) if refine else None,
        extend=values.get("extend", 0),
        splits=values.get("splits"),
        theta_block=values.get("theta_block"),
        use_folds=values.get("use_folds"),
        screen_rows=values.get("screen_rows"),
        give_up=values.get("give_up"),
        gram_dtype=values.get("gram_dtype", "float64"),
    )


def _parse_axis(entry: Mapping[str, float], key: str) -> Axis:
    if entry["from"] > entry["to"]:
        raise ValueError(f"{key}: from {entry['from']} is above to {entry['to']}")
    return Axis(entry["base"], entry["from"], entry["to"], entry["step"])


def delta_grids(entries: Mapping[str, Mapping[str, Any]], where: str) -> dict[str, np.ndarray]:
    """The ascending cut-offs of each entry of ``deltas`` (TPAMI section 6.3).

    ``signed_powers`` gives -base^e, 0 and base^e; with base 10 and e = -5.9, -5.7, ..., 0.9 these
    are the 71 values of the paper.

    Raises
    ------
    ValueError
        When a union names a grid that does not stand before it.
    """
    grids: dict[str, np.ndarray] = {}
    for name, entry in entries.items():
        for part in entry.get("of", ()):
            if part not in grids:
                raise ValueError(f"{where}: deltas.{name}.of: no grid '{part}' stands before it")
        grids[name] = _delta_grid(entry, grids)
    return grids


def _delta_grid(entry: Mapping[str, Any], others: Mapping[str, np.ndarray]) -> np.ndarray:
    if entry["kind"] == "none":
        return np.empty(0)
    if entry["kind"] == "union":
        return np.unique(np.concatenate([others[name] for name in entry["of"]]))
    if entry["kind"] == "linear":
        return np.linspace(entry["from"], entry["to"], entry["count"])
    axis = Axis(entry["base"], entry["from"], entry["to"], entry["step"])
    powers = np.array([axis.value(e) for e in axis.exponents()])
    return np.concatenate([-powers[::-1], [0.0], powers])


def metrics_for(protocol: Protocol, n_classes: int) -> list[str]:
    """The protocol's metrics that mean something for m classes: topk, p_at_k, r_at_k, ndcg_at_k with k < m."""

    def depth(metric: str) -> int:
        if metric.startswith("top"):
            return int(metric[3:])
        return int(metric.rpartition("_")[2]) if "_at_" in metric else 0

    return [metric for metric in protocol.metrics if depth(metric) < n_classes]
