"""What is trained, under which name: ``config/methods.yaml``."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import Field

from toplabel._core.catalogue import LOSSES, OTHERS
from toplabel.reproduction.config.baselines import BASELINES
from toplabel.reproduction.config.documents import Fault, check_rows, read_yaml, unknown
from toplabel.reproduction.config.keys import Key, canonical_key
from toplabel.reproduction.config.model import (
    GIVEN,
    Closed,
    Count,
    Flag,
    Named,
    Number,
    RowName,
    Some,
    Text,
    Unique,
    Whole,
    model,
)
from toplabel.reproduction.config.protocols import Axis, Budget, BudgetName

PAPER_EPOCHS = 3
"""Of the fine-tuning of TPAMI Table 6, on ImageNet."""


@model
class Method(Closed):
    """A loss for our own solver or for a network, or a baseline: from the row of the file to the
    fit.
    """

    name: RowName
    label: Text
    """For tables and figures; ^{..} and _{..} are superscripts and subscripts."""
    loss: str = Field("", json_schema_extra={"enum": [*LOSSES]})
    """A loss of toplabel.solve, which is then the solver."""
    k: Count | Annotated[tuple[Count, ...], Field(min_length=2), Unique] = 1
    """The k of a top-k loss, or of a baseline that has one; a list of values to select from, per
    metric as C is (TPAMI section 6.3), for a top-k loss with the linear kernel."""
    gamma: Annotated[Number, Field(ge=0)] = 0.0
    """Smoothing of a hinge loss; 0 is the nonsmooth one."""
    kernel: Literal["linear", "rbf", ""] = ""
    """linear, or rbf for exp(-theta ||x - z||^2) with theta selected; by default linear, of a
    baseline that of its key."""
    labels: Literal["one", "set"] = "one"
    """What a loss that takes either is trained on: one label per example, or a set of labels, which
    for a one-vs-all loss is binary relevance."""
    features: Literal["raw", "bias", "standard"] = "raw"
    """raw: as published, without a bias, as in the papers; bias: with a column of ones; standard:
    with mean 0 and variance 1 (sparse features: mean square 1) and a column of ones."""
    baseline: str = Field("", json_schema_extra={"enum": [*BASELINES]})
    """A method of others (docs/protocol.md), in place of a loss."""
    params: Mapping[str, Flag | Whole | Number | str] = Field(
        default_factory=dict, json_schema_extra=GIVEN
    )
    """Options of the baseline."""
    grid: Mapping[BudgetName, Axis] = Field(default_factory=dict, json_schema_extra=GIVEN)
    """The method's own grid in place of the protocol's C, by budget; of a baseline that selects
    something else, as docs/protocol.md says, the grid of that."""
    protocol: str = ""
    """A name of config/protocols.yaml, in place of the one of the data set."""
    variant_of: str = ""
    """The method that this is another training of: as the authors' procedure is likely to have
    trained, or at a point of the grid that was not selected. Its numbers explain those of that
    method where they differ from the printed ones, and are compared with nothing themselves."""
    passes: Count | None = None
    """Of a variant: the solver ends after so many passes over the data."""
    point: Mapping[Literal["C", "theta"], Number] = Field(
        default_factory=dict, json_schema_extra=GIVEN
    )
    """Of a variant: the one point of the protocol's grids that it is trained at, as exponents of C
    and, for the RBF kernel, theta; the threshold is selected as ever."""
    selected_by: str = ""
    """Of a variant: the metric whose best point is that of all metrics; its tuning is that of the
    method that it is a variant of. By default each metric has its own point."""
    epochs: Annotated[Whole, Field(ge=0)] | None = None
    """Train no linear model, but the network of the data set, for so many epochs more with the
    loss; 0 is the network as it was trained, with softmax."""

    def __post_init__(self) -> None:
        if bool(self.loss) == bool(self.baseline):
            raise ValueError("needs either a loss or a baseline")
        if self.baseline and self.baseline not in BASELINES:
            raise Fault("baseline", unknown("baseline", self.baseline, BASELINES))
        if self.loss and self.loss not in LOSSES:
            raise Fault("loss", unknown("loss", self.loss, LOSSES))
        if self.fine_tunes:
            self._check_fine_tuning()
        else:
            own = BASELINES[self.baseline].kernel if self.baseline else "linear"
            object.__setattr__(self, "kernel", self.kernel or own)
        self._check()
        if self.baseline:
            self._check_baseline(own)

    def _check(self) -> None:
        what = f"the loss '{self.loss}'" if self.loss else f"the baseline '{self.baseline}'"
        if self.k != 1 and not self.has_k:
            raise Fault("k", f"{what} has no k, got {self.k}")
        if self.ks and (self.baseline or self.kernel != "linear"):
            raise Fault("k", "only a top-k loss with the linear kernel has a k to select")
        if self.gamma != 0 and not self.has_gamma:
            raise Fault("gamma", f"{what} has no gamma, got {self.gamma:g}")
        if self.features != "raw" and (self.baseline or self.kernel != "linear"):
            raise Fault("features", "only for a loss with the linear kernel")
        if self.labels == "set" and (self.baseline or LOSSES[self.loss].labels != "either"):
            raise Fault("labels", f"{what} has no choice of labels")
        if self.params and not self.baseline:
            raise Fault("params", "only a baseline has options")
        self._check_variant()

    def _check_variant(self) -> None:
        for key in ("passes", "point"):
            if getattr(self, key) and (self.baseline or not self.variant_of):
                raise Fault(key, "only for a loss, and a variant of another method (variant_of)")
        if self.selected_by and not self.variant_of:
            raise Fault("selected_by", "only for a variant of another method (variant_of)")
        if self.point and set(self.point) != ({"C", "theta"} if self.tunes_width else {"C"}):
            raise Fault("point", "needs C, and with the RBF kernel, and no other, theta")

    def _check_baseline(self, kernel: str) -> None:
        options = BASELINES[self.baseline].options
        if wrong := sorted(set(self.params) - options):
            raise Fault("params", unknown("option", wrong[0], sorted(options)))
        if self.kernel != kernel:
            raise Fault("kernel", f"the baseline '{self.baseline}' has no kernel but '{kernel}'")

    def _check_fine_tuning(self) -> None:
        for key, default in (
            *(("baseline", ""), ("kernel", ""), ("labels", "one"), ("features", "raw")),
            *(("grid", {}), ("protocol", ""), ("variant_of", "")),
        ):
            if getattr(self, key) != default:
                raise Fault(key, "not with epochs, for which a network is trained")
        if LOSSES[self.loss].labels == "set":
            raise Fault("loss", f"'{self.loss}' is trained on label sets, and a network on classes")
        if self.epochs == 0 and self.loss != "lr_multi":
            raise Fault(
                "loss", f"a network is trained with lr_multi, so 0 epochs of '{self.loss}' are none"
            )

    @property
    def fine_tunes(self) -> bool:
        """Whether a network is trained, or left as it was, in place of a linear model."""
        return self.epochs is not None

    @property
    def tuned_as(self) -> str:
        """The method whose tuning it takes: its own, unless a metric of another one selects."""
        return self.variant_of if self.selected_by else self.name

    @property
    def results(self) -> tuple[str, ...]:
        """The files that its evaluation leaves: of networks, whose splits tell how sure a number
        is, no ranks of the true classes.
        """
        return ("evaluation.csv",) if self.fine_tunes else ("evaluation.csv", "ranks.npz")

    @property
    def task(self) -> str:
        """What it is trained on: "multiclass" or "multilabel"."""
        if self.baseline:
            return BASELINES[self.baseline].task
        sets = LOSSES[self.loss].labels == "set" or self.labels == "set"
        return "multilabel" if sets else "multiclass"

    @property
    def family(self) -> str:
        """The first part of the key: its name, if it is a variant of another method, which no
        published number is of. Otherwise the baseline or the loss, with "_sets" if that is trained
        on label sets, and with "_bias" or "_standard" if on features, otherwise than the papers do.
        Fine-tuning adds "_ft" as the papers' table does, with the number of epochs unless they are
        the papers'; "_network" is the network before it.
        """
        if self.variant_of:
            return self.name
        if self.fine_tunes:
            own = "" if self.epochs == PAPER_EPOCHS else f"{self.epochs}"
            return f"{self.loss}_ft{own}" if self.epochs else f"{self.loss}_network"
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
    def ks(self) -> tuple[int, ...]:
        """Values that k is selected from; empty where k is given."""
        return self.k if isinstance(self.k, tuple) else ()

    @property
    def smallest_k(self) -> int:
        """The k, or the smallest of those to select from."""
        return min(self.ks, default=self.k)

    def at(self, k: float) -> Method:
        """Return the method with a selected k; NaN, where none is selected, leaves it as it is."""
        return replace(self, k=int(k)) if k == k else self

    def budget(self, budget: Budget, name: BudgetName) -> Budget:
        """Return the budget of that name, with the method's own grid, or its one point."""
        if not self.point:
            return replace(budget, C=self.grid.get(name, budget.C))
        C, theta = (
            axis and Axis(axis.base, self.point.get(key, 0.0), self.point.get(key, 0.0), 1.0)
            for key, axis in (("C", budget.C), ("theta", budget.theta))
        )
        return replace(budget, C=C, theta=theta, refine=None, extend=0, screen_rows=None)

    @property
    def takes_grid(self) -> bool:
        """Whether its C is selected from the grid of the protocol, on the features as they are."""
        linear = self.kernel == "linear" and self.features != "standard"
        return linear and self.selects_C and not self.point

    @property
    def selects_C(self) -> bool:
        """Whether what is selected on validation data is the C of the papers."""
        if self.fine_tunes:
            return False
        return not self.baseline or BASELINES[self.baseline].parameter == "C"

    @property
    def tunes_width(self) -> bool:
        """Whether the width of an RBF kernel is selected on validation data."""
        return self.kernel == "rbf" and not self.baseline

    @property
    def leave_one_out(self) -> bool:
        """Whether it is validated by closed-form leave-one-out scores."""
        return bool(self.baseline) and BASELINES[self.baseline].leave_one_out

    @property
    def group(self) -> str:
        """What figures with many methods show in one panel: a loss with its values of k."""
        return (
            OTHERS if self.baseline or self.fine_tunes else LOSSES[self.loss].panel_of(self.gamma)
        )

    @property
    def key(self) -> Key:
        """What the method is compared by."""
        k = self.k if self.has_k and not self.ks else ""
        gamma = self.gamma if self.has_gamma else ""
        return canonical_key(self.family, k, gamma, self.kernel)


