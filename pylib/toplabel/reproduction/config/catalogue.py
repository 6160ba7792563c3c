"""The config of a run, and the catalogue of a checkout: all that config/ and data/published/ register."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cache
from itertools import chain, product
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, NamedTuple

from pydantic import Field, NonNegativeInt, PositiveInt

from toplabel.reproduction.config.datasets import Registry, load_registry
from toplabel.reproduction.config.documents import (
    ConfigModel,
    Fault,
    Gap,
    Name,
    Named,
    Part,
    RowName,
    Some,
    check_rows,
    model,
    read_yaml,
    unknown,
)
from toplabel.reproduction.config.entry import OWN, PROMINENT_LABEL, Entry
from toplabel.reproduction.config.keys import Key, key_of, published_tables, whole_name
from toplabel.reproduction.config.methods import Method, load_methods
from toplabel.reproduction.config.notes import FILE, Notes, load_notes
from toplabel.reproduction.config.protocols import BudgetName, Protocol, Threshold, load_protocols
from toplabel.reproduction.files import PathLike
from toplabel.reproduction.frames import read_texts


@model
class RunConfig(ConfigModel):
    """A run (config/config.yaml)."""

    studies: (
        Annotated[tuple[Part, ...], Some] | Annotated[Mapping[Part, Mapping[str, Any] | None], Some]
    )
    """Names of what `all` computes and the reports show: files of config/studies/, data sets, published
    tables; `multiclass/letter` is that part of a study or table which is of one data set. A mapping
    defines studies of the run's own, as in config/studies/; a name without a definition is a known
    one."""
    budget: BudgetName
    """Fineness of the grids of hyper-parameters (config/protocols.yaml)."""
    mirrors: tuple[str, ...]
    """Folders that hold raw files as `<set>/<file>`, plain or with .xz, .gz or .bz2 added. Those of
    the environment variable TOPLABEL_MIRROR come first, those that the repository ships last."""
    download: bool
    """True if the official address may be asked for a file that no folder has."""
    threshold: Threshold
    """The threshold of the metrics that compare sets of labels (TPAMI section 3.1). tune: selected
    together with C on validation data; cardinality: the one that gives test instances as many
    labels as training instances have; or a number."""
    seed: NonNegativeInt
    """Another value gives other folds of the selection, and another order of the training rows; test
    parts stay."""
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
    """True if the reports are written on the results that are there, and nothing is computed."""
    datasets: Mapping[str, Any] = Field(default_factory=dict)
    """Data sets of the run's own, as in config/datasets.yaml."""
    methods: Mapping[str, Any] = Field(default_factory=dict)
    """Methods of the run's own, as in config/methods.yaml."""

    def __post_init__(self) -> None:
        if self.tol_train > self.tol_tune:
            raise Fault("tol_train", f"{self.tol_train} is looser than tol_tune, {self.tol_tune}")


class Cell(NamedTuple):
    """A method on a data set: one folder of results."""

    dataset: str
    method: str

    def path(self, name: str) -> str:
        """Return a file of the folder."""
        return f"results/{self.dataset}/{self.method}/{name}"


Names = Annotated[tuple[Name, ...], Some]
Pattern = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_*?\[\]-]*$", max_length=100)]


@model
class Study(ConfigModel):
    """Comparison of methods (config/studies/*.yaml), named as its file without suffix."""

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
    metrics: tuple[str, ...] = ()
    """Metrics to measure, and to select for one by one, in place of the protocol's. Of one label
    per row: top<k>, balanced_accuracy, macro_f1 (micro F1 is top1), and log_loss of what has
    probabilities: the softmax loss and estimators with `predict_proba`. Of label sets: f1_micro, f1_macro,
    f1_instance, hamming_loss, accuracy, subset_accuracy, rank_loss, map, label_ap, coverage_loss,
    one_error_loss, p_at_<k>, r_at_<k>, ndcg_at_<k>."""
    reference: Name | None = None
    """The method that the others are compared with; by default the first."""
    sizes: tuple[Annotated[float, Field(gt=0, le=1)], ...] = ()
    """Shares of the training rows for learning curves of own data, as [0.1, 0.3, 1]."""
    final_model: bool = False
    """True to train each loss on all rows of own data, too, for final_model.npz."""
    rope: Annotated[float, Field(ge=0)] = 1.0
    """Points, or labels of coverage_loss, up to which a difference of two methods counts as none in
    practice (region of practical equivalence)."""

    def __post_init__(self) -> None:
        for name in chain(*self.only.values()):
            if name not in self.datasets:  # nothing would run on it
                raise Fault("only", unknown("data set of the study", name, self.datasets))
        if twice := [name for name, count in Counter(self.metrics).items() if count > 1]:
            raise Fault("metrics", f"'{twice[0]}' stands there twice")

    @property
    def pairs(self) -> list[Cell]:
        """The data sets with the methods that are run on them, in order."""
        return [
            Cell(dataset, method)
            for dataset in self.datasets
            for method in dict.fromkeys((*self.methods, *self.only))
            if dataset in self.only.get(method, self.datasets)
        ]

    def with_methods(self, known: Collection[str]) -> Study:
        """Return the study with the known methods in place of patterns, in their order.

        A pattern that no method matches stays, as an unknown name does, for the catalogue.
        """

        def matched(pattern: str) -> list[str]:
            return [name for name in known if fnmatchcase(name, pattern)] or [pattern]

        methods = dict.fromkeys(chain.from_iterable(map(matched, self.methods)))
        only: dict[str, tuple[str, ...]] = {}
        for key, sets in self.only.items():
            for name in matched(key):
                only[name] = tuple(dict.fromkeys((*only.get(name, ()), *sets)))
        if self.reference and self.reference not in (*methods, *only):
            wrong = unknown("method", self.reference, [*methods, *only])
            raise Fault(f"studies.{self.name}.reference", wrong)
        return replace(self, methods=tuple(methods), only=only)


