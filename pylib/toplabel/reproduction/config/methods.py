"""The registry of methods: ``config/methods.yaml``."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import replace
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from toplabel._core.catalogue import LOSSES, Loss
from toplabel.reproduction.config.documents import (
    IMPORT_PATH,
    ConfigModel,
    Fault,
    Named,
    RowName,
    Some,
    Value,
    check_rows,
    model,
    read_yaml,
    unknown,
)
from toplabel.reproduction.config.keys import COMPETITORS, Competitor, Key, canonical_key
from toplabel.reproduction.config.protocols import Axis, Budget, BudgetName, Grid
from toplabel.reproduction.files import PathLike


def whole_rows(rows: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row for each method, by its name: with `ks` one for each k, and variants whole."""
    of_each_k: dict[str, Any] = {}
    for name, row in rows.items():
        several = isinstance(row, Mapping) and "ks" in row
        written_out = _at_each_k(name, row) if several else {name: row}
        if twice := [own for own in written_out if own in of_each_k]:
            raise Fault(f"methods.{name}", f"'{twice[0]}' is a method already")
        of_each_k |= written_out
    return {name: _whole(row, of_each_k) for name, row in of_each_k.items()}


def _at_each_k(name: str, row: Mapping[str, Any]) -> dict[str, Any]:
    if not isinstance(row["ks"], list) or "{k}" not in name:
        raise Fault(f"methods.{name}.ks", "should be a list, and the name should have {k} in it")
    rest = {key: value for key, value in row.items() if key != "ks"}
    return {
        _at(name, k): {key: _at(value, k) for key, value in rest.items()} | {"k": k}
        for k in row["ks"]
    }


def _at(value: Any, k: int) -> Any:
    return value.replace("{k}", f"{k}") if isinstance(value, str) else value


def _whole(row: Any, rows: Mapping[str, Any]) -> Any:
    """Return a row with what it does not state from the method that it is a variant of."""
    base = rows.get(row.get("variant_of")) if isinstance(row, Mapping) else None
    if not isinstance(base, Mapping):
        return row
    own = {"label", *(KINDS if any(kind in row for kind in KINDS) else ())}
    if "estimator" in row:
        own |= {*_OF_LOSSES, "kernel"}
    return {key: value for key, value in base.items() if key not in own} | row


@model
class MethodsFile(ConfigModel):
    """The registry of methods (config/methods.yaml)."""

    methods: Annotated[Mapping[str, Method], Some, Named]
    """The methods by name, which targets, folders of results and studies use."""

    def __post_init__(self) -> None:
        names: dict[Key | str, str] = {}
        for name, method in self.methods.items():
            if (other := names.setdefault(method.key, name)) != name:
                raise Fault(f"methods.{name}", f"the same method as '{other}'")
            if (other := names.setdefault(method.label, name)) != name:
                raise Fault(f"methods.{name}.label", f"the label of '{other}', too")
            if (of := method.variant_of) and of not in self.methods:
                raise Fault(f"methods.{name}.variant_of", unknown("method", of, self.methods))


def load_methods(
    path: PathLike, run: Mapping[str, Any] = MappingProxyType({})
) -> dict[str, Method]:
    """Read and check the registry of methods, in its order, with the methods of a run's config.

    A ValueError is one line with the file, the key and what is wrong; a `Fault` for rows of `run`.
    """
    own = run.get("methods", {})
    return check_rows(read_yaml(path), MethodsFile, str(path), "methods", own, whole_rows).methods


PAPER_EPOCHS = 3
"""Number of epochs of the fine-tuning of TPAMI Table 6 on ImageNet."""


Values = Annotated[tuple[Value, ...], Some]
_SUFFIXES = {"raw": "", "bias": "_bias", "standardise": "_standard"}
_OWN = Loss(key="", label="", about="", labels="either")  # a loss of the user
_OF_LOSSES = {"k": 1, "gamma": 0.0, "passes": None, "gap": None, "point": {}}  # by their defaults
KINDS = ("loss", "estimator", "competitor")
"""The keys of what a method is, of which it has one."""


