"""Parts of the reports beside the cells, and the targets by human names.

A target is called like a data set, a study, a published table (`table05` or `tpami2017_table05`) or
a figure. It makes the test metrics of its cells, whether the config asks for them or not; a figure
shows the cells of the config.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from toplabel.reproduction.config.catalogue import Cell
from toplabel.reproduction.config.keys import short_name, whole_name
from toplabel.reproduction.plan import Plan, PlanError
from toplabel.reproduction.report.figures.registry import (
    CELLS,
    FIGURES,
    Figure,
    figure_files,
    row_of,
)

_TABLE = ["results/tables/table02.csv", "results/tables/table02.json"]
"""The files of TPAMI Table 2, which no study asks for: every report but one of own studies has it."""


@dataclass(frozen=True)
class Targets:
    """The tables and figures of a run, and the files of each target."""

    plan: Plan

    # ---- tables ----------------------------------------------------------------------------------

    def table_files(self) -> list[str]:
        """Return the files of the tables that the reports print as they stand."""
        return [] if self.plan.is_own else self._whole([_TABLE])

    # ---- figures ---------------------------------------------------------------------------------

    @cached_property
    def figures(self) -> list[str]:
        """The figures that show cells of the config, of data sets without an outdated one."""
        of_others = {cell.dataset for cell in self.plan.outdated}
        return self._figures_of([cell for cell in self.plan.cells if cell.dataset not in of_others])

    @cached_property
    def known_figures(self) -> list[str]:
        """All figures that a config can ask for."""
        cells = [cell for name in self.plan.registry for cell in self.plan.catalogue.cells_of(name)]
        free = [figure.name for figure in FIGURES if not figure.of_run]
        return [*self._figures_of(cells), *free]

    def _figures_of(self, cells: Sequence[Cell]) -> list[str]:
        """Return the figures that show some cells; another draw of a set has none."""
        others = self.plan.catalogue.other_draws
        sets = dict.fromkeys(cell.dataset for cell in cells if cell.dataset not in others)
        named = []
        for figure in FIGURES:
            if figure.dataset:
                shown = [name for name in sets if figure.dataset in (name, "{dataset}")]
                named += [figure.of(name) for name in shown if self._drawn(figure, name, cells)]
            elif figure.of_run and sets:
                named.append(figure.name)
        return named

    def _drawn(self, figure: Figure, dataset: str, cells: Iterable[Cell]) -> list[Cell]:
        """Return the cells of a data set that a figure shows, without variants of methods.

        A figure of curve.csv shows the cells whose study has sizes. Any other that is made from files of
        cells leaves out methods without a C of their own.
        """
        methods = self.plan.methods
        shown = [cell for cell in cells if cell.dataset == dataset]
        if figure.page in self.plan.studies:
            of_study = self.plan.catalogue.cells_of(figure.page)
            shown = [cell for cell in shown if cell in of_study]
        shown = [cell for cell in shown if not methods[cell.method].variant_of] or shown
        if not figure.cell_files:
            return shown
        if "curve.csv" in figure.cell_files:
            return [cell for cell in shown if self.plan.sizes(cell)]
        rows = {cell: methods[cell.method] for cell in shown}
        return [cell for cell, row in rows.items() if row.selects_C and not row.selected_by]

    def figure_files(self) -> list[str]:
        """Return the files of all figures that the reports show.

        Figures that show no results are left out where the config defines its own studies.
        """
        free = [] if self.plan.is_own else [figure.name for figure in FIGURES if not figure.of_run]
        return self._whole(map(figure_files, (*self.figures, *free)))

    def _whole(self, groups: Iterable[list[str]]) -> list[str]:
        """Return the files of tables or figures; of a run that only shows, of those that are whole."""
        return [file for files in groups if self.plan.there(files) == files for file in files]

    def cells_of_figure(self, name: str) -> list[Cell]:
        """Return the cells that a figure of one data set shows, in the order of the methods.

        They are those of the config or, where it has none to show, of all studies.
        """
        figure = row_of(name)
        dataset = figure.dataset_of(name)
        cells = self._drawn(figure, dataset, self.plan.cells)
        cells = cells or self._drawn(figure, dataset, self.plan.catalogue.cells_of(dataset))
        order = {name: i for i, name in enumerate(self.plan.methods)}
        return sorted(cells, key=lambda cell: order[cell.method])

    def figure_inputs(self, name: str) -> list[str]:
        """Return the files that a figure is made from."""
        figure = row_of(name)
        files = [*figure.inputs]
        if figure.cell_files:
            for cell in self.cells_of_figure(name):
                for file in figure.cell_files:
                    units = self.plan.units(cell.dataset, cell.method)
                    files += units if file == "tune" else [cell.path(file)]
        return files

    def figure_shows(self, name: str) -> dict[str, Any]:
        """Return the facts of a data set that its figure shows; none for other figures."""
        dataset = row_of(name).dataset_of(name)
        if not dataset:
            return {}
        methods = [self.plan.methods[cell.method] for cell in self.cells_of_figure(name)]
        return {
            "dataset": dataset,
            "title": self.plan.registry[dataset].title,
            "split": self.plan.split_names(dataset)[0],
            "methods": [{"name": m.name, "label": m.label, "k": m.smallest_k} for m in methods],
        }

    # ---- data sets -------------------------------------------------------------------------------

    def prepared(self) -> list[str]:
        """Return the prepared data sets that the reports describe: those of the config, and the one
        that times are measured on.
        """
        timed = [] if self.plan.is_own else [self.plan.prepared(self.timed_set)]
        prepared = [*map(self.plan.prepared, self.plan.datasets), *timed]
        return self.plan.there(dict.fromkeys(prepared))

    def own_or_all(self) -> list[str]:
        """Return the prepared data sets that the config defines, or else all that it asks for."""
        names = self.plan.run.datasets or self.plan.datasets
        return [self.plan.prepared(name) for name in names]

    @property
    def timed_set(self) -> str:
        """The data set that figures of training times are about."""
        return "digits" if self.plan.budget == "quick" else "letter"

    def timing_inputs(self, name: str) -> dict[str, str]:
        """Return the inputs of a measurement of times: the projections need no data set."""
        return {} if name == "projections" else {"meta": self.plan.prepared(self.timed_set)}

    def reasons(self) -> dict[str, str]:
        """Return the reason why each other registered data set is missing."""
        plan = self.plan
        prepared = {*self.prepared()}
        asked = {cell.dataset for cell in plan.asked}
        reasons = {}
        for name in plan.registry:
            if plan.prepared(name) in prepared:
                continue
            reasons[name] = plan.raw.absence(name)
            if name in asked:
                detail = "not prepared" if plan.run.show else plan.raw.missing(name)
                reasons[name] = f"{reasons[name].partition(':')[0]}: {detail}"
        return reasons

    # ---- targets ---------------------------------------------------------------------------------

    def named(self) -> list[str]:
        """Return the names of all targets."""
        plan = self.plan
        names = {*plan.registry, *plan.studies, *plan.catalogue.tables, *self.known_figures}
        return sorted(names | {whole_name(table) for table in plan.catalogue.tables})

    def outputs(self, name: str) -> list[str]:
        """Return the files of a target: the test metrics of the cells that it stands for, or a figure.

        A PlanError says that no data set of it can be had, or that the config has no cell of a figure.
        """
        plan = self.plan
        if (figure := row_of(name)) is not None:
            if CELLS in figure.inputs and name not in self.figures:
                raise PlanError(f"{name}: no study of the config has a cell of it")
            return figure_files(name)
        cells = plan.catalogue.cells_of(short_name(name))
        return [cell.path("evaluation.csv") for cell in plan.reachable(cells, name)]
