"""Notes beside the numbers of the papers: ``config/notes.yaml``.

Readings of the protocols, reasons why numbers differ, claims of the papers, and changes of the
protocol. Most notes name cells of the papers' tables (`Cells`, `Selector`).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import KW_ONLY
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, NonNegativeFloat, PositiveFloat, PositiveInt

from toplabel.reproduction.config.documents import (
    ConfigModel,
    Name,
    Named,
    RowName,
    Some,
    check,
    model,
    read_yaml,
)
from toplabel.reproduction.config.keys import Key, key_of, table_name

FILE = "config/notes.yaml"
Names = Annotated[tuple[Name, ...], Some]


@model
class Selector(ConfigModel):
    """Methods by the key of their results; a key that is left out may have any value."""

    method: Name
    """The name in data/published: of the loss, or of a method of others."""
    k: Literal["metric"] | Annotated[tuple[PositiveInt, ...], Some] | None = None
    """Values of k, or "metric" for the k of the metric."""
    gamma: NonNegativeFloat | None = None
    """The smoothing of a hinge."""
    kernel: Literal["linear", "rbf", "precomputed", ""] | None = None
    """The kernel; "" stands for methods that have none, as networks."""

    def matches(self, key: Key, metric: str) -> bool:
        """Return whether results under a key, measured by a metric, are of these methods."""
        of_metric = [metric.removeprefix("top") if metric.startswith("top") else ""]
        ks = of_metric if self.k == "metric" else [f"{k}" for k in self.k or ()]
        return (
            self.method == key.method
            and (self.k is None or key.k in ks)
            and (self.gamma is None or key.gamma == f"{self.gamma:.12g}")
            and self.kernel in (None, key.kernel)
        )


def _from_name(row: object) -> object:
    return {"method": row} if isinstance(row, str) else row


Selectors = tuple[Annotated[Selector, BeforeValidator(_from_name)], ...]
"""Methods, each a mapping, or the name alone."""


@model
class Cells(ConfigModel):
    """Cells of the papers' tables."""

    _: KW_ONLY
    tables: Names
    """Published tables, as table05 or cvpr2016_table07."""
    datasets: Names
    """Data sets by the papers' names."""
    methods: Selectors = ()
    """Methods; by default all methods."""
    metrics: tuple[Name, ...] = ()
    """Metrics; by default all metrics."""

    def names(self, cell: Mapping[str, Any]) -> bool:
        """Return whether a cell is among these.

        `cell` has the columns of the published numbers: source, table, dataset, method, k, gamma,
        kernel and metric.
        """
        metric = cell["metric"]
        return (
            table_name(cell["source"], cell["table"]) in self.tables
            and cell["dataset"] in self.datasets
            and (not self.metrics or metric in self.metrics)
            and (not self.methods or any(s.matches(key_of(cell), metric) for s in self.methods))
        )


@model
class Choice(Cells):
    """A reading that our numbers follow, in the choice of which printed test numbers had a part."""

    name: RowName
    title: str
    """The reading in a few words."""
    chosen: str
    """Choice, and the numbers behind it, in a sentence."""


@model
class Reading(ConfigModel):
    """Another reading of what a paper states, in whose choice printed test numbers had a part.

    The mappings say on which data set, with which method and by which metric a printed number is
    measured in place of those of the stated reading. What a mapping does not name stays as it is.
    """

    name: RowName
    title: str
    """The reading in a few words."""
    stated: str
    """Words of the paper, in a sentence."""
    found: str
    """Suggestion of its numbers and authors' programs, in a sentence."""
    evidence: str
    """Evidence for that, in sentences."""
    tables: Names
    """Published tables that the reading is about."""
    datasets: Mapping[Name, Name] = Field(default_factory=dict)
    """Data sets of the stated reading, and those that take their places."""
    methods: Mapping[Name, Name] = Field(default_factory=dict)
    """Methods of the stated reading, and those that take their places."""
    metrics: Mapping[Name, Name] = Field(default_factory=dict)
    """Metrics of the stated reading, and those that take their places."""

    def place(self, dataset: str, method: str, metric: str) -> tuple[str, str, str] | None:
        """Return data set, method and metric under this reading; None if it is not about them."""
        named = ((self.datasets, dataset), (self.methods, method), (self.metrics, metric))
        if any(names and name not in names for names, name in named):
            return None
        return (
            self.datasets.get(dataset, dataset),
            self.methods.get(method, method),
            self.metrics.get(metric, metric),
        )


