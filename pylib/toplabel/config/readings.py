"""Readings of the protocols other than the stated ones: ``config/readings.yaml``."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from typing import Annotated

from pydantic import Field

from toplabel.config.documents import Fault, check, read_yaml, unknown
from toplabel.config.model import GIVEN, Closed, Flag, Name, Named, RowName, Some, Text, model
from toplabel.config.studies import whole_names


@model
class Reading(Closed):
    """Another reading of what a paper states, with what it is known from.

    It says on which data set, with which method and by which metric a printed number is measured in place of those
    that the stated reading takes. What it leaves out stays as it is.
    """

    name: RowName
    title: Text = Field(description="In a few words.")
    stated: Text = Field(description="What the paper states, in a sentence.")
    found: Text = Field(
        description="What its numbers and its authors' programs suggest, in a sentence."
    )
    evidence: Text = Field(description="What that is known from, in sentences.")
    chosen_on_test: Flag = Field(
        description="Whether printed test numbers had a part in the choice of this reading."
    )
    tables: Annotated[tuple[Name, ...], Some] = Field(
        description="Published tables that it is about, by their whole names, as `tpami2017_table05`."
    )
    datasets: Mapping[Name, Name] = Field(
        default_factory=dict,
        description="Data sets of the stated reading, and those that take their places.",
        json_schema_extra=GIVEN,
    )
    methods: Mapping[Name, Name] = Field(
        default_factory=dict,
        description="Methods of the stated reading, and those that take their places.",
        json_schema_extra=GIVEN,
    )
    metrics: Mapping[Name, Name] = Field(
        default_factory=dict,
        description="Metrics of the stated reading, and those that take their places.",
        json_schema_extra=GIVEN,
    )

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
class ReadingsFile(Closed):
    """Other readings of the protocols than the stated ones (config/readings.yaml)."""

    readings: Annotated[Mapping[str, Reading], Some, Named]


def stand_ins(readings: Iterable[Reading]) -> set[str]:
    """Return the data sets that only stand in for others under a reading."""
    return {new for one in readings for old, new in one.datasets.items() if new != old}


def load_readings(
    path: str | os.PathLike[str],
    published: str | os.PathLike[str],
    datasets: Collection[str],
    methods: Collection[str],
) -> dict[str, Reading]:
    """Read and check the readings.

    Parameters
    ----------
    path : path-like
        ``config/readings.yaml``.
    published : path-like
        ``data/published``, for the names of the tables.
    datasets, methods : collection of str
        The names that are registered.

    Raises
    ------
    ValueError
        One line with the file, the key and what is wrong.
    """
    readings = check(read_yaml(path), ReadingsFile, str(path)).readings
    tables = whole_names(published)
    for name, reading in readings.items():
        for key, names, known in (
            ("tables", reading.tables, tables),
            ("datasets", {*reading.datasets, *reading.datasets.values()}, datasets),
            ("methods", {*reading.methods, *reading.methods.values()}, methods),
        ):
            for one in names:
                if one not in known:
                    what = key.removesuffix("s").replace("dataset", "data set")
                    raise ValueError(
                        f"{path}: readings.{name}.{key}: {unknown(what, one, sorted(known))}"
                    )
    return dict(readings)
