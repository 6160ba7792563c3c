"""Studies: which methods are run on which data sets, for which tables (``config/studies``)."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any

from pydantic import Field

from toplabel.reproduction.config.documents import (
    Closed,
    Fault,
    Name,
    Named,
    RowName,
    Some,
    check,
    model,
    read_yaml,
    validate,
    with_name,
)

_TABLE_FILE = re.compile(r"(?P<source>[a-z]+[0-9]{4})_table(?P<table>[0-9]+)")
_MAIN = "tpami2017_"  # the paper whose tables need no prefix: table05 is tpami2017_table05
OTHER_COLUMNS = frozenset(["tpami2017_table02"])
"""Published tables of runtimes, which are no cells of data set, method and metric."""


def short_name(name: str) -> str:
    """Return the short form of a published table's name; any other name stays as it is."""
    return name.removeprefix(_MAIN)


def whole_name(name: str) -> str:
    """Return the name of a published table's file in data/published, given its short name."""
    return name if _TABLE_FILE.fullmatch(name) else f"{_MAIN}{name}"


def table_name(source: str, table: str) -> str:
    """Name a published table in short: "table05" of the main paper, or "cvpr2016_table07"."""
    return short_name(f"{source}_table{int(table):02d}")


def published_tables(folder: str | os.PathLike[str]) -> dict[str, tuple[str, str]]:
    """Return source and number, as ("tpami2017", "5"), of the published tables by short name."""
    tables = {}
    for path in sorted(Path(folder).glob("*.csv")):
        match = _TABLE_FILE.fullmatch(path.stem)
        if match and path.stem not in OTHER_COLUMNS:
            tables[short_name(path.stem)] = (match["source"], str(int(match["table"])))
    return tables


Names = Annotated[tuple[Name, ...], Some]
Pattern = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_*?\[\]-]*$", max_length=100)]


@model
class Study(Closed):
    """What is compared with what (config/studies/*.yaml), named as its file without suffix."""

    name: RowName
    title: str
    """One line, for the reports."""
    datasets: Names
    """Names of config/datasets.yaml; those that cannot be had are skipped, with the reason."""
    methods: tuple[Pattern, ...] = ()
    """Names of config/methods.yaml, or patterns, as topk_ent_k[2-5]; each is run on every data set
    but those whose statistics (config/datasets.yaml) tell no more classes than its k."""
    tables: tuple[Name, ...] = ()
    """The published tables that the study reproduces, as table05 or cvpr2016_table07."""
    description: str = ""
    """A few sentences, for the reports."""
    only: Mapping[Pattern, Names] = Field(default_factory=dict)
    """Methods, or patterns, that are for some of the data sets alone, and these data sets."""

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The data sets with the methods that are run on them, in order."""
        return [
            (dataset, method)
            for dataset in self.datasets
            for method in (*self.methods, *self.only)
            if dataset in self.only.get(method, self.datasets)
        ]

    def with_methods(self, known: Collection[str]) -> Study:
        """Return the study with the known methods in place of patterns, in their order.

        A pattern that no method matches stays, as an unknown name does, for the catalogue.
        """

        def matched(pattern: str) -> list[str]:
            return [name for name in known if fnmatchcase(name, pattern)] or [pattern]

        methods = [name for pattern in self.methods for name in matched(pattern)]
        only = {name: sets for key, sets in self.only.items() for name in matched(key)}
        return replace(self, methods=tuple(methods), only=only)


def load_studies(
    folder: str | os.PathLike[str],
    methods: Collection[str],
    run: Mapping[str, Any] = MappingProxyType({}),
) -> dict[str, Study]:
    """Read all studies of a folder, in the order of their names, and those of a run's config.

    `methods` are the names that patterns stand for. A ValueError names the file, the key and what
    is wrong; a `Fault` for studies of `run`.
    """
    studies = {}
    for path in sorted(Path(folder).glob("*.yaml")):
        studies[path.stem] = check(with_name(read_yaml(path), path.stem), Study, str(path))
    asked = run.get("studies", ())
    own = {name: row for name, row in asked.items() if row} if isinstance(asked, Mapping) else {}
    if taken := [name for name in own if name in studies]:
        raise Fault(f"studies.{taken[0]}", f"{folder} has this name already")
    try:
        studies |= validate(own, Annotated[Mapping[Name, Study], Named])
    except Fault as fault:
        raise fault.below("studies") from None
    return {name: study.with_methods(methods) for name, study in studies.items()}
