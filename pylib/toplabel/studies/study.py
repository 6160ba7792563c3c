"""Studies: which methods are run on which data sets, for which tables. ``config/studies/*.yaml``.

A workflow reads them each time it plans, so this module imports nothing heavy.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from toplabel.config.documents import read_yaml
from toplabel.config.schemas import validate

_TABLE_FILE = re.compile(r"(?P<source>[a-z]+[0-9]{4})_table(?P<table>[0-9]+)")
MAIN_SOURCE = "tpami2017"
"""The paper whose tables need no prefix: table05 is tpami2017_table05."""


@dataclass(frozen=True)
class Study:
    """What is compared with what.

    Attributes
    ----------
    name : str
        The file's name without suffix.
    title, description : str
        For the reports.
    datasets, methods : tuple of str
        Every method is run on every data set that can be had and has more classes than its k.
    tables : tuple of str
        Names of the published tables that the study reproduces, in their short form (`short_name`).
    layouts : tuple of str
        Likewise, of those in whose layout its own tables are.
    """

    name: str
    title: str
    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    tables: tuple[str, ...] = ()
    description: str = ""
    layouts: tuple[str, ...] = ()

    @property
    def own_tables(self) -> dict[str, str]:
        """Names of the tables of what no paper prints, and the layout of each ("" for every metric)."""
        if not self.layouts:
            return {self.name: ""}
        return {f"{self.name}_{layout}": layout for layout in self.layouts}


def load_study(path: str | os.PathLike[str], schema: str | os.PathLike[str] | None = None) -> Study:
    """Read a study and check it against its schema; names are checked by `check_study`.

    Parameters
    ----------
    path : path-like
        ``config/studies/<name>.yaml``.
    schema : path-like, optional
        By default ``workflow/schemas/study.schema.yaml`` of the checkout that `path` is in.

    Raises
    ------
    ValueError
        One line with the file, the key and what is wrong.
    """
    path = Path(path)
    if schema is None:
        schema = path.resolve().parents[2] / "workflow" / "schemas" / "study.schema.yaml"
    document = read_yaml(path)
    validate(document, schema, str(path))
    return Study(
        name=path.stem,
        title=document["title"],
        datasets=tuple(document["datasets"]),
        methods=tuple(document["methods"]),
        tables=tuple(short_name(table) for table in document.get("tables", ())),
        description=document.get("description", ""),
        layouts=tuple(short_name(table) for table in document.get("layouts", ())),
    )


def load_studies(
    folder: str | os.PathLike[str], schema: str | os.PathLike[str] | None = None
) -> dict[str, Study]:
    """Read all studies of a folder, in the order of their names.

    Raises
    ------
    ValueError
        As `load_study`.
    """
    studies = [load_study(path, schema) for path in sorted(Path(folder).glob("*.yaml"))]
    return {study.name: study for study in studies}


def check_study(
    study: Study,
    known_datasets: Collection[str],
    known_methods: Collection[str],
    known_tables: Collection[str] | None = None,
) -> None:
    """Refuse a study that names something unknown.

    Parameters
    ----------
    study : Study
    known_datasets, known_methods : collection of str
    known_tables : collection of str, optional
        As the keys of `published_tables`; by default tables are not checked.

    Raises
    ------
    ValueError
        One line with the study, the unknown name, and the nearest known ones.
    """
    for kind, names, known in (
        ("data set", study.datasets, known_datasets),
        ("method", study.methods, known_methods),
        ("table", (*study.tables, *study.layouts), known_tables),
    ):
        for name in names:
            if known is not None and name not in known:
                near = difflib.get_close_matches(name, [*known], n=3)
                hint = f"did you mean {' or '.join(near)}?" if near else f"known: {_list(known)}"
                raise ValueError(f"study '{study.name}': unknown {kind} '{name}'; {hint}")


def _list(names: Collection[str]) -> str:
    return ", ".join(sorted(names)) or "none"


def studies_with_table(studies: Mapping[str, Study], table: str) -> list[str]:
    """Names of the studies that reproduce a published table, given by either of its names."""
    return [study.name for study in studies.values() if short_name(table) in study.tables]


def table_name(source: str, table: str) -> str:
    """Name a published table in short: "table05" for the main paper, else "cvpr2016_table07".

    Parameters
    ----------
    source, table : str
        As in data/published: "tpami2017", "5".
    """
    return short_name(f"{source}_table{int(table):02d}")


def short_name(name: str) -> str:
    """The short form of a published table's name; any other name stays as it is."""
    return name.removeprefix(f"{MAIN_SOURCE}_") if _TABLE_FILE.fullmatch(name) else name


def published_tables(folder: str | os.PathLike[str]) -> dict[str, tuple[str, str]]:
    """The published tables of a folder by their short names, as (source, table).

    A table is a file ``<source>_table<number>.csv``. Runtimes (tpami2017_table02) are not among them,
    since they depend on the machine and have other columns.

    Parameters
    ----------
    folder : path-like
        ``data/published``.
    """
    found = {}
    for path in sorted(Path(folder).glob("*.csv")):
        match = _TABLE_FILE.fullmatch(path.stem)
        if match and path.stem not in OTHER_COLUMNS:
            found[short_name(path.stem)] = (match["source"], str(int(match["table"])))
    return found


OTHER_COLUMNS = frozenset(["tpami2017_table02"])
"""Published tables that are no cells of data set, method and metric."""
