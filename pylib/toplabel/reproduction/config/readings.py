"""Readings of the protocols other than the stated ones: ``config/readings.yaml``."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Annotated

from pydantic import Field

from toplabel.reproduction.config.documents import Fault, check, read_yaml
from toplabel.reproduction.config.model import (
    GIVEN,
    Closed,
    Flag,
    Name,
    Named,
    RowName,
    Some,
    Text,
    model,
)
from toplabel.reproduction.config.studies import check_names, whole_names, whole_table

Pattern = Annotated[str, Field(pattern=r"^[a-z0-9_]*[*]?$", min_length=1)]


@model
class Reading(Closed):
    """Another reading of what a paper states, with what it is known from.

    It says on which data set, with which method and by which metric a printed number is measured in
    place of those that the stated reading takes. What it leaves out stays as it is.
    """

    name: RowName
    title: Text
    """In a few words."""
    stated: Text
    """What the paper states, in a sentence."""
    found: Text
    """What its numbers and its authors' programs suggest, in a sentence."""
    evidence: Text
    """What that is known from, in sentences."""
    chosen_on_test: Flag
    """Whether printed test numbers had a part in the choice of this reading."""
    tables: Annotated[tuple[Name, ...], Some]
    """Published tables that it is about, by their whole names, as `tpami2017_table05`."""
    datasets: Mapping[Name, Name] = Field(default_factory=dict, json_schema_extra=GIVEN)
    """Data sets of the stated reading, and those that take their places."""
    methods: Mapping[Name, Name] = Field(default_factory=dict, json_schema_extra=GIVEN)
    """Methods of the stated reading, and those that take their places."""
    metrics: Mapping[Name, Name] = Field(default_factory=dict, json_schema_extra=GIVEN)
    """Metrics of the stated reading, and those that take their places."""

    def __post_init__(self) -> None:
        if not (self.datasets or self.methods or self.metrics):
            raise Fault("methods", "a reading changes a data set, a method or a metric")

    def place(self, dataset: str, method: str, metric: str) -> tuple[str, str, str] | None:
        """Return where a number is measured under this reading; None where it says nothing of it."""
        named = ((self.datasets, dataset), (self.methods, method), (self.metrics, metric))
        if any(names and name not in names for names, name in named):
            return None
        return tuple(names.get(name, name) for names, name in named)


@model
class Choice(Closed):
    """A reading that our numbers follow, in the choice of which printed test numbers had a part."""

    name: RowName
    title: Text
    """In a few words."""
    chosen: Text
    """What was chosen, and by which numbers, in a sentence."""
    tables: Annotated[tuple[Name, ...], Some]
    """Published tables whose cells depend on it, by their whole names."""
    datasets: Annotated[tuple[Name, ...], Some]
    """Data sets of these cells, by the papers' names."""
    methods: tuple[Pattern, ...] = ("*",)
    """Methods of these cells; `*` stands for any letters and digits."""
    metrics: tuple[Pattern, ...] = ("*",)
    """Metrics of these cells, alike."""

    def names(self, cell: Mapping[str, str]) -> bool:
        """Return whether a row of comparison.csv depends on this choice."""
        return (
            whole_table(cell["source"], cell["table"]) in self.tables
            and cell["dataset"] in self.datasets
            and any(fnmatchcase(cell["method"], pattern) for pattern in self.methods)
            and any(fnmatchcase(cell["metric"], pattern) for pattern in self.metrics)
        )


@model
class ReadingsFile(Closed):
    """Readings of the protocols (config/readings.yaml)."""

    choices: Annotated[Mapping[str, Choice], Some, Named]
    """Readings that our numbers follow and that printed test numbers had a part in."""
    readings: Annotated[Mapping[str, Reading], Some, Named]
    """Other readings than the stated ones, whose numbers stand beside ours."""


def stand_ins(readings: Iterable[Reading]) -> set[str]:
    """Return the data sets that only stand in for others under a reading."""
    return {new for one in readings for old, new in one.datasets.items() if new != old}


def load_readings(
    path: str | os.PathLike[str],
    published: str | os.PathLike[str],
    datasets: Collection[str],
    methods: Collection[str],
) -> ReadingsFile:
    """Read the readings and check the names in them; a ValueError names file, key and fault."""
    found = check(read_yaml(path), ReadingsFile, str(path))
    tables = whole_names(published)
    for name, choice in found.choices.items():
        check_names(f"{path}: choices.{name}.tables", "table", choice.tables, tables)
    for name, one in found.readings.items():
        where = f"{path}: readings.{name}"
        check_names(f"{where}.tables", "table", one.tables, tables)
        for key, kind, known in (
            ("datasets", "data set", datasets),
            ("methods", "method", methods),
        ):
            names = {name for pair in getattr(one, key).items() for name in pair}
            check_names(f"{where}.{key}", kind, sorted(names), known)
    return found
