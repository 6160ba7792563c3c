"""Targets by human names: which cells, tables and figures each of them asks for.

Names: all, report, data, bench, smoke; every registered data set; every study; every published table, in its short form
and with the paper (table05, tpami2017_table05); every figure; the extras, which no cell stands behind
(`toplabel.workflow.extras`).
"""

from __future__ import annotations

import csv
import difflib
import hashlib
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import NoReturn

from toplabel.studies.ranks import block
from toplabel.studies.study import Study, short_name, studies_with_table
from toplabel.workflow.extras import EXTRAS, Extra
from toplabel.workflow.plan import Cell, Plan, PlanError, dataset_names

CIRCLE_FIGURE = "tpami2017_figure04"
RANKS_FIGURE = "mean_ranks"
THRESHOLDS = "thresholds"
AGREEMENT = "agreement"
AGREEING = ("svm_ova", "lr_ova", "svm_ova_liblinear", "lr_ova_liblinear")


class Targets:
    """What the names on the command line ask for.

    Parameters
    ----------
    plan : Plan
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan

    # ---- names -----------------------------------------------------------------------------------

    def named(self) -> list[str]:
        """Names that are targets of their own: data sets, studies, tables (both forms), figures, extras."""
        plan = self._plan
        names = {*plan.registry, *plan.studies, *self.tables(), *self.figures(), *EXTRAS}
        names |= {_long_name(*identity) for identity in plan.tables.values()}
        return sorted(names)

    def tables(self) -> list[str]:
        """Tables that can be made: the published ones, and a study's own, named like it."""
        studies = [study for study in self._plan.studies.values() if self._own_sets(study)]
        return [*self._plan.tables, *(name for study in studies for name in study.own_tables)]

    def _own_sets(self, study: Study) -> list[str]:
        """Data sets of a study of which the tables that it reproduces print nothing."""
        return [
            dataset
            for dataset in study.datasets
            if not any(self._in_table(dataset, table) for table in study.tables)
        ]

    def figures(self) -> list[str]:
        """Figures that can be made."""
        sets = dataset_names(self._all_cells())
        curves = [f"selection_{name}" for name in sets]
        curves += [f"topk_{name}" for name in sets if name in self.ranked_sets]
        return [CIRCLE_FIGURE, "gaps", RANKS_FIGURE, *curves]

    @property
    def ranked_sets(self) -> list[str]:
        """Data sets on which top-k accuracy is measured for several k."""
        tops = {
            name
            for name, protocol in self._plan.protocols.items()
            if sum(metric.startswith("top") for metric in protocol.metrics) > 1
        }
        return [name for name, entry in self._plan.registry.items() if entry.protocol in tops]

    def _all_cells(self) -> list[Cell]:
        return sorted(self._plan.cells_of_studies(self._plan.studies))

    def refuse(self, name: str, others: Iterable[str] = ()) -> NoReturn:
        """Say that a word is no target.

        Parameters
        ----------
        name : str
        others : iterable of str
            Names of targets besides `named`.

        Raises
        ------
        PlanError
            One line with the word and the names nearest to it.
        """
        near = difflib.get_close_matches(name, sorted({*self.named(), *others}), n=3)
        hint = f"did you mean {' or '.join(near)}?" if near else "docs/workflow.md lists them"
        raise PlanError(f"unknown target '{name}'; {hint}")

    # ---- cells -----------------------------------------------------------------------------------

    def cells(self, name: str) -> list[Cell]:
        """The cells that a target asks for, of data sets that can be had.

        Raises
        ------
        PlanError
            One line with the reason, when a data set asked for by name is in no study or cannot be
            had, or when a study or table has no data set that can.
        """
        plan = self._plan
        asked = self._asked(name)
        if not asked:
            raise PlanError(
                f"{name}: no study has methods for it; list it under `datasets` of a file in "
                "config/studies (docs/add-a-study.md)"
            )
        if name in plan.registry and plan.reason_missing(name):
            raise PlanError(f"{name}: cannot be had: {plan.reason_missing(name)}")
        found = plan.reachable(asked)
        if not found:
            raise PlanError(f"{name}: {self._why_nothing(asked)}")
        return found

    def _asked(self, name: str) -> set[Cell]:
        """The cells of a target, whether they can be had or not."""
        plan = self._plan
        if name in plan.registry or name in plan.studies:
            studies = [name] if name in plan.studies else []
            return plan.cells_of_dataset(name) | plan.cells_of_studies(studies)
        if short_name(name) in plan.tables:
            return self._cells_of_table(short_name(name))
        for study in plan.studies.values():
            if name in study.own_tables:
                return plan.cells_of_studies([study.name])
        if name == CIRCLE_FIGURE:
            return plan.cells_of_dataset("circle")
        for prefix in ("selection_", "topk_"):
            if name.removeprefix(prefix) in plan.registry:
                return plan.cells_of_dataset(name.removeprefix(prefix))
        return set() if name in EXTRAS else plan.cells_of_studies(plan.config["studies"])

    def _is_whole(self, name: str) -> bool:
        """Whether a name asks for the studies of the config: all, report, or a file."""
        return name not in self.named()

    def _why_nothing(self, asked: Iterable[Cell]) -> str:
        missing = dataset_names(sorted(asked))
        reasons = [f"{dataset} ({self._plan.reason_missing(dataset)})" for dataset in missing]
        return f"none of its data sets can be had: {'; '.join(reasons)}"

    def _cells_of_table(self, table: str) -> set[Cell]:
        plan = self._plan
        cells = plan.cells_of_studies(studies_with_table(plan.studies, table))
        return {cell for cell in cells if self._in_table(cell.dataset, table)}

    def _in_table(self, dataset: str, table: str) -> bool:
        entry = self._plan.registry[dataset]
        source, _ = self._plan.tables[table]
        place = (entry.published_key, entry.features)
        return entry.is_in(source) and place in self._sets_of_table(table)

    @cache  # noqa: B019  targets live as long as their process
    def _sets_of_table(self, table: str) -> frozenset[tuple[str, str]]:
        name = _long_name(*self._plan.tables[table])
        path = self._plan.root / f"data/published/{name}.csv"
        with open(path, newline="", encoding="utf-8") as stream:
            return frozenset((row["dataset"], row["features"]) for row in csv.DictReader(stream))

    # ---- what a run makes ------------------------------------------------------------------------

    def wanted(self, requested: Iterable[str]) -> list[Cell]:
        """The cells of all targets of a run together."""
        names = [name for name in requested if name not in EXTRAS]
        return sorted({cell for name in names for cell in self.cells(name)})

    def extras(self, requested: Iterable[str]) -> list[Extra]:
        """The extras of a run: those asked for, or all of them when it is about the whole config."""
        names = set(requested)
        everything = any(self._is_whole(name) for name in names)
        return [extra for name, extra in EXTRAS.items() if everything or name in names]

    def tables_of(self, cells: Iterable[Cell]) -> list[str]:
        """Tables that hold a cell, in the order of `tables`."""
        cells = set(cells)
        plan = self._plan
        touched = set()
        for study in plan.studies.values():
            own = cells & plan.cells_of_studies([study.name])
            for table in study.tables:
                if any(self._in_table(cell.dataset, table) for cell in own):
                    touched.add(table)
            if {cell.dataset for cell in own} & {*self._own_sets(study)}:
                touched |= set(study.own_tables)
        return [table for table in self.tables() if table in touched]

    def figures_of(self, cells: Iterable[Cell]) -> list[str]:
        """Figures that show a cell, in the order of `figures`."""
        cells = sorted(cells)
        sets = dataset_names(cells)
        touched = {f"selection_{name}" for name in sets} | ({"gaps"} if sets else set())
        touched |= {f"topk_{name}" for name in sets}
        if block(cell.names for cell in cells if cell.dataset in self.ranked_sets)[0]:
            touched.add(RANKS_FIGURE)
        if "circle" in sets:
            touched.add(CIRCLE_FIGURE)
        return [figure for figure in self.figures() if figure in touched]

    def cells_of_circle(self) -> list[Cell]:
        """Cells that the figure of the circle shows: the methods whose C is selected."""
        methods = self._plan.methods
        cells = self._plan.cells_of_dataset("circle")
        return self._as_registered(cell for cell in cells if methods[cell.method].selects_C)

    def cells_of_selection(self, requested: Iterable[str], dataset: str) -> list[Cell]:
        """Cells that the figure of selection curves shows: those of the run whose C is selected."""
        methods = self._plan.methods
        cells = (cell for cell in self.wanted(requested) if cell.dataset == dataset)
        return self._as_registered(cell for cell in cells if methods[cell.method].selects_C)

    def cells_of_topk(self, requested: Iterable[str], dataset: str) -> list[Cell]:
        """Cells that the figure of top-k accuracy shows: those of the run."""
        return self._as_registered(c for c in self.wanted(requested) if c.dataset == dataset)

    def _as_registered(self, cells: Iterable[Cell]) -> list[Cell]:
        """Cells of a data set in the order of the registry of methods, where a loss has its k one after the other."""
        order = {name: i for i, name in enumerate(self._plan.methods)}
        return sorted(cells, key=lambda cell: order[cell.method])

    # ---- files -----------------------------------------------------------------------------------

    def outputs(self, name: str) -> list[str]:
        """Files that the name of a data set, study, table, figure or extra stands for."""
        if name in EXTRAS:
            return extra_files(EXTRAS[name])
        cells = self.cells(name)
        if name in self.figures():
            return figure_files(name)
        files = [cell.path("evaluation.csv") for cell in cells]
        files += ["results/comparison.csv", "results/datasets.csv"]
        only = short_name(name) in self.tables() and name not in self._plan.studies
        tables = [short_name(name)] if only else self.tables_of(cells)
        return [*files, *(file for table in tables for file in table_files(table))]

    def _cut(self, requested: Sequence[str]) -> list[Cell]:
        """Cells of a run whose protocol has cut-offs."""
        plan = self._plan
        cells = self.wanted(requested)
        return [cell for cell in cells if len(plan.budget_of(cell.dataset).deltas)]

    def strategies(self, requested: Sequence[str]) -> list[str]:
        """What each way of setting cut-offs gives, a file a cell."""
        return [cell.path("strategies.csv") for cell in self._cut(requested)]

    def strategy_labels(self, requested: Sequence[str]) -> list[str]:
        """Labels of the methods of `strategies`."""
        return [self._plan.methods[cell.method].label for cell in self._cut(requested)]

    def agreements(self, requested: Sequence[str]) -> list[str]:
        """One-vs-all by our own solver beside LIBLINEAR, on the data sets where a run has both."""
        wanted = {cell.names for cell in self.wanted(requested)}
        sets = {dataset for dataset, _ in wanted}
        both = [name for name in sets if {(name, method) for method in AGREEING} <= wanted]
        return [f"results/{name}/agreement.csv" for name in sorted(both)]

    def prepared(self, requested: Sequence[str]) -> list[str]:
        """Prepared data sets of a run."""
        names = dataset_names(self.wanted(requested))
        if any(extra.timed for extra in self.extras(requested)):
            names = list(dict.fromkeys([*names, self.timed_set()]))
        return [_meta(name) for name in names]

    def timed_set(self) -> str:
        """The set that figures of training times are about: letter where it is at hand, else digits."""
        here = Path(_meta("letter")).is_file() or not self._plan.reason_not_at_hand("letter")
        return "letter" if here and self._plan.budget != "quick" else "digits"

    def timed_meta(self) -> str:
        """Its prepared form."""
        return _meta(self.timed_set())

    def evaluations(self, requested: Sequence[str]) -> list[str]:
        """Test metrics of a run."""
        return [cell.path("evaluation.csv") for cell in self.wanted(requested)]

    def other_evaluations(self, requested: Sequence[str]) -> list[str]:
        """Test metrics of earlier runs that this one does not ask for; the reports keep them."""
        return [cell.path("evaluation.csv") for cell in self._others(requested)]

    def other_metas(self, requested: Sequence[str]) -> list[str]:
        """Data sets that earlier runs prepared and this one does not ask for."""
        wanted = self.prepared(requested)
        metas = (_meta(name) for name in self._plan.registry)
        return [meta for meta in metas if meta not in wanted and Path(meta).is_file()]

    def _others(self, requested: Sequence[str]) -> list[Cell]:
        wanted = set(self.wanted(requested))
        return [cell for cell in self._plan.existing() if cell not in wanted]

    def reasons(self, requested: Sequence[str]) -> dict[str, str]:
        """Why a registered data set is missing, by name; those that are there are left out."""
        there = {*self.prepared(requested), *self.other_metas(requested)}
        asked = {cell.dataset for name in requested for cell in self._asked(name)}
        found = {}
        for name in self._plan.registry:
            if _meta(name) not in there:
                why = self._plan.reason_missing if name in asked else self._plan.reason_not_at_hand
                found[name] = why(name) or "no target of this run asks for it"
        return found

    def all_table_files(self, requested: Sequence[str]) -> list[str]:
        """Files of all tables that the reports show, cells of earlier runs included."""
        shown = [*self.wanted(requested), *self._others(requested)]
        tables = [*self.tables_of(shown), *(t for e in self.extras(requested) for t in e.tables)]
        tables += [THRESHOLDS] if self._cut(requested) else []
        tables += [AGREEMENT] if self.agreements(requested) else []
        return [file for table in dict.fromkeys(tables) for file in table_files(table)]

    def all_figure_files(self, requested: Sequence[str]) -> list[str]:
        """Files of the figures of this run; those of earlier runs stay as they are."""
        figures = self.figures_of(self.wanted(requested))
        figures += [name for extra in self.extras(requested) for name in extra.figures]
        return [file for figure in figures for file in figure_files(figure)]


def _meta(dataset: str) -> str:
    return f"results/{dataset}/data/meta.json"


def _long_name(source: str, number: str) -> str:
    return f"{source}_table{int(number):02d}"


def table_files(name: str) -> list[str]:
    """Files of a table."""
    return [f"results/tables/{name}.csv", f"results/tables/{name}.json"]


def figure_files(name: str) -> list[str]:
    """Files of a figure."""
    return [f"results/figures/{name}.{suffix}" for suffix in ("svg", "csv", "json")]


def extra_files(extra: Extra) -> list[str]:
    """Files of an extra."""
    figures = [file for name in extra.figures for file in figure_files(name)]
    tables = [file for name in extra.tables for file in table_files(name)]
    return [*figures, *tables, *extra.files]


def file_sums(paths: Iterable[str]) -> dict[str, str]:
    """SHA-256 of files, for params: a change of a file that is no input makes a rule run again."""
    return {path: hashlib.sha256(Path(path).read_bytes()).hexdigest()[:16] for path in paths}
