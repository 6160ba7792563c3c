"""What a run computes, and how exactly: ``config/config.yaml`` with what overrides it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, NonNegativeInt, PositiveInt

from toplabel.reproduction.config.documents import Closed, Fault, Gap, Part, Some, model
from toplabel.reproduction.config.protocols import BudgetName

SUMMARY = "reports/summary"
"""The folder of the checkout with the files of the kept run, the last whole one."""


Threshold = Literal["tune", "cardinality"] | float


@model
class RunConfig(Closed):
    """A run (config/config.yaml)."""

    studies: (
        Annotated[tuple[Part, ...], Some] | Annotated[Mapping[Part, Mapping[str, Any] | None], Some]
    )
    """What `all` computes and the reports show: files of config/studies/, data sets, published
    tables; `multiclass/letter` is that part of a study or table which is of one data set. A mapping
    defines studies of the run's own, as in config/studies/; a name without a definition is a known
    one."""
    budget: BudgetName
    """How fine the grids of hyper-parameters are (config/protocols.yaml)."""
    mirrors: tuple[str, ...]
    """Folders that hold raw files as `<set>/<file>`, plain or with .xz, .gz or .bz2 added. Those of
    the environment variable TOPLABEL_MIRROR come first, those that the repository ships last."""
    download: bool
    """Whether the official address may be asked for a file that no folder has."""
    threshold: Threshold
    """The threshold of the metrics that compare sets of labels (TPAMI section 3.1). tune: selected
    together with C on validation data; cardinality: the one that gives test instances as many
    labels as training instances have; or a number."""
    seed: NonNegativeInt
    """Another value gives other folds and another order of the training rows."""
    tol_tune: Gap
    """The relative duality gap at which training stops in tuning."""
    tol_train: Gap
    """The relative duality gap at which the final training stops; at most tol_tune."""
    tol_other: Gap
    """The tolerance, in tuning and at the end, of what has no duality gap by this library: competitors,
    and the truncated top-k entropy, which is not convex."""
    max_iter_tune: PositiveInt
    """The passes over the data after which training stops all the same in tuning."""
    max_iter_train: PositiveInt
    """The passes after which the final training stops, whose models carry the certificates."""
    show: bool
    """Whether the reports are written on the results that are there, and nothing is computed."""
    datasets: Mapping[str, Any] = Field(default_factory=dict)
    """Data sets of the run's own, as in config/datasets.yaml."""
    methods: Mapping[str, Any] = Field(default_factory=dict)
    """Methods of the run's own, as in config/methods.yaml."""

    def __post_init__(self) -> None:
        if self.tol_train > self.tol_tune:
            raise Fault("tol_train", f"{self.tol_train} is looser than tol_tune, {self.tol_tune}")
