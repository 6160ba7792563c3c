"""Selection of hyper-parameters: ``config/protocols.yaml``.

A grid point is kept as its exponent, so that a coarse grid and its refinement meet in the very same
floating-point values.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, get_args

import numpy as np
from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt

from toplabel.reproduction.config.documents import (
    ConfigModel,
    Fault,
    Gap,
    Name,
    Named,
    RowName,
    Some,
    check,
    model,
    read_yaml,
)
from toplabel.reproduction.files import PathLike

_SLACK = 1e-9  # steps of 0.2 reach the end of a grid only up to rounding

BudgetName = Literal["quick", "standard", "paper"]
Base = Annotated[float, Field(gt=1)]
Threshold = Literal["tune", "cardinality"] | float
From = Annotated[float, Field(alias="from")]
To = Annotated[float, Field(alias="to")]


def tidy(exponent: float) -> float:
    """Remove the rounding error of repeated addition."""
    return round(exponent, 9) + 0.0


@model
class Axis(ConfigModel):
    """A grid of the values base^e for e = from, from + step, ..., at most to."""

    base: Base
    """The base of the powers."""
    start: From
    """The smallest exponent, also of a refinement."""
    stop: To
    """A bound of the exponents, also of a refinement."""
    step: PositiveFloat
    """The distance of two exponents."""

    def __post_init__(self) -> None:
        if self.start > self.stop:
            raise ValueError(f"from {self.start:g} is above to {self.stop:g}")

    @classmethod
    def through(cls, values: Sequence[float]) -> Axis:
        """Return the axis of some values, which are to be equally spaced on a logarithmic scale."""
        numbers = {value for value in values if isinstance(value, int | float) and value > 0}
        exponents = np.log10(sorted(numbers))
        steps = np.diff(exponents)
        if len(numbers) < len(values) or (len(steps) and not np.allclose(steps, steps[0])):
            raise ValueError(
                f"the values {[*values]} of C should be above 0, different, and equally spaced on a logarithmic"
                " scale, as [0.1, 1, 10]"
            )
        step = tidy(float(steps[0])) if len(steps) else 1.0
        return cls(10.0, tidy(float(exponents[0])), tidy(float(exponents[-1])), step)

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

    def only(self, exponent: float) -> Axis:
        """Return the axis of one exponent alone."""
        return Axis(self.base, exponent, exponent, 1.0)

    def values(self) -> list[float]:
        """Return ascending grid values."""
        return [self.value(exponent) for exponent in self.exponents()]

    def around(self, exponent: float, step: float) -> list[float]:
        """Return an exponent between its neighbours of a finer grid, ascending.

        An exponent beyond an end of the axis becomes the end, so that the end is tried even if the
        coarse grid does not reach it. A point that an extension found beyond the axis stands alone.
        """
        if not self.start - _SLACK <= exponent <= self.stop + _SLACK:
            return [exponent]
        finer = (exponent - step, exponent, exponent + step)
        return sorted({tidy(min(max(tried, self.start), self.stop)) for tried in finer})


@model
class SignedPowers(Axis):
    """The thresholds -base^e, 0 and base^e for e = from, from + step, ..., at most to."""

    def values(self) -> list[float]:
        """Return ascending thresholds."""
        powers = super().values()
        return [*(-power for power in reversed(powers)), 0.0, *powers]


@model
class ThresholdRange(ConfigModel):
    """Equally spaced thresholds, both ends included."""

    start: From
    """The smallest threshold."""
    stop: To
    """The largest threshold."""
    count: Annotated[int, Field(ge=2)]
    """The number of thresholds."""

    def values(self) -> np.ndarray:
        """Return ascending thresholds."""
        return np.linspace(self.start, self.stop, self.count)


@model
class Grid(ConfigModel):
    """Hyper-parameters that tuning tries, and its folds and rows."""

    C: Axis | None = None
    """The grid of the regularisation C = 1/(lambda n)."""
    theta: Axis | None = None
    """The widths of the RBF kernel exp(-theta ||x - z||^2), for methods with that kernel."""
    thresholds: tuple[SignedPowers | ThresholdRange, ...] = ()
    """Grids of the thresholds of the metrics that compare sets of labels, whose values are taken
    together."""
    folds: Annotated[int, Field(ge=2)] | None = None
    """The number of folds; needed unless validation is half or fifth."""
    refine: PositiveFloat | None = None
    """The step of a finer grid, of which each metric's best point and its neighbours are tried."""
    extend: NonNegativeInt = 0
    """Steps that the grid of C may grow beyond either edge, while a best value lies there."""
    validation_rows: PositiveInt | None = None
    """Validation rows that are enough: only the first folds that together hold as many are
    trained; all folds if not given. An image of several rows counts once."""
    screen_rows: Annotated[int, Field(ge=10)] | None = None
    """On how many rows of a fold the coarse grid is trained at most; it then only says where the
    fine grid lies, and the choice is among the points of that. For cross-validation (folds)."""
    kernel_rows: Annotated[int, Field(ge=10)] | None = None
    """On how many rows of a fold a method with a kernel is tuned at most, whose time grows with the square
    or the cube of the rows; C and width are carried over to the training on all rows."""
    patience: PositiveInt | None = None
    """After how many values of C in a row, at which every metric is worse than its best before, a
    path over C ends, and the widths beyond are skipped; never if not given."""

    def threshold_values(self) -> np.ndarray:
        """Return ascending thresholds; none without a grid."""
        return np.unique(
            np.concatenate([np.empty(0), *(axis.values() for axis in self.thresholds)])
        )


@model
class Budget(Grid):
    """Amount of work of a protocol."""

    C: Axis = Field()
    """The grid of the regularisation C = 1/(lambda n)."""
    splits: PositiveInt | None = None
    """Number of splits that are used, the first ones; all if not given."""
    tol_tune: Gap | None = None
    """The relative duality gap at which training stops in tuning, in place of that of the run."""
    tol_train: Gap | None = None
    """The relative duality gap at which the final training stops, in place of that of the run."""
    gram_dtype: Literal["float32", "float64"] = "float64"
    """Type of stored Gram matrices. Dual variables and gaps are float64 always."""


@model
class Protocol(ConfigModel):
    """A way to select hyper-parameters."""

    name: RowName
    validation: Literal["holdout", "folds", "half", "fifth"]
    """holdout: the set's own validation part, else folds, stratified where rows have one label. folds:
    cross-validation. half: one half to train, the other to validate. fifth: four fifths to train,
    one, drawn once, to validate."""
    metrics: Annotated[tuple[Name, ...], Some]
    """Metrics, measured and selected for one by one (docs/protocols.md)."""
    budgets: Mapping[BudgetName, Budget]
    """The grids of each budget; the run names one of them."""
    splits_together: bool = False
    """True if one job tunes all splits of a set; for splits that take milliseconds each."""


@model
class ProtocolsFile(ConfigModel):
    """Selection of hyper-parameters (config/protocols.yaml)."""

    protocols: Annotated[Mapping[Name, Protocol], Some, Named]
    """The protocols by name."""

    def __post_init__(self) -> None:
        for name, protocol in self.protocols.items():
            for budget in get_args(BudgetName):
                grids = protocol.budgets.get(budget)
                if not grids or (protocol.validation in ("holdout", "folds") and not grids.folds):
                    raise Fault(
                        f"protocols.{name}.budgets.{budget}", "it, or its folds, is missing"
                    )


def load_protocols(path: PathLike) -> dict[str, Protocol]:
    """Read and check all protocols; a ValueError names the file, the key and what is wrong."""
    return check(read_yaml(path), ProtocolsFile, str(path)).protocols
