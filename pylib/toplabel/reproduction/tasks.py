"""Tasks that rules hand to their scripts: one each, from the plan, as plain values.

A task has all that the script depends on besides its inputs, and nothing else, so Snakemake runs a job
again exactly where its answer may be another one. Each method of `Tasks` makes the task of a rule from
the wildcards of a job, and `as_params` hands it over.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from itertools import chain
from types import SimpleNamespace
from typing import Any

from toplabel.reproduction.compare import CompareTask
from toplabel.reproduction.config.catalogue import Cell
from toplabel.reproduction.config.keys import COMPETITORS
from toplabel.reproduction.config.methods import Method
from toplabel.reproduction.data import DescribedSet, DescribeTask, PrepareTask
from toplabel.reproduction.data.fetch import FetchTask
from toplabel.reproduction.facts import RunTask
from toplabel.reproduction.jobs import plain
from toplabel.reproduction.methods import Recipe
from toplabel.reproduction.networks import FeaturesTask, FineTuneTask, NetworkTask
from toplabel.reproduction.plan import ALL_SPLITS, Plan
from toplabel.reproduction.report import ReportTask
from toplabel.reproduction.report.figures.registry import FigureTask, row_of
from toplabel.reproduction.selection import (
    CurveTask,
    EvaluateTask,
    FinalTask,
    PredictTask,
    TrainTask,
    TuneTask,
)
from toplabel.reproduction.targets import Targets
from toplabel.reproduction.timing import TimeTask


def as_params(task_of: Callable[[Any], Any]) -> Callable[[Any], dict[str, Any]]:
    """Return the function of wildcards that gives a rule the task of a job as plain values."""
    return lambda wildcards: plain(task_of(wildcards))


@dataclass(frozen=True)
class Tasks:
    """The tasks of the rules."""

    plan: Plan
    targets: Targets

    # ---- data sets -------------------------------------------------------------------------------

    def fetch(self, wildcards: Any) -> FetchTask:
        """Return the task of a raw file."""
        return self.plan.raw.fetched[f"data/raw/{wildcards.raw}"]

    def prepare(self, wildcards: Any) -> PrepareTask:
        """Return the task of a data set to prepare."""
        plan, name = self.plan, wildcards.dataset
        return PrepareTask.of(
            plan.registry[name],
            C=plan.budget_of(name).C,
            sums=plan.raw.own_sums(name),
            is_own=name in plan.run.datasets,
        )

    def collect_datasets(self, wildcards: Any) -> DescribeTask:
        """Return the task of the overview of the data sets."""
        sets = tuple(map(DescribedSet.of, self.plan.registry.values()))
        return DescribeTask(sets, self.targets.reasons())

    # ---- cells -----------------------------------------------------------------------------------

    def tune(self, wildcards: Any) -> TuneTask:
        """Return the task of a job of tuning."""
        plan, dataset, name = self.plan, wildcards.dataset, wildcards.method
        one_job = wildcards.part == ALL_SPLITS
        method, budget = plan.methods[name], plan.budget_of(dataset, name)
        recipe = self._recipe(dataset, name)
        return TuneTask(
            dataset=dataset,
            method=name,
            recipe=recipe,
            seed=plan.run.seed,
            tol=self._tol(recipe, budget.tol_tune or plan.run.tol_tune),
            max_iter=plan.run.max_iter_tune,
            gram_dtype=budget.gram_dtype,
            splits=tuple(plan.split_names(dataset)) if one_job else (wildcards.part,),
            validation=plan.protocol_of(dataset, name).validation,
            metrics=self._metrics(dataset, name),
            grid=method.grid_of(budget, plan.budget),
            C_scale=plan.registry[dataset].C_scale if method.scales_C else None,
        )

    def train(self, wildcards: Any) -> TrainTask:
        """Return the task of the final training of a cell."""
        plan, dataset, name = self.plan, wildcards.dataset, wildcards.method
        budget = plan.budget_of(dataset, name)
        recipe = self._recipe(dataset, name)
        return TrainTask(
            dataset=dataset,
            method=name,
            recipe=recipe,
            seed=plan.run.seed,
            tol=self._tol(recipe, budget.tol_train or plan.run.tol_train),
            max_iter=plan.run.max_iter_train,
            gram_dtype=budget.gram_dtype,
            selected_by=plan.methods[name].selected_by,
        )

    def _recipe(self, dataset: str, name: str) -> Recipe:
        """Return the recipe of a cell: the scores of an estimator suit its metrics."""
        method = self.plan.methods[name]
        recipe = recipe_of(method)
        if method.estimator and "log_loss" in self._metrics(dataset, name):
            return replace(recipe, log_probabilities=True)
        return recipe

    def _tol(self, recipe: Recipe, tol: float) -> float:
        """Return a tolerance; that of what has no duality gap is no tighter than its own."""
        return tol if recipe.is_certified else max(tol, self.plan.run.tol_other)

    def evaluate(self, wildcards: Any) -> EvaluateTask:
        """Return the task of the test metrics of a cell."""
        run = self.plan.run
        return EvaluateTask(wildcards.dataset, wildcards.method, self.plan.budget, run.threshold)

    def predict(self, wildcards: Any) -> PredictTask:
        """Return the task of the predictions of a cell."""
        entry = self.plan.registry[wildcards.dataset]
        return PredictTask(
            recipe=recipe_of(self.plan.methods[wildcards.method]),
            threshold=self.plan.run.threshold,
            transform=entry.transform,
            bias=entry.bias,
        )

    def learning_curve(self, wildcards: Any) -> CurveTask:
        """Return the task of the test values of a cell by shares of the training rows."""
        return CurveTask(
            self._tune_all(wildcards),
            self.train(wildcards),
            self.evaluate(wildcards),
            self.plan.sizes(Cell(wildcards.dataset, wildcards.method)),
            self.plan.registry[wildcards.dataset].bias,
        )

    def final_model(self, wildcards: Any) -> FinalTask:
        """Return the task of the model of a cell on all rows."""
        return FinalTask(self._tune_all(wildcards), self.train(wildcards), self.predict(wildcards))

    def _tune_all(self, wildcards: Any) -> TuneTask:
        """Return the task of tuning a cell by itself, with all splits."""
        tuned = self.plan.methods[wildcards.method].tuned_as
        names = SimpleNamespace(dataset=wildcards.dataset, method=tuned, part=ALL_SPLITS)
        return self.tune(names)

    def _metrics(self, dataset: str, method: str) -> tuple[str, ...]:
        """Return the metrics of a cell: those of all studies that it belongs to, else its protocol's."""
        by_default = self.plan.protocol_of(dataset, method).metrics
        studies = [s for s in self.plan.studies.values() if (dataset, method) in s.pairs]
        chosen = [study.metrics or by_default for study in studies] or [by_default]
        return tuple(dict.fromkeys(chain.from_iterable(chosen)))

    # ---- networks --------------------------------------------------------------------------------

    def train_network(self, wildcards: Any) -> NetworkTask:
        """Return the task of the network of a draw."""
        network = self.plan.registry[wildcards.dataset].network
        return NetworkTask(wildcards.dataset, wildcards.part, network, self.plan.run.seed)

    def extract_features(self, wildcards: Any) -> FeaturesTask:
        """Return the task of the features of networks as a data set."""
        entry = self.plan.registry[wildcards.dataset]
        return FeaturesTask(
            dataset=entry.name,
            network=entry.network,
            seed=self.plan.run.seed,
            not_comparable=entry.not_comparable or "",
        )

    def fine_tune(self, wildcards: Any) -> FineTuneTask:
        """Return the task of the fine-tuning of a draw."""
        plan = self.plan
        method = plan.methods[wildcards.method]
        return FineTuneTask(
            dataset=wildcards.dataset,
            draw=wildcards.part,
            network=plan.registry[wildcards.dataset].network,
            seed=plan.run.seed,
            method=method.name,
            loss=method.loss,
            k=method.smallest_k,
            gamma=method.gamma,
            epochs=method.epochs,
            metrics=plan.protocol_of(wildcards.dataset, method.name).metrics,
            budget=plan.budget,
        )

    # ---- what is printed -------------------------------------------------------------------------

    def compare(self, wildcards: Any) -> CompareTask:
        """Return the task of the comparison with the papers."""
        plan = self.plan
        studies = dict.fromkeys(name.partition("/")[0] for name in plan.run.studies)
        return CompareTask(plan.checkout, plan.own_rows, tuple(studies), plan.run.threshold)

    def describe_run(self, wildcards: Any) -> RunTask:
        """Return the task of the description of the run."""
        studies = [asdict(study) for study in self.plan.studies.values()]
        return RunTask(self.plan.checkout, self.plan.config, studies)

    def report(self, wildcards: Any) -> ReportTask:
        """Return the task of the report."""
        missing = self.plan.missing if self.plan.run.show else ()
        return ReportTask(self.plan.checkout, tuple(missing))

    def draw_figure(self, wildcards: Any) -> FigureTask:
        """Return the task of a figure."""
        row = row_of(wildcards.figure)
        shown = self.targets.figure_shows(wildcards.figure)
        return FigureTask(wildcards.figure, row.design, row.source, **shown)

    def time(self, wildcards: Any) -> TimeTask:
        """Return the task of times to measure."""
        name, plan = wildcards.timing, self.plan
        trains = bool(self.targets.timing_inputs(name))
        title = plan.registry[self.targets.timed_set].title if trains else ""
        return TimeTask(name, plan.budget == "quick", title)


def recipe_of(method: Method) -> Recipe:
    """Return the recipe of a row of the registry of methods."""
    arguments = dict(method.params)
    competitor, leave_one_out = "", False
    if method.competitor:
        known = COMPETITORS[method.competitor]
        competitor, leave_one_out = known.code, known.leave_one_out
        arguments = {**known.fixed, **method.params}
        if known.top_k:
            arguments["k"] = method.k
    return Recipe(
        loss=method.loss,
        estimator=method.estimator,
        competitor=competitor,
        arguments=arguments,
        candidates=tuple(method.candidates) if method.estimator else (),
        k=method.k if method.loss and isinstance(method.k, int) else None,
        ks=method.ks,
        gamma=method.gamma,
        passes=method.passes,
        gap=method.gap,
        takes="set" if method.task == "multilabel" else "one",
        features=method.features,
        kernel=method.kernel,
        leave_one_out=leave_one_out,
    )