@model
class MethodsFile(Closed):
    """The registry of methods (config/methods.yaml)."""

    methods: Annotated[Mapping[str, Method], Some, Named]
    """The methods by name, which targets, folders of results and studies use."""

    def __post_init__(self) -> None:
        names: dict[Key, str] = {}
        for name, method in self.methods.items():
            if (other := names.setdefault(method.key, name)) != name:
                raise Fault(f"methods.{name}", f"the same method as '{other}'")
            self._check_variant(method)

    def _check_variant(self, method: Method) -> None:
        key, of = f"methods.{method.name}.variant_of", method.variant_of
        if not of:
            return
        if of not in self.methods:
            raise Fault(key, unknown("method", of, self.methods))
        if self.methods[of].variant_of:
            raise Fault(key, f"'{of}' is itself a variant")
        if self.methods[of].task != method.task:
            raise Fault(key, f"'{of}' is trained on other labels")
        if method.name in {*LOSSES, *BASELINES, "others"} - {method.baseline}:
            raise Fault(
                f"methods.{method.name}", "a variant may not have the name of a loss or baseline"
            )


def load_methods(
    path: str | os.PathLike[str], run: Mapping[str, Any] = MappingProxyType({})
) -> dict[str, Method]:
    """Read and check the registry of methods, in its order, with the `methods` of a run's config.

    A ValueError is one line with the file, the key and what is wrong: not YAML, not as `Method`
    says, or two names for one method.
    """
    own = run.get("methods", {})
    return check_rows(read_yaml(path), MethodsFile, str(path), "methods", own).methods
