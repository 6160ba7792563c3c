"""Studies: which methods are run on which data sets, for which tables.
``config/studies/*.yaml``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from toplabel.reproduction.config.documents import Fault, check, read_yaml, unknown, validate
from toplabel.reproduction.config.model import (
    GIVEN,
    Closed,
    Name,
    RowName,
    Some,
    Text,
    Unique,
    model,
    with_name,
)

_TABLE_FILE = re.compile(r"(?P<source>[a-z]+[0-9]{4})_table(?P<table>[0-9]+)")
MAIN_SOURCE = "tpami2017"
"""The paper whose tables need no prefix: table05 is tpami2017_table05."""


def short_name(name: str) -> str:
    """Return the short form of a published table's name; any other name stays as it is."""
    return name.removeprefix(f"{MAIN_SOURCE}_") if _TABLE_FILE.fullmatch(name) else name


def whole_name(name: str) -> str:
    """Return the form of a published table's name with its paper, of either form."""
    return name if _TABLE_FILE.fullmatch(name) else f"{MAIN_SOURCE}_{name}"


Names = Annotated[tuple[Name, ...], Some, Unique]
TableName = Annotated[Name, AfterValidator(short_name)]


@model
class Study(Closed):
    """What is compared with what (config/studies/*.yaml); the file's name without suffix is the
    study's.
    """

    name: RowName
    title: Text
    """One line, for the reports."""
    datasets: Names
    """Names of config/datasets.yaml; those that cannot be had are skipped, with the reason."""
    methods: Annotated[tuple[Name, ...], Unique] = ()
    """Names of config/methods.yaml; each is run on every data set but those whose statistics
    (config/datasets.yaml) tell no more classes than its k."""
    tables: Annotated[tuple[TableName, ...], Unique] = ()
    """The published tables that it reproduces, as table05 or cvpr2016_table07."""
    description: str = ""
    """A few sentences, for the reports."""
    layouts: Annotated[tuple[TableName, ...], Unique] = Field((), json_schema_extra=GIVEN)
    """Published tables in whose layout the study's own table is printed, one for each, in place of
    one with every metric: the same metrics in the same order. For data that stand in for those of
    the tables."""
    only: Mapping[Name, Names] = Field(default_factory=dict, json_schema_extra=GIVEN)
    """Methods that are not for all of the data sets, and for which they are."""

    def __post_init__(self) -> None:
        if not (self.methods or self.only):
            raise Fault("methods", "a study needs one")
        for method, datasets in self.only.items():
            if method in self.methods:
                raise Fault(f"only.{method}", "is among the methods for all of the data sets")
            for name in datasets:
                if name not in self.datasets:
                    raise Fault(
                        f"only.{method}", unknown("data set of the study", name, self.datasets)
                    )

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Data sets with the methods that are run on them, in order."""
        return [
            (dataset, method)
            for dataset in self.datasets
            for method in (*self.methods, *self.only)
            if dataset in self.only.get(method, self.datasets)
        ]

    @property
    def own_tables(self) -> dict[str, str]:
        """Names of the tables of what no paper prints, with their layouts ("" for every metric)."""
        if not self.layouts:
            return {self.name: ""}
        return {f"{self.name}_{layout}": layout for layout in self.layouts}


def load_study(path: str | os.PathLike[str]) -> Study:
    """Read and check a study of config/studies; its names are checked by `check_study`."""
    document = with_name(read_yaml(path), Path(path).stem, f"{path}: ")
    return check(document, Study, str(path))


def load_studies(
    folder: str | os.PathLike[str], run: Mapping[str, Any] = MappingProxyType({})
) -> dict[str, Study]:
    """Read all studies of a folder, in the order of their names, and those of the run's config.

    A ValueError names the file, the key and what is wrong; a `Fault` for studies of `run`.
    """
    studies = [load_study(path) for path in sorted(Path(folder).glob("*.yaml"))]
    found = {study.name: study for study in studies}
    asked = run.get("studies", ())
    own = {name: row for name, row in asked.items() if row} if isinstance(asked, Mapping) else {}
    for name, row in own.items():
        key = f"studies.{name}"
        if name in found:
            raise Fault(key, f"{folder}/{name}.yaml has this name already")
        try:
            found[name] = validate(with_name(row, name, f"{key}: "), Study)
        except Fault as fault:
            raise Fault(f"{key}.{fault.key}".rstrip("."), fault.message) from None
    return found


def check_study(
    study: Study,
    known_datasets: Collection[str],
    known_methods: Collection[str],
    known_tables: Collection[str] | None = None,
) -> None:
    """Refuse a study that names something unknown; without `known_tables` tables are not checked."""
    for kind, names, known in (
        ("data set", study.datasets, known_datasets),
        ("method", (*study.methods, *study.only), known_methods),
        ("table", (*study.tables, *study.layouts), known_tables),
    ):
        if known is not None:
            check_names(f"study '{study.name}'", kind, names, known)


def check_names(where: str, kind: str, names: Iterable[str], known: Collection[str]) -> None:
    """Refuse an unknown name, by where it stands and the nearest known ones."""
    for name in names:
        if name not in known:
            raise ValueError(f"{where}: {unknown(kind, name, sorted(known))}")


def studies_with_table(studies: Mapping[str, Study], table: str) -> list[str]:
    """Return names of the studies that reproduce a published table, given by either of its names."""
    return [study.name for study in studies.values() if short_name(table) in study.tables]


def table_name(source: str, table: str) -> str:
    """Return a published table in short: "table05" of the main paper, else "cvpr2016_table07".

    Source and table are as in data/published: "tpami2017", "5".
    """
    return short_name(whole_table(source, table))


def whole_table(source: str, table: str) -> str:
    """Name a published table by its file in data/published, as "tpami2017_table05"."""
    return f"{source}_table{int(table):02d}"


def published_tables(folder: str | os.PathLike[str]) -> dict[str, tuple[str, str]]:
    """Return the published tables of data/published by their short names, as (source, table).

    A table is a file ``<source>_table<number>.csv``. Runtimes (tpami2017_table02) are not among
    them, since they depend on the machine and have other columns.
    """
    found = {}
    for path in sorted(Path(folder).glob("*.csv")):
        match = _TABLE_FILE.fullmatch(path.stem)
        if match and path.stem not in OTHER_COLUMNS:
            found[short_name(path.stem)] = (match["source"], str(int(match["table"])))
    return found


def whole_names(folder: str | os.PathLike[str]) -> set[str]:
    """Return the same tables by their whole names, as "tpami2017_table05"."""
    return {whole_table(*identity) for identity in published_tables(folder).values()}


OTHER_COLUMNS = frozenset(["tpami2017_table02"])
"""Published tables that are no cells of data set, method and metric."""
