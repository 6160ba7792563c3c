"""What the reports show, and targets by human names.

What is compared and shown is a function of the config and of what results/ holds. Names: every
registered data set, study and published table, in its short form and with the paper (table05,
tpami2017_table05), which stand for cells; every figure of `toplabel.reproduction.figures`, and the
tables drawn with it.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from toplabel.reproduction.config.studies import Study, short_name, studies_with_table
from toplabel.reproduction.figures import FIGURES, figure_files, row_of, table_files
from toplabel.reproduction.studies.blocks import block
from toplabel.reproduction.workflow.cells import Cell, dataset_names
from toplabel.reproduction.workflow.plan import Plan, PlanError

THRESHOLDS = "thresholds"
AGREEMENT = "agreement"
NOT_ASKED = "no study of the config asks for it"  # the data set is there
AGREEING = ("svm_ova", "lr_ova", "svm_ova_liblinear", "lr_ova_liblinear")

#: Targets without cells: figures of mathematics, of times, of calibration, and the tables made with
#: them.
FREE: dict[str, list[str]] = {
    **{
        name: table_files(table)
        for figure in FIGURES
        for table in figure.tables
        for name in (table, f"{figure.name.partition('_')[0]}_{table}")
    },
    **{figure.name: figure.files for figure in FIGURES if not figure.of_run},
}


class Targets:
    """What the config asks for, and the names of targets.

    Parameters
    ----------
    plan : Plan
    goals : callable
        The targets of the command line, names and files. The same command brings their cells up to
        date, so they are shown as it leaves them.
    """

    def __init__(self, plan: Plan, goals: Callable[[], Iterable[str]] = tuple) -> None:
        self._plan = plan
        self._goals = goals

    # ---- names -----------------------------------------------------------------------------------

    def named(self) -> list[str]:
        """Return names that are targets of their own: data sets, studies, tables (both forms),
        figures.
        """
        plan = self._plan
        names = {*plan.registry, *plan.studies, *self.tables(), *self.figures(), *FREE}
        names |= {_long_name(*identity) for identity in plan.tables.values()}
        return sorted(names)

    def tables(self) -> list[str]:
        """Return tables that can be made: the published ones, and a study's own, named like it."""
        studies = [study for study in self._plan.studies.values() if self._own_sets(study)]
        return [*self._plan.tables, *(name for study in studies for name in study.own_tables)]

    def _own_sets(self, study: Study) -> list[str]:
        """Return data sets of a study of which the tables that it reproduces print nothing."""
        return [
            dataset
            for dataset in study.datasets
            if not any(self._in_table(dataset, table) for table in study.tables)
        ]

    def figures(self) -> list[str]:
        """Return figures of results that can be made."""
        return self._figures_of_sets(dataset_names(self._all_cells()))

    def _figures_of_sets(self, sets: Sequence[str]) -> list[str]:
        """Return figures of results on some data sets; of another draw of one, its own set has
        them.
        """
        named = []
        sets = [name for name in sets if name not in self._plan.catalogue.other_draws]
        for figure in FIGURES:
            shown = (
                [s for s in sets if figure.dataset in (s, "{dataset}")] if figure.dataset else [""]
            )
            if figure.name.startswith("topk_"):
                shown = [name for name in shown if name in self.ranked_sets]
            if figure.of_run and sets:
                named += [figure.of(name) for name in shown]
        return named

    @property
    def ranked_sets(self) -> list[str]:
        """Data sets on which top-k accuracy is measured for several k."""
        tops = {
            name
            for name, protocol in self._plan.protocols.items()
            if sum(metric.startswith("top") for metric in protocol.metrics) > 1
        }
        registry, others = self._plan.registry, self._plan.catalogue.other_draws
        return [n for n, entry in registry.items() if entry.protocol in tops and n not in others]

    def _all_cells(self) -> list[Cell]:
        return sorted(self._plan.cells_of_studies(self._plan.studies))

    # ---- cells -----------------------------------------------------------------------------------

    def cells(self, name: str) -> list[Cell]:
        """Return the cells that a target asks for, of data sets that can be had.

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
                "config/studies (docs/extend.md)"
            )
        if name in plan.registry and plan.reason_missing(name):
            raise PlanError(f"{name}: cannot be had: {plan.reason_missing(name)}")
        found = plan.reachable(asked)
        if not found:
            raise PlanError(f"{name}: {self._why_nothing(asked)}")
        return found

    def _asked(self, name: str) -> set[Cell]:
        """Return the cells of a target, whether they can be had or not."""
        plan = self._plan
        if name in plan.registry or name in plan.studies:
            studies = [name] if name in plan.studies else []
            return plan.cells_of_dataset(name) | plan.cells_of_studies(studies)
        if short_name(name) in plan.tables:
            return self._cells_of_table(short_name(name))
        for study in plan.studies.values():
            if name in study.own_tables:
                return plan.cells_of_studies([study.name])
        if (figure := row_of(name)) and figure.dataset_of(name) in plan.registry:
            return plan.cells_of_dataset(figure.dataset_of(name))
        return self.asked()

    def asked(self) -> set[Cell]:
        """Return the cells of the config, whether they can be had or not."""
        return set().union(*(self._of_config(name) for name in self._plan.config["studies"]))

    def _of_config(self, name: str) -> set[Cell]:
        """Return the cells of an entry of `studies`; a name that is also a data set's stands for
        the study alone.
        """
        name, _, dataset = name.partition("/")
        plan = self._plan
        cells = plan.cells_of_studies([name]) if name in plan.studies else self._asked(name)
        return {cell for cell in cells if dataset in ("", cell.dataset)}

    @cache  # noqa: B019
    def wanted(self) -> list[Cell]:
        """Return the cells of the config, of data sets that can be had.

        Raises
        ------
        PlanError
            One line with the reasons, when there is none.
        """
        asked = self.asked()
        found = self._plan.reachable(asked)
        if not found:
            raise PlanError(f"studies of the config: {self._why_nothing(asked)}")
        return found

    @cache  # noqa: B019
    def made(self) -> list[Cell]:
        """Return cells whose test metrics the command brings up to date: those of the config and of
        its other targets.
        """
        cells = (self._evaluated_by(goal) for goal in self._goals())
        return sorted({*self.wanted()}.union(*cells))

    def _evaluated_by(self, goal: str) -> list[Cell]:
        """Return the cells whose test metrics a target of the command line asks for by itself."""
        if cell := Cell.of_path(goal):
            return [cell] if cell in self._all_cells() else []
        name = _figure_of(goal) or goal
        if name not in self.named() or name in FREE:
            return []
        figure = row_of(name)
        if figure is None:
            return self.cells(name)
        return self.cells_of_figure(name) if figure.shows == "evaluations" else []

    def _made_sets(self) -> list[str]:
        """Return data sets that the command brings up to date, but that of the times."""
        drawn = {_figure_of(goal) or goal for goal in self._goals()} & {*self.figures()}
        cells = (cell for name in sorted(drawn) for cell in self._drawn(name))
        return dataset_names([*self.made(), *cells])

    def _drawn(self, name: str) -> list[Cell]:
        return self.cells_of_figure(name) if row_of(name).of_dataset else []

    def others(self) -> list[Cell]:
        """Return cells that were evaluated before and that the command does not make; they are
        shown as they are.
        """
        made = {*self.made()}
        return [cell for cell in self._plan.existing() if cell not in made]

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

    # ---- tables and figures ----------------------------------------------------------------------

    def tables_of(self, cells: Iterable[Cell]) -> list[str]:
        """Return tables that hold a cell, in the order of `tables`."""
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
        """Return figures that show a cell, in the order of `figures`."""
        cells = sorted(cells)
        figures = self._figures_of_sets(dataset_names(cells))
        if not block(cell.names for cell in cells if cell.dataset in self.ranked_sets)[0]:
            figures = [name for name in figures if name != "mean_ranks"]
        return figures

    def cells_of_figure(self, name: str) -> list[Cell]:
        """Return cells that a figure of one data set shows: those of the config, or where it has
        none of all studies.

        Without variants of methods, and where selections are drawn, those of methods whose C is
        selected.
        """
        figure, methods = row_of(name), self._plan.methods
        dataset = figure.dataset_of(name)
        cells = {cell for cell in self.asked() if cell.dataset == dataset}
        cells = cells or self._plan.cells_of_dataset(dataset)
        cells = {cell for cell in cells if not methods[cell.method].variant_of} or cells
        if figure.shows == "selections":
            cells = {cell for cell in cells if methods[cell.method].selects_C}
        return self._as_registered(cells)

    def figure_inputs(self, name: str, file: str) -> list[str]:
        """Return a file of each cell that a figure shows; "tune" stands for those that tuning left."""
        cells = self.cells_of_figure(name)
        if file == "tune":
            return [unit for cell in cells for unit in self._plan.units(*cell.names)]
        return [cell.path(file) for cell in cells]

    def figure_shows(self, name: str) -> dict[str, Any]:
        """Return what the script of a figure of one data set needs to know of it."""
        dataset = row_of(name).dataset_of(name)
        return {
            "title": self._plan.registry[dataset].title,
            "split": self._plan.split_names(dataset)[0],
            "methods": self._plan.method_labels(self.cells_of_figure(name)),
        }

    def _as_registered(self, cells: Iterable[Cell]) -> list[Cell]:
        """Return cells of a data set in the order of the registry of methods, where a loss has its
        k one after the other.
        """
        order = {name: i for i, name in enumerate(self._plan.methods)}
        return sorted(cells, key=lambda cell: order[cell.method])

    # ---- files -----------------------------------------------------------------------------------

    def outputs(self, name: str) -> list[str]:
        """Return files that the name of a data set, study, table or figure stands for."""
        if name in FREE:
            return FREE[name]
        cells = self.cells(name)
        return figure_files(name) if name in self.figures() else _evaluations(cells)

    def _cut(self) -> list[Cell]:
        """Return cells of the config whose protocol has thresholds, without those of folds drawn
        again and of variants.
        """
        plan = self._plan
        return [
            cell
            for cell in self.wanted()
            if cell.dataset not in plan.registry.seeds_of
            and not plan.methods[cell.method].variant_of
            and len(plan.budget_of(cell.dataset).thresholds.values())
        ]

    def strategies(self) -> list[str]:
        """Return what each strategy for the threshold gives, a file per cell."""
        return [cell.path("threshold_strategies.csv") for cell in self._cut()]

    def strategy_labels(self) -> list[str]:
        """Return labels of the methods of `strategies`."""
        return [self._plan.methods[cell.method].label for cell in self._cut()]

    def agreements(self) -> list[str]:
        """One-vs-all by our own solver beside LIBLINEAR, on the data sets where the config has
        both.
        """
        wanted = {cell.names for cell in self.wanted()}
        sets = {dataset for dataset, _ in wanted}
        both = [name for name in sets if {(name, method) for method in AGREEING} <= wanted]
        return [f"results/{name}/agreement.csv" for name in sorted(both)]

    def prepared(self) -> list[str]:
        """Prepared data sets that the command makes, and the one that times are measured on."""
        names = dict.fromkeys([*self._made_sets(), self.timed_set()])
        return [_meta(name) for name in names]

    def timed_set(self) -> str:
        """Return the set that figures of training times are about."""
        return "digits" if self._plan.budget == "quick" else "letter"

    def timed_meta(self) -> str:
        """Return the prepared form of `timed_set`."""
        return _meta(self.timed_set())

    def evaluations(self) -> list[str]:
        """Test metrics that the command makes."""
        return _evaluations(self.made())

    def ranks(self) -> list[str]:
        """Return ranks of the true classes of `evaluations`; none of networks, whose splits tell
        how sure a number is.
        """
        methods = self._plan.methods
        return _ranks(cell for cell in self.made() if not methods[cell.method].fine_tunes)

    def other_ranks(self) -> list[str]:
        """Return those of `others`, as far as they are there."""
        return [path for path in _ranks(self.others()) if Path(path).is_file()]

    def other_evaluations(self) -> list[str]:
        """Test metrics of `others`."""
        return _evaluations(self.others())

    def other_metas(self) -> list[str]:
        """Return data sets that were prepared before and that the command does not make."""
        wanted = self.prepared()
        metas = (_meta(name) for name in self._plan.registry)
        return [meta for meta in metas if meta not in wanted and Path(meta).is_file()]

    def compared(self) -> list[str]:
        """Return those of `prepared` that have test metrics: they say whether these are compared."""
        return self._with_metrics(self.prepared())

    def other_compared(self) -> list[str]:
        """Return those of `other_metas` that have test metrics."""
        return self._with_metrics(self.other_metas())

    def _with_metrics(self, metas: Iterable[str]) -> list[str]:
        measured = {_meta(cell.dataset) for cell in (*self.made(), *self.others())}
        return [meta for meta in metas if meta in measured]

    def reasons(self) -> dict[str, str]:
        """Return why a registered data set is missing, by name; those that are there are left out."""
        there = {*self.prepared(), *self.other_metas()}
        asked = {cell.dataset for cell in self.asked()}
        found = {}
        for name in self._plan.registry:
            if _meta(name) not in there:
                why = self._plan.reason_missing if name in asked else self._plan.reason_not_at_hand
                found[name] = why(name) or NOT_ASKED
        return found

    def shown_tables(self) -> list[str]:
        """Return files of all tables that the reports show, cells of earlier runs included."""
        tables = self.tables_of([*self.made(), *self.others()])
        tables += [THRESHOLDS] if self._cut() else []
        tables += [AGREEMENT] if self.agreements() else []
        return [file for table in dict.fromkeys(tables) for file in table_files(table)]

    def shown_figures(self) -> list[str]:
        """Return files of the figures of the config and of those of no run, and the tables made
        with them.
        """
        figures = self.figures_of(self.wanted())
        files = [file for figure in figures for file in figure_files(figure)]
        return list(dict.fromkeys([*files, *(file for name in FREE for file in FREE[name])]))


def _evaluations(cells: Iterable[Cell]) -> list[str]:
    return [cell.path("evaluation.csv") for cell in cells]


def _ranks(cells: Iterable[Cell]) -> list[str]:
    return [cell.path("ranks.npz") for cell in cells]


def _figure_of(path: str) -> str:
    """Return the figure that a file is of; empty for other files."""
    return Path(path).stem if Path(path).parent == Path("results/figures") else ""


def _meta(dataset: str) -> str:
    return f"results/{dataset}/data/meta.json"


def _long_name(source: str, number: str) -> str:
    return f"{source}_table{int(number):02d}"
