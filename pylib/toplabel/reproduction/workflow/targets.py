"""Targets by human names, and the cells and files that they stand for.

Names of cells are every registered data set, study and published table, the latter in its short
form and with the paper (table05, tpami2017_table05). Every figure of `toplabel.reproduction.figures`
is a name too, and so is each table drawn with it.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from toplabel.reproduction.compare.blocks import block
from toplabel.reproduction.config.studies import Study, short_name, studies_with_table
from toplabel.reproduction.figures import FIGURES, figure_files, row_of, table_files
from toplabel.reproduction.workflow.cells import Cell, dataset_names
from toplabel.reproduction.workflow.plan import Plan, PlanError

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
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan

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
        return self._figures_of_sets(dataset_names(self.all_cells()))

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

    def all_cells(self) -> list[Cell]:
        """Return the cells of all studies."""
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
        figures, methods = self._figures_of_sets(dataset_names(cells)), self._plan.methods
        ranked = [cell for cell in cells if cell.dataset in self.ranked_sets]
        if not block(cell.names for cell in ranked if not methods[cell.method].variant_of)[0]:
            figures = [name for name in figures if name != "mean_ranks"]
        return figures

    def cells_of_figure(self, name: str) -> list[Cell]:
        """Return cells that a figure of one data set shows: those of the config, or where it has
        none of all studies.

        Without variants of methods, and where selections are drawn, those of methods whose C is
        selected, and not by the validation of another method.
        """
        figure, methods = row_of(name), self._plan.methods
        dataset = figure.dataset_of(name)
        cells = {cell for cell in self.asked() if cell.dataset == dataset}
        cells = cells or self._plan.cells_of_dataset(dataset)
        cells = {cell for cell in cells if not methods[cell.method].variant_of} or cells
        if figure.shows == "selections":
            cells = {
                cell
                for cell in cells
                if methods[cell.method].selects_C and not methods[cell.method].selected_by
            }
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
        if name in self.figures():
            return figure_files(name)
        return [cell.path("evaluation.csv") for cell in cells]


def _long_name(source: str, number: str) -> str:
    return f"{source}_table{int(number):02d}"
