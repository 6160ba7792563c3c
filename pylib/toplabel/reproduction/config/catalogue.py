"""The catalogue of a checkout: everything that config/ and data/published/ register."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any

from toplabel.reproduction.config.datasets import Registry, load_registry
from toplabel.reproduction.config.documents import unknown
from toplabel.reproduction.config.entry import LABEL_SETS_ALONE, OWN, Entry
from toplabel.reproduction.config.methods import Method, load_methods
from toplabel.reproduction.config.notes import FILE, Notes, load_notes
from toplabel.reproduction.config.protocols import Protocol, load_protocols
from toplabel.reproduction.config.studies import Study, load_studies, published_tables


@dataclass(frozen=True)
class Catalogue:
    """What a checkout registers; it is read once and handed down.

    `tables` has source and number of each published table by its short name, `published` is the
    folder of the published numbers.
    """

    registry: Registry
    protocols: Mapping[str, Protocol]
    methods: Mapping[str, Method]
    studies: Mapping[str, Study]
    tables: Mapping[str, tuple[str, str]]
    notes: Notes
    published: Path

    @property
    def other_draws(self) -> set[str]:
        """The data sets that are another one with its folds or points drawn otherwise."""
        return {*self.registry.seeds_of, *self.notes.stand_ins}


def load_catalogue(
    root: str | os.PathLike[str], run: Mapping[str, Any] = MappingProxyType({})
) -> Catalogue:
    """Read and check what config/ and data/published/ of a checkout hold, and what a run adds.

    `run` is the config of the run, which may have data sets, methods and studies of its own. A
    ValueError is one line with the file, the key and what is wrong; a `Fault` for rows of `run`.
    """
    config, published = Path(root) / "config", Path(root) / "data/published"
    registry = load_registry(config / "datasets.yaml", run)
    methods = load_methods(config / "methods.yaml", run)
    catalogue = Catalogue(
        registry,
        load_protocols(config / "protocols.yaml"),
        methods,
        load_studies(config / "studies", methods, run),
        published_tables(published),
        load_notes(root),
        published,
    )
    _check_names(catalogue)
    for study in catalogue.studies.values():
        for dataset, method in study.pairs:
            if lacking := _lacking(registry[dataset], methods[method]):
                what = f"'{method}' needs {lacking}, which '{dataset}' has not"
                raise ValueError(f"study '{study.name}': {what}")
    return catalogue


def _check_names(catalogue: Catalogue) -> None:
    """Refuse a name that is not registered, by where it stands and the nearest known ones."""
    known = {
        "protocol": catalogue.protocols,
        "data set": catalogue.registry,
        "method": catalogue.methods,
        "table": catalogue.tables,
    }
    for where, kind, names in _names(catalogue):
        for name in names:
            if name not in known[kind]:
                said = {OWN if row.startswith(f"{OWN}_") else row for row in known[kind]}
                names_of_kind = said if kind == "protocol" else known[kind]
                raise ValueError(f"{where}: {unknown(kind, name, sorted(names_of_kind))}")


def _names(catalogue: Catalogue) -> Iterator[tuple[str, str, Iterable[str]]]:
    """Yield where names of other rows stand, what they name, and the names."""
    for kind, rows in (("data set", catalogue.registry), ("method", catalogue.methods)):
        for row in rows.values():
            yield f"{kind} '{row.name}'", "protocol", [row.protocol] if row.protocol else []
    for study in catalogue.studies.values():
        where = f"study '{study.name}'"
        yield where, "data set", chain(study.datasets, *study.only.values())
        yield where, "method", (*study.methods, *study.only)
        yield where, "table", study.tables
    for key, tables in catalogue.notes.tables.items():
        yield f"{FILE}: {key}.tables", "table", tables
    for name, reading in catalogue.notes.readings.items():
        yield f"{FILE}: readings.{name}", "data set", chain(*reading.datasets.items())
        yield f"{FILE}: readings.{name}", "method", chain(*reading.methods.items())


def _lacking(entry: Entry, method: Method) -> str:
    """Return the need of a method that a data set does not meet; empty if it meets all."""
    if method.fine_tunes and entry.network is None:
        return "a network"
    if method.task == entry.task:
        return ""
    if method.task == "multilabel":
        return "label sets"
    return "single labels" if entry.format in LABEL_SETS_ALONE else ""