@model
class Evidence(Cells):
    """Cells that differ for one reason, and what that is known from."""

    evidence: str
    """Measurements and facts, in sentences; in the small markup of the reports, as
    SVM^{ML}."""


@model
class Reason(ConfigModel):
    """Why some measured numbers differ from the printed ones."""

    name: RowName
    title: str
    """The reason in a few words."""
    why: str
    """The reason in one sentence."""
    cells: Annotated[tuple[Evidence, ...], Some]
    """The cells that differ for this reason."""


@model
class Side(ConfigModel):
    """One side of a comparison: of several methods the one with the best validation value counts."""

    label: str
    """The name in reports, in their small markup, as LR^{Multi}."""
    methods: Literal["others"] | Annotated[Selectors, Some]
    """The methods, or "others" for all that the first side has not."""


@model
class Claim(ConfigModel):
    """A sentence of a paper as a comparison (docs/protocols.md)."""

    name: RowName
    source: Name
    """The key of the paper."""
    place: str
    """Place of the sentence, as "section 6.2"."""
    says: str
    """The claim in our words, one sentence without its full stop."""
    expects: Literal["first", "similar", "neither"]
    """first: the first side is ahead; similar: the sides differ by no more than `margin`; neither:
    neither side is ahead. Each is said of the median difference over the data sets, by its 95 %
    interval."""
    tables: Names
    """Published tables in which the claim is looked up."""
    first: Side
    """The side that the sentence speaks of."""
    second: Side
    """Side that it is compared with."""
    metrics: Names
    """Metrics."""
    datasets: tuple[Name, ...] = ()
    """Data sets that the claim is about, by the papers' names; by default all data sets."""
    excluded: Annotated[tuple[Name, ...], Field(alias="except")] = ()
    """Data sets that the claim is not about."""
    margin: PositiveFloat = 1.0
    """Largest difference of similar sides, in points; a hundredth of a loss is a point."""


@model
class Deviation(ConfigModel):
    """A change of the protocol after numbers were seen."""

    date: Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$")]
    """The day of the change, in quotes, as "2026-11-23"."""
    what: str
    """Change, in a sentence."""
    why: str
    """The reason, a sentence."""


@model
class Notes(ConfigModel):
    """The notes on the papers' cells (config/notes.yaml)."""

    choices: Annotated[Mapping[str, Choice], Some, Named]
    """Readings that our numbers follow and in whose choice printed test numbers had a part."""
    readings: Annotated[Mapping[str, Reading], Some, Named]
    """Other readings than the stated ones, whose numbers stand beside ours."""
    reasons: Annotated[Mapping[str, Reason], Some, Named]
    """Why measured numbers differ from the printed ones; of several reasons the first counts."""
    claims: Annotated[Mapping[str, Claim], Some, Named]
    """Sentences of the papers on results."""
    deviations: Annotated[tuple[Deviation, ...], Some]
    """Changes of the protocol after numbers were seen."""

    @property
    def stand_ins(self) -> set[str]:
        """The data sets that only take the places of others under a reading."""
        pairs = [pair for reading in self.readings.values() for pair in reading.datasets.items()]
        return {new for old, new in pairs if new != old}

    def reason_of(self, cell: Mapping[str, Any]) -> tuple[Reason, Evidence] | None:
        """Return the first reason that names a cell, with the evidence; None without any."""
        for reason in self.reasons.values():
            for cells in reason.cells:
                if cells.names(cell):
                    return reason, cells
        return None


def load_notes(root: str | os.PathLike[str]) -> Notes:
    """Read the notes of a checkout; a ValueError names the file, the key and what is wrong."""
    path = Path(root) / FILE
    return check(read_yaml(path), Notes, str(path))