def _paths_within(value: Any) -> list[str]:
    """Return the import paths of the estimators among values of parameters."""
    if isinstance(value, Mapping):
        own = [value["estimator"]] if isinstance(value.get("estimator"), str) else []
        return own + _paths_within([*value.values()])
    items = value if isinstance(value, list) else []
    return [path for item in items for path in _paths_within(item)]


def _labels_of(path: str) -> str:
    """Return the class attribute `labels` of a loss of the user, "one" where its class states none.

    The source is read and not imported, since planning a run imports no module of the user.
    """
    module, _, name = path.rpartition(".")
    try:
        tree = ast.parse(Path(find_spec(module).origin).read_bytes())
    except (ImportError, AttributeError, TypeError, OSError, SyntaxError, ValueError):
        return "one"  # what is wrong with it is said where it is imported
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name]
    for statement in classes[-1].body if classes else ():
        match statement:
            case ast.Assign(targets=[ast.Name(id="labels")], value=ast.Constant(value=labels)):
                return str(labels)
            case ast.AnnAssign(target=ast.Name(id="labels"), value=ast.Constant(value=labels)):
                return str(labels)
    return "one"


@model
class Method(ConfigModel):
    """A method: a loss of the library, a scikit-learn estimator, or a competitor of the papers.

    A row with `ks`, a list, in place of `k` stands for a method for each of them: `{k}` in its
    name, `label` and `variant_of` is the k. A row with `variant_of` has all keys of that method but
    those that it states.
    """

    name: RowName
    label: str
    """The name in tables and figures; ^{..} and _{..} are superscripts and subscripts."""
    loss: (
        Literal[("", *LOSSES)]  # type: ignore[valid-type]  # the losses are listed elsewhere
        | Annotated[str, Field(pattern=IMPORT_PATH)]
    ) = ""
    """A loss of toplabel.solve, which is then the solver, or the import path of a class of your own
    that `toplabel.losses.get` describes, as my_module.MyLoss."""
    k: PositiveInt | Annotated[tuple[PositiveInt, ...], Field(min_length=2)] = 1
    """The k of a top-k loss, or of a competitor that has one; a list of values to select from, per
    metric as C is (TPAMI section 6.3), for a top-k loss with the linear kernel."""
    gamma: NonNegativeFloat = 0.0
    """The smoothing of a hinge loss; 0 is the nonsmooth one."""
    kernel: Literal["linear", "rbf", ""] = ""
    """linear, or rbf for exp(-theta ||x - z||^2) with theta selected; by default linear, or the
    kernel of the competitor."""
    labels: Literal["one", "set"] = "one"
    """Labels to train an estimator on, or a loss that takes either: one per example, or a
    set of labels, which for a one-vs-all loss is binary relevance."""
    features: Literal["raw", "bias", "standardise"] = "raw"
    """raw: as published, without a bias, as in the papers; bias: with a column of ones; standardise:
    with mean 0 and variance 1 (sparse features: mean square 1) and a column of ones."""
    estimator: Annotated[str, Field(pattern=IMPORT_PATH)] = ""
    """A classifier with the interface of scikit-learn, in place of a loss, by its import path, as
    sklearn.ensemble.RandomForestClassifier."""
    competitor: Literal[("", *COMPETITORS)] = ""  # type: ignore[valid-type]  # as of `loss`
    """A method of the papers that has code here (docs/protocols.md), in place of a loss."""
    params: Mapping[str, Value] = Field(default_factory=dict)
    """Fixed parameters of the estimator or of the loss of your own, or options of the competitor."""
    grid: Mapping[BudgetName, Axis] | Mapping[str, Values] = Field(default_factory=dict)
    """A loss or a competitor has an axis for each budget here, which takes the place of the protocol's
    C, or of what the competitor selects in its place (docs/evidence/protocols.md). An estimator has a
    list of values for each parameter that is selected. A loss may have a list, too, as C: [0.1, 1, 10],
    equally spaced on a logarithmic scale, in place of the C of all budgets; with C_scale the values
    are relative, and the list is not extended at its edges."""
    protocol: str = ""
    """A name of config/protocols.yaml, in place of the protocol of the data set."""
    variant_of: str = ""
    """The method that this one is another training of: as the authors' procedure is likely to have
    trained, or at a point of the grid that was not selected. Its numbers explain those of that
    method where they differ from the printed ones, and are compared with nothing themselves."""
    passes: PositiveInt | None = None
    """After how many passes over the data the solver of a variant ends."""
    gap: PositiveFloat | None = None
    """The relative duality gap at which the solver of a variant ends, in tuning and training alike; it
    looks every ten passes, as the papers state."""
    point: Mapping[Literal["C", "theta"], float] = Field(default_factory=dict)
    """The one point of the protocol's grids that a variant is trained at, as exponents of C and,
    for the RBF kernel, theta; what it does not name is selected as ever."""
    selected_by: str = ""
    """The metric whose best point a variant takes for all metrics, from the tuning of the method
    that it is a variant of; by default each metric has its own point."""
    epochs: NonNegativeInt | None = None
    """For how many epochs the network of the data set is trained further with the loss, in place
    of a linear model; 0 is the network as it was trained, with softmax."""

    def __post_init__(self) -> None:
        if sum(bool(getattr(self, kind)) for kind in KINDS) != 1:
            raise ValueError("needs either a loss, an estimator or a competitor")
        if not (self.kernel or self.estimator or self.fine_tunes):
            own = COMPETITORS.get(self.competitor)
            object.__setattr__(self, "kernel", own.kernel if own else "linear")
        if self.path and self.loss and _labels_of(self.loss) == "set":
            object.__setattr__(self, "labels", "set")
        if self.C_values:
            Axis.through(self.C_values)  # or else a ValueError
        for key, none in _OF_LOSSES.items():
            if self.estimator and getattr(self, key) != none:
                raise Fault(key, "is for losses; `params` has the parameters of an estimator")
        for key, (is_wrong, why) in self._faults().items():
            if is_wrong:
                raise Fault(key, why)

    @property
    def C_values(self) -> tuple[float, ...]:
        """The values that the C of a loss is selected from; empty where its grid is an axis."""
        values: Any = self.grid
        return values["C"] if self.loss and [*values] == ["C"] else ()

    def _faults(self) -> dict[str, tuple[bool, str]]:
        """Return by key whether it is given and means nothing, and what it is for.

        A k and a gamma that mean nothing make no other method, which the registry refuses.
        """
        linear = bool(self.loss) and self.kernel == "linear"
        either = self._description.labels == "either"
        axes = all(isinstance(values, Axis) for values in self.grid.values())
        kernel = COMPETITORS[self.competitor].kernel if self.competitor else ""
        return {
            "k": (
                bool(self.ks) and not (linear and self._description.top_k),
                "a list is for linear top-k losses",
            ),
            "features": (self.features != "raw" and not linear, "needs a loss and a linear kernel"),
            "labels": (self.labels == "set" and not either, "it is trained on one kind of labels"),
            "kernel": (not self.loss and self.kernel != kernel, f"it has the kernel '{kernel}'"),
            "params": (bool(self.params) and self.loss in LOSSES, "a loss of the library has none"),
            "grid": (
                bool(self.grid) and axes == bool(self.estimator) and not self.C_values,
                "an estimator has a list of values for each parameter, others an axis for each budget, "
                "as quick: {base: 10, from: -2, to: 0, step: 1}",
            ),
            "epochs": (self.fine_tunes and self.loss not in LOSSES, "needs a loss of the library"),
        }

    @property
    def _description(self) -> Loss | Competitor:
        """Facts of the loss or the competitor; of an estimator those of any loss."""
        return COMPETITORS.get(self.competitor) or LOSSES.get(self.loss, _OWN)

    @property
    def path(self) -> str:
        """The import path of an estimator or of a loss of the user; empty for other methods."""
        return self.estimator or ("" if self.loss in LOSSES else self.loss)

    @property
    def paths(self) -> list[str]:
        """The import paths of all classes that it is made of: its own, and those within `params`."""
        return [self.path, *_paths_within(self.params)] if self.path else []

    @property
    def fine_tunes(self) -> bool:
        """True if a network is trained, or left as it was, in place of a linear model."""
        return self.epochs is not None

    @property
    def tuned_as(self) -> str:
        """The name of the method whose tuning this one uses."""
        return self.variant_of if self.selected_by else self.name

    @property
    def task(self) -> str:
        """Task of the method: "multiclass" or "multilabel"."""
        sets = self.labels == "set" or self._description.labels == "set"
        return "multilabel" if sets else "multiclass"

    @property
    def family(self) -> str:
        """The name of the method in its key, without k, gamma and kernel.

        It is that of data/published if the papers print the method: the loss or the competitor, or
        with "_ft" a network that was trained further as the papers do. A variant, an estimator and
        a loss of the user, of which nothing is printed, have their own name, and so has a loss with
        "_sets", "_bias" or "_standard", trained on other labels or features, and one with
        "_network" or another number of epochs.
        """
        if self.variant_of or self.path:
            return self.name
        if self.fine_tunes:
            own = "" if self.epochs == PAPER_EPOCHS else f"{self.epochs}"
            return f"{self.loss}_ft{own}" if self.epochs else f"{self.loss}_network"
        sets = "_sets" if self.labels == "set" else ""
        return self.competitor or f"{self.loss}{sets}{_SUFFIXES[self.features]}"

    @property
    def ks(self) -> tuple[int, ...]:
        """The values that k is selected from; empty where k is given."""
        return self.k if isinstance(self.k, tuple) else ()

    @property
    def smallest_k(self) -> int:
        """The k, or the smallest of those to select from."""
        return min(self.k) if isinstance(self.k, tuple) else self.k

    @property
    def candidates(self) -> list[dict[str, Any]]:
        """All combinations of the values that an estimator's parameters are selected from."""
        return [
            dict(zip(self.grid, values, strict=True)) for values in product(*self.grid.values())
        ]

    def grid_of(self, budget: Budget, name: BudgetName) -> Grid:
        """Return the grid of a budget, with the method's own axis of C, or its one point.

        An estimator has candidates in place of C and theta.
        """
        grid = Grid(
            thresholds=budget.thresholds,
            folds=budget.folds,
            validation_rows=budget.validation_rows,
        )
        if self.estimator:
            return grid
        own = Axis.through(self.C_values) if self.C_values else self.grid.get(name)
        C = own if isinstance(own, Axis) else budget.C
        theta = budget.theta if self.tunes_width else None
        grid = replace(grid, C=C, theta=theta, patience=budget.patience)
        if self.kernel == "rbf":
            grid = replace(grid, kernel_rows=budget.kernel_rows)
        if not self.point and not self.C_values:
            return replace(
                grid, refine=budget.refine, extend=budget.extend, screen_rows=budget.screen_rows
            )
        point: dict[str, Any] = {
            key: getattr(budget, key).only(exponent) for key, exponent in self.point.items()
        }
        return replace(grid, **point)

    @property
    def selects_C(self) -> bool:
        """True if what is selected on validation data is the C of the papers."""
        if self.competitor:
            return COMPETITORS[self.competitor].parameter == "C"
        return bool(self.loss) and not self.fine_tunes

    @property
    def scales_C(self) -> bool:
        """Tell whether the grid of C is divided by the `C_scale` of a data set."""
        on_raw_rows = self.kernel == "linear" and self.features != "standardise"
        return on_raw_rows and self.selects_C and not self.point

    @property
    def tunes_width(self) -> bool:
        """True if the width of an RBF kernel is selected on validation data."""
        return self.kernel == "rbf" and bool(self.loss)

    @property
    def key(self) -> Key:
        """Key that the method is compared by."""
        k = self.k if self._description.top_k and not self.ks else ""
        gamma = self.gamma if self._description.smoothing else ""
        return canonical_key(self.family, k, gamma, self.kernel)
