"""The plan of a run: what the config asks for, as files and the jobs between them.

A `Plan` knows names and paths only; it reads no result. It is made anew whenever Snakemake reads
the Snakefile.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from typing import Any

from toplabel.reproduction.config.baselines import BASELINES
from toplabel.reproduction.config.catalogue import load_catalogue
from toplabel.reproduction.config.documents import Fault, unknown
from toplabel.reproduction.config.protocols import Budget, Protocol
from toplabel.reproduction.config.run import SUMMARY, RunConfig, Settings
from toplabel.reproduction.config.studies import Study
from toplabel.reproduction.data.fetch import missing_reason
from toplabel.reproduction.data.locate import mirror_folders
from toplabel.reproduction.selection.task import Task
from toplabel.reproduction.workflow.cells import Cell
from toplabel.reproduction.workflow.fingerprints import fingerprint, module_sum, sum_of
from toplabel.reproduction.workflow.layers import checked_run, source_of
from toplabel.reproduction.workflow.sources import lacking_torch

RAW_FOLDER = "data/raw"
_SETTINGS = ("seed", "eps_train", "max_epochs_tune", "max_epochs_train")
ALL_SPLITS = "all"  # the name of a tuning job that takes them together
# What of a registry entry the content of the prepared set depends on.
_CONTENT = (
    "task",
    "embedded",
    "format",
    "options",
    "storage",
    "folder",
    "files",
    "divide",
    "transform",
    "splits",
    "statistics",
    "features",
    "published_key",
    "not_comparable",
)


class PlanError(ValueError):
    """The config asks for something impossible; the message is one line."""


def planned(function: Callable[..., Any], *patterns: str) -> Callable[[Any], Any]:
    """Return the input function of a rule: what a function of the plan says, asked with some
    patterns that have the wildcards of the job in them.

    Its `PlanError` ends the run in one line: Snakemake prints a traceback for whatever an input
    function raises, but for SystemExit.
    """

    def answer(wildcards: Any) -> Any:
        try:
            return function(*(pattern.format(**wildcards) for pattern in patterns))
        except PlanError as error:
            sys.exit(f"Error: {error}")

    return answer


class Plan:
    """What the config asks for.

    Parameters
    ----------
    root : path-like
        The checkout: where config/, workflow/ and data/published/ are.
    config : mapping
        As Snakemake merged it from files and command line.
    layers : sequence of (name, mapping)
        What `config` was merged from, with the names that errors call it by; a later one overrides.

    Raises
    ------
    PlanError
        One line that names the file and the key: a config that its model refuses, or one that
        names an unknown study, data set, method or protocol.
    """

    def __init__(
        self,
        root: str | Path,
        config: Mapping[str, Any],
        layers: Sequence[tuple[str, Mapping[str, Any]]] = (),
    ) -> None:
        self.root = Path(root)
        try:
            self.run: RunConfig = checked_run(config, layers)
            self.catalogue = load_catalogue(self.root, config)
        except Fault as fault:  # of what the config adds to the catalogue
            raise PlanError(f"{source_of(fault.key, layers)}: {fault}") from None
        except ValueError as error:
            raise PlanError(" ".join(str(error).split())) from None
        self.registry = self.catalogue.registry
        self.protocols = self.catalogue.protocols
        self.methods = self.catalogue.methods
        self.studies = self.catalogue.studies
        self.tables = self.catalogue.tables
        self.config = config
        self.budget: str = self.run.budget
        self._check(source_of("studies", layers))

    def _check(self, source: str) -> None:
        of_run = f"{source}: studies"
        asked = [name.partition("/") for name in self.run.studies]
        named = [(of_run, "study", name) for name, _, _ in asked]
        named += [(of_run, "data set", dataset) for _, slash, dataset in asked if slash]
        askable = sorted({*self.studies, *self.registry, *self.tables})
        for where, what, name in named:
            known = askable if what == "study" else self.registry
            if name not in known:
                raise PlanError(f"{where}: {unknown(what, name, known)}")
        for name, slash, dataset in asked:
            if slash and name in self.studies and dataset not in self.studies[name].datasets:
                what = f"data set of the study '{name}'"
                raise PlanError(f"{of_run}: {unknown(what, dataset, self.studies[name].datasets)}")
        for study in self.studies.values():
            self._check_study(study)

    def _check_study(self, study: Study) -> None:
        for dataset, name in study.pairs:
            if self.methods[name].tunes_width and self.budget_of(dataset).theta is None:
                protocol = self.registry[dataset].protocol
                raise PlanError(
                    f"config/protocols.yaml: {protocol}.budgets.{self.budget}: theta is missing, "
                    f"which '{name}' needs on '{dataset}' in the study '{study.name}'"
                )

    # ---- what a data set and a method are ------------------------------------------------------

    def protocol_of(self, dataset: str) -> Protocol:
        """Return the protocol of a data set."""
        return self.protocols[self.registry[dataset].protocol]

    def budget_of(self, dataset: str) -> Budget:
        """Return the protocol's budget for a data set."""
        return self.protocol_of(dataset).budgets[self.budget]

    def split_names(self, dataset: str) -> list[str]:
        """Return the splits that are run: those of the registry, or the first few if the budget
        says so.
        """
        return self.registry[dataset].split_names[: self.budget_of(dataset).splits]

    # ---- slices of the config, for the params of the rules -------------------------------------

    def fingerprint(self, stage: str, method: str = "") -> str:
        """Return the sum over the sources of a stage, with those of the method if it is a baseline."""
        baseline = self.methods[method].baseline if method else ""
        own = f" {module_sum(BASELINES[baseline].module)}" if baseline else ""
        return fingerprint(stage, self.root) + own

    def task(self, stage: str, dataset: str, method: str) -> Task:
        """Return what the models of a stage depend on, with the settings where it trains.

        Snakemake compares its `vars` with what they were, so it holds nothing else: no name for the
        reports, no other budget.
        """
        row = self.methods[method]
        name = row.protocol or self.registry[dataset].protocol
        budget = self.protocols[name].budgets[self.run.budget]
        return Task(
            dataset,
            replace(row, label=method, protocol="", grid={}, point={}),
            replace(self.protocols[name], budgets={}),
            row.budget(budget, self.run.budget),
            self._settings(stage),
            C_scale=self.registry[dataset].C_scale if row.takes_grid else None,
        )

    def _settings(self, stage: str) -> Settings:
        """Return seed, tolerance and epochs of the stage tune or train; the others are not among
        them.
        """
        keys = {"tune": ("seed", "eps_tune", "max_epochs_tune"), "train": _SETTINGS}
        return Settings(**{key: getattr(self.run, key) for key in keys.get(stage, ())})

    @property
    def threshold(self) -> dict[str, Any]:
        """How thresholds are decided, as keywords of `thresholding.set_thresholds`."""
        return asdict(self.run.threshold)

    def network(self, dataset: str) -> dict[str, Any]:
        """Return what the networks of a data set depend on."""
        return {"network": self.registry[dataset].network, "seed": self.run.seed}

    def sets_made_by(self, rule: str) -> str:
        """Return the pattern of the data sets whose prepared form a rule makes."""
        return _pattern(name for name in self.registry if self.registry.maker(name) == rule)

    def methods_trained_by(self, rule: str) -> str:
        """Return the pattern of the methods whose models a rule trains: "train" or "fine_tune"."""
        fine_tunes = rule == "fine_tune"
        return _pattern(n for n, method in self.methods.items() if method.fine_tunes == fine_tunes)

    def origin_of(self, dataset: str) -> str:
        """Return the set that a data set is made of, or itself."""
        return self.registry.origin_of(dataset)

    def origin_meta(self, dataset: str) -> str:
        """Return the prepared form of the set that a data set is made of."""
        return f"results/{self.origin_of(dataset)}/data/meta.json"

    def entry_slice(self, dataset: str) -> dict[str, Any]:
        """Return what the content of the prepared set depends on."""
        found = asdict(self.registry[dataset])
        return {key: found[key] for key in _CONTENT}

    def method_labels(self, cells: Iterable[Cell]) -> list[dict[str, Any]]:
        """Name, label, k and group of the methods of some cells, for figures."""
        methods = [self.methods[cell.method] for cell in cells]
        return [
            {"name": m.name, "label": m.label, "k": m.smallest_k, "group": m.group} for m in methods
        ]

    def names_sum(self) -> str:
        """Return a sum over what gives results their names: data sets, methods, studies, published
        numbers.
        """
        named = ("datasets.yaml", "methods.yaml", "studies/*.yaml")
        paths = (*(f"config/{name}" for name in named), "data/published/*.csv")
        return sum_of(self.root, paths) + self._own_rows

    @property
    def _own_rows(self) -> str:
        """What the config adds to the registries; empty where it adds nothing."""
        own = {key: self.config.get(key) for key in ("datasets", "methods") if self.config.get(key)}
        if isinstance(self.config["studies"], Mapping):
            own["studies"] = dict(self.config["studies"])
        return f" {json.dumps(own, sort_keys=True, default=str)}" if own else ""

    def claims_sum(self) -> str:
        """Return a sum over what the papers say of their results, where they print it, why numbers
        differ, for which sets.
        """
        named = ("notes.yaml", "datasets.yaml")
        return sum_of(self.root, (*(f"config/{name}" for name in named), "data/published/*.csv"))

    def kept_sum(self) -> str:
        """Return a sum over the files of the kept run, which all reports show."""
        return sum_of(self.root, (f"{SUMMARY}/*.csv", f"{SUMMARY}/run.json"))

    @property
    def mirrors(self) -> list[str]:
        """The folders to look for raw files in, besides data/raw."""
        return [str(folder) for folder in mirror_folders(self.config["mirrors"], self.root)]

    def registry_sum(self) -> str:
        """Return a sum over the registry of data sets."""
        return sum_of(self.root, ("config/datasets.yaml",)) + self._own_rows

    # ---- files -----------------------------------------------------------------------------------

    def units(self, dataset: str, method: str) -> list[str]:
        """Return files of the tuning of a data set and method: one per split, or one of all where
        they are small.
        """
        together = self.protocol_of(dataset).splits_together or dataset in self.registry.seeds_of
        parts = [ALL_SPLITS] if together else self.split_names(dataset)
        tuned = Cell(dataset, self.methods[method].tuned_as)
        return [tuned.path(f"tune/{part}.npz") for part in parts]

    def splits_of(self, dataset: str, part: str) -> list[str]:
        """Return the splits that one file of `units` holds."""
        return self.split_names(dataset) if part == ALL_SPLITS else [part]

    def blocks(self, dataset: str, method: str, part: str) -> list[str]:
        """Return files of the coarse grid of a split by blocks of kernel widths, where a kernel is
        tuned by cross-validation and the budget asks for blocks; none where the job of the split
        does all.
        """
        found = self.methods[method]
        budget = found.budget(self.budget_of(dataset), self.run.budget)
        split = budget.theta_block is not None and found.tunes_width
        in_folds = self.protocol_of(dataset).validation == "folds" and part != ALL_SPLITS
        if not (split and in_folds) or found.baseline or found.ks:
            return []
        unit = Cell(dataset, method).path(f"tune/{part}")
        return [f"{unit}.block{block}.npz" for block in range(budget.blocks(found.tunes_width))]

    def draws(self, dataset: str, method: str = "") -> list[str]:
        """Return files of the networks of a data set, one per draw; with a method, what fine-tuning
        made of each.
        """
        splits = self.split_names(dataset)
        if not method:
            return [f"results/{dataset}/network/{split}.npz" for split in splits]
        return [Cell(dataset, method).path(f"draws/{split}.csv") for split in splits]

    def thresholds(self, dataset: str, method: str) -> str:
        """Return the file with the thresholds of a data set's metrics: the selection where none
        needs one.
        """
        needed = len(self.budget_of(dataset).thresholds.values()) > 0
        return Cell(dataset, method).path("thresholds.csv" if needed else "selection.csv")

    # ---- what there is to do ---------------------------------------------------------------------

    @cache  # noqa: B019  a plan lives as long as its process
    def reason_missing(self, dataset: str) -> str:
        """Return why a data set is missing; empty when it is not. A prepared set needs no raw
        files.

        What is made of another set needs that one all the same, and PyTorch where a network is
        trained further.
        """
        if (origin := self.origin_of(dataset)) != dataset:
            return self._lacking(dataset) or self.reason_missing(origin)
        if Path(f"results/{dataset}/data/meta.json").is_file():
            return ""
        mirrors = [Path(folder) for folder in self.mirrors]
        entry = self.registry[dataset]
        return missing_reason(entry, Path(RAW_FOLDER), mirrors, self.config["download"])

    def cells_of_studies(self, studies: Iterable[str]) -> set[Cell]:
        """Return all methods on all data sets of the studies, but a k that the classes are too few
        for.
        """
        return {
            Cell(dataset, method)
            for study in studies
            for dataset, method in self.studies[study].pairs
            if self._fits(dataset, method)
        }

    def _fits(self, dataset: str, method: str) -> bool:
        """Return whether k is below the number of classes, as far as that is known."""
        classes = self.registry[dataset].known_classes
        return classes is None or self.methods[method].smallest_k < classes

    def cells_of_dataset(self, dataset: str) -> set[Cell]:
        """Return a data set with all methods of the studies that contain it, but variants of
        methods.
        """
        return {
            cell
            for cell in self.cells_of_studies(self.studies)
            if cell.dataset == dataset and not self.methods[cell.method].variant_of
        }

    def reason_not_at_hand(self, dataset: str) -> str:
        """Return why no folder has the files of a data set; no address is asked."""
        origin = self.registry[self.origin_of(dataset)]
        return self._lacking(dataset) or missing_reason(origin, RAW_FOLDER, self.mirrors)

    def _lacking(self, dataset: str) -> str:
        """Return why the networks of a data set cannot be trained, if it has any."""
        return lacking_torch() if self.registry[dataset].network is not None else ""

    def reachable(self, cells: Iterable[Cell]) -> list[Cell]:
        """Return those whose data set can be had, in a fixed order."""
        return sorted(cell for cell in cells if not self.reason_missing(cell.dataset))

    def begun(self) -> list[Cell]:
        """Return cells that have a folder in results/."""
        found = (Cell(path.parent.name, path.name) for path in Path("results").glob("*/*/"))
        return sorted(c for c in found if c.dataset in self.registry and c.method in self.methods)

    def existing(self) -> list[Cell]:
        """Return cells that have been evaluated."""
        return [cell for cell in self.begun() if Path(cell.path("evaluation.csv")).is_file()]


def _pattern(names: Iterable[str]) -> str:
    """Return a regular expression of some names; of none, one that matches nothing."""
    return "|".join(names) or "(?!)"
