"""How hyper-parameters are selected: ``config/protocols.yaml``.

A grid point is kept as its exponent, so that a coarse grid and its refinement meet in the very same
floating-point values.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from typing import Annotated, Literal

import numpy as np
from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo

from toplabel.reproduction.config.documents import Fault, check, read_yaml, unknown
from toplabel.reproduction.config.model import (
    Closed,
    Count,
    Flag,
    Gap,
    Name,
    Named,
    Number,
    Positive,
    RowName,
    Some,
    Unique,
    Whole,
    model,
)

LINEAR = 0.0  # stands for the exponent of theta of a method that has no theta
_SLACK = 1e-9  # steps of 0.2 reach the end of a grid only up to rounding
_METRIC = (
    r"^(top[1-9][0-9]*|balanced_accuracy|([pr]|ndcg)_at_[1-9][0-9]*|map|label_ap|(rank|coverage|one_error)_loss|hamming_loss"
    r"|accuracy|subset_accuracy|f1_(micro|macro|instance))$"
)

BudgetName = Literal["quick", "standard", "paper"]
Base = Annotated[Number, Field(gt=1)]
From = Annotated[Number, Field(alias="from")]
To = Annotated[Number, Field(alias="to")]


def tidy(exponent: float) -> float:
    """Remove the rounding error of repeated addition."""
    return round(exponent, 9) + 0.0


@model
class Axis(Closed):
    """The values base^e for e = from, from + step, ..., at most to, which bounds a refinement
    too.
    """

    base: Base
    start: From
    stop: To
    step: Positive

    def __post_init__(self) -> None:
        if self.start > self.stop:
            raise ValueError(f"from {self.start:g} is above to {self.stop:g}")

    def exponents(self) -> list[float]:
        """Return ascending exponents."""
        count = math.floor((self.stop - self.start) / self.step + _SLACK) + 1
        return [tidy(self.start + i * self.step) for i in range(count)]

    def value(self, exponent: float) -> float:
        """Return the grid value of an exponent."""
        return self.base**exponent

    def over(self, divisor: float) -> Axis:
        """Return the axis with all values divided by a number above 0."""
        shift = math.log(divisor, self.base)
        return Axis(self.base, tidy(self.start - shift), tidy(self.stop - shift), self.step)

    def values(self) -> list[float]:
        """Return ascending grid values."""
        return [self.value(exponent) for exponent in self.exponents()]


@model
class Refinement(Closed):
    """A second grid around a best point."""

    step: Annotated[Positive, Field(description="Its step, finer than the first.")]
    span: Annotated[Count, Field(description="Steps to either side of the point.")]

    def around(self, exponent: float, axis: Axis) -> list[float]:
        """Return ascending exponents around one, itself included; what is beyond an end becomes the
        end.

        The end of an axis is thus tried even if the coarse grid does not reach it. Around a point
        that is itself beyond (after an extension) there are no others.
        """
        if not axis.start - _SLACK <= exponent <= axis.stop + _SLACK:
            return [exponent]
        steps = range(-self.span, self.span + 1)
        return sorted(
            {tidy(min(max(exponent + i * self.step, axis.start), axis.stop)) for i in steps}
        )


@model
class NoThresholds(Closed):
    """No threshold; for multiclass protocols."""

    kind: Literal["none"]
    name: RowName

    def values(self) -> np.ndarray:
        """Return ascending thresholds, as those of the other grids."""
        return np.empty(0)


@model
class SignedPowers(Closed):
    """-base^e, 0 and base^e for e = from, from + step, ..., at most to (TPAMI section 6.3)."""

    kind: Literal["signed_powers"]
    name: RowName
    base: Base
    start: From
    stop: To
    step: Positive

    def values(self) -> np.ndarray:
        """With base 10 and e = -5.9, -5.7, ..., 0.9 the 71 values of the paper."""
        powers = np.array(Axis(self.base, self.start, self.stop, self.step).values())
        return np.concatenate([-powers[::-1], [0.0], powers])


@model
class EquallySpaced(Closed):
    """Equally spaced values, both ends included."""

    kind: Literal["linear"]
    name: RowName
    start: From
    stop: To
    count: Annotated[Whole, Field(ge=2)]

    def values(self) -> np.ndarray:
        """Return ascending thresholds."""
        return np.linspace(self.start, self.stop, self.count)


def _looked_up(value: object, info: ValidationInfo) -> object:
    """Return the grid of that name, of those that stand before in the file."""
    if not isinstance(value, str):
        return value
    known = info.context or {}
    if value not in known:
        raise ValueError(unknown("grid", value, known))
    return known[value]


def _entered(grid: ThresholdGrid, info: ValidationInfo) -> ThresholdGrid:
    if info.context is not None:
        info.context[grid.name] = grid
    return grid


_ByName = BeforeValidator(_looked_up, json_schema_input_type=str)


@model
class Union(Closed):
    """All values of other grids, which stand before it."""

    kind: Literal["union"]
    name: RowName
    of: Annotated[tuple[Annotated[ThresholdGrid, _ByName], ...], Field(min_length=2), Unique]

    def values(self) -> np.ndarray:
        """Return ascending thresholds."""
        return np.unique(np.concatenate([grid.values() for grid in self.of]))


ThresholdGrid = Annotated[
    NoThresholds | SignedPowers | EquallySpaced | Union, Field(discriminator="kind")
]


@model
class Budget(Closed):
    """How much work a protocol may do."""

    C: Axis
    """Grid of the regularisation C = 1/(lambda n)."""
    theta: Axis | None = None
    """Widths of the RBF kernel exp(-theta ||x - z||^2); needed by methods with that kernel only."""
    thresholds: Annotated[ThresholdGrid, _ByName] = NoThresholds("none", "none")
    """Name of a grid of thresholds; without it, there are none."""
    folds: Annotated[Whole, Field(ge=2)] | None = None
    """Number of folds; needed unless validation is half or fifth."""
    refine: Refinement | None = None
    """A second grid of finer `step`, `span` steps to either side of each metric's best point."""
    extend: Annotated[Whole, Field(ge=0)] = 0
    """At most so many steps beyond either edge of C, while a best value lies there."""
    splits: Count | None = None
    """Use the first so many splits of the set only; all, if not given."""
    theta_block: Count | None = None
    """Widths that one job of cross-validation takes; all, if not given."""
    validation_rows: Count | None = None
    """Train and validate on the first folds only, as many as together hold so many validation rows;
    on all folds, if not given or if they hold fewer. An image of several rows counts once."""
    screen_rows: Annotated[Whole, Field(ge=10)] | None = None
    """Train the coarse grid on at most so many rows of a fold; it then only says where the fine
    grid lies, and the choice is among the points of that. For cross-validation (folds)."""
    patience: Count | None = None
    """Early stopping: end a path over C, and skip the widths beyond, after so many values in a row
    at which every metric is worse than its best before; never, if not given."""
    eps_tune: Gap | None = None
    """Relative duality gap at which training stops while hyper-parameters are tuned, in place of
    that of the run."""
    eps_train: Gap | None = None
    """Relative duality gap at which the final training stops, in place of that of the run."""
    gram_dtype: Literal["float32", "float64"] = "float64"
    """How Gram matrices are stored. Dual variables and gaps are float64 always."""

    def __post_init__(self) -> None:
        if self.validation_rows is not None and self.folds is None:
            raise Fault("validation_rows", "needs a number of folds (folds)")
        if self.screen_rows is not None and self.refine is None:
            raise Fault("screen_rows", "needs a fine grid (refine)")

    def fold_count(self, rows: int) -> int | None:
        """Return how many folds are trained, of so many rows; None without folds to count."""
        if self.folds is None or self.validation_rows is None or not rows:
            return self.folds
        return min(self.folds, -(-self.validation_rows * self.folds // rows))

    def thetas(self, tunes_width: bool) -> list[float]:
        """Return exponents of theta; `LINEAR` alone for a method that does not tune the width.

        A grid that is needed and not there is a ValueError.
        """
        if not tunes_width:
            return [LINEAR]
        if self.theta is None:
            raise ValueError("the protocol has no grid of theta, which an RBF kernel needs")
        return self.theta.exponents()

    def blocks(self, tunes_width: bool) -> int:
        """Return the number of jobs that share the widths of a kernel in one fold."""
        if not tunes_width or self.theta_block is None:
            return 1
        return -(-len(self.thetas(tunes_width)) // self.theta_block)


@model
class Protocol(Closed):
    """A way to select hyper-parameters."""

    name: RowName
    validation: Literal["holdout", "folds", "half", "fifth"]
    """holdout: the set's own validation part, else stratified folds. folds: cross-validation. half:
    one half to train, the other to validate. fifth: four fifths to train, one, drawn once, to
    validate."""
    retrain_on: Literal["train", "train_val"]
    """What the final model is trained on, if the set has a validation part of its own."""
    metrics: Annotated[tuple[Annotated[str, Field(pattern=_METRIC)], ...], Some, Unique]
    """What is measured, and selected for one by one (docs/metrics.md)."""
    budgets: Mapping[BudgetName, Budget]
    """The grids of each budget; the run names one of them."""
    splits_together: Flag = False
    """Whether one job tunes all splits of a set; for splits that take milliseconds each."""

    def __post_init__(self) -> None:
        for name, budget in self.budgets.items():
            if self.validation in ("holdout", "folds") and budget.folds is None:
                raise Fault(f"budgets.{name}", "the key 'folds' is missing")


@model
class ProtocolsFile(Closed):
    """How hyper-parameters are selected (config/protocols.yaml)."""

    thresholds: Annotated[Mapping[Name, Annotated[ThresholdGrid, AfterValidator(_entered)]], Named]
    """Grids of thresholds by name."""
    protocols: Annotated[Mapping[Name, Protocol], Named]
    """The protocols by name."""

    def __post_init__(self) -> None:
        for protocol in self.protocols.values():
            for name in BudgetName.__args__:
                if name not in protocol.budgets:
                    raise Fault(
                        f"protocols.{protocol.name}.budgets", f"the key '{name}' is missing"
                    )


def load_protocols(path: str | os.PathLike[str]) -> dict[str, Protocol]:
    """Read and check all protocols; a ValueError names the file, the key and what is wrong."""
    return check(read_yaml(path), ProtocolsFile, str(path), context={}).protocols


def metrics_for(protocol: Protocol, n_classes: int) -> list[str]:
    """Return the protocol's metrics that mean something for m classes: those of k < m."""

    def depth(metric: str) -> int:
        if metric.startswith("top"):
            return int(metric[3:])
        return int(metric.rpartition("_")[2]) if "_at_" in metric else 0

    return [metric for metric in protocol.metrics if depth(metric) < n_classes]