@model
class Studies(ConfigModel):
    """All studies (config/studies/)."""

    studies: Annotated[Mapping[Name, Study], Named]
    """The studies by name."""


def load_studies(
    folder: PathLike,
    methods: Collection[str],
    run: Mapping[str, Any] = MappingProxyType({}),
) -> dict[str, Study]:
    """Read all studies of a folder, in the order of their names, and those of a run's config.

    `methods` are the names that patterns stand for. A ValueError names the folder, the study, the key
    and what is wrong; a `Fault` for studies of `run`.
    """
    rows = {path.stem: read_yaml(path) for path in sorted(Path(folder).glob("*.yaml"))}
    asked = run.get("studies")
    own = {name: row for name, row in asked.items() if row} if isinstance(asked, Mapping) else {}
    read = check_rows({"studies": rows}, Studies, str(folder), "studies", own)
    return {name: study.with_methods(methods) for name, study in read.studies.items()}


@dataclass(frozen=True, eq=False)
class Catalogue:
    """Registries of a checkout, and the cells that names stand for; read once and handed down.

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

    def cells_of(self, name: str) -> set[Cell]:
        """Return the cells that a name stands for, whether their data sets can be had or not.

        The name is that of a study, a data set (all methods of all studies but variants) or a
        published table (what it prints); ``name/dataset`` is the part of one data set.
        """
        name, _, dataset = name.partition("/")
        if name in self.studies:
            cells = self._of_studies([name])
        elif name in self.registry:
            cells = {
                cell
                for cell in self._of_studies(self.studies)
                if cell.dataset == name and not self.methods[cell.method].variant_of
            }
        else:
            studies = [s.name for s in self.studies.values() if name in s.tables]
            cells = {c for c in self._of_studies(studies) if self._is_printed(c, name)}
        return {cell for cell in cells if dataset in ("", cell.dataset)}

    def _of_studies(self, studies: Iterable[str]) -> set[Cell]:
        """Return the cells of studies whose k is below the number of classes, where that is known."""
        cells = {cell for study in studies for cell in self.studies[study].pairs}
        classes = {cell.dataset: self.registry[cell.dataset].known_classes for cell in cells}
        return {
            cell
            for cell in cells
            if self.methods[cell.method].smallest_k < (classes[cell.dataset] or math.inf)
        }

    @cache  # noqa: B019  it lives as long as the process
    def sets_of_table(self, table: str) -> dict[str, set[Key]]:
        """Return the data sets that a published table prints, with the keys of its methods."""
        source, _ = self.tables[table]
        path = self.published / f"{whole_name(table)}.csv"
        printed: dict[tuple[str, str], set[Key]] = {}
        for row in read_texts(path):
            printed.setdefault((row["dataset"], row["features"]), set()).add(key_of(row))
        return {
            name: printed[entry.published_key, entry.features]
            for name, entry in self.registry.items()
            if entry.is_in(source) and (entry.published_key, entry.features) in printed
        }

    def _is_printed(self, cell: Cell, table: str) -> bool:
        """Return whether a published table has numbers of a cell."""
        key = self.methods[cell.method].key
        if self.registry[cell.dataset].features.endswith("_kernels"):
            key = key._replace(kernel="precomputed")
        return key in self.sets_of_table(table).get(cell.dataset, ())


def load_catalogue(root: PathLike, run: Mapping[str, Any] = MappingProxyType({})) -> Catalogue:
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
        _check_metrics(study, registry)
        for dataset, method in study.pairs:
            if lacking := _lacking(registry[dataset], methods[method]):
                what = f"'{method}' needs {lacking}, which '{dataset}' has not"
                raise ValueError(f"study '{study.name}': {what}")
    return catalogue


_METRICS = {
    "multiclass": ["top<k>", "balanced_accuracy", "macro_f1", "log_loss"],
    "multilabel": [
        "f1_micro",
        "f1_macro",
        "f1_instance",
        "accuracy",
        "subset_accuracy",
        "map",
        "label_ap",
        "hamming_loss",
        "rank_loss",
        "coverage_loss",
        "one_error_loss",
        "p_at_<k>",
        "r_at_<k>",
        "ndcg_at_<k>",
    ],
}
"""The metrics of data sets with one label per row, and of those with label sets."""


def _check_metrics(study: Study, registry: Registry) -> None:
    """Refuse a metric that is unknown, or does not fit the labels of a data set of its study."""
    for metric, dataset in product(study.metrics, study.datasets):
        task = registry[dataset].task
        if re.sub(r"(top|_at_)[1-9]\d*$", r"\1<k>", metric) not in _METRICS[task]:
            kind = "one label per row" if task == "multiclass" else "label sets"
            wrong = unknown(f"metric of {kind}", metric, _METRICS[task])
            raise ValueError(f"study '{study.name}': metrics: {wrong} ('{dataset}' has {kind})")


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
        yield where, "data set", study.datasets
        yield where, "method", (*study.methods, *study.only)
        yield where, "table", study.tables
    notes = catalogue.notes
    for section in ("choices", "readings", "claims"):
        for name, note in getattr(notes, section).items():
            yield f"{FILE}: {section}.{name}.tables", "table", note.tables
    for name, reason in notes.reasons.items():
        for i, cells in enumerate(reason.cells):
            yield f"{FILE}: reasons.{name}[{i}].tables", "table", cells.tables
    for name, reading in notes.readings.items():
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
    has_single_labels = entry.format is None or entry.format in PROMINENT_LABEL
    return "" if has_single_labels else "single labels"
