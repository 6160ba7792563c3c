"""What the reports show: a function of the config, the command line and what results/ holds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path

from toplabel.reproduction.figures import figure_files, row_of, table_files
from toplabel.reproduction.workflow.cells import Cell, dataset_names
from toplabel.reproduction.workflow.plan import Plan
from toplabel.reproduction.workflow.targets import FREE, Targets

THRESHOLDS = "thresholds"
AGREEMENT = "agreement"
NOT_ASKED = "no study of the config asks for it"  # the data set is there
AGREEING = ("svm_ova", "lr_ova", "svm_ova_liblinear", "lr_ova_liblinear")


class Shown:
    """The files of a run that its reports are made of.

    Parameters
    ----------
    plan : Plan
    targets : Targets
    goals : callable
        The targets of the command line, names and files. The same command brings their cells up to
        date, so they are shown as it leaves them.
    """

    def __init__(
        self, plan: Plan, targets: Targets, goals: Callable[[], Iterable[str]] = tuple
    ) -> None:
        self._plan = plan
        self._targets = targets
        self._goals = goals

    @cache  # noqa: B019
    def made(self) -> list[Cell]:
        """Return cells whose test metrics the command brings up to date: those of the config and of
        its other targets.
        """
        cells = (self._evaluated_by(goal) for goal in self._goals())
        return sorted({*self._targets.wanted()}.union(*cells))

    def _evaluated_by(self, goal: str) -> list[Cell]:
        """Return the cells whose test metrics a target of the command line asks for by itself."""
        if cell := Cell.of_path(goal):
            return [cell] if cell in self._targets.all_cells() else []
        name = _figure_of(goal) or goal
        if name not in self._targets.named() or name in FREE:
            return []
        figure = row_of(name)
        if figure is None:
            return self._targets.cells(name)
        return self._targets.cells_of_figure(name) if figure.shows == "evaluations" else []

    def _made_sets(self) -> list[str]:
        """Return data sets that the command brings up to date, but that of the times."""
        drawn = {_figure_of(goal) or goal for goal in self._goals()} & {*self._targets.figures()}
        cells = (cell for name in sorted(drawn) for cell in self._drawn(name))
        return dataset_names([*self.made(), *cells])

    def _drawn(self, name: str) -> list[Cell]:
        return self._targets.cells_of_figure(name) if row_of(name).of_dataset else []

    def others(self) -> list[Cell]:
        """Return cells that were evaluated before and that the command does not make; they are
        shown as they are.
        """
        made = {*self.made()}
        return [cell for cell in self._plan.existing() if cell not in made]

    def _cut(self) -> list[Cell]:
        """Return cells of the config whose protocol has thresholds, without those of other draws
        of a set and of variants.
        """
        plan = self._plan
        return [
            cell
            for cell in self._targets.wanted()
            if cell.dataset not in plan.catalogue.other_draws
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
        wanted = {cell.names for cell in self._targets.wanted()}
        sets = {dataset for dataset, _ in wanted}
        both = [name for name in sets if {(name, method) for method in AGREEING} <= wanted]
        return [f"results/{name}/agreement.csv" for name in sorted(both)]

    def prepared(self) -> list[str]:
        """Prepared data sets that the command makes, and the one that times are measured on."""
        timed = [] if self._is_own else [self.timed_meta()]
        return list(dict.fromkeys([*map(_meta, self._made_sets()), *timed]))

    def timed_meta(self) -> str:
        """Return the prepared set that figures of training times are about."""
        return _meta("digits" if self._plan.budget == "quick" else "letter")

    def made_files(self, name: str) -> list[str]:
        """Return a file of each cell that the command makes, as far as its method leaves one."""
        methods = self._plan.methods
        return [cell.path(name) for cell in self.made() if name in methods[cell.method].results]

    def other_files(self, name: str) -> list[str]:
        """Return a file of each of `others`, as far as it is there."""
        paths = (cell.path(name) for cell in self.others())
        return [path for path in paths if Path(path).is_file()]

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
        asked = {cell.dataset for cell in self._targets.asked()}
        found = {}
        for name in self._plan.registry:
            if _meta(name) not in there:
                why = self._plan.reason_missing if name in asked else self._plan.reason_not_at_hand
                found[name] = why(name) or NOT_ASKED
        return found

    def tables(self) -> list[str]:
        """Return files of all tables that the reports show, cells of earlier runs included."""
        tables = self._targets.tables_of([*self.made(), *self.others()])
        tables += [THRESHOLDS] if self._cut() else []
        tables += [AGREEMENT] if self.agreements() else []
        return [file for table in dict.fromkeys(tables) for file in table_files(table)]

    def figures(self) -> list[str]:
        """Return files of the figures of the config and, unless all its studies are the user's own,
        of those of no run, and the tables made with them.
        """
        figures = self._targets.figures_of(self._targets.wanted())
        files = [file for figure in figures for file in figure_files(figure)]
        free = [] if self._is_own else [file for name in FREE for file in FREE[name]]
        return list(dict.fromkeys([*files, *free]))

    @property
    def _is_own(self) -> bool:
        """Return whether the config defines its studies, and so asks for none of the project's."""
        return isinstance(self._plan.config["studies"], Mapping)


def _figure_of(path: str) -> str:
    """Return the figure that a file is of; empty for other files."""
    return Path(path).stem if Path(path).parent == Path("results/figures") else ""


def _meta(dataset: str) -> str:
    return f"results/{dataset}/data/meta.json"
