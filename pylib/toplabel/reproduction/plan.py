"""The plan of a run: which cells, data sets, tables and figures a config asks for, as files.

The rules of the workflow ask a `Plan` for their inputs and params. It knows names and paths, and
reads no result. Snakemake makes it anew whenever it reads the Snakefile.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from toplabel.reproduction.config.catalogue import Cell, RunConfig, Study, load_catalogue
from toplabel.reproduction.config.documents import read_yaml, unknown, validate
from toplabel.reproduction.config.keys import COMPETITORS
from toplabel.reproduction.config.protocols import Budget, BudgetName, Protocol
from toplabel.reproduction.data.fetch import Places, RawFiles, mirror_folders
from toplabel.reproduction.files import CONFIG_FILES, SUMMARY, one_line
from toplabel.reproduction.methods import competitor_module
from toplabel.reproduction.report.figures.registry import row_of
from toplabel.reproduction.sources import count_editable, fingerprint, state_of, user_files

DEFAULTS = "config/config.yaml"
ALL_SPLITS = "all"  # the name of a tuning job that takes the splits together


class PlanError(ValueError):
    """The config asks for something impossible; the message is one line."""


def add_sources(plan: Plan, rules: Iterable[Any]) -> None:
    """Add the sum over the sources of its script to the params of each of some rules of Snakemake.

    A raw file is fetched by any code, so that rule has none.
    """
    for rule in rules:
        if rule.script and Path(rule.script).name != "fetch_raw.py":  # its name in a module differs
            rule.set_params(sources=partial(plan.sources, rule.script))


def planned(function: Callable[..., Any], *patterns: str) -> Callable[[Any], Any]:
    """Return an input function for a rule, which calls a function of the plan.

    The arguments of the call are the patterns, with the wildcards of the job filled in. A
    `PlanError` ends the run in one line; Snakemake would print a traceback for it.
    """

    def answer(wildcards: Any) -> Any:
        try:
            return function(*(pattern.format(**wildcards) for pattern in patterns))
        except PlanError as error:
            sys.exit(f"Error: {error}")

    return answer


class Plan:
    """Request of a config.

    The config is that which Snakemake merged from files, the `source` that errors name, and the command
    line; `root` is the checkout. A PlanError of one line names the files and the key of what is wrong, or
    of a study, data set, method or protocol that does not exist.
    """

    outdated: frozenset[Cell] = frozenset()
    """The cells with results of another config, which a run that only shows leaves out."""

    def __init__(self, root: str | Path, config: Mapping[str, Any], source: str = DEFAULTS) -> None:
        self.root = Path(root)
        # A module's `config:` stands in place of config/config.yaml, and may name a part of the keys.
        self.config = {**read_yaml(self.root / DEFAULTS), **config}
        try:
            self.run: RunConfig = validate(self.config, RunConfig)
            self.catalogue = load_catalogue(self.root, self.config)
            self._check_names()
        except ValueError as error:
            raise PlanError(f"{source}: {one_line(error)}") from None
        self.registry = self.catalogue.registry
        self.protocols = self.catalogue.protocols
        self.methods = self.catalogue.methods
        count_editable(path for method in self.methods.values() for path in method.paths)
        self.studies = self.catalogue.studies
        self.budget: BudgetName = self.run.budget
        mirrors = map(str, mirror_folders(self.config["mirrors"], self.root))
        self.raw = RawFiles(self.registry, Places(tuple(mirrors), self.run.download))
        self._check_widths()

    def _check_names(self) -> None:
        catalogue = self.catalogue
        for asked in self.run.studies:
            name, slash, dataset = asked.partition("/")
            known = {*catalogue.studies, *catalogue.registry, *catalogue.tables}
            if name not in known:
                raise ValueError(f"studies: {unknown('study', name, sorted(known))}")
            sets = catalogue.studies[name].datasets if name in catalogue.studies else ()
            if slash and dataset not in (sets or catalogue.registry):
                what = f"data set of '{name}'"
                raise ValueError(f"studies: {unknown(what, dataset, sets or catalogue.registry)}")

    def _check_widths(self) -> None:
        for study in self.studies.values():
            for dataset, name in study.pairs:
                lacks_widths = self.budget_of(dataset, name).theta is None
                if self.methods[name].tunes_width and lacks_widths:
                    protocol = self.protocol_of(dataset, name)
                    raise PlanError(
                        f"config/protocols.yaml: {protocol.name}.budgets.{self.budget}: theta is "
                        f"missing, which '{name}' needs on '{dataset}' in '{study.name}'"
                    )

    # ---- data sets -------------------------------------------------------------------------------

    def prepared(self, dataset: str) -> str:
        """Return the file of a prepared data set that is written last."""
        return f"results/{dataset}/data/meta.json"

    def origin(self, dataset: str) -> str:
        """Return the prepared form of the set that a data set is made of."""
        return self.prepared(self.registry.origin_of(dataset))

    def made_by(self, rule: str) -> str:
        """Return the pattern of the data sets whose prepared form a rule makes."""
        extracts = rule == "extract_features"
        return pattern(n for n, row in self.registry.items() if bool(row.network) == extracts)

    # ---- files of the checkout -------------------------------------------------------------------

    @property
    def names(self) -> list[str]:
        """The files that give results their names: registries, studies, published numbers."""
        named = ("datasets.yaml", "methods.yaml", "protocols.yaml", "studies/*.yaml")
        return self.of_checkout(*(f"config/{name}" for name in named), "data/published/*.csv")

    @property
    def notes(self) -> list[str]:
        """The files with what is said of the numbers and of the papers: claims, reasons, coverage."""
        named = ("notes.yaml", "datasets.yaml", "coverage.csv")
        return self.of_checkout(*(f"config/{name}" for name in named), "data/published/*.csv")

    @property
    def kept(self) -> list[str]:
        """The files of the kept run, which all reports show."""
        return self.of_checkout(f"{SUMMARY}/*.csv", f"{SUMMARY}/run.json")

    @property
    def workflow(self) -> list[str]:
        """The Snakefile, its rules and scripts, which a report copies."""
        parts = ("workflow/Snakefile", "workflow/rules/*.smk", "workflow/scripts/*.py")
        return self.of_checkout("Snakefile", *parts)

    @property
    def own_code(self) -> list[str]:
        """The config files of a run of own studies, and the user's modules, which its report copies."""
        if not self.is_own:
            return []
        configs = filter(None, os.environ.get(CONFIG_FILES, "").split(os.pathsep))
        paths = [path for name in self.run.methods for path in self.methods[name].paths]
        modules = user_files(path.rpartition(".")[0] for path in paths)
        return [*configs, *map(str, modules)]

    @property
    def is_own(self) -> bool:
        """True if the config defines its studies, and so asks for none of the papers'."""
        return isinstance(self.config["studies"], Mapping)

    @property
    def report(self) -> str:
        """The folder of the report; studies of the run's own have one with the name of the first."""
        return f"reports/{next(iter(self.config['studies']))}" if self.is_own else "reports"

    @property
    def own_rows(self) -> dict[str, Any]:
        """Additions of the config to registries."""
        own = {"studies": self.config["studies"]} if self.is_own else {}
        return own | {key: dict(getattr(self.run, key)) for key in ("datasets", "methods")}

    @property
    def checkout(self) -> str:
        """The folder of the checkout; "." where the run works in it."""
        return "." if self.root.resolve() == Path.cwd() else str(self.root)

    def of_checkout(self, *patterns: str) -> list[str]:
        """Return files of the checkout, by relative paths where the run works in it."""
        base = Path(self.checkout)
        return [str(path) for pattern in patterns for path in sorted(base.glob(pattern))]

    # ---- sources ---------------------------------------------------------------------------------

    def sources(self, script: str, wildcards: Any) -> str:
        """Return the sum over the sources of a script, with those of a method or a figure that it
        imports by name. Of an installed class it is the version.
        """
        total = fingerprint(Path(script).name, self.root)
        return " ".join([total, *map(state_of, self._modules_of(wildcards))])

    def _modules_of(self, wildcards: Any) -> list[str]:
        """Return the modules that a job imports by name."""
        if figure := row_of(wildcards.get("figure", "")):
            return [f"toplabel.reproduction.report.figures.{figure.design.partition('.')[0]}"]
        method = self.methods.get(wildcards.get("method", ""))
        if method is None:
            return []
        if method.competitor:
            return [competitor_module(COMPETITORS[method.competitor].code)]
        return [path.rpartition(".")[0] for path in method.paths]

    # ---- methods on data sets --------------------------------------------------------------------

    def protocol_of(self, dataset: str, method: str = "") -> Protocol:
        """Return the protocol of a data set, or that which a method has in its place."""
        own = self.methods[method].protocol if method else ""
        return self.protocols[own or self.registry[dataset].protocol]

    def budget_of(self, dataset: str, method: str = "") -> Budget:
        """Return the grids of that protocol, at the budget of the run."""
        return self.protocol_of(dataset, method).budgets[self.budget]

    def split_names(self, dataset: str) -> list[str]:
        """Return the splits that are run: all, or the first few where the budget says so."""
        return self.registry[dataset].split_names[: self.budget_of(dataset).splits]

    def trained_by(self, rule: str) -> str:
        """Return the pattern of the methods that a rule, "train" or "fine_tune", trains."""
        fine_tunes = rule == "fine_tune"
        return pattern(n for n, method in self.methods.items() if method.fine_tunes == fine_tunes)

    def units(self, dataset: str, method: str) -> list[str]:
        """Return the files of the tuning: one for each split, or one of all where they are small."""
        together = self.protocol_of(dataset).splits_together or dataset in self.registry.seeds_of
        parts = [ALL_SPLITS] if together else self.split_names(dataset)
        tuned = Cell(dataset, self.methods[method].tuned_as)
        return [tuned.path(f"tune/{part}.npz") for part in parts]

    def draws(self, dataset: str, method: str = "") -> list[str]:
        """Return the networks of a data set, one for each split, or their test metrics after
        fine-tuning with a method.
        """
        splits = self.split_names(dataset)
        if not method:
            return [f"results/{dataset}/network/{split}.npz" for split in splits]
        return [Cell(dataset, method).path(f"draws/{split}.csv") for split in splits]

    # ---- cells -----------------------------------------------------------------------------------

    @cached_property
    def asked(self) -> list[Cell]:
        """The cells of the config, whether their data sets can be had or not."""
        return sorted({c for name in self.run.studies for c in self.catalogue.cells_of(name)})

    @cached_property
    def cells(self) -> list[Cell]:
        """The cells of the config whose data sets can be had; of a run that only shows, those with
        results that are not outdated. A PlanError has the reasons why there is none.
        """
        if not self.run.show:
            return self.reachable(self.asked, "the studies of the config")
        shown = [cell for cell in self.asked if self.there([cell.path("evaluation.csv")])]
        if not {*shown} - self.outdated:
            of = "under this config, but under another one" if shown else "yet"
            raise PlanError(
                f"show: the studies of the config have no results {of}; the same command without show "
                "makes them"
            )
        return [cell for cell in shown if cell not in self.outdated]

    @property
    def missing(self) -> list[str]:
        """The cells that the config asks for and a run that only shows has no results of, without
        those whose data sets cannot be had.
        """
        lacking = sorted({*self.asked} - {*self.cells})
        return [f"{c.dataset}/{c.method}" for c in lacking if not self.raw.missing(c.dataset)]

    def there(self, files: Iterable[str]) -> list[str]:
        """Return files; of a run that only shows, those that are there."""
        return [file for file in files if not self.run.show or Path(file).is_file()]

    def reachable(self, asked: Iterable[Cell], what: str) -> list[Cell]:
        """Return the cells whose data sets can be had; none is a `PlanError` with the reasons."""
        cells = sorted(cell for cell in asked if not self.raw.missing(cell.dataset))
        if not cells:
            reasons = {cell.dataset: self.raw.missing(cell.dataset) for cell in sorted(asked)}
            words = "; ".join(f"{name}: {why}" for name, why in reasons.items())
            raise PlanError(f"{what}: no data set can be had ({words or 'no study has one'})")
        return cells

    @cached_property
    def datasets(self) -> list[str]:
        """The data sets of `cells`."""
        return list(dict.fromkeys(cell.dataset for cell in self.cells))

    def cell_files(self, name: str, cells: Iterable[Cell] | None = None) -> list[str]:
        """Return a file of each of some cells (of `cells`), as far as their methods leave one."""
        cells = self.cells if cells is None else cells
        if name in ("ranks.npz", "selection.csv"):  # a fine-tuned network has neither
            cells = [cell for cell in cells if not self.methods[cell.method].fine_tunes]
        return self.there(cell.path(name) for cell in cells)

    def predictions(self, name: str = "predictions.csv") -> list[str]:
        """Return a file of the predictions of each cell of a data set that the config defines."""
        own = [cell for cell in self.cells if cell.dataset in self.run.datasets]
        return self.there(cell.path(name) for cell in own)

    def sizes(self, cell: Cell) -> tuple[float, ...]:
        """Return the shares of the training rows below 1 that studies of own data ask for."""
        asked = [study.sizes for study in self._own_studies(cell)]
        return tuple(sorted({size for sizes in asked for size in sizes if size < 1.0}))

    def final_models(self) -> list[str]:
        """Return the models on all rows that studies of own data ask for, of losses."""
        cells = [
            cell
            for cell in self.cells
            if self.methods[cell.method].loss
            and any(study.final_model for study in self._own_studies(cell))
        ]
        return self.there(cell.path("final_model.npz") for cell in cells)

    def _own_studies(self, cell: Cell) -> list[Study]:
        """Return the studies of the config that a cell of a data set of its own belongs to."""
        if cell.dataset not in self.run.datasets:
            return []
        named = [self.studies[name] for name in self.run.studies if name in self.studies]
        return [study for study in named if cell in study.pairs]


def pattern(names: Iterable[str]) -> str:
    """Return a regular expression that matches some names; of none, one that matches nothing."""
    return "|".join(names) or "(?!)"
