"""What is trained, under which name: ``config/methods.yaml``."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, NonNegativeFloat, NonNegativeInt, PositiveInt

from toplabel._core.catalogue import LOSSES, OTHERS
from toplabel.reproduction.config.competitors import COMPETITORS
from toplabel.reproduction.config.documents import Fault, check_rows, read_yaml, unknown
from toplabel.reproduction.config.keys import Key, canonical_key
from toplabel.reproduction.config.model import (
    Closed,
    RowName,
    Some,
    Unique,
    model,
    with_name,
)
from toplabel.reproduction.config.protocols import Axis, Budget, BudgetName

PAPER_EPOCHS = 3
"""How many epochs the fine-tuning of TPAMI Table 6 takes on ImageNet."""


def _for_every_budget(grid: Any) -> Any:
    """Return a grid that is one axis as the same axis for each budget."""
    is_axis = isinstance(grid, Mapping) and "base" in grid
    return dict.fromkeys(BudgetName.__args__, grid) if is_axis else grid


Axes = Annotated[Mapping[BudgetName, Axis], BeforeValidator(_for_every_budget)]
Values = Annotated[tuple[Any, ...], Some]
_KINDS = ("loss", "estimator", "competitor")
_WITH_K = ("label", "variant_of")  # where {k} stands for the k of a row with `ks`


@model
class Method(Closed):
    """A method: a loss of the library, a scikit-learn estimator, or a competitor of the papers.

    A row with `ks`, a list, in place of `k` stands for a method for each of them: `{k}` in its
    name, `label` and `variant_of` is the k. A row with `variant_of` has all keys of that method but
    those that it states.
    """

    name: RowName
    label: str
    """The name in tables and figures; ^{..} and _{..} are superscripts and subscripts."""
    loss: str = Field("", json_schema_extra={"enum": [*LOSSES]})
    """A loss of toplabel.solve, which is then the solver."""
    k: PositiveInt | Annotated[tuple[PositiveInt, ...], Field(min_length=2), Unique] = 1
    """The k of a top-k loss, or of a competitor that has one; a list of values to select from, per
    metric as C is (TPAMI section 6.3), for a top-k loss with the linear kernel."""
    gamma: NonNegativeFloat = 0.0
    """The smoothing of a hinge loss; 0 is the nonsmooth one."""
    kernel: Literal["linear", "rbf", ""] = ""
    """linear, or rbf for exp(-theta ||x - z||^2) with theta selected; by default linear, or the
    kernel of the competitor."""
    labels: Literal["one", "set"] = "one"
    """What an estimator, or a loss that takes either, is trained on: one label per example, or a
    set of labels, which for a one-vs-all loss is binary relevance."""
    features: Literal["raw", "bias", "standard"] = "raw"
    """raw: as published, without a bias, as in the papers; bias: with a column of ones; standard:
    with mean 0 and variance 1 (sparse features: mean square 1) and a column of ones."""
    estimator: Annotated[str, Field(pattern=r"^(\w+(\.\w+)+)?$")] = ""
    """A classifier with the interface of scikit-learn, in place of a loss, by its import path, as
    sklearn.ensemble.RandomForestClassifier."""
    competitor: str = Field("", json_schema_extra={"enum": [*COMPETITORS]})
    """A method of the papers that has code here (docs/protocol.md), in place of a loss."""
    params: Mapping[str, Any] = Field(default_factory=dict)
    """Fixed parameters of the estimator, or options of the competitor."""
    grid: Axes | Mapping[str, Values] = Field(default_factory=dict)
    """Of a loss or a competitor, an axis for each budget, or one for all, in place of the
    protocol's C, or of what the competitor selects in its place (docs/protocol.md). Of an
    estimator, a list of values for each parameter that is selected."""
    protocol: str = ""
    """A name of config/protocols.yaml, in place of the protocol of the data set."""
    variant_of: str = ""
    """The method that this one is another training of: as the authors' procedure is likely to have
    trained, or at a point of the grid that was not selected. Its numbers explain those of that
    method where they differ from the printed ones, and are compared with nothing themselves."""
    passes: PositiveInt | None = None
    """After how many passes over the data the solver of a variant ends."""
    point: Mapping[Literal["C", "theta"], float] = Field(default_factory=dict)
    """The one point of the protocol's grids that a variant is trained at, as exponents of C and,
    for the RBF kernel, theta; the threshold is selected as ever."""
    selected_by: str = ""
    """The metric whose best point a variant takes for all metrics, from the tuning of the method
    that it is a variant of; by default each metric has its own point."""
    epochs: NonNegativeInt | None = None
    """For how many epochs the network of the data set is trained further with the loss, in place
    of a linear model; 0 is the network as it was trained, with softmax."""

    def __post_init__(self) -> None:
        if sum(bool(getattr(self, kind)) for kind in _KINDS) != 1:
            raise ValueError("needs either a loss, an estimator or a competitor")
        for key, known in (("loss", LOSSES), ("competitor", COMPETITORS)):
            if (name := getattr(self, key)) and name not in known:
                raise Fault(key, unknown(key, name, known))
        if self.fine_tunes:
            _refuse(self._faults_of_fine_tuning())
        elif not self.kernel and not self.estimator:
            own = COMPETITORS[self.competitor].kernel if self.competitor else "linear"
            object.__setattr__(self, "kernel", own)
        _refuse(self._faults())

    def _faults(self) -> Iterator[tuple[str, bool, str]]:
        """Yield keys, whether they are wrong, and why: what is given and means nothing."""
        linear = bool(self.loss) and self.kernel == "linear"
        what = f"'{self.loss or self.estimator or self.competitor}'"
        either = bool(self.estimator) or (self.loss and LOSSES[self.loss].labels == "either")
        is_variant = bool(self.loss and self.variant_of)
        of_variants = "only for a loss, and a variant of another method (variant_of)"
        yield "k", self.k != 1 and not self.has_k, f"{what} has no k"
        yield "k", bool(self.ks) and not linear, "only a loss with the linear kernel selects k"
        yield "gamma", self.gamma != 0 and not self.has_gamma, f"{what} has no gamma"
        yield "features", self.features != "raw" and not linear, "needs a loss and a linear kernel"
        yield "labels", self.labels == "set" and not either, f"{what} has no choice of labels"
        yield "params", bool(self.params and self.loss), "only for an estimator or a competitor"
        yield "kernel", bool(self.kernel and self.estimator), f"{what} has no kernel"
        axes = not self.grid or isinstance(next(iter(self.grid.values())), Axis)
        yield "grid", bool(self.grid) and axes == bool(self.estimator), "has another form here"
        yield "passes", self.passes is not None and not is_variant, of_variants
        yield "point", bool(self.point) and not is_variant, of_variants
        point = {"C", "theta"} if self.tunes_width else {"C"}
        yield "point", set(self.point) not in (set(), point), f"needs {' and '.join(sorted(point))}"
        yield "selected_by", bool(self.selected_by) and not self.variant_of, "only for a variant"
        if self.competitor:
            options, kernel = self._competitor.options, self._competitor.kernel
            yield "kernel", self.kernel != kernel, f"{what} has no kernel but '{kernel}'"
            for option in self.params:
                yield "params", option not in options, unknown("option", option, sorted(options))

    def _faults_of_fine_tuning(self) -> Iterator[tuple[str, bool, str]]:
        """Yield keys, whether they are wrong, and why, where a network is trained further."""
        for key in ("estimator", "competitor", "kernel", "grid", "protocol", "variant_of"):
            yield key, bool(getattr(self, key)), "not with epochs, for which a network is trained"
        labels, raw = self.labels == "one", self.features == "raw"
        yield "labels", not labels or LOSSES[self.loss].labels == "set", "a network has one label"
        yield "features", not raw, "not with epochs, for which a network is trained"
        yield "loss", self.epochs == 0 and self.loss != "lr_multi", "a network comes with lr_multi"

    @property
    def _competitor(self):
        return COMPETITORS[self.competitor]

    @property
    def baseline(self) -> str:
        """The competitor, until all users say so."""
        return self.competitor

    @property
    def fine_tunes(self) -> bool:
        """Whether a network is trained, or left as it was, in place of a linear model."""
        return self.epochs is not None

    @property
    def tuned_as(self) -> str:
        """The name of the method whose tuning this one uses."""
        return self.variant_of if self.selected_by else self.name

    @property
    def results(self) -> tuple[str, ...]:
        """The files of its evaluation; a network, judged by its splits, has no ranks of classes."""
        return ("evaluation.csv",) if self.fine_tunes else ("evaluation.csv", "ranks.npz")

    @property
    def task(self) -> str:
        """What the method is trained on: "multiclass" or "multilabel"."""
        if self.competitor:
            return self._competitor.task
        sets = self.labels == "set" or (self.loss and LOSSES[self.loss].labels == "set")
        return "multilabel" if sets else "multiclass"

    @property
    def family(self) -> str:
        """The name of the method in its key, without k, gamma and kernel.

        It is that of data/published if the papers print the method: the loss or the competitor, or
        with "_ft" a network that was trained further as the papers do. A variant and an estimator,
        of which nothing is printed, have their own name, and so has a loss with "_sets", "_bias" or
        "_standard", trained on other labels or features, and one with "_network" or another number
        of epochs.
        """
        if self.variant_of or self.estimator:
            return self.name
        if self.fine_tunes:
            own = "" if self.epochs == PAPER_EPOCHS else f"{self.epochs}"
            return f"{self.loss}_ft{own}" if self.epochs else f"{self.loss}_network"
        sets = "_sets" if self.labels == "set" else ""
        features = "" if self.features == "raw" else f"_{self.features}"
        return self.competitor or f"{self.loss}{sets}{features}"

    @property
    def has_k(self) -> bool:
        """Whether k means anything."""
        if self.competitor:
            return self._competitor.top_k
        return bool(self.loss) and LOSSES[self.loss].top_k

    @property
    def has_gamma(self) -> bool:
        """Whether gamma means anything."""
        return bool(self.loss) and LOSSES[self.loss].smoothing

    @property
    def ks(self) -> tuple[int, ...]:
        """The values that k is selected from; empty where k is given."""
        return self.k if isinstance(self.k, tuple) else ()

    @property
    def smallest_k(self) -> int:
        """The k, or the smallest of those to select from."""
        return min(self.ks, default=self.k)

    def at(self, k: float) -> Method:
        """Return the method with a selected k; NaN, where none is selected, leaves it as it is."""
        return replace(self, k=int(k)) if k == k else self

    @property
    def candidates(self) -> list[dict[str, Any]]:
        """All combinations of the values that an estimator's parameters are selected from."""
        return [
            dict(zip(self.grid, values, strict=True)) for values in product(*self.grid.values())
        ]

    def budget(self, budget: Budget, name: BudgetName) -> Budget:
        """Return a budget with the method's own grid, or its one point.

        The C of an estimator is 2^i for the i-th of its candidates.
        """
        if self.estimator:
            axis = Axis(2.0, 0.0, len(self.candidates) - 1.0, 1.0)
            fixed = {"theta": None, "refine": None, "extend": 0, "patience": None}
            return replace(budget, C=axis, screen_rows=None, **fixed)
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
        if self.competitor:
            return self._competitor.parameter == "C"
        return bool(self.loss) and not self.fine_tunes

    @property
    def tunes_width(self) -> bool:
        """Whether the width of an RBF kernel is selected on validation data."""
        return self.kernel == "rbf" and bool(self.loss)

    @property
    def leave_one_out(self) -> bool:
        """Whether it is validated by closed-form leave-one-out scores."""
        return bool(self.competitor) and self._competitor.leave_one_out

    @property
    def group(self) -> str:
        """The panel of figures with many methods: a loss with its values of k, or the others."""
        is_linear = bool(self.loss) and not self.fine_tunes
        return LOSSES[self.loss].panel_of(self.gamma) if is_linear else OTHERS

    @property
    def key(self) -> Key:
        """What the method is compared by."""
        k = self.k if self.has_k and not self.ks else ""
        gamma = self.gamma if self.has_gamma else ""
        return canonical_key(self.family, k, gamma, self.kernel)


def _refuse(faults: Iterator[tuple[str, bool, str]]) -> None:
    for key, is_wrong, why in faults:
        if is_wrong:
            raise Fault(key, why)


def _rows_of_methods(rows: Any) -> Any:
    """Return a row for each method, by its name: with `ks` one for each k, and variants whole."""
    if not isinstance(rows, Mapping):
        return rows
    found: dict[str, Any] = {}
    for name, row in rows.items():
        several = isinstance(row, Mapping) and "ks" in row
        for own, one in _at_each_k(name, row) if several else [(name, row)]:
            if own in found:
                raise Fault(own, "given twice, once by a row with ks")
            found[own] = one
    return {name: with_name(_whole(row, found), name) for name, row in found.items()}


def _at_each_k(name: str, row: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    if not isinstance(row["ks"], list):
        raise Fault(f"{name}.ks", f"should be a list, got {row['ks']!r}")
    for k in row["ks"]:
        texts = {key: f"{row[key]}".replace("{k}", f"{k}") for key in _WITH_K if key in row}
        rest = {key: value for key, value in row.items() if key != "ks"}
        yield name.replace("{k}", f"{k}"), {**rest, **texts, "k": k}


def _whole(row: Any, rows: Mapping[str, Any]) -> Any:
    """Return a row with what it does not state from the method that it is a variant of."""
    base = rows.get(row.get("variant_of")) if isinstance(row, Mapping) else None
    if not isinstance(base, Mapping):
        return row
    own = {"label", *(_KINDS if any(kind in row for kind in _KINDS) else ())}
    return {key: value for key, value in base.items() if key not in own} | row


@model
class MethodsFile(Closed):
    """The registry of methods (config/methods.yaml)."""

    methods: Annotated[Mapping[str, Method], Some, BeforeValidator(_rows_of_methods)]
    """The methods by name, which targets, folders of results and studies use."""

    def __post_init__(self) -> None:
        names: dict[Key, str] = {}
        for name, method in self.methods.items():
            if (other := names.setdefault(method.key, name)) != name:
                raise Fault(f"methods.{name}", f"the same method as '{other}'")
            if method.variant_of:
                self._check_variant(method)

    def _check_variant(self, method: Method) -> None:
        key, of = f"methods.{method.name}.variant_of", method.variant_of
        if of not in self.methods:
            raise Fault(key, unknown("method", of, self.methods))
        if self.methods[of].variant_of:
            raise Fault(key, f"'{of}' is itself a variant")
        if self.methods[of].task != method.task:
            raise Fault(key, f"'{of}' is trained on other labels")
        if method.name in {*LOSSES, *COMPETITORS, "others"} - {method.competitor}:
            raise Fault(key, "a variant may not have the name of a loss or competitor")


def load_methods(
    path: str | os.PathLike[str], run: Mapping[str, Any] = MappingProxyType({})
) -> dict[str, Method]:
    """Read and check the registry of methods, in its order, with the methods of a run's config.

    A ValueError is one line with the file, the key and what is wrong; a `Fault` for rows of `run`.
    """
    own = run.get("methods", {})
    return check_rows(read_yaml(path), MethodsFile, str(path), "methods", own).methods
